#include <cstddef>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/store/stored_object.h"

namespace kinformer::apiserver {
namespace {

StoredObjectPtr Make(const std::string& name, const std::string& label, const std::string& field) {
  json::Value object = json::Value::MakeObject(
      {{"metadata", json::Value::MakeObject({{"name", name}, {"namespace", "n"}})}});
  if (!label.empty()) object.Ensure("metadata", "labels").Set("l", label);
  if (!field.empty()) object.Set("field", field);
  const std::vector<SelectableField> fields = {{.name = "field", .pointer = "/field"}};
  return StoredObject::Make(object, 7, fields);
}

// Labels and selectable fields are stored twice: in the text, and beside it.
TEST(StoredObjectSize, CountsAllTexts) {
  constexpr std::size_t kMuch = 100'000;
  constexpr std::size_t kLittle = 1'000;
  const std::string text(kMuch, 'x');
  const std::size_t none = Make("a", "", "")->bytes();
  EXPECT_GT(none, sizeof(StoredObject));
  EXPECT_LT(none, sizeof(StoredObject) + kLittle);
  struct Row {
    StoredObjectPtr stored;
    std::size_t texts;
  };
  for (const Row& row : {Row{Make(text, "", ""), 2}, Row{Make("a", text, ""), 2},
                         Row{Make("a", "", text), 2}, Row{Make("a", text, text), 4}}) {
    EXPECT_GE(row.stored->bytes(), none + row.texts * kMuch - kLittle);
    EXPECT_LT(row.stored->bytes(), none + row.texts * kMuch * 21 / 10);
  }
}

TEST(StoredObjectSize, Copies_KnowWhetherTheObjectIsDeleted) {
  const StoredObjectPtr stored = Make("a", "", "");
  EXPECT_FALSE(stored->Copy()->tombstone());
  EXPECT_TRUE(stored->AtResourceVersion(8, true)->Copy()->tombstone());
  EXPECT_FALSE(stored->AtResourceVersion(8, false)->Copy()->tombstone());
}

}  // namespace
}  // namespace kinformer::apiserver

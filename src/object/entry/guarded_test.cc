// The readers of objects get texts between inaccessible pages: even if they read in long pieces,
// they must not read outside of the text.

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/kind_info.h"

#include "object/transcode/json_tape.h"
#include "wire/testing/guarded_text.h"

namespace kinformer::internal {
namespace {

const KindInfo& Gizmo() { return *DynamicKindInfo("example.com", "v1", "Gizmo", "gizmos", true); }

// Returns objects that end with a text of about that size, and some that differ only in it.
std::vector<std::string> Objects(std::size_t size) {
  const std::string text(size, 't');
  const std::string digits = "1" + std::string(size % 15, '0');
  return {
      R"({"metadata":{"name":")" + text + "\"}}",
      R"({"spec":{},"metadata":{"name":"n","finalizers":[")" + text + "\"]}}",
      R"({"kind":"Gizmo","metadata":{"name":"n","uid":")" + text + R"(","generation":)" + digits +
          "}}",
      R"({"metadata":{"name":"n","labels":{"a":"b","c":")" + text + "\"}}}",
      R"({"metadata":{"name":"n","annotations":{"a":"\")" + text + "\"}}}",
      R"({"metadata":{"name":"n","managedFields":[{"manager":")" + text + R"(","fieldsV1":{"f:)" +
          text + "\":{}}}]}}",
      R"({"metadata":{"name":"n","creationTimestamp":"2026-03-01T10:00:00Z"},"x":")" + text + "\"}",
      R"({"metadata":{"name":"n","ownerReferences":[{"kind":")" + text +
          R"(","controller":true}]}})",
      R"({"metadata":{"name":"n"},"x":[1,{"y":")" + text + R"("}],"z":")" + text + "\\n\"}",
  };
}

TEST(Guarded, NoReaderOfObjectsLooksBeyondItsText) {
  testing::GuardedText guarded(8192);
  for (std::size_t size = 0; size < 150; ++size) {
    for (const std::string& object : Objects(size)) {
      const auto full = BuildFromJson(Gizmo(), object, {.validation = Validation::kFull}).OrExit();
      for (const bool at_end : {true, false}) {
        const std::string_view text = at_end ? guarded.AtEnd(object) : guarded.AtBegin(object);
        for (const bool drop : {false, true}) {
          const ObjectRef built =
              BuildFromJson(Gizmo(), text, {.drop_managed_fields = drop}).OrExit();
          if (!drop) {
            ASSERT_EQ(built->metadata_bytes(), full->metadata_bytes()) << object;
          }
          ASSERT_EQ(built->payload(), full->payload()) << object;
          ASSERT_EQ(built->name(), full->name());
        }
      }
    }
  }
}

TEST(Guarded, NoReaderLooksBeyondATextThatIsCutOff) {
  testing::GuardedText guarded(8192);
  for (const std::size_t size : {0U, 1U, 7U, 20U, 40U, 70U}) {
    for (const std::string& object : Objects(size)) {
      for (std::size_t cut = 0; cut < object.size(); ++cut) {
        const std::string_view text = guarded.AtEnd(std::string_view(object).substr(0, cut));
        ASSERT_FALSE(BuildFromJson(Gizmo(), text).ok()) << text;
        ASSERT_FALSE(JsonTape::Parse(text).ok()) << text;
        ASSERT_FALSE(JsonTape::ParseCarefully(text).ok()) << text;
      }
    }
  }
}

}  // namespace
}  // namespace kinformer::internal

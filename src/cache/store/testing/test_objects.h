// cache/store/testing/test_objects.h
//
// Objects for tests of the cache: of a dynamic kind, with labels.

#ifndef KINFORMER_CACHE_STORE_TESTING_TEST_OBJECTS_H_
#define KINFORMER_CACHE_STORE_TESTING_TEST_OBJECTS_H_

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/kind_info.h"
#include "kinformer/object/object.h"
#include "kinformer/object/ref.h"

#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

using TestLabels = std::vector<std::pair<std::string, std::string>>;

inline ObjectRef MakeObject(std::string_view namespace_, std::string_view name,
                            std::string_view resource_version, const TestLabels& labels = {}) {
  const KindInfo* type = DynamicKindInfo("test.example", "v1", "Thing", "things", true);
  std::string json = R"({"metadata":{"name":")" + std::string(name) + '"';
  if (!namespace_.empty()) json += R"(,"namespace":")" + std::string(namespace_) + '"';
  if (!resource_version.empty()) {
    json += R"(,"resourceVersion":")" + std::string(resource_version) + '"';
  }
  json += R"(,"labels":{)";
  for (const auto& [key, value] : labels) {
    if (json.back() != '{') json += ',';
    json += '"' + key + R"(":")" + value + '"';
  }
  json += "}}}";
  return BuildFromJson(*type, json).OrExit();
}

// Adds the indexes completely in one call.
inline Result<void> AddIndex(StoreCore& store, std::string name, IndexFunction function) {
  NamedIndexFunctions indexes;
  indexes.emplace_back(std::move(name), std::move(function));
  Result<void> begun = store.BeginIndexes(std::move(indexes));
  if (!begun) return begun;
  EXPECT_TRUE(store.FillIndexes(SteadyTime::max()));
  return {};
}

inline std::string LabelOf(const Block& block, std::string_view key) {
  return std::string(Object(&block).metadata().labels().Find(key).value_or(""));
}

// A view like those of generated types.
class Thing : public Object {
 public:
  using Object::Object;
  [[nodiscard]] std::string label(std::string_view key) const { return LabelOf(*block(), key); }
};

inline Ref<Thing> MakeThing(std::string_view namespace_, std::string_view name,
                            std::string_view resource_version, const TestLabels& labels = {}) {
  return Ref<Thing>(MakeObject(namespace_, name, resource_version, labels));
}

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_TESTING_TEST_OBJECTS_H_

// Reads of any part of an object must allocate nothing, as counted by operator new itself.

#include <cstddef>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/descriptor.h"
#include "kinformer/object/ref.h"
#include "kinformer/object/unstructured.h"

#include "base/core/testing/counted_heap.h"
#include "object/transcode/json_tape.h"

namespace kinformer {
namespace {

TEST(Views, IterationDoesNotAllocate) {
  const auto built = internal::BuildFromJson(
      *internal::DynamicKindInfo("example.com", "v1", "Widget", "widgets", true),
      R"({"metadata":{"name":"a-name-that-fits-into-no-small-string",)"
      R"("namespace":"default","uid":"u","generation":4,)"
      R"("labels":{"app":"web","tier":"front"},"annotations":{"k":"v"},"finalizers":["a","b"],)"
      R"("deletionTimestamp":"2026-03-01T10:00:00Z",)"
      R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"p","uid":"u",)"
      R"("controller":true}]},)"
      R"("spec":{"text":"a string with \"escapes\" that fits into no small string",)"
      R"("list":[1,"two\n",{"x":1.5}]}})");
  ASSERT_TRUE(built) << built.error();
  const Ref<Unstructured> ref(*built);
  const std::size_t before = testing::heap.calls.load();
  std::size_t n = 0;
  {
    const Ref<Unstructured> copy = ref;
    const metav1::ObjectMeta meta = copy->metadata();
    n += meta.name().size() + meta.uid().size() + meta.resourceVersion().size();
    for (const auto& [key, value] : meta.labels()) n += key.size() + value.size();
    n += meta.annotations()["k"].size();
    for (const metav1::OwnerReference owner : meta.ownerReferences()) n += owner.name().size();
    for (const std::string_view finalizer : meta.finalizers()) n += finalizer.size();
    n += meta.deletionTimestamp() ? 1 : 0;
    n += GetControllerOf(meta) ? 1 : 0;
    const json::View spec = copy->root()["spec"];
    n += spec["text"].StringOrEmpty().size();
    for (const json::View item : spec["list"].items()) {
      n += item.StringOrEmpty().size() + item.size();
      for (const auto& [name, value] : item.members()) {
        n += name.size() + (value.AsDouble() ? 1 : 0);
      }
    }
    n += *copy == *ref ? 1 : 0;
    n += std::hash<Unstructured>()(*copy) != 0 ? 1 : 0;
  }
  const std::size_t after = testing::heap.calls.load();
  EXPECT_EQ(after - before, 0U);
  EXPECT_GT(n, 100U);
  EXPECT_FALSE(ref->ToJson().empty());
  EXPECT_GT(testing::heap.calls.load(), after) << "the counter counts";
}

// A thread reuses the memory of its latest tapes, unless it is unusually large.
TEST(JsonTape, SecondTape_AllocatesNothing) {
  const auto taken = [](std::size_t items) {
    std::string text = "[0";
    for (std::size_t i = 1; i < items; ++i) text += ",0";
    text += ']';
    EXPECT_TRUE(internal::JsonTape::Parse(text).ok());
    const std::size_t before = testing::heap.calls.load();
    const bool ok = internal::JsonTape::Parse(text).ok();
    const std::size_t after = testing::heap.calls.load();
    EXPECT_TRUE(ok);
    return after - before;
  };
  EXPECT_EQ(taken(10), 0U);
  EXPECT_EQ(taken(26000), 0U);
  EXPECT_EQ(taken(10), 0U) << "of the larger one";
  EXPECT_GT(taken(40000), 0U);
}

}  // namespace
}  // namespace kinformer

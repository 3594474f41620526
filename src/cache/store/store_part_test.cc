#include "cache/store/store_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/internal/snapshot_core.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using ::testing::UnorderedElementsAre;

TEST(StorePartTest, ItsObjectsAndNoOthers) {
  Simulation sim;
  StoreCore store(sim.env(), {.name = "test"});
  for (const char* ns : {"", "blue", "green", "red"}) {
    for (const char* name : {"a", "b"}) static_cast<void>(store.Put(MakeObject(ns, name, "1")));
  }
  const auto snapshot = store.Snapshot();
  const auto in = [&](const StorePart& part) {
    std::vector<std::string> keys;
    for (const Block* block : part.In(*snapshot)) {
      EXPECT_TRUE(part.Has(block->namespace_()));
      keys.push_back(std::string(block->namespace_()) + "/" + std::string(block->name()));
    }
    return keys;
  };
  EXPECT_EQ(in(StorePart()).size(), 8U);
  EXPECT_EQ(in(StorePart("")).size(), 8U);
  EXPECT_TRUE(StorePart("").IsAll());
  EXPECT_THAT(in(StorePart("green")), UnorderedElementsAre("green/a", "green/b"));
  EXPECT_TRUE(StorePart("green").IsOneNamespace());

  const StorePart::Names keys = {"blue", "green", std::string(kOtherNamespaces)};
  const StorePart others = StorePart::OneOf(keys, std::string(kOtherNamespaces));
  EXPECT_THAT(in(others), UnorderedElementsAre("/a", "/b", "red/a", "red/b"));
  EXPECT_FALSE(others.IsAll());
  EXPECT_FALSE(others.IsOneNamespace());
  EXPECT_EQ(others.key(), kOtherNamespaces);
  EXPECT_FALSE(others.Has("blue"));
  EXPECT_TRUE(others.Has("never-seen"));
  const StorePart green = StorePart::OneOf(keys, "green");
  EXPECT_THAT(in(green), UnorderedElementsAre("green/a", "green/b"));
  EXPECT_TRUE(green.IsOneNamespace());
  EXPECT_EQ(DescribedPlace("green"), "namespace green");
  EXPECT_EQ(DescribedPlace(others.key()), "all other namespaces");
}

}  // namespace
}  // namespace kinformer::internal::cache

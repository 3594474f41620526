#include "base/core/lru_cache.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace kinformer::internal::base {
namespace {

std::string All(LruCache<int>& cache) {
  std::string all;
  cache.ForEach(
      [&](const std::string& key, int& value) { all += key + std::to_string(value) + " "; });
  return all;
}

TEST(LruCacheTest, FullCache_DropsTheLeastRecentlyUsed) {
  LruCache<int> cache(3);
  EXPECT_EQ(cache.Find("a"), nullptr);
  EXPECT_EQ(cache.Put("a", 1), 1);
  EXPECT_EQ(cache.Put("b", 2), 2);
  EXPECT_EQ(cache.Put("c", 3), 3);
  EXPECT_EQ(All(cache), "c3 b2 a1 ");
  ASSERT_NE(cache.Find("a"), nullptr);
  EXPECT_EQ(*cache.Find("a"), 1);
  EXPECT_EQ(All(cache), "a1 c3 b2 ");
  EXPECT_EQ(cache.Put("d", 4), 4);
  EXPECT_EQ(All(cache), "d4 a1 c3 ");
  EXPECT_EQ(cache.Find("b"), nullptr);
  EXPECT_EQ(cache.Put("c", 5), 5) << "a key that is there is replaced";
  EXPECT_EQ(All(cache), "c5 d4 a1 ");
  *cache.Find("a") = 6;
  EXPECT_EQ(All(cache), "a6 c5 d4 ");
}

TEST(LruCacheTest, ErasedKeys_MakeRoom) {
  LruCache<int> cache(2);
  cache.Put("a", 1);
  cache.Put("b", 2);
  cache.Erase("none");
  cache.Erase("b");
  cache.Erase("b");
  EXPECT_EQ(All(cache), "a1 ");
  EXPECT_EQ(cache.Find("b"), nullptr);
  cache.Put("c", 3);
  EXPECT_EQ(All(cache), "c3 a1 ");
  cache.Put("b", 4);
  EXPECT_EQ(All(cache), "b4 c3 ");
  cache.ForEach([](const std::string& /*key*/, int& value) { ++value; });
  EXPECT_EQ(All(cache), "b5 c4 ");
}

TEST(LruCacheTest, CapacityOfOne_KeepsTheLast) {
  LruCache<std::unique_ptr<int>> cache(1);
  cache.Put("a", std::make_unique<int>(1));
  EXPECT_EQ(*cache.Put("b", std::make_unique<int>(2)), 2);
  EXPECT_EQ(cache.Find("a"), nullptr);
  EXPECT_EQ(**cache.Find("b"), 2);
}

}  // namespace
}  // namespace kinformer::internal::base

#include "cache/watch/collection_version.h"

#include <gtest/gtest.h>

namespace kinformer::internal::cache {
namespace {

TEST(CollectionVersion, Lists_AskForVersionAndPageSize) {
  CollectionVersion version(0);
  EXPECT_EQ(version.Last(), "");
  EXPECT_EQ(version.ListFrom(), "0");
  EXPECT_EQ(version.WatchListFrom(), "");
  EXPECT_EQ(version.PageSize(), 500) << "the first";
  EXPECT_FALSE(version.OrdersEvents());
  EXPECT_FALSE(version.Listed("7"));
  EXPECT_EQ(version.ListFrom(), "7");
  EXPECT_EQ(version.WatchListFrom(), "7");
  EXPECT_EQ(version.PageSize(), 0) << "whole, from the watch cache";
  EXPECT_TRUE(version.OrdersEvents());
  version.Advance("9");
  EXPECT_EQ(version.ListFrom(), "9");
  version.SetUnavailable();
  EXPECT_TRUE(version.unavailable());
  EXPECT_EQ(version.ListFrom(), "");
  EXPECT_EQ(version.WatchListFrom(), "");
  EXPECT_EQ(version.PageSize(), 500) << "from etcd";
  EXPECT_FALSE(version.Listed("10"));
  EXPECT_FALSE(version.unavailable());
  EXPECT_EQ(version.PageSize(), 0);
  version.SetNoWatchCache();
  EXPECT_EQ(version.PageSize(), 500);
}

TEST(CollectionVersion, ServerWithoutVersions_ListsInPagesUnordered) {
  CollectionVersion version(0);
  EXPECT_FALSE(version.Listed("0"));
  EXPECT_EQ(version.PageSize(), 500);
  EXPECT_FALSE(version.OrdersEvents());
}

TEST(CollectionVersion, APageSizeThatIsGivenHolds) {
  CollectionVersion version(20);
  EXPECT_EQ(version.PageSize(), 20);
  EXPECT_FALSE(version.Listed("7"));
  EXPECT_EQ(version.PageSize(), 20);
}

TEST(CollectionVersion, AnOlderListThanTheLastIsAnotherHistory) {
  CollectionVersion version(0);
  EXPECT_FALSE(version.Listed("100"));
  EXPECT_FALSE(version.Listed("100"));
  EXPECT_TRUE(version.IsNewerThan("99"));
  EXPECT_FALSE(version.IsNewerThan("100"));
  EXPECT_FALSE(version.IsNewerThan("x"));
  EXPECT_TRUE(version.Listed("99"));
  // After BeginEpoch an older list is not reported again.
  version.BeginEpoch();
  EXPECT_TRUE(version.unavailable());
  EXPECT_FALSE(version.Listed("5"));
  EXPECT_TRUE(version.Listed("4"));
  EXPECT_FALSE(version.Listed("40"));
}

}  // namespace
}  // namespace kinformer::internal::cache

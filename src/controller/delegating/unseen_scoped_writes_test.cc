// Writes to objects that a cache with selectors does not select, or that are in other namespaces.

#include <chrono>
#include <gtest/gtest.h>
#include <string>

#include "controller/delegating/unseen_writes.h"
#include "controller/delegating/unseen_writes_fixture_for_test.h"

namespace kinformer::internal::delegating {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::string_view kWeb = R"("labels":{"app":"web"})";

class UnseenScopedWrites : public UnseenWritesOfCache {
 protected:
  void StartSelecting() {
    server_.scope.labelSelector = "app=web";
    StartInformer("5");
  }
};

TEST_F(UnseenScopedWrites, SelectedWrite_Blocks) {
  StartSelecting();
  unseen_->Wrote(*Pod("a", "10", kWeb), informer_->Epochs());
  EXPECT_EQ(Blocks("a"), Version("10", "default/a"));
}

TEST_F(UnseenScopedWrites, UnselectedWrite_BlocksWhileTheCacheShowsAnOlderVersion) {
  StartSelecting();
  Shows(Pod("a", "6", kWeb));
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  EXPECT_EQ(Blocks("a"), Version("10", "default/a"));
  sim_.RunFor(seconds(70));
  EXPECT_EQ(Blocks("a"), Version("10", "default/a")) << "it is not forgotten";
  Deleted(Pod("a", "10"));
  EXPECT_EQ(Blocks("a"), "");
  EXPECT_EQ(unseen_->size(), 0U);

  unseen_->Wrote(*Pod("b", "20"), informer_->Epochs());
  EXPECT_EQ(Blocks("b"), "") << "the cache does not show it";
  EXPECT_EQ(unseen_->size(), 1U);
  Shows(Pod("other", "20", kWeb));
  EXPECT_EQ(unseen_->size(), 0U);
}

TEST_F(UnseenScopedWrites, UnselectedWriteOfAnUnknownObject_IsKeptForAMinute) {
  StartSelecting();
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  sim_.RunFor(seconds(60) - milliseconds(1));
  EXPECT_EQ(Blocks("a"), "");
  EXPECT_EQ(unseen_->size(), 1U);
  sim_.RunFor(milliseconds(1));
  EXPECT_EQ(Blocks("a"), "");
  EXPECT_EQ(unseen_->size(), 0U);
}

TEST_F(UnseenScopedWrites, OtherNamespaces_AreNotTracked) {
  server_.scope.namespace_ = "default";
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10", {}, "u", "other"), informer_->Epochs());
  EXPECT_TRUE(unseen_->Deleted({"other", "a"}, "u", informer_->Epochs()));
  EXPECT_EQ(unseen_->size(), 0U);
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  EXPECT_TRUE(unseen_->Deleted({"default", "b"}, "u", informer_->Epochs()));
  EXPECT_EQ(unseen_->size(), 2U);
  unseen_->MustReach("20");
  EXPECT_EQ(BlocksList("other"), "") << "the cache has none of that namespace";
  EXPECT_EQ(BlocksList("default"), Stale("resourceVersion 20"));
}

// An answer without a uid is about the object that the cache shows.
TEST_F(UnseenScopedWrites, DeletionWithoutAUid_IsOfTheCachedObject) {
  StartInformer("5");
  Shows(Pod("a", "6"));
  ASSERT_TRUE(unseen_->Deleted({"default", "a"}, "", informer_->Epochs()));
  EXPECT_EQ(Blocks("a"), Deletion("default/a"));
  Shows(Pod("a", "8", {}, "v"));
  EXPECT_EQ(Blocks("a"), "") << "another object of that name";
}

TEST_F(UnseenScopedWrites, RemovalThenDeletion_HaveTheSameVersion) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10", kDeleting), informer_->Epochs());
  ASSERT_TRUE(unseen_->Deleted({"default", "a"}, "", informer_->Epochs()));
  EXPECT_EQ(unseen_->size(), 2U);
  Shows(Pod("other", "10"));
  EXPECT_EQ(unseen_->size(), 0U);
}

}  // namespace
}  // namespace kinformer::internal::delegating

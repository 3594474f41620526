// When a cache shows each kind of write, and what a read says until then.

#include "controller/delegating/unseen_writes.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "controller/delegating/unseen_writes_fixture_for_test.h"

namespace kinformer::internal::delegating {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST_F(UnseenWritesOfCache, WrittenVersion_BlocksUntilTheStoreReachesIt) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  EXPECT_EQ(unseen_->size(), 1U);
  EXPECT_EQ(Blocks("a"), Version("10", "default/a"));
  EXPECT_EQ(Blocks("b"), "");
  EXPECT_EQ(Blocks("a", "other"), "");
  EXPECT_EQ(BlocksList(), Version("10", "default/a"));
  EXPECT_EQ(BlocksList("default"), Version("10", "default/a"));
  EXPECT_EQ(BlocksList("other"), "");
  Reaches("9");
  EXPECT_EQ(Blocks("a"), Version("10", "default/a"));
  EXPECT_EQ(unseen_->size(), 1U);
  Reaches("10");
  EXPECT_EQ(unseen_->size(), 0U) << "dropped with the event, not with the read";
  EXPECT_EQ(Blocks("a"), "");
}

TEST_F(UnseenWritesOfCache, VersionThatTheStoreHas_IsNotKept) {
  StartInformer("5");
  for (const char* version : {"4", "5", "x", "", "05"}) {
    unseen_->Wrote(*Pod("a", version), informer_->Epochs());
    EXPECT_EQ(unseen_->size(), 0U) << version;
  }
  unseen_->Wrote(*Pod("a", "6"), informer_->Epochs());
  EXPECT_EQ(unseen_->size(), 1U);
}

// The items of a list may be newer than the list's version.
TEST_F(UnseenWritesOfCache, CachedObjectOfTheVersion_ShowsTheWrite) {
  server_.set_rv(9);
  server_.Put("a");
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10", {}, "uid-a"), informer_->Epochs());
  EXPECT_EQ(unseen_->size(), 0U);
  unseen_->Wrote(*Pod("a", "11", {}, "uid-a"), informer_->Epochs());
  EXPECT_EQ(Blocks("a"), Version("11", "default/a"));
  Shows(Pod("a", "11", {}, "uid-a"));
  EXPECT_EQ(Blocks("a"), "");
}

TEST_F(UnseenWritesOfCache, SeveralWritesOfAnObject_AreSeenOneByOne) {
  StartInformer("5");
  for (const char* version : {"10", "12", "14"}) {
    unseen_->Wrote(*Pod("a", version), informer_->Epochs());
  }
  EXPECT_EQ(unseen_->size(), 3U);
  EXPECT_EQ(Blocks("a"), Version("10", "default/a"));
  Shows(Pod("a", "12"));
  EXPECT_EQ(unseen_->size(), 1U);
  EXPECT_EQ(Blocks("a"), Version("14", "default/a"));
  Shows(Pod("a", "14"));
  EXPECT_EQ(unseen_->size(), 0U);
}

TEST_F(UnseenWritesOfCache, RemovalByTheLastFinalizer_BlocksWhileTheCacheHasThatObject) {
  const std::string deleting(kDeleting);
  struct {
    std::string more;
    bool is_removal;
  } const answers[] = {
      {deleting, true},
      {deleting + R"(,"deletionGracePeriodSeconds":0)", true},
      {deleting + R"(,"deletionGracePeriodSeconds":30)", false},
      {deleting + R"(,"finalizers":["a/b"])", false},
      {R"("deletionGracePeriodSeconds":0)", false},
      {"", false},
  };
  for (const auto& answer : answers) {
    SCOPED_TRACE(answer.more);
    StartInformer("5");
    Shows(Pod("a", "10", kDeleting));
    unseen_->Wrote(*Pod("a", "10", answer.more), informer_->Epochs());
    EXPECT_EQ(Blocks("a"), answer.is_removal ? Removal("default/a") : "");
    EXPECT_EQ(unseen_->size(), answer.is_removal ? 1U : 0U);
  }
  struct {
    const char* cached;  // version; empty: gone
    const char* uid;
    bool blocks;
  } const states[] = {
      {"10", "u", true}, {"9", "u", true}, {"11", "u", false}, {"12", "v", false}, {"", "", false},
  };
  for (const auto& state : states) {
    SCOPED_TRACE(state.cached);
    StartInformer("5");
    Shows(Pod("a", "8", kDeleting));
    unseen_->Wrote(*Pod("a", "10", kDeleting), informer_->Epochs());
    EXPECT_EQ(Blocks("a"), Removal("default/a")) << "the version is not reached";
    if (*state.cached == '\0') {
      Deleted(Pod("a", "10", kDeleting));
    } else {
      Shows(Pod("a", state.cached, kDeleting, state.uid));
      Reaches("20");
    }
    EXPECT_EQ(Blocks("a"), state.blocks ? Removal("default/a") : "");
    EXPECT_EQ(unseen_->size(), state.blocks ? 1U : 0U);
  }
}

TEST_F(UnseenWritesOfCache, Deletion_BlocksWhileTheCacheShowsTheObjectAlive) {
  struct {
    const char* cached_uid;  // empty: none
    bool is_deleting;
    const char* uid;
    bool blocks;
    std::size_t kept;
  } const rows[] = {
      {"u", false, "u", true, 1}, {"u", false, "", true, 1},   {"u", true, "u", false, 0},
      {"u", true, "", false, 0},  {"v", false, "u", false, 1}, {"v", true, "u", false, 1},
      {"", false, "u", false, 1}, {"", false, "", false, 0},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(std::string(row.cached_uid) + " " + row.uid);
    StartInformer("5");
    if (*row.cached_uid != '\0') {
      Shows(Pod("a", "8", row.is_deleting ? kDeleting : "", row.cached_uid));
    }
    EXPECT_TRUE(unseen_->Deleted({"default", "a"}, row.uid, informer_->Epochs()));
    EXPECT_EQ(Blocks("a"), row.blocks ? Deletion("default/a") : "");
    EXPECT_EQ(unseen_->size(), row.kept);
    if (!row.blocks) continue;
    Shows(Pod("a", "9"));
    EXPECT_EQ(Blocks("a"), Deletion("default/a")) << "another write came first";
    Shows(Pod("a", "10", kDeleting));
    EXPECT_EQ(Blocks("a"), "");
    EXPECT_EQ(unseen_->size(), 0U);
  }
}

TEST_F(UnseenWritesOfCache, DeletionThatTheCacheHasShown_EndsWithTheObjectOrAnother) {
  for (const bool another : {false, true}) {
    StartInformer("5");
    Shows(Pod("a", "8"));
    ASSERT_TRUE(unseen_->Deleted({"default", "a"}, "u", informer_->Epochs()));
    EXPECT_EQ(Blocks("a"), Deletion("default/a"));
    if (another) {
      Shows(Pod("a", "10", {}, "v"));
    } else {
      Deleted(Pod("a", "10"));
    }
    EXPECT_EQ(Blocks("a"), "");
    EXPECT_EQ(unseen_->size(), 0U);
  }
}

// Another client has created the object, and the cache lags.
TEST_F(UnseenWritesOfCache, DeletionOfAnUnknownObject_IsKeptForAMinute) {
  StartInformer("5");
  ASSERT_TRUE(unseen_->Deleted({"default", "a"}, "u", informer_->Epochs()));
  sim_.RunFor(seconds(60) - milliseconds(1));
  EXPECT_EQ(Blocks("a"), "");
  EXPECT_EQ(unseen_->size(), 1U);
  sim_.RunFor(milliseconds(1));
  EXPECT_EQ(Blocks("a"), "");
  EXPECT_EQ(unseen_->size(), 0U);

  ASSERT_TRUE(unseen_->Deleted({"default", "a"}, "u", informer_->Epochs()));
  Shows(Pod("a", "8"));
  EXPECT_EQ(Blocks("a"), Deletion("default/a")) << "now the cache shows it";
  sim_.RunFor(seconds(70));
  EXPECT_EQ(Blocks("a"), Deletion("default/a"));
  Deleted(Pod("a", "9"));
  EXPECT_EQ(Blocks("a"), "");
}

// The uid and the version are those of this client's last write.
TEST_F(UnseenWritesOfCache, DeletionAfterAWrite_IsSeenWithItsVersion) {
  for (const char* uid : {"", "u"}) {
    StartInformer("5");
    unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
    ASSERT_TRUE(unseen_->Deleted({"default", "a"}, uid, informer_->Epochs()));
    EXPECT_EQ(unseen_->size(), 2U);
    EXPECT_EQ(Blocks("a"), Version("10", "default/a"));
    Reaches("10");
    EXPECT_EQ(Blocks("a"), "") << "created and deleted between two events";
    EXPECT_EQ(unseen_->size(), 0U);
  }
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  ASSERT_TRUE(unseen_->Deleted({"default", "a"}, "v", informer_->Epochs()));
  Reaches("10");
  EXPECT_EQ(unseen_->size(), 1U) << "another object of that name";
  EXPECT_EQ(Blocks("a"), "");
}

TEST_F(UnseenWritesOfCache, SameDeletionAgain_IsOneWrite) {
  StartInformer("5");
  Shows(Pod("a", "8"));
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(unseen_->Deleted({"default", "a"}, "u", informer_->Epochs()));
    EXPECT_EQ(unseen_->size(), 1U);
  }
  ASSERT_TRUE(unseen_->Deleted({"default", "a"}, "v", informer_->Epochs()));
  EXPECT_EQ(unseen_->size(), 2U);
  EXPECT_EQ(Blocks("a"), Deletion("default/a"));
  Deleted(Pod("a", "10"));
  EXPECT_EQ(unseen_->size(), 1U);
}

TEST_F(UnseenWritesOfCache, DestroyedInformer_BlocksNothing) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  EXPECT_TRUE(unseen_->IsOf(informer_));
  EXPECT_FALSE(unseen_->IsOf(nullptr));
  EXPECT_FALSE(unseen_->IsOfNobody());
  EXPECT_NE(unseen_->Snapshot(), nullptr);
  informer_.reset();
  EXPECT_TRUE(unseen_->IsOfNobody());
  EXPECT_EQ(unseen_->informer(), nullptr);
  EXPECT_EQ(unseen_->Snapshot(), nullptr);
  EXPECT_EQ(Blocks("a"), "");
  EXPECT_EQ(BlocksList(), "");
  EXPECT_EQ(unseen_->size(), 1U) << "kept for the next informer";
  unseen_->Wrote(*Pod("b", "10"), 0);
  unseen_->MustReach("20");
  EXPECT_FALSE(unseen_->Deleted({"default", "a"}, "u", 0));
  EXPECT_TRUE(unseen_->DeletedAllOf("", {}, {}, 0, nullptr).empty());
  EXPECT_EQ(unseen_->size(), 1U);
}

TEST_F(UnseenWritesOfCache, NextInformer_TakesOverWhatTheLastHasNotShown) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  const std::shared_ptr<UnseenWrites> gone = unseen_;
  const auto nobody = std::make_shared<UnseenWrites>(sim_.env(), nullptr);
  nobody->KeepDeleted({"default", "d"}, "u");
  EXPECT_TRUE(nobody->IsOfNobody());
  EXPECT_EQ(nobody->size(), 1U);
  informer_.reset();
  StartInformer("6");
  EXPECT_FALSE(gone->IsOf(informer_));
  unseen_->TakeOver(*std::make_shared<UnseenWrites>(sim_.env(), nullptr));
  EXPECT_EQ(unseen_->size(), 0U);
  unseen_->TakeOver(*gone);
  unseen_->TakeOver(*nobody);
  EXPECT_EQ(unseen_->size(), 2U);
  EXPECT_EQ(Blocks("a"), Version("10", "default/a"));
  EXPECT_EQ(Blocks("d"), "");
  Shows(Pod("d", "8"));
  EXPECT_EQ(Blocks("d"), Deletion("default/d"));
  Deleted(Pod("d", "9"));
  Reaches("10");
  EXPECT_EQ(unseen_->size(), 0U);
}

TEST_F(UnseenWritesOfCache, VersionOfTheStore_BlocksAllReads) {
  StartInformer("5");
  for (const char* version : {"", "x", "4", "5"}) {
    unseen_->MustReach(version);
    EXPECT_EQ(unseen_->size(), 0U) << version;
  }
  unseen_->MustReach("10");
  EXPECT_EQ(unseen_->size(), 1U);
  const std::string stale = Stale("resourceVersion 10");
  EXPECT_EQ(Blocks("a"), stale);
  EXPECT_EQ(Blocks("b", "other"), stale);
  EXPECT_EQ(BlocksList(), stale);
  EXPECT_EQ(BlocksList("other"), stale);
  Reaches("9");
  EXPECT_EQ(Blocks("a"), stale);
  Reaches("10");
  EXPECT_EQ(unseen_->size(), 0U);
  EXPECT_EQ(Blocks("a"), "");
}

}  // namespace
}  // namespace kinformer::internal::delegating

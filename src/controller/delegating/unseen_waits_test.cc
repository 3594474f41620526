// Waits of reads for the writes of their client, deletions of many, and the limits.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "controller/delegating/unseen_writes.h"
#include "controller/delegating/unseen_writes_fixture_for_test.h"

namespace kinformer::internal::delegating {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class UnseenWaits : public UnseenWritesOfCache {
 protected:
  static LabelSelector Labels(const char* text) { return LabelSelector::Parse(text).OrExit(); }
  std::vector<std::string> DeleteAllOf(const std::string& namespace_, const char* labels,
                                       const SnapshotCore* before) {
    std::vector<std::string> unknown;
    for (const ObjectName& name :
         unseen_->DeletedAllOf(namespace_, Labels(labels), {}, informer_->Epochs(), before)) {
      unknown.push_back(name.ToString());
    }
    return unknown;
  }
  void WriteMany(std::size_t count, std::size_t first_version) {
    for (std::size_t i = 0; i < count; ++i) {
      unseen_->Wrote(*Pod("p" + std::to_string(i), std::to_string(first_version + i)),
                     informer_->Epochs());
    }
  }
};

TEST_F(UnseenWaits, Wait_EndsAtItsDeadlineExactly) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  const SteadyTime begun = sim_.env().Now();
  EXPECT_EQ(TextOf(unseen_->WaitFor({"default", "a"}, {.deadline = begun + milliseconds(1234)})),
            Version("10", "default/a"));
  EXPECT_EQ(sim_.env().Now() - begun, milliseconds(1234));
}

TEST_F(UnseenWaits, Wait_EndsWithTheEvent) {
  for (const bool list : {false, true}) {
    StartInformer("5");
    unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
    const SteadyTime begun = sim_.env().Now();
    const Timer timer = sim_.env().loop().RunAt(
        begun + seconds(3), [this] { server_.Send(WatchEventType::kAdded, Pod("a", "10")); });
    const ReadPatience patience{.deadline = begun + seconds(60)};
    EXPECT_EQ(TextOf(list ? unseen_->WaitFor({"default", ""}, patience)
                          : unseen_->WaitFor({"default", "a"}, patience)),
              "");
    EXPECT_EQ(sim_.env().Now() - begun, seconds(3));
  }
}

TEST_F(UnseenWaits, Wait_IsNotHeldUpByLaterWrites) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  const SteadyTime begun = sim_.env().Now();
  const Timer later = sim_.env().loop().RunAt(begun + seconds(1), [this] {
    unseen_->Wrote(*Pod("a", "20"), informer_->Epochs());
    unseen_->Wrote(*Pod("b", "21"), informer_->Epochs());
  });
  const Timer event = sim_.env().loop().RunAt(
      begun + seconds(3), [this] { server_.Send(WatchEventType::kAdded, Pod("a", "10")); });
  EXPECT_EQ(TextOf(unseen_->WaitFor({}, {.deadline = begun + seconds(60)})), "");
  EXPECT_EQ(sim_.env().Now() - begun, seconds(3));
  EXPECT_EQ(unseen_->size(), 2U);
}

TEST_F(UnseenWaits, EitherStopToken_CancelsTheWait) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  for (const bool other : {false, true}) {
    std::stop_source stop;
    const SteadyTime begun = sim_.env().Now();
    const Timer timer =
        sim_.env().loop().RunAt(begun + seconds(2), [&stop] { stop.request_stop(); });
    ReadPatience patience;
    (other ? patience.other_stop : patience.stop) = stop.get_token();
    EXPECT_EQ(TextOf(unseen_->WaitFor({"default", "a"}, patience)),
              "Canceled: the cache of pods does not show resourceVersion 10 of \"default/a\" yet: "
              "stopped");
    EXPECT_EQ(sim_.env().Now() - begun, seconds(2));
  }
}

TEST_F(UnseenWaits, StoppedInformer_EndsTheWait) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  const SteadyTime begun = sim_.env().Now();
  const Timer timer = sim_.env().loop().RunAt(begun + seconds(2), [this] { informer_->Stop(); });
  EXPECT_EQ(TextOf(unseen_->WaitFor({"default", "a"}, {})),
            "Stopped: the cache of pods does not show resourceVersion 10 of \"default/a\" yet: the "
            "informer has stopped");
  EXPECT_EQ(sim_.env().Now() - begun, seconds(2));
}

TEST_F(UnseenWaits, EventLoop_DoesNotWait) {
  StartInformer("5");
  Shows(Pod("d", "6"));
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  std::string blocked;
  std::string other = "not asked";
  sim_.env().loop().Post([&] {
    blocked = TextOf(unseen_->WaitFor({"default", "a"}, {}));
    other = TextOf(unseen_->WaitFor({"default", "b"}, {}));
  });
  sim_.RunReady();
  EXPECT_EQ(blocked,
            "WouldDeadlock: on a loop's thread nobody can wait for what this client has written: "
            "the cache of pods does not show resourceVersion 10 of \"default/a\"");
  EXPECT_EQ(other, "");
}

// Reads of "a" and lists, spawned on the loop.
TEST_F(UnseenWaits, AThousandTasksOnTheLoop_EndWithTheEventOfTheirWrite) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  constexpr int kTasks = 1000;
  int ended = 0;
  int failed = 0;
  for (int i = 0; i < kTasks; ++i) {
    const ObjectName which{"default", i % 2 == 0 ? "a" : ""};
    Spawn(sim_.env(), sim_.env().loop(), UnseenWrites::SeenTask(unseen_, which, {}),
          [&](const Result<void>& seen) {
            ++ended;
            failed += seen.ok() ? 0 : 1;
          });
  }
  sim_.RunFor(seconds(3));
  EXPECT_EQ(ended, 0);
  EXPECT_FALSE(unseen_->Shows({"default", "a"}));
  EXPECT_TRUE(unseen_->Shows({"default", "b"}));
  Shows(Pod("b", "9"));
  EXPECT_EQ(ended, 0) << "an earlier version";
  Shows(Pod("a", "10"));
  EXPECT_EQ(ended, kTasks);
  EXPECT_EQ(failed, 0);
  EXPECT_TRUE(unseen_->Shows({"default", "a"}));
}

TEST_F(UnseenWaits, TaskOnTheLoop_EndsAtItsDeadlineAndWhenItIsStopped) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10"), informer_->Epochs());
  const SteadyTime begun = sim_.env().Now();
  std::stop_source stop;
  std::vector<std::string> ended;
  const auto wait = [&](const ReadPatience& patience) {
    Spawn(sim_.env(), sim_.env().loop(),
          UnseenWrites::SeenTask(unseen_, {"default", "a"}, patience),
          [&](const Result<void>& seen) {
            ended.push_back(std::to_string((sim_.env().Now() - begun) / seconds(1)) + " " +
                            std::string(ReasonName(seen.error().reason())));
          });
  };
  wait({.deadline = begun + seconds(2)});
  wait({.stop = stop.get_token()});
  wait({.other_stop = stop.get_token()});
  wait({});
  sim_.RunFor(seconds(3));
  stop.request_stop();
  sim_.RunReady();
  EXPECT_THAT(ended, ElementsAre("2 Stale", "3 Canceled", "3 Canceled"));
  informer_->Stop();
  sim_.RunReady();
  EXPECT_THAT(ended, ElementsAre("2 Stale", "3 Canceled", "3 Canceled", "3 Stopped"));
}

TEST_F(UnseenWaits, ServerThatGoesBack_EndsTheWaitAndIsLoggedOnce) {
  StartInformer("50");
  Shows(Pod("d", "51"));
  unseen_->Wrote(*Pod("a", "100"), informer_->Epochs());
  unseen_->Wrote(*Pod("b", "101"), informer_->Epochs());
  ASSERT_TRUE(unseen_->Deleted({"default", "d"}, "u", informer_->Epochs()));
  const Timer timer = sim_.env().loop().RunAt(sim_.env().Now() + seconds(2), [this] {
    server_.set_rv(7);
    server_.Forget();
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  });
  EXPECT_EQ(TextOf(unseen_->WaitFor({"default", "a"}, {})),
            "EpochChanged: the server went back in time, and may have lost what this client had "
            "written: the cache of pods does not show resourceVersion 100 of \"default/a\"");
  sim_.RunFor(seconds(1));
  EXPECT_EQ(unseen_->size(), 0U);
  EXPECT_EQ(log_->Count("the server went back in time: nobody waits any more for what was written "
                        "before"),
            1U);
  EXPECT_EQ(log_->Count("informer=pods writes=3"), 1U);
  EXPECT_EQ(Blocks("a"), "");
  // A write that was sent before and answered now is lost as well.
  unseen_->Wrote(*Pod("a", "103"), informer_->Epochs() - 1);
  EXPECT_EQ(unseen_->size(), 0U);
  unseen_->Wrote(*Pod("a", "9"), informer_->Epochs());
  EXPECT_EQ(Blocks("a"), Version("9", "default/a"));
}

TEST_F(UnseenWaits, List_WaitsForItsNamespace) {
  StartInformer("5");
  unseen_->Wrote(*Pod("a", "10", {}, "u", "blue"), informer_->Epochs());
  unseen_->Wrote(*Pod("b", "11", {}, "u", "green"), informer_->Epochs());
  unseen_->Wrote(*Pod("c", "12", {}, "u", "red"), informer_->Epochs());
  EXPECT_EQ(BlocksList("aaa"), "");
  EXPECT_EQ(BlocksList("blue"), Version("10", "blue/a"));
  EXPECT_EQ(BlocksList("green"), Version("11", "green/b"));
  EXPECT_EQ(BlocksList("gree"), "");
  EXPECT_EQ(BlocksList("red"), Version("12", "red/c"));
  EXPECT_EQ(BlocksList("zzz"), "");
  EXPECT_EQ(BlocksList(), Version("10", "blue/a"));
  Reaches("11");
  EXPECT_EQ(BlocksList("green"), "");
  EXPECT_EQ(BlocksList(), Version("12", "red/c"));
}

TEST_F(UnseenWaits, DeletionOfMany_BlocksUntilEachObjectChanges) {
  StartInformer("5");
  const std::string web = R"("labels":{"app":"web"})";
  Shows(Pod("a", "6", web));
  Shows(Pod("b", "7", R"("labels":{"app":"db"})"));
  Shows(Pod("c", "8", web, "u", "other"));
  Shows(Pod("d", "9", web + "," + std::string(kDeleting)));
  const auto before = unseen_->Snapshot();
  EXPECT_THAT(DeleteAllOf("default", "app=web", before.get()), IsEmpty());
  EXPECT_EQ(unseen_->size(), 1U) << "the one that is not being deleted already";
  EXPECT_EQ(Blocks("a"), Deletion("default/a"));
  for (const char* name : {"b", "d"}) EXPECT_EQ(Blocks(name), "");
  EXPECT_EQ(Blocks("c", "other"), "");
  EXPECT_EQ(BlocksList("default"), Deletion("default/a"));
  EXPECT_THAT(DeleteAllOf("default", "app=web", before.get()), IsEmpty());
  EXPECT_EQ(unseen_->size(), 1U) << "the same again";
  EXPECT_THAT(DeleteAllOf("", "", before.get()), IsEmpty());
  EXPECT_EQ(unseen_->size(), 3U);
  EXPECT_EQ(Blocks("c", "other"), Deletion("other/c"));
  Shows(Pod("a", "10", web));
  EXPECT_EQ(Blocks("a"), "") << "any other state";
  Deleted(Pod("b", "11"));
  Shows(Pod("c", "12", kDeleting, "u", "other"));
  EXPECT_EQ(unseen_->size(), 0U);
}

TEST_F(UnseenWaits, DeletionOfMany_ReturnsWhatIsNotKnown) {
  StartInformer("5");
  Shows(Pod("changed", "6"));
  Shows(Pod("same", "7"));
  Shows(Pod("made-anew", "8"));
  const auto before = unseen_->Snapshot();
  Shows(Pod("changed", "9"));
  Shows(Pod("made-anew", "10", {}, "v"));
  Shows(Pod("added", "11"));
  Shows(Pod("added-deleting", "12", kDeleting));
  Shows(Pod("elsewhere", "13", {}, "u", "other"));
  unseen_->Wrote(*Pod("written", "20"), informer_->Epochs());
  unseen_->Wrote(*Pod("removed", "21", kDeleting), informer_->Epochs());
  unseen_->Wrote(*Pod("written", "22", {}, "u", "other"), informer_->Epochs());
  unseen_->Wrote(*Pod("gone", "23"), informer_->Epochs());
  ASSERT_TRUE(unseen_->Deleted({"default", "gone"}, "u", informer_->Epochs()));
  unseen_->Wrote(*Pod("added", "24"), informer_->Epochs());
  unseen_->MustReach("25");
  EXPECT_THAT(DeleteAllOf("default", "", before.get()),
              ElementsAre("default/added", "default/changed", "default/made-anew",
                          "default/removed", "default/written"));
  EXPECT_EQ(Blocks("same"), Stale("resourceVersion 25"));
  EXPECT_THAT(DeleteAllOf("other", "", before.get()),
              ElementsAre("other/elsewhere", "other/written"));
  EXPECT_THAT(DeleteAllOf("default", "", nullptr),
              ElementsAre("default/added", "default/changed", "default/made-anew",
                          "default/removed", "default/same", "default/written"));
}

TEST_F(UnseenWaits, TenThousandVersions_AreKept_OneMoreLeavesTheNewest) {
  StartInformer("5");
  WriteMany(10'000, 100);
  EXPECT_EQ(unseen_->size(), 10'000U);
  EXPECT_EQ(Blocks("a"), "");
  EXPECT_EQ(Blocks("p0"), Version("100", "default/p0"));
  ASSERT_TRUE(unseen_->Deleted({"default", "p0"}, "u", informer_->Epochs()));
  unseen_->Wrote(*Pod("last", "50"), informer_->Epochs());
  EXPECT_EQ(unseen_->size(), 2U) << "the version and the deletion";
  EXPECT_EQ(Blocks("a"), Stale("resourceVersion 10099"));
  EXPECT_EQ(BlocksList("other"), Stale("resourceVersion 10099"));
  Reaches("10098");
  EXPECT_EQ(Blocks("a"), Stale("resourceVersion 10099"));
  Reaches("10099");
  EXPECT_EQ(Blocks("a"), "");
  EXPECT_EQ(unseen_->size(), 0U);
  // The count of versions begins anew.
  WriteMany(10'000, 20'000);
  EXPECT_EQ(unseen_->size(), 10'000U);
}

TEST_F(UnseenWaits, WaitingRead_WaitsForTheVersionThatReplacesItsWrite) {
  StartInformer("5");
  WriteMany(10'000, 100);
  const SteadyTime begun = sim_.env().Now();
  const Timer more = sim_.env().loop().RunAt(
      begun + seconds(1), [this] { unseen_->Wrote(*Pod("last", "20000"), informer_->Epochs()); });
  const Timer own = sim_.env().loop().RunAt(
      begun + seconds(2), [this] { server_.Send(WatchEventType::kAdded, Pod("p0", "100")); });
  const Timer newest = sim_.env().loop().RunAt(
      begun + seconds(3), [this] { server_.Send(WatchEventType::kAdded, Pod("last", "20000")); });
  EXPECT_EQ(TextOf(unseen_->WaitFor({"default", "p0"}, {.deadline = begun + seconds(60)})), "");
  EXPECT_EQ(sim_.env().Now() - begun, seconds(3));
}

TEST_F(UnseenWaits, TenThousandDeletionsOfUnknownObjects_AreKept) {
  StartInformer("5");
  for (int i = 0; i < 10'001; ++i) {
    ASSERT_TRUE(unseen_->Deleted({"default", "d" + std::to_string(i)}, "u", informer_->Epochs()));
  }
  EXPECT_EQ(unseen_->size(), 10'000U);
  Shows(Pod("d9999", "6"));
  EXPECT_EQ(Blocks("d9999"), Deletion("default/d9999"));
  Shows(Pod("d10000", "7"));
  EXPECT_EQ(Blocks("d10000"), "") << "beyond the limit";
  // Deletions of objects that the cache shows are kept, and of a removal its version.
  ASSERT_TRUE(unseen_->Deleted({"default", "d10000"}, "u", informer_->Epochs()));
  EXPECT_EQ(Blocks("d10000"), Deletion("default/d10000"));
  Shows(Pod("r", "8", kDeleting));
  unseen_->Wrote(*Pod("r", "20", kDeleting), informer_->Epochs());
  EXPECT_EQ(Blocks("r"), Version("20", "default/r"));
  unseen_->Wrote(*Pod("w", "21"), informer_->Epochs());
  EXPECT_EQ(unseen_->size(), 10'003U) << "versions have a limit of their own";
}

// The sweep looks at 256 writes at a time.
TEST_F(UnseenWaits, Sweep_DropsAllThatIsShown) {
  for (const std::size_t count : {1U, 255U, 256U, 257U, 1000U}) {
    StartInformer("5");
    WriteMany(count, 100);
    Reaches(std::to_string(99 + count / 2));
    EXPECT_EQ(unseen_->size(), count - count / 2);
    Reaches(std::to_string(100 + count));
    EXPECT_EQ(unseen_->size(), 0U) << count;
    WriteMany(1, 5000);
    Reaches("5000");
    EXPECT_EQ(unseen_->size(), 0U);
  }
}

}  // namespace
}  // namespace kinformer::internal::delegating

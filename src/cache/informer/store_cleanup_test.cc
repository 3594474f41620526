// Memory left behind by a list or a mass deletion is freed without further events.

#include "cache/apply/store_cleanup.h"

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/cache/snapshot_stats.h"

#include "base/loop/testing/unserved_executor.h"
#include "cache/informer/testing/informer_fixture.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer {
namespace {

using std::chrono::seconds;

class StoreCleanupTest : public InformerTest {
 protected:
  static constexpr int kPods = 4000;

  SharedInformer<Pod> Started() {
    SharedInformer<Pod> informer = Make();
    informer.Start();
    sim_.RunFor(seconds(5));
    return informer;
  }
  void PutAll(const std::string& version) {
    for (int i = 0; i < kPods; ++i) {
      server_.Put("pod-" + std::to_string(i), std::string(1000, 'x') + version);
    }
  }
  void DeleteAll() {
    for (int i = 0; i < kPods; ++i) server_.Delete("pod-" + std::to_string(i));
  }
  // Returns the bytes of replaced and deleted objects.
  static std::size_t Old(const SharedInformer<Pod>& informer) {
    return SnapshotStatsOf(informer).bytes;
  }
};

TEST_F(StoreCleanupTest, AfterAListThatChangedEverything) {
  PutAll("1");
  const SharedInformer<Pod> informer = Started();
  WhileCutOff([this] { PutAll("2"); });
  sim_.RunFor(seconds(2));
  ExpectEqual(informer, server_);
  EXPECT_EQ(Old(informer), 0U);
}

TEST_F(StoreCleanupTest, AfterAListThatDeletesEverything) {
  PutAll("1");
  const SharedInformer<Pod> informer = Started();
  WhileCutOff([this] { DeleteAll(); });
  sim_.RunFor(seconds(2));
  ExpectEqual(informer, server_);
  EXPECT_EQ(Old(informer), 0U);
}

TEST_F(StoreCleanupTest, ReleasedSnapshot_OldVersionsAreFreed) {
  PutAll("1");
  const SharedInformer<Pod> informer = Started();
  std::optional<Snapshot<Pod>> snapshot = informer.Snapshot();
  WhileCutOff([this] { PutAll("2"); });
  sim_.RunFor(seconds(10));
  EXPECT_GT(Old(informer), std::size_t{kPods} * 1000);
  EXPECT_EQ(snapshot->size(), std::size_t{kPods});
  snapshot.reset();
  sim_.RunFor(seconds(3));
  EXPECT_EQ(Old(informer), 0U);
}

// ---- on its own

using internal::SnapshotCore;
using internal::cache::MakeObject;
using internal::cache::StoreCleanup;
using internal::cache::StoreCore;
using std::chrono::milliseconds;

class CleanupOfStore : public testing::Test {
 protected:
  void Put(int objects, std::size_t bytes, const std::string& version) {
    store_.Begin();
    for (int i = 0; i < objects; ++i) {
      static_cast<void>(store_.Put(
          MakeObject("ns", std::to_string(i), version, {{"text", std::string(bytes, 'x')}})));
    }
    store_.Commit();
  }
  void Erase(int from, int to) {
    store_.Begin();
    for (int i = from; i < to; ++i) static_cast<void>(store_.Erase("ns", std::to_string(i)));
    store_.Commit();
    cleanup_.Committed();
  }
  // Makes that many objects old; the returned snapshot keeps them.
  std::shared_ptr<const SnapshotCore> MakeOld(int objects, std::size_t bytes) {
    Put(objects, bytes, "1");
    std::shared_ptr<const SnapshotCore> snapshot = store_.Snapshot();
    Put(objects, bytes, "2");
    cleanup_.Committed();
    return snapshot;
  }
  // Expects old objects until `time`, and none a moment later.
  void ExpectAllFreedAfter(Duration time) {
    sim_.RunFor(time);
    EXPECT_GT(store_.old_bytes(), 0U);
    sim_.RunFor(milliseconds(1));
    EXPECT_EQ(store_.old_bytes(), 0U);
  }

  Simulation sim_;
  // Executor of the only background work: returning memory to the system.
  internal::base::UnservedExecutor threads_;
  internal::base::LoopWithOwnWork loop_{sim_.env(), threads_};
  internal::base::EnvWithExecutors env_{sim_.env(), loop_, sim_.env().pool()};
  StoreCore store_{sim_.env(), {.name = "test"}};
  StoreCleanup cleanup_{env_, store_};
};

TEST_F(CleanupOfStore, BeginsATenthOfASecondLaterAndIsDoneInTurns) {
  MakeOld(40, 32'000).reset();
  ExpectAllFreedAfter(milliseconds(100));
  MakeOld(3000, 400).reset();
  ExpectAllFreedAfter(milliseconds(102));
}

TEST_F(CleanupOfStore, FewOldBytes_WaitForNextCommits) {
  MakeOld(30, 32'000).reset();
  sim_.RunFor(seconds(100));
  EXPECT_GT(store_.old_bytes(), std::size_t{30} * 32'000);
}

TEST_F(CleanupOfStore, ReleasedSnapshot_IsNoticedWithinSecond) {
  std::shared_ptr<const SnapshotCore> snapshot = MakeOld(40, 32'000);
  sim_.RunFor(milliseconds(500));
  snapshot.reset();
  ExpectAllFreedAfter(milliseconds(600));
}

// A list that is being written uses entry numbers.
TEST_F(CleanupOfStore, WaitsForTheCommitOfAnOpenVersion) {
  MakeOld(40, 32'000).reset();
  store_.Begin();
  sim_.RunFor(seconds(10));
  EXPECT_GT(store_.old_bytes(), std::size_t{40} * 32'000);
  store_.Commit();
  cleanup_.Committed();
  sim_.RunFor(milliseconds(101));
  EXPECT_EQ(store_.old_bytes(), 0U);
}

TEST_F(CleanupOfStore, MemoryIsGivenBackOnceAStoreHasShrunkByMuch) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  Put(90, kBytes, "1");
  cleanup_.Committed();
  Erase(0, 63);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(store_.old_bytes(), 0U);
  EXPECT_EQ(threads_.posts, 0) << "63 MiB are not much";
  Erase(63, 66);
  sim_.RunFor(milliseconds(1100));
  EXPECT_EQ(threads_.posts, 0) << "it may go on shrinking";
  sim_.RunFor(milliseconds(10));
  EXPECT_EQ(threads_.posts, 1);
  sim_.RunFor(seconds(10));
  Erase(66, 68);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(threads_.posts, 1) << "once";
}

}  // namespace
}  // namespace kinformer

// What a list or a mass deletion leaves behind is freed though nothing else happens.

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <optional>
#include <string>

#include "kinformer/snapshot_stats.h"

#include "cache/pipeline/testing/informer_fixture.h"

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
  // Of objects that were replaced or deleted.
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

TEST_F(StoreCleanupTest, OnceTheSnapshotHasGoneThatKeptIt) {
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

}  // namespace
}  // namespace kinformer

// Features of an informer's store besides objects: removable indexes, joint snapshots, changes.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/cache/index_key.h"
#include "kinformer/cache/joint_snapshot.h"
#include "kinformer/cache/store_changes.h"

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class InformerStores : public InformerTest {
 protected:
  // Runs on a thread that may wait for the loop.
  Result<void> Remove(SharedInformer<Pod>& informer, std::vector<std::string> names) {
    Result<void> result;
    EXPECT_TRUE(
        sim_.RunBlocking([&] { result = informer.RemoveIndexers(std::move(names)); }, seconds(1)));
    return result;
  }
  static Indexers<Pod> ByValue() {
    return {{"value", OrderedIndexFunc<Pod>([](Pod p, auto& out) { out.Add(p.value()); })}};
  }
  static Texts Names(const ObjectRange<Pod>& range) {
    Texts names;
    for (const Pod pod : range) names.push_back(pod.name());
    return names;
  }
};

TEST_F(InformerStores, IndexesAreRemovedAndAddedAgainWhileItRuns) {
  server_.Put("a", "1");
  server_.Put("b", "2");
  InformerOptions<Pod> options;
  options.indexers = ByValue();
  SharedInformer<Pod> informer = Make(std::move(options));
  EXPECT_TRUE(informer.RemoveIndexers({"value"})) << "before Start at once";
  EXPECT_TRUE(informer.AddIndexers(ByValue()));
  informer.Start();
  Settle();
  const Snapshot<Pod> before = informer.Snapshot();
  EXPECT_EQ(Remove(informer, {"value", "none"}).error().reason(), Reason::kNotFound);
  EXPECT_EQ(Remove(informer, {"namespace"}).error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(informer.indexer().GetIndexers().size(), 2U);
  ASSERT_TRUE(Remove(informer, {"value"}));
  EXPECT_EQ(informer.lister().ByIndex("value", "1").error().reason(), Reason::kNotFound);
  server_.Put("a", "3");
  Settle();
  EXPECT_THAT(Names(before.Range("value", "1", "9")), ElementsAre("a", "b"));
  ASSERT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(informer.AddIndexers(ByValue())); }, seconds(1)));
  EXPECT_THAT(Names(informer.lister().Range("value", "1", "9")), ElementsAre("b", "a"));
  EXPECT_THAT(Names(informer.lister().Prefix("value", "3")), ElementsAre("a"));
}

TEST_F(InformerStores, RemovingOnTheLoopOrAfterTheEndIsRefused) {
  InformerOptions<Pod> options;
  options.indexers = ByValue();
  SharedInformer<Pod> informer = Make(std::move(options));
  informer.Start();
  Settle();
  sim_.env().loop().Post([&] {
    EXPECT_EQ(informer.RemoveIndexers({"value"}).error().reason(), Reason::kWouldDeadlock);
    EXPECT_TRUE(informer.RemoveIndexers({}));
  });
  Settle();
  informer.Stop();
  Settle();
  EXPECT_EQ(Remove(informer, {"value"}).error().reason(), Reason::kStopped);
  EXPECT_THAT(informer.indexer().GetIndexers(), UnorderedElementsAre("namespace", "value"));
}

TEST_F(InformerStores, JointSnapshotsOfInformers) {
  internal::client::FakeServer others(sim_.env());
  SharedInformer<Pod> first = Make();
  SharedInformer<Pod> second(sim_.env(), others.NewListerWatcher());
  first.Start();
  second.Start();
  server_.Put("a", "1");
  others.Put("b", "1");
  others.Put("c", "1");
  Settle();
  const auto [one, two] = JointSnapshot(first, second);
  EXPECT_EQ(one.size(), 1U);
  EXPECT_EQ(two.size(), 2U);
  EXPECT_EQ(one.resourceVersion(), first.LastSyncResourceVersion());
  EXPECT_EQ(two.resourceVersion(), second.LastSyncResourceVersion());
}

TEST_F(InformerStores, ChangesOfAnInformerGoOverARelist) {
  server_.Put("stays", "1");
  server_.Put("changes", "1");
  server_.Put("goes", "1");
  SharedInformer<Pod> informer = Make();
  KeepChanges(informer);
  informer.Start();
  Settle();
  const Snapshot<Pod> before = informer.Snapshot();
  WhileCutOff([&] {
    server_.Put("changes", "2");
    server_.Delete("goes");
    server_.Put("comes", "1");
  });
  const auto changes = ChangesSince(informer, before).OrExit();
  Texts texts;
  for (const NetChange<Pod>& change : changes.changes) {
    texts.push_back(std::string(1, "+~-"[static_cast<int>(change.type)]) + (*change.object).name() +
                    " " + (*change.object).value());
  }
  EXPECT_THAT(texts, UnorderedElementsAre("+comes 1", "~changes 2", "-goes 1"));
  EXPECT_EQ(changes.snapshot.size(), 3U);
}

}  // namespace
}  // namespace kinformer

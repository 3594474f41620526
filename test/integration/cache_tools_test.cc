// Tools on top of caches, against the embedded API server in simulated time: pager, watch tools,
// the comparison of watch-lists with lists.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/client.h"
#include "kinformer/data_consistency_detector.h"
#include "kinformer/dynamic_client.h"
#include "kinformer/list_pager.h"
#include "kinformer/mutation_cache.h"
#include "kinformer/resource_client.h"
#include "kinformer/retry_watcher.h"
#include "kinformer/shared_informer.h"
#include "kinformer/simulation.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/unstructured.h"
#include "kinformer/watch_until.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::seconds;
using ::testing::ElementsAre;

ConfigMap::Mutable Map(const std::string& name, const std::string& value) {
  ConfigMap::Mutable object;
  object.metadata.name = name;
  object.data["k"] = value;
  return object;
}

class CacheTools : public ::testing::Test {
 protected:
  void Block(Task body) { ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1))); }
  void Fill(int count) {
    Block([&] {
      for (int i = 0; i < count; ++i) {
        ASSERT_TRUE(maps_.Create(Map("m" + std::to_string(100 + i), "1")));
      }
    });
  }

  Simulation sim_;
  ApiServer server_{sim_};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  const ResourceClient<ConfigMap> maps_ = client_.For<ConfigMap>("default");
};

TEST_F(CacheTools, APagerGoesThroughOneVersionOfTheCollection) {
  Fill(25);
  Block([&] {
    std::vector<std::string> names;
    const ListPager<ConfigMap> pager(maps_, {.page_size = 10, .page_buffer_size = 0});
    EXPECT_TRUE(pager.EachListItem({}, [&](const Ref<ConfigMap>& map) -> Result<void> {
      if (names.empty()) {
        EXPECT_TRUE(maps_.Create(Map("m999", "late")));
      }
      names.emplace_back(map->metadata().name());
      return {};
    }));
    EXPECT_EQ(names.size(), 25U);
    EXPECT_EQ(names.back(), "m124");
    const auto all = pager.List();
    ASSERT_TRUE(all);
    EXPECT_TRUE(all->paginated);
    EXPECT_EQ(all->list.size(), 26U);
  });
}

TEST_F(CacheTools, ARetryWatcherSeesEachChangeSinceTheList) {
  Fill(1);
  Block([&] {
    const auto list = maps_.List();
    const auto watcher = NewRetryWatcher<ConfigMap>(sim_.env(), list->metadata().resourceVersion,
                                                    NewListWatch<ConfigMap>(client_, "default"))
                             .value();
    ASSERT_TRUE(maps_.Create(Map("x", "1")));
    ASSERT_TRUE(maps_.Update(Map("x", "2")));
    ASSERT_TRUE(maps_.Delete("x"));
    std::vector<WatchEventType> types;
    for (int i = 0; i < 3; ++i) {
      const auto next = watcher.Next({.timeout = seconds(60)});
      ASSERT_TRUE(next) << next.error();
      const Ref<ConfigMap> map = (*next)->object;
      EXPECT_EQ(map->metadata().name(), "x");
      types.push_back((*next)->type);
    }
    EXPECT_THAT(types, ElementsAre(WatchEventType::kAdded, WatchEventType::kModified,
                                   WatchEventType::kDeleted));
  });
}

TEST_F(CacheTools, UntilWithSyncWaitsForAState) {
  Fill(1);
  const Timer timer = sim_.env().loop().RunAt(sim_.env().Now() + seconds(30), [&] {
    sim_.env().pool().Post([&] { EXPECT_TRUE(maps_.Update(Map("m100", "2"))); });
  });
  UntilResult<ConfigMap> ended;
  Block([&] {
    ended =
        UntilWithSync<ConfigMap>(sim_.env(), NewListWatch<ConfigMap>(client_, "default"), nullptr,
                                 {[](const ResourceWatchEvent<ConfigMap>& event) -> Result<bool> {
                                   return event.object->data().Find("k") == "2";
                                 }},
                                 {.timeout = seconds(60)});
  });
  EXPECT_TRUE(ended.result);
  EXPECT_EQ(ended.event->type, WatchEventType::kModified);
}

TEST_F(CacheTools, AMutationCacheShowsWhatTheServerHasAnswered) {
  Fill(1);
  SharedInformer<ConfigMap> informer(sim_.env(), NewListWatch<ConfigMap>(client_, "default"));
  informer.Start();
  Block([&] {
    ASSERT_TRUE(informer.WaitForCacheSync());
    informer.Stop();  // as if the event were late
    MutationCache<ConfigMap> recent(sim_.env(), informer.indexer());
    const Result<Ref<ConfigMap>> updated = maps_.Update(Map("m100", "2"));
    ASSERT_TRUE(updated) << updated.error();
    ASSERT_TRUE(recent.Mutation(*updated));
    const Ref<ConfigMap> map = recent.GetByKey("default/m100");
    EXPECT_EQ(map->data().Find("k"), "2");
  });
}

// In both encodings: objects of a watch must be equal, in bytes or in value, to those of a list.
TEST_F(CacheTools, WL_30_TheServersWatchListsEqualItsLists) {
  Fill(50);
  std::vector<DataConsistencyReport> reports;
  const DataConsistencyOptions options{
      .on_checked = [&](const DataConsistencyReport& report) { reports.push_back(report); }};
  SharedInformer<ConfigMap> typed(
      sim_.env(),
      NewDataConsistencyDetector(sim_.env(), NewListWatch<ConfigMap>(client_, "default"), options));
  SharedInformer<Unstructured> dynamic(
      sim_.env(), NewDataConsistencyDetector(
                      sim_.env(), NewListWatch(client_, {"", "v1", "configmaps"}), options));
  typed.Start();
  dynamic.Start();
  Block([&] {
    ASSERT_TRUE(typed.WaitForCacheSync());
    ASSERT_TRUE(dynamic.WaitForCacheSync());
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(maps_.Update(Map("m" + std::to_string(100 + i), "later")));
    }
  });
  sim_.RunFor(seconds(10));
  ASSERT_EQ(reports.size(), 2U);
  for (const DataConsistencyReport& report : reports) {
    EXPECT_TRUE(report.Equal());
    EXPECT_GE(report.objects, 50U);
  }
}

}  // namespace
}  // namespace kinformer::testing

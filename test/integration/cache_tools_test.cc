// Tools that programs build on caches, against the embedded API server in simulated time: pager and
// watch tools; and the watch-lists of the server.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/watch_until.h"
#include "kinformer/client/client.h"
#include "kinformer/client/discovery.h"
#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/list_pager.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/retry_watcher.h"
#include "kinformer/object/unstructured.h"
#include "kinformer/testing/api_server.h"

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
  void Block(Closure body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1)));
  }
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

// Objects that a watch-list sends are, to the byte, those of a list at the same version.
TEST_F(CacheTools, WatchList_SendsWhatAListHas_WL_30) {
  Fill(50);
  SharedInformer<ConfigMap> typed(sim_.env(), NewListWatch<ConfigMap>(client_, "default"));
  SharedInformer<Unstructured> dynamic(sim_.env(), NewListWatch(client_, {"", "v1", "configmaps"}));
  typed.Start();
  dynamic.Start();
  Block([&] {
    ASSERT_TRUE(typed.WaitForCacheSync());
    ASSERT_TRUE(dynamic.WaitForCacheSync());
    const auto maps = maps_.List().OrExit();
    const RestMapping mapping =
        client_.Discovery().MappingFor(GroupVersionResource{"", "v1", "configmaps"}).OrExit();
    const auto listed = client_.Dynamic(mapping, "default").List().OrExit();
    ASSERT_EQ(maps.size(), typed.lister().List().size());
    ASSERT_EQ(listed.size(), 50U);
    for (const ConfigMap map : maps) {
      const auto watched = typed.lister().Get("default", map.metadata().name()).OrExit();
      EXPECT_EQ(watched.object()->payload(), maps.Retain(map).object()->payload());
    }
    for (const Unstructured map : listed) {
      const auto watched = dynamic.lister().Get("default", map.metadata().name()).OrExit();
      EXPECT_EQ(watched->ToJson(), map.ToJson());
    }
  });
}

}  // namespace
}  // namespace kinformer::testing

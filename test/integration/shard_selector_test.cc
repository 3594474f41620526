// Informers that share the objects of a resource by ShardSelector: on servers that select by it,
// and on servers that ignore it.

#include "kinformer/object/shard_selector.h"

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/testing/api_server.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::SizeIs;

using ConfigMap = corev1::ConfigMap;

// GetParam: whether the server selects by shardSelector.
class ShardSelectorTest : public ::testing::TestWithParam<bool> {
 protected:
  static constexpr std::size_t kParts = 3;

  // One replica of the program.
  struct Replica {
    Replica(const Client& client, std::size_t part)
        : shard(ShardSelector::Part(part, kParts)),
          factory(std::make_shared<SharedInformerFactory>(client)),
          maps(factory->InformerFor<ConfigMap>({.shard_selector = shard})) {
      factory->Start();
    }
    [[nodiscard]] std::vector<std::string> Names() const {
      std::vector<std::string> names;
      for (const ConfigMap map : maps.lister().List()) names.emplace_back(map.metadata().name());
      std::sort(names.begin(), names.end());
      return names;
    }
    ShardSelector shard;
    std::shared_ptr<SharedInformerFactory> factory;
    SharedInformer<ConfigMap> maps;
  };

  ShardSelectorTest() {
    for (int i = 0; i < 30; ++i) Make("map-" + std::to_string(i));
    for (std::size_t part = 0; part < kParts; ++part) {
      replicas_.push_back(std::make_unique<Replica>(client_, part));
    }
    EXPECT_TRUE(Until([&] {
      return std::ranges::all_of(replicas_, [](const auto& one) { return one->maps.HasSynced(); });
    }));
  }

  bool Until(const std::function<bool()>& holds) { return sim_.RunUntil(holds, minutes(1)); }
  // Returns the uid.
  std::string Make(const std::string& name) {
    const json::Value made =
        server_
            .Create(kMaps, json::Value::MakeObject(
                               {{"metadata", json::Value::MakeObject(
                                                 {{"namespace", "default"}, {"name", name}})}}))
            .OrExit();
    return made.At("/metadata/uid").StringOrEmpty();
  }
  // Returns how many replicas have the object.
  [[nodiscard]] long Holders(const std::string& name) const {
    return std::ranges::count_if(
        replicas_, [&](const auto& one) { return one->maps.lister().Get("default", name).ok(); });
  }

  const GroupVersionResource kMaps{"", "v1", "configmaps"};
  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kInfo);
  Simulation sim_{{.log = log_}};
  ApiServer server_{sim_, {.sharded_list_and_watch = GetParam()}};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  std::vector<std::unique_ptr<Replica>> replicas_;
};

TEST_P(ShardSelectorTest, EachObjectIsInExactlyOneCache) {
  std::vector<std::string> all;
  for (const auto& one : replicas_) {
    const std::vector<std::string> names = one->Names();
    EXPECT_GT(names.size(), 0U);
    all.insert(all.end(), names.begin(), names.end());
  }
  std::sort(all.begin(), all.end());
  EXPECT_THAT(all, SizeIs(30));
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end()) << "in two caches";
}

TEST_P(ShardSelectorTest, ChangesComeToTheCacheOfTheirShard) {
  for (int i = 0; i < 20; ++i) {
    const std::string name = "new-" + std::to_string(i);
    const std::string uid = Make(name);
    EXPECT_TRUE(Until([&] { return Holders(name) == 1; })) << name;
    for (const auto& one : replicas_) {
      EXPECT_EQ(one->maps.lister().Get("default", name).ok(), one->shard.Matches(uid, "default"));
    }
  }
  ASSERT_TRUE(server_.Delete(kMaps, {"default", "new-3"}).ok());
  EXPECT_TRUE(Until([&] { return Holders("new-3") == 0; }));
}

// A new object of the same name has another uid, and can belong to another shard.
TEST_P(ShardSelectorTest, AnObjectMadeAgainChangesItsCache) {
  std::size_t moves = 0;
  for (int i = 0; i < 20; ++i) {
    const auto holder = [&] {
      return std::ranges::find_if(replicas_, [](const auto& one) {
        return one->maps.lister().Get("default", "map-0").ok();
      });
    };
    const auto before = holder();
    ASSERT_TRUE(server_.Delete(kMaps, {"default", "map-0"}).ok());
    const std::string uid = Make("map-0");
    EXPECT_TRUE(Until([&] {
      return std::ranges::all_of(replicas_, [&](const auto& one) {
        const auto found = one->maps.lister().Get("default", "map-0");
        return found.ok() ? (*found)->metadata().uid() == uid : !one->shard.Matches(uid, "");
      });
    }));
    if (holder() != before) ++moves;
  }
  EXPECT_GT(moves, 0U);
}

TEST_P(ShardSelectorTest, AnObjectOfAnotherShardIsOutOfScope) {
  for (const auto& one : replicas_) {
    const auto missing = one->maps.lister().Get("default", "nobody");
    ASSERT_FALSE(missing.ok());
    EXPECT_EQ(missing.error().reason(), Reason::kOutOfScope);
    EXPECT_THAT(missing.error().message(), HasSubstr(one->shard.ToString()));
  }
}

TEST_P(ShardSelectorTest, ServersThatIgnoreTheSelectorAreNamedInTheLogOncePerResource) {
  Make("one-more");
  sim_.RunFor(minutes(5));
  const auto said = std::ranges::count_if(log_->lines, [](const std::string& line) {
    return line.find("does not select by shardSelector") != std::string::npos;
  });
  EXPECT_EQ(said, GetParam() ? 0 : 1);
}

TEST_P(ShardSelectorTest, ListsSayWhichShardTheServerHasSelected) {
  const std::string shard = ShardSelector::Part(0, 2).ToString();
  const ResourceClient<ConfigMap> maps = client_.For<ConfigMap>("default");
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        const auto listed = maps.List({.shardSelector = shard}).OrExit();
        EXPECT_LT(listed.size(), 30U);
        EXPECT_EQ(listed.metadata().shardInfo, GetParam() ? shard : "");
        const auto wrong = maps.List({.shardSelector = "shardRange(x)"});
        ASSERT_FALSE(wrong.ok());
        EXPECT_EQ(wrong.error().reason(), Reason::kInvalidArgument);
      },
      minutes(1)));
}

// A read does not wait for a written object that its cache will never have.
TEST_P(ShardSelectorTest, ReadsDoNotWaitForWritesOfOtherShards) {
  DelegatingClient client(client_, replicas_[0]->factory);
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        int elsewhere = 0;
        for (int i = 0; i < 10; ++i) {
          ConfigMap::Mutable map;
          map.metadata.namespace_ = "default";
          map.metadata.name = "written-" + std::to_string(i);
          const auto made = client.Create(map).OrExit();
          const bool mine = replicas_[0]->shard.Matches(made->metadata().uid(), "default");
          if (!mine) ++elsewhere;
          const SteadyTime before = sim_.env().Now();
          // One of another shard is read from the server.
          EXPECT_TRUE(client.Get<ConfigMap>({"default", map.metadata.name}).ok());
          EXPECT_LT(sim_.env().Now() - before, seconds(1));
        }
        EXPECT_GT(elsewhere, 0);
      },
      minutes(10)));
}

INSTANTIATE_TEST_SUITE_P(Servers, ShardSelectorTest, ::testing::Bool(), [](const auto& server) {
  return server.param ? "Selecting" : "Ignoring";
});

}  // namespace
}  // namespace kinformer::testing

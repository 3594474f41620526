// Watches in each encoding against the embedded API server: their events are the same, and have the
// objects that the writes returned.

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using Events = std::vector<std::pair<WatchEventType, ConfigMap::Mutable>>;

class WatchEncodings : public ::testing::TestWithParam<bool> {
 protected:
  Simulation sim_;
  ApiServer server_{sim_};
};

TEST_P(WatchEncodings, EventsHaveTheObjectsThatWereWritten_SD04) {
  const bool prefer_json = GetParam();
  const Client client = Client::ForTransport(sim_.env(), server_.transport(),
                                             {.qps = -1, .prefer_json = prefer_json});
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        const auto maps = client.For<ConfigMap>("default");
        const std::string begin = maps.List().OrExit().metadata().resourceVersion;
        ConfigMap::Mutable map;
        map.metadata.name = "a";
        map.metadata.labels["app"] = "web";
        map.metadata.annotations["note"] = "\xc3\xa9 <&> \"";
        map.metadata.finalizers = {"example.com/keep"};
        map.data["text"] = "line\nline\t\\";
        map.binaryData["bytes"] = std::string("\0\xff\x80z", 4);
        Events want;
        const Ref<ConfigMap> created = maps.Create(map).OrExit();
        want.emplace_back(WatchEventType::kAdded, created->DeepCopy());
        map = want.back().second;
        map.data["text"] = "";
        map.metadata.finalizers.clear();
        const Ref<ConfigMap> updated = maps.Update(map).OrExit();
        want.emplace_back(WatchEventType::kModified, updated->DeepCopy());
        ASSERT_TRUE(maps.Delete("a").ok());
        want.emplace_back(WatchEventType::kDeleted, want.back().second);

        Events seen;
        const Result<void> watched =
            maps.Watch({.resourceVersion = begin},
                       [&seen](const ResourceWatchEvent<ConfigMap>& event) {
                         seen.emplace_back(event.type, event.object->DeepCopy());
                         return seen.size() < 3;
                       },
                       {.timeout = std::chrono::minutes(1)});
        ASSERT_TRUE(watched.ok()) << watched.error();
        ASSERT_EQ(seen.size(), 3U);
        EXPECT_NE(seen[2].second.metadata.resourceVersion, want[2].second.metadata.resourceVersion)
            << "that of the deletion";
        want[2].second.metadata.resourceVersion = seen[2].second.metadata.resourceVersion;
        for (std::size_t i = 0; i < seen.size(); ++i) {
          EXPECT_EQ(seen[i].first, want[i].first) << i;
          EXPECT_EQ(seen[i].second, want[i].second) << i;
        }
      },
      std::chrono::minutes(10)));
}

INSTANTIATE_TEST_SUITE_P(All, WatchEncodings, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "Json" : "Protobuf"; });

}  // namespace
}  // namespace kinformer::testing

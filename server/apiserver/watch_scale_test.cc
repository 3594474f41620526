// Many equal watches: shared frames, equal events, and the cost of each.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <malloc.h>
#include <random>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::ElementsAre;

// Equal watches share batches, made by the first that needs one. At any pace, all of them receive
// the same events as a watch that shares nothing.
TEST(ApiServerWatchScale, EqualWatches_GetTheSameEventsAtAnyPace) {
  for (const char* accept : {"application/json", "application/vnd.kubernetes.protobuf",
                             "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"}) {
    TestServer server;
    const std::string from =
        "watch=1&resourceVersion=" + std::to_string(server.server().current_resource_version());
    const std::string all = "/api/v1/configmaps?" + from;
    const std::string one = "/api/v1/namespaces/default/configmaps?" + from;
    const std::vector<std::string> queries = {all, one, one + "&labelSelector=color%3Dred",
                                              one + "&fieldSelector=metadata.name%3Dm3"};
    std::mt19937 random(7);
    std::vector<std::vector<std::unique_ptr<OpenReply>>> groups;
    std::vector<std::unique_ptr<OpenReply>> lone;
    for (const std::string& query : queries) {
      groups.emplace_back();
      for (int i = 0; i < 5; ++i) {
        groups.back().push_back(server.Open(query, {{"Accept", accept}}));
      }
      // The same selection with another text is a group of its own.
      const bool selects = query.find("labelSelector") != std::string::npos;
      lone.push_back(server.Open(query + (selects ? ",a!%3Db" : "&labelSelector=a!%3Db"),
                                 {{"Accept", accept}}));
    }
    for (int write = 0; write < 400; ++write) {
      const std::string name = "m" + std::to_string(random() % 8);
      const char* const ns = random() % 3 == 0 ? "kube-system" : "default";
      const ObjectName at{.namespace_ = ns, .name = name};
      const char* const color = random() % 2 == 0 ? "red" : "blue";
      if (!server.server().Get(kConfigMaps, at).ok()) {
        server.MakeConfigMap(ns, name, std::string(R"({"color":")") + color + "\"}");
      } else if (random() % 4 == 0) {
        ASSERT_TRUE(server.server().Delete(kConfigMaps, at).ok());
      } else {
        const auto patch = json::Parse(std::string(R"({"metadata":{"labels":{"color":")") + color +
                                       R"("}},"data":{"n":")" + std::to_string(write) + "\"}}");
        ASSERT_TRUE(server.server().Patch(kConfigMaps, at, *patch).ok());
      }
      for (auto& group : groups) {
        for (std::size_t i = 0; i < group.size(); ++i) {
          // The first one always reads, the last one only at the end.
          if (random() % (i + 1) == 0 && i + 1 < group.size()) group[i]->Pull(1 + random() % 5000);
        }
      }
    }
    for (std::size_t g = 0; g < groups.size(); ++g) {
      lone[g]->Pull(10'000'000);
      const std::string& wanted = lone[g]->reply().body;
      EXPECT_GT(wanted.size(), 1000U);
      for (const auto& watch : groups[g]) {
        watch->Pull(10'000'000);
        EXPECT_TRUE(watch->reply().body == wanted) << queries[g] << " as " << accept;
      }
    }
  }
}

TEST(ApiServerWatchScale, TenThousandIdleWatchersAndOneWriter_SRV153) {
  constexpr std::size_t kWatchers = 10'000;
  TestServer server;
  const std::string all = "/api/v1/configmaps?watch=1&allowWatchBookmarks=true&resourceVersion=" +
                          std::to_string(server.server().current_resource_version());
  std::vector<std::unique_ptr<OpenReply>> watches;
  watches.reserve(kWatchers);
  const std::size_t before = ::mallinfo2().uordblks;
  for (std::size_t i = 0; i < kWatchers; ++i) {
    watches.push_back(server.Open(all));
    watches.back()->Pull();
  }
  // Includes the test's own memory. With a sanitizer's allocator, mallinfo2 reports nothing.
  EXPECT_LT(::mallinfo2().uordblks - before, kWatchers * 4096);
  EXPECT_EQ(server.server().Stats().watches, kWatchers);
  const std::string made = server.MakeConfigMap("default", "a");
  for (const auto& watch : watches) {
    ASSERT_EQ(watch->wakes(), 1);
    ASSERT_THAT(watch->Events(), ElementsAre("ADDED default/a " + made));
  }
  // They end in random order.
  std::shuffle(watches.begin(), watches.end(), std::mt19937(1));
  watches.resize(kWatchers / 2);
  server.MakeConfigMap("default", "b");
  for (const auto& watch : watches) ASSERT_EQ(watch->Events().size(), 1U);
  watches.clear();
  EXPECT_EQ(server.server().Stats().watches, 0U);
}

}  // namespace
}  // namespace kinformer::apiserver::testing

// A DelegatingClient in real threads: many threads write and read at once, while the loop drops
// writes that the cache shows.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/testing/api_server.h"

namespace kinformer::testing {
namespace {

using ConfigMap = corev1::ConfigMap;

TEST(DelegatingClientConcurrency, EachThreadSeesItsOwnWrites) {
  constexpr int kThreads = 4;
  constexpr int kRounds = 50;
  ApiServer server;
  server.faults().Add({.verb = "watch",
                       .action = apiserver::FaultAction::kDrip,
                       .delay = std::chrono::milliseconds(5)});
  const Client client = Client::ForTransport(server.env(), server.transport(), {.qps = -1});
  const auto factory = std::make_shared<SharedInformerFactory>(client);
  const DelegatingClient cached(client, factory,
                                {.read_your_writes_timeout = std::chrono::minutes(1)});
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&cached, i] {
      const std::string name = "map-" + std::to_string(i);
      ConfigMap::Mutable map;
      map.metadata.namespace_ = "default";
      map.metadata.name = name;
      for (int round = 0; round < kRounds; ++round) {
        map.data["round"] = std::to_string(round);
        ASSERT_TRUE((round == 0 ? cached.Create(map) : cached.Update(map)).ok());
        if (round % 5 == 0) {
          ASSERT_TRUE(cached.Delete<ConfigMap>({"default", name}).ok());
          const auto gone = cached.Get<ConfigMap>({"default", name});
          ASSERT_TRUE(!gone.ok() && IsNotFound(gone.error()));
          ASSERT_TRUE(cached.Create(map).ok());
        }
        if (round % 7 == 0) {
          ASSERT_TRUE(cached.List<ConfigMap>({.namespace_ = "default"}).ok());
        }
        const auto read = cached.Get<ConfigMap>({"default", name});
        ASSERT_TRUE(read.ok()) << read.error();
        ASSERT_EQ((*read)->data()["round"], std::to_string(round));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cached.List<ConfigMap>({.namespace_ = "default"}).OrExit().size(),
            std::size_t{kThreads});
}

}  // namespace
}  // namespace kinformer::testing

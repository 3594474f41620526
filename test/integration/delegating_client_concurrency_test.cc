// A DelegatingClient in real threads: many threads and tasks write and read at once, while the loop
// drops writes that the cache shows.

#include <chrono>
#include <gtest/gtest.h>
#include <latch>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/controller/async_delegating_client.h"
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

Task<Result<void>> WriteAndRead(AsyncDelegatingClient cached, std::string name, int rounds) {
  const ObjectName named{"default", std::move(name)};
  ConfigMap::Mutable map;
  map.metadata.namespace_ = named.namespace_;
  map.metadata.name = named.name;
  for (int round = 0; round < rounds; ++round) {
    map.data["round"] = std::to_string(round);
    auto write = round == 0 ? cached.Create(map) : cached.Update(map);
    const Result<Ref<ConfigMap>> written = co_await write;
    if (!written) co_return written.error();
    const Result<Ref<ConfigMap>> read = co_await cached.Get<ConfigMap>(named);
    if (!read) co_return read.error();
    if ((*read)->data()["round"] != map.data["round"]) {
      co_return Error(Reason::kStale, named.name + " has " + std::string((*read)->data()["round"]));
    }
  }
  co_return Result<void>();
}

TEST(DelegatingClientConcurrency, EachTaskOfThePoolSeesItsOwnWrites) {
  constexpr int kTasks = 20;
  ApiServer server;
  server.faults().Add({.verb = "watch",
                       .action = apiserver::FaultAction::kDrip,
                       .delay = std::chrono::milliseconds(5)});
  const Client client = Client::ForTransport(server.env(), server.transport(), {.qps = -1});
  const DelegatingClient cached(client, std::make_shared<SharedInformerFactory>(client),
                                {.read_your_writes_timeout = std::chrono::minutes(1)});
  std::vector<std::string> failures(kTasks);
  std::latch ended(kTasks);
  for (int i = 0; i < kTasks; ++i) {
    Spawn(server.env(), WriteAndRead(AsyncDelegatingClient(cached), "map-" + std::to_string(i), 20),
          [&failures, &ended, i](const Result<void>& done) {
            if (!done) failures[static_cast<std::size_t>(i)] = done.error().ToString();
            ended.count_down();
          });
  }
  ended.wait();
  for (const std::string& failure : failures) EXPECT_EQ(failure, "");
}

}  // namespace
}  // namespace kinformer::testing

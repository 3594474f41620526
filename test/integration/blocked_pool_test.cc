// Every thread of a program's pool is in a function that waits for the library: the library's own
// work for the answer must not wait for those threads.

#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "kinformer/api/coordinationv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "integration/client_proofs.h"
#include "integration/embedded_server.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;

const Proof kProofs[] = {StaticToken(), TokenFile(), ExpiringPlugin(), CertificateAuthorityFile()};

class BlockedPool : public ::testing::TestWithParam<Proof> {
 protected:
  [[nodiscard]] Client NewClient() {
    Config config = server_.ClientConfig();
    GetParam().prove(config);
    return Client::NewForConfig(runtime_.env(), config, {.qps = -1}).OrExit();
  }

  EmbeddedServer server_;
  Runtime runtime_{{.max_handler_threads = 1}};
};

TEST_P(BlockedPool, HandlersThatAllReadFromTheServer_AreAllAnswered) {
  server_.Put("one", "1");
  // More than a pool has threads on any machine.
  constexpr int kHandlers = 100;
  std::atomic<int> answered = 0;
  std::atomic<int> failed = 0;
  const Client informers = NewClient();
  const Client reads = NewClient();  // its credentials are asked for by the handlers
  SharedInformerFactory factory(informers);
  const auto maps = factory.InformerFor<ConfigMap>();
  for (int i = 0; i < kHandlers; ++i) {
    ASSERT_TRUE(SharedInformer<ConfigMap>(maps)
                    .AddEventHandler({.on_add =
                                          [&](const Added<ConfigMap>& event) {
                                            const auto read = reads.For<ConfigMap>("default").Get(
                                                std::string(event.object.metadata().name()));
                                            ++(read ? answered : failed);
                                          }})
                    .ok());
  }
  factory.Start();
  EXPECT_TRUE(Eventually([&] { return answered + failed == kHandlers; }))
      << answered << " answered, " << failed << " failed";
  EXPECT_EQ(answered, kHandlers);
  factory.Shutdown();
}

TEST_P(BlockedPool, AnElectionKeepsItsLease) {
  // Tasks that block the pool until the end of the test; more of them than the pool has threads.
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  for (int i = 0; i < 100; ++i) runtime_.env().pool().Post([released] { released.wait(); });

  Config config = server_.ClientConfig();
  GetParam().prove(config);
  std::atomic<bool> leads = false;
  std::atomic<bool> lost = false;
  auto elector =
      LeaderElector::NewForLease(runtime_.env(), config, {.namespace_ = "default", .name = "lease"},
                                 {.lease_duration = 2s,
                                  .renew_deadline = 1500ms,
                                  .retry_period = 200ms,
                                  .callbacks = {.on_started_leading =
                                                    [&](const std::stop_token& until) {
                                                      leads = true;
                                                      while (!until.stop_requested()) usleep(1000);
                                                    },
                                                .on_stopped_leading = [&] { lost = true; }}})
          .OrExit();
  std::stop_source stop;
  std::thread runs([&] { elector->Run(stop.get_token()); });
  EXPECT_TRUE(Eventually([&] { return leads.load(); }));
  // Waits longer than a Lease lasts without renewal.
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_TRUE(Eventually(
      [&] { return lost || std::chrono::steady_clock::now() - begin > std::chrono::seconds(4); }));
  EXPECT_FALSE(lost) << "its renewals waited behind functions of the program";
  EXPECT_TRUE(elector->IsLeader());
  stop.request_stop();
  runs.join();
  release.set_value();
}

INSTANTIATE_TEST_SUITE_P(Credentials, BlockedPool, ::testing::ValuesIn(kProofs),
                         [](const auto& of) { return std::string(of.param.name); });

}  // namespace
}  // namespace kinformer::testing

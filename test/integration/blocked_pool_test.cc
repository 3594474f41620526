// Every thread of a program's pool is in a function that waits for the library: the library's own
// work for the answer must not wait for those threads.

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "kinformer/api/coordinationv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/resource_client.h"

#include "integration/client_proofs.h"
#include "integration/embedded_server.h"
#include "integration/held_election.h"
#include "integration/one_cpu.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;

const Proof kProofs[] = {StaticToken(), TokenFile(), ExpiringPlugin(), CertificateAuthorityFile()};

// The second parameter: on one processor.
class BlockedPool : public ::testing::TestWithParam<std::tuple<Proof, bool>> {
 protected:
  [[nodiscard]] Client NewClient() {
    Config config = server_.ClientConfig();
    std::get<Proof>(GetParam()).prove(config);
    return Client::NewForConfig(runtime_.env(), config, {.qps = -1}).OrExit();
  }

  // Before the threads of the others.
  const std::unique_ptr<OneCpu> one_cpu_ =
      std::get<bool>(GetParam()) ? std::make_unique<OneCpu>() : nullptr;
  EmbeddedServer server_{};
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
  Config config = server_.ClientConfig();
  std::get<Proof>(GetParam()).prove(config);
  KeepsItsLease(runtime_, config);
}

INSTANTIATE_TEST_SUITE_P(Credentials, BlockedPool,
                         ::testing::Combine(::testing::ValuesIn(kProofs), ::testing::Bool()),
                         [](const auto& of) {
                           return std::string(std::get<Proof>(of.param).name) +
                                  (std::get<bool>(of.param) ? "OnOneCpu" : "");
                         });

}  // namespace
}  // namespace kinformer::testing

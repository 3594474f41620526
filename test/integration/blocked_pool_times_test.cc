// If functions of the program hold every thread of its pool, calls of clients with files or plugins
// must take little longer than those of a client with a static token.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/resource_client.h"

#include "integration/client_proofs.h"
#include "integration/embedded_server.h"
#include "integration/one_cpu.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using corev1::ConfigMap;
using std::chrono::steady_clock;

// Measures functions that each hold the only thread of the pool while they wait for an answer of
// the server. Returns nullopt if one got no answer.
std::optional<steady_clock::duration> TimeOfReads(const Config& config) {
  constexpr int kReads = 1000;
  Runtime runtime({.max_handler_threads = 1});
  const Client client = Client::NewForConfig(runtime.env(), config, {.qps = -1}).OrExit();
  // Connects, and starts a plugin, which takes time in any case.
  if (!client.For<ConfigMap>("default").Get("one", {}, {.timeout = 30s})) return std::nullopt;
  std::atomic<int> left = kReads;
  std::atomic<bool> failed = false;
  std::promise<void> done;
  const auto begin = steady_clock::now();
  for (int i = 0; i < kReads; ++i) {
    runtime.env().pool().Post([&] {
      if (!failed && !client.For<ConfigMap>("default").Get("one", {}, {.timeout = 30s})) {
        failed = true;
      }
      if (--left == 0) done.set_value();
    });
  }
  done.get_future().wait();
  const auto time = steady_clock::now() - begin;
  return failed ? std::nullopt : std::optional(time);
}

class BlockedPoolTimes : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(Cpus, BlockedPoolTimes, ::testing::Bool(), [](const auto& param) {
  return std::string(param.param ? "One" : "All");
});

// Not for a plugin whose answers expire at once: it runs once per call, one run after the other,
// however long that takes. client-go also runs plugins under a mutex.
TEST_P(BlockedPoolTimes, FilesAndPlugins_TakeNoMoreThanTwiceAsLongAsAStaticToken) {
  std::optional<OneCpu> one_cpu;
  if (GetParam()) one_cpu.emplace();
  EmbeddedServer server;
  server.Put("one", "1");
  struct Measured {
    Proof proof;
    Config config{};
    steady_clock::duration best = steady_clock::duration::max();
  };
  std::vector<Measured> all;
  for (const Proof& proof :
       {StaticToken(), TokenFile(), CertificateAuthorityFile(), LastingPlugin()}) {
    all.push_back({proof, server.ClientConfig()});
    proof.prove(all.back().config);
  }
  const auto percent = [&](const Measured& each) { return 100 * each.best / all.front().best; };
  // The best of several attempts, taken in turn, is the real cost; others include effects of the
  // machine, and a machine that does much else needs more of them. The first attempt warms up
  // memory and code.
  constexpr int kLeastAttempts = 4;
  constexpr int kMostAttempts = 16;
  for (int attempt = 0; attempt < kMostAttempts; ++attempt) {
    for (Measured& each : all) {
      const auto time = TimeOfReads(each.config);
      ASSERT_TRUE(time.has_value()) << each.proof.name << ": not all were answered";
      if (attempt > 0) each.best = std::min(each.best, *time);
    }
    if (attempt + 1 < kLeastAttempts) continue;
    if (std::ranges::all_of(all, [&](const Measured& m) { return percent(m) <= 200; })) break;
  }
  for (const Measured& each : all) {
    RecordProperty(std::string("percent of a static token, ") + each.proof.name,
                   static_cast<int>(percent(each)));
    EXPECT_LE(percent(each), 200) << each.proof.name;
  }
}

}  // namespace
}  // namespace kinformer::testing

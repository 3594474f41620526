// The transport over libcurl on a network that freezes, cuts, slows down and refuses connections,
// by seeds. Afterwards it must soon recover.
//
//   KINFORMER_SIMULATION_SEEDS=1000 bin/network_test --gtest_filter='FaultyNetwork.*'
//
// runs that many; simulation/seeds.h has the other variables.

#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <vector>

#include "network/client_calls.h"
#include "network/network_troubles.h"
#include "network/socket_scene.h"
#include "network/timed_handler.h"
#include "simulation/dice.h"
#include "simulation/seeds.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t kSeeds = 60;
constexpr Duration kStep = 250ms;
constexpr Duration kPatience = 5s;
constexpr ConnectionPool kPools[] = {ConnectionPool::kShort, ConnectionPool::kList,
                                     ConnectionPool::kLease};

// Sends requests in one pool all the time, and gives up on each after kPatience.
class Caller {
 public:
  Caller(SocketScene& scene, ClientCalls& calls, ConnectionPool pool)
      : scene_(scene), calls_(calls), pool_(pool) {}

  void Step() {
    const SteadyTime now = scene_.env().Now();
    if (call_ == nullptr) {
      if (now < next_) return;
      call_ = &calls_.Start("/x", pool_);
      begun_ = now;
      return;
    }
    if (call_->ok()) succeeded_ = now;
    if (!call_->done() && now - begun_ < kPatience) return;
    calls_.GiveUp(*call_);
    call_ = nullptr;
    next_ = now + 1s;
  }
  [[nodiscard]] SteadyTime succeeded() const { return succeeded_; }

 private:
  SocketScene& scene_;
  ClientCalls& calls_;
  const ConnectionPool pool_;
  ClientCall* call_ = nullptr;
  SteadyTime begun_{};
  SteadyTime next_{};
  SteadyTime succeeded_{};
};

// Watches, and starts a new watch when one ends.
class Watcher {
 public:
  Watcher(SocketScene& scene, ClientCalls& calls) : scene_(scene), calls_(calls) {}

  void Step() {
    const SteadyTime now = scene_.env().Now();
    if (call_ != nullptr && call_->done()) {
      calls_.GiveUp(*call_);
      call_ = nullptr;
      next_ = now + 1s;
    }
    if (call_ == nullptr && now >= next_) call_ = &calls_.Start("/ticks", ConnectionPool::kWatch);
  }
  [[nodiscard]] SteadyTime heard() const {
    return call_ == nullptr ? SteadyTime() : call_->heard();
  }

 private:
  SocketScene& scene_;
  ClientCalls& calls_;
  ClientCall* call_ = nullptr;
  SteadyTime next_{};
};

class FaultyRun {
 public:
  explicit FaultyRun(std::uint64_t seed)
      : dice_(seed), scene_(seed), handler_(scene_.env()), troubles_(scene_.network(), dice_) {
    scene_.Serve(handler_);
    calls_ =
        std::make_unique<ClientCalls>(scene_, HttpTransportOptions{.watches_per_connection = 2});
    for (const ConnectionPool pool : kPools) callers_.emplace_back(scene_, *calls_, pool);
    for (int i = 0; i < 5; ++i) watchers_.emplace_back(scene_, *calls_);
  }

  ~FaultyRun() {
    calls_.reset();
    scene_.StopServing();
  }
  FaultyRun(const FaultyRun&) = delete;
  FaultyRun& operator=(const FaultyRun&) = delete;

  void Run() {
    const SteadyTime start = scene_.env().Now();
    while (scene_.env().Now() - start < 90s) {
      Step();
      if (dice_.OneIn(12)) troubles_.Next();
    }
    const int probes = handler_.probes;
    troubles_.End();
    end_ = scene_.env().Now();
    while (scene_.env().Now() - end_ < 15s) Step();
    for (const Caller& caller : callers_) {
      EXPECT_GT(caller.succeeded(), end_) << "a caller with a deadline of 5 s, after 15 s";
    }
    while (scene_.env().Now() - end_ < 50s) Step();
    for (const Watcher& watcher : watchers_) {
      EXPECT_GT(watcher.heard(), scene_.env().Now() - 2s) << "a watch, after 50 s";
    }
    while (scene_.env().Now() - end_ < 120s) Step();
    EXPECT_LE(calls_->Stats().connections_open, 3U + watchers_.size());
    EXPECT_LE(handler_.probes - probes, 60);
    EXPECT_EQ(calls_->Stats().connections_open, scene_.network().Open().size());
  }

 private:
  void Step() {
    for (Caller& caller : callers_) caller.Step();
    for (Watcher& watcher : watchers_) watcher.Step();
    scene_.sim().RunFor(kStep);
  }

  Dice dice_;
  SocketScene scene_;
  TimedHandler handler_;
  NetworkTroubles troubles_;
  std::unique_ptr<ClientCalls> calls_;
  std::vector<Caller> callers_;
  std::vector<Watcher> watchers_;
  SteadyTime end_{};
};

TEST(FaultyNetwork, AllIsWellSoonAfterTheLastFault) {
  ForSeeds(kSeeds, [](std::uint64_t seed) { FaultyRun(seed).Run(); });
}

}  // namespace
}  // namespace kinformer::testing

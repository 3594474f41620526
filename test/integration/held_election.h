// test/integration/held_election.h
//
// KeepsItsLease: an election whose program holds every thread of its pool.

#ifndef KINFORMER_TEST_INTEGRATION_HELD_ELECTION_H_
#define KINFORMER_TEST_INTEGRATION_HELD_ELECTION_H_

#include <atomic>
#include <chrono>
#include <future>
#include <gtest/gtest.h>
#include <stop_token>
#include <thread>
#include <unistd.h>

#include "kinformer/base/runtime.h"
#include "kinformer/client/config.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "integration/embedded_server.h"

namespace kinformer::testing {

// Expects an election with the credentials of `config` to lead, and to lead for longer than a Lease
// lasts, while functions of the program hold the pool of `runtime`. Takes 4 s.
inline void KeepsItsLease(Runtime& runtime, const Config& config) {
  using namespace std::chrono_literals;
  // Tasks that block the pool until the end of the test; more of them than the pool has threads.
  std::promise<void> release;
  const std::shared_future<void> released = release.get_future().share();
  for (int i = 0; i < 100; ++i) runtime.env().pool().Post([released] { released.wait(); });

  std::atomic<bool> leads = false;
  std::atomic<bool> lost = false;
  auto elector =
      LeaderElector::NewForLease(runtime.env(), config, {.namespace_ = "default", .name = "lease"},
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

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_HELD_ELECTION_H_

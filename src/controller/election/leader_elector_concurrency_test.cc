// Under ThreadSanitizer: a running elector, and threads that query it.

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <thread>

#include "kinformer/base/runtime.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "controller/election/testing/fake_lock.h"

namespace kinformer {
namespace {

TEST(LeaderElectorConcurrency, RunAndCheck_LE24) {
  Runtime runtime;
  testing::FakeLease lease;
  std::atomic<int> terms{0};
  const std::shared_ptr<LeaderElector> elector =
      LeaderElector::New(
          runtime.env(), std::make_unique<testing::FakeLock>(lease, "a"),
          {.retry_period = std::chrono::milliseconds(1),
           .release_on_cancel = true,
           .callbacks = {.on_started_leading = [&](const std::stop_token&) { ++terms; },
                         .on_stopped_leading = [] {},
                         .on_new_leader = [](const std::string&) {}}})
          .OrExit();
  LeaderHealthzAdaptor health(std::chrono::seconds(0));
  std::jthread asks([&](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      EXPECT_TRUE(health.Check().ok());
      health.SetLeaderElection(elector);
      // Both queries use the same term, which may end in between.
      if (!elector->IsLeader()) static_cast<void>(elector->LeaderEpoch());
      static_cast<void>(elector->GetLeader());
    }
  });
  for (int run = 0; run < 20; ++run) {
    std::stop_source stop;
    std::jthread ends([&] {
      const int before = terms;
      while (terms == before && !elector->IsLeader()) std::this_thread::yield();
      stop.request_stop();
    });
    elector->Run(stop.get_token());
  }
  EXPECT_EQ(terms, 20);
}

}  // namespace
}  // namespace kinformer

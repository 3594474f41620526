// Custom locks that throw from Identity or Describe when an elector is made, or from RecordEvent
// while it runs.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

#include "kinformer/base/simulation.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/leaderelection/resource_lock.h"

#include "controller/election/testing/fake_lock.h"

namespace kinformer {
namespace {

class UnnamedLock final : public ResourceLock {
 public:
  explicit UnnamedLock(bool has_description) : has_description_(has_description) {}
  Result<LeaderElectionRecord> Get(const CallOptions&) override { return LeaderElectionRecord(); }
  Result<void> Create(const LeaderElectionRecord&, const CallOptions&) override { return {}; }
  Result<void> Update(const LeaderElectionRecord&, const CallOptions&) override { return {}; }
  void RecordEvent(std::string_view) override {}
  [[nodiscard]] const std::string& Identity() const override {
    throw std::runtime_error("no identity");
  }
  [[nodiscard]] const std::string& Describe() const override {
    if (!has_description_) throw std::runtime_error("no description");
    return text_;
  }

 private:
  const bool has_description_;
  const std::string text_ = "the lock";
};

TEST(LeaderElectorTest, ALockThatThrowsWhenAskedForItsNameIsRefused) {
  Simulation sim;
  for (const bool has_description : {false, true}) {
    const auto elector =
        LeaderElector::New(sim.env(), std::make_unique<UnnamedLock>(has_description),
                           {.callbacks = {.on_started_leading = [](const std::stop_token&) {},
                                          .on_stopped_leading = [] {}}});
    ASSERT_FALSE(elector.ok());
    EXPECT_THAT(elector.error().message(),
                ::testing::HasSubstr(has_description ? "ResourceLock::Identity threw: no identity"
                                                     : "ResourceLock::Describe threw: no descr"));
  }
}

// A lock that cannot record events.
class MuteLock final : public ResourceLock {
 public:
  MuteLock(testing::FakeLease& lease, int& told) : inner_(lease, "a"), told_(told) {}
  Result<LeaderElectionRecord> Get(const CallOptions& call) override { return inner_.Get(call); }
  Result<void> Create(const LeaderElectionRecord& record, const CallOptions& call) override {
    return inner_.Create(record, call);
  }
  Result<void> Update(const LeaderElectionRecord& record, const CallOptions& call) override {
    return inner_.Update(record, call);
  }
  void RecordEvent(std::string_view) override {
    ++told_;
    throw std::runtime_error("no events");
  }
  [[nodiscard]] const std::string& Identity() const override { return inner_.Identity(); }
  [[nodiscard]] const std::string& Describe() const override { return inner_.Describe(); }

 private:
  testing::FakeLock inner_;
  int& told_;
};

TEST(LeaderElectorTest, ALockThatThrowsWhenToldOfEventsLeadsAndEndsAllTheSame) {
  Simulation sim;
  testing::FakeLease lease;
  int told = 0;
  const auto elector =
      LeaderElector::New(sim.env(), std::make_unique<MuteLock>(lease, told),
                         {.release_on_cancel = true,
                          .callbacks = {.on_started_leading = [](const std::stop_token&) {},
                                        .on_stopped_leading = [] {}}})
          .OrExit();
  std::stop_source stop;
  bool ended = false;
  const auto thread = sim.env().NewThread("candidate", [&] {
    elector->Run(stop.get_token());
    ended = true;
  });
  sim.RunFor(std::chrono::minutes(1));
  EXPECT_TRUE(elector->IsLeader());
  EXPECT_EQ(told, 1) << "that it leads";
  stop.request_stop();
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_TRUE(ended);
  EXPECT_EQ(told, 2) << "that it has stopped";
}

}  // namespace
}  // namespace kinformer

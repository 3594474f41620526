// Locks of the program's own that throw when they are asked what they are called.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>

#include "kinformer/leader_elector.h"
#include "kinformer/resource_lock.h"
#include "kinformer/simulation.h"

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

}  // namespace
}  // namespace kinformer

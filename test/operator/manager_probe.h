// operator/manager_probe.h
//
// For tests of managers: Probe, a Runnable that records when it begins and ends, and a fixture for
// managers with leader election.

#ifndef KINFORMER_TEST_OPERATOR_MANAGER_PROBE_H_
#define KINFORMER_TEST_OPERATOR_MANAGER_PROBE_H_

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/until.h"
#include "kinformer/controller/manager.h"
#include "kinformer/controller/runnable.h"

#include "operator/manager_fixture.h"

namespace kinformer::testing {

// Records when it begins and ends.
class Probe final : public Runnable {
 public:
  Probe(Env& env, std::vector<std::string>& told, std::string name, RunnableGroup group)
      : env_(env), told_(told), name_(std::move(name)), group_(group) {}
  Result<void> Start(const std::stop_token& stop) override {
    told_.push_back("+" + name_);
    const SteadyTime until = env_.Now() + fails_after;
    while (env_.Now() < until && SleepUnlessStopped(env_, stop, until - env_.Now())) {
    }
    if (!stop.stop_requested()) return Error(Reason::kInternalError, "broke");
    if (ends_after > Duration(0)) env_.SleepFor(ends_after);
    told_.push_back("-" + name_);
    return {};
  }
  Result<void> WaitUntilReady(const std::stop_token& stop) override {
    if (ready_after > Duration(0)) SleepUnlessStopped(env_, stop, ready_after);
    if (never_ready) return Error(Reason::kForbidden, "not ready");
    return {};
  }
  [[nodiscard]] bool HasWarmup() const override { return warms_up; }
  Result<void> Warmup(const std::stop_token& /*stop*/) override {
    told_.push_back("~" + name_);
    return {};
  }
  [[nodiscard]] RunnableGroup group() const override { return group_; }
  [[nodiscard]] std::string name() const override { return name_; }

  Duration fails_after{std::chrono::hours(1000)};
  Duration ends_after{0};
  Duration ready_after{0};
  bool never_ready = false;
  bool warms_up = false;

 private:
  Env& env_;
  std::vector<std::string>& told_;
  const std::string name_;
  const RunnableGroup group_;
};

class ManagersTest : public ManagerTest {
 protected:
  std::shared_ptr<Probe> NewProbe(const std::string& name,
                                  RunnableGroup group = RunnableGroup::kLeaderElection) {
    return std::make_shared<Probe>(sim_.env(), told_, name, group);
  }
  static ManagerOptions Electing(const std::string& identity, bool release = false) {
    return {.leader_election = true,
            .leader_election_id = "op",
            .leader_election_namespace = "default",
            .leader_election_identity = identity,
            .leader_election_release_on_cancel = release};
  }
  std::string Holder() {
    auto lease = server_.Get({"coordination.k8s.io", "v1", "leases"}, {"default", "op"}).OrExit();
    return std::string(lease["spec"]["holderIdentity"].AsString().value_or(""));
  }
  std::vector<std::string> told_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_OPERATOR_MANAGER_PROBE_H_

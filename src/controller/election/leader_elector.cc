#include "kinformer/leaderelection/leader_elector.h"

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/seconds.h"
#include "base/core/user_call.h"
#include "controller/election/elector.h"
#include "controller/election/followed_lock.h"

namespace kinformer {
namespace {

Error Invalid(const std::string& what) {
  return Error(Reason::kInvalidArgument, "LeaderElectionConfig: " + what);
}

// "10 s", "8.334 s".
std::string InSeconds(Duration length) { return internal::base::SecondsText(length) + " s"; }

constexpr Duration kLongestLease = std::chrono::years(10);

}  // namespace

Result<void> internal::election::Validate(const LeaderElectionConfig& config) {
  if (config.lease_duration < std::chrono::seconds(1)) {
    return Invalid("lease_duration must be at least a second: a Lease says it in seconds");
  }
  if (config.lease_duration > kLongestLease) {
    return Invalid("lease_duration must be at most ten years: a Lease has 32 bits for it");
  }
  if (config.renew_deadline <= Duration::zero()) {
    return Invalid("renew_deadline must be greater than zero");
  }
  if (config.retry_period <= Duration::zero()) {
    return Invalid("retry_period must be greater than zero");
  }
  if (std::chrono::floor<std::chrono::seconds>(config.lease_duration) <= config.renew_deadline) {
    return Invalid("lease_duration (" + InSeconds(config.lease_duration) +
                   ") must be greater than renew_deadline (" + InSeconds(config.renew_deadline) +
                   ")");
  }
  // The first comparison avoids an overflow of the product.
  if (config.renew_deadline <= config.retry_period ||
      config.renew_deadline <= config.retry_period * 12 / 10) {
    return Invalid("renew_deadline (" + InSeconds(config.renew_deadline) +
                   ") must be greater than 1.2 * retry_period (" + InSeconds(config.retry_period) +
                   ")");
  }
  if (!config.callbacks.on_started_leading) {
    return Invalid("callbacks.on_started_leading is not set");
  }
  if (!config.callbacks.on_stopped_leading) {
    return Invalid("callbacks.on_stopped_leading is not set");
  }
  return {};
}

namespace {

// Wraps the user's lock. Reads its names once; exceptions from other methods are handled where they
// are called.
class NamedLock final : public ResourceLock {
 public:
  // Returns an error if the lock threw.
  static Result<std::unique_ptr<ResourceLock>> New(Env& env, std::unique_ptr<ResourceLock> inner) {
    auto made = std::make_unique<NamedLock>();
    made->inner_ = std::move(inner);
    const auto ask = [&](std::string_view function, std::string& text, auto method) {
      return internal::base::CallUser(env, function, [&] { text = ((*made->inner_).*method)(); });
    };
    Result<void> asked = ask("ResourceLock::Describe", made->description_, &ResourceLock::Describe);
    if (asked) asked = ask("ResourceLock::Identity", made->identity_, &ResourceLock::Identity);
    if (!asked) return asked.error();
    return std::unique_ptr<ResourceLock>(std::move(made));
  }

  Result<LeaderElectionRecord> Get(const CallOptions& call) override { return inner_->Get(call); }
  Result<void> Create(const LeaderElectionRecord& record, const CallOptions& call) override {
    return inner_->Create(record, call);
  }
  Result<void> Update(const LeaderElectionRecord& record, const CallOptions& call) override {
    return inner_->Update(record, call);
  }
  void RecordEvent(std::string_view text) override { inner_->RecordEvent(text); }
  [[nodiscard]] const std::string& Identity() const override { return identity_; }
  [[nodiscard]] const std::string& Describe() const override { return description_; }

 private:
  std::unique_ptr<ResourceLock> inner_{};
  std::string identity_{};
  std::string description_{};
};

}  // namespace

Result<std::unique_ptr<LeaderElector>> internal::election::MakeElector(
    Env& env, std::unique_ptr<Loop> loop, std::unique_ptr<ResourceLock> lock,
    LeaderElectionConfig config) {
  if (lock == nullptr) return Invalid("the lock is null");
  auto* const followed = dynamic_cast<FollowedLock*>(lock.get());
  Result<std::unique_ptr<ResourceLock>> named = NamedLock::New(env, std::move(lock));
  if (!named) return named.error();
  lock = *std::move(named);
  if (lock->Identity().empty()) return Invalid("Lock identity is empty");
  if (Result<void> valid = Validate(config); !valid) return valid.error();
  if (config.name.empty()) config.name = lock->Describe();
  return std::unique_ptr<LeaderElector>(std::make_unique<Elector>(
      env, std::move(loop), std::move(lock), followed, std::move(config)));
}

Result<std::unique_ptr<LeaderElector>> LeaderElector::New(Env& env,
                                                          std::unique_ptr<ResourceLock> lock,
                                                          LeaderElectionConfig config) {
  return internal::election::MakeElector(env, nullptr, std::move(lock), std::move(config));
}

void LeaderHealthzAdaptor::SetLeaderElection(std::shared_ptr<const LeaderElector> elector) {
  const std::lock_guard lock(mutex_);
  elector_ = std::move(elector);
}

Result<void> LeaderHealthzAdaptor::Check() const {
  const std::lock_guard lock(mutex_);
  return elector_ == nullptr ? Result<void>() : elector_->Check(tolerance_);
}

}  // namespace kinformer

#include "kinformer/leaderelection/lease_lock.h"

#include <optional>
#include <utility>

#include "kinformer/api/coordinationv1_mutable.h"
#include "kinformer/base/until.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/events/event_recorder.h"

#include "base/text/host_name.h"
#include "controller/election/followed_lock.h"
#include "controller/election/lease_follower.h"
#include "controller/election/lease_record.h"

namespace kinformer {
namespace {

class LeaseLock final : public ResourceLock, public internal::election::FollowedLock {
 public:
  LeaseLock(const Client& client, LeaseLockOptions options)
      : env_(client.env()),
        leases_(client.For<coordinationv1::Lease>(options.namespace_)),
        options_(std::move(options)),
        description_(options_.namespace_ + "/" + options_.name),
        follower_(client, options_.namespace_, options_.name) {}

  Result<LeaderElectionRecord> Get(const CallOptions& call) override {
    Result<Ref<coordinationv1::Lease>> lease = leases_.Get(options_.name, {}, call);
    if (!lease) return std::move(lease).error();
    lease_ = std::move(*lease);
    return internal::election::RecordOf(lease_->spec());
  }

  Result<void> Create(const LeaderElectionRecord& record, const CallOptions& call) override {
    coordinationv1::Lease::Mutable lease;
    lease.metadata.name = options_.name;
    lease.metadata.namespace_ = options_.namespace_;
    return Keep(leases_.Create(Filled(std::move(lease), record), {}, call));
  }

  Result<void> Update(const LeaderElectionRecord& record, const CallOptions& call) override {
    if (!lease_) {
      return Error(Reason::kInvalidArgument,
                   "lease " + description_ + " cannot be updated before it was read or created");
    }
    return Keep(leases_.Update(Filled(lease_->DeepCopy(), record), {}, call));
  }

  void RecordEvent(std::string_view text) override {
    if (options_.event_recorder == nullptr) return;
    corev1::ObjectReferenceMutable about;
    if (lease_) {
      about = ReferenceTo(*lease_);
    } else {
      about.kind = coordinationv1::Lease::kind_info().kind;
      about.apiVersion = coordinationv1::Lease::kind_info().apiVersion();
      about.namespace_ = options_.namespace_;
      about.name = options_.name;
    }
    options_.event_recorder->Event(about, kEventTypeNormal, "LeaderElection",
                                   options_.identity + " " + std::string(text));
  }

  [[nodiscard]] const std::string& Identity() const override { return options_.identity; }
  [[nodiscard]] const std::string& Describe() const override { return description_; }

  std::optional<LeaderElectionRecord> AwaitChange(const CallOptions& call) override {
    if (!lease_) {
      SleepUnlessStopped(env_, call.stop, call.timeout);
      return std::nullopt;
    }
    Ref<coordinationv1::Lease> newer = follower_.Await(*lease_, call);
    if (!newer) return std::nullopt;
    lease_ = std::move(newer);
    return internal::election::RecordOf(lease_->spec());
  }
  void StopFollowing() override { follower_.Stop(); }

 private:
  // Sets the labels and the record; keeps everything else that other programs have set.
  [[nodiscard]] coordinationv1::Lease::Mutable Filled(coordinationv1::Lease::Mutable lease,
                                                      const LeaderElectionRecord& record) const {
    for (const auto& [key, value] : options_.labels) lease.metadata.labels[key] = value;
    internal::election::Write(record, lease.spec);
    return lease;
  }
  // Stores only answers of the server, so a failed write changes nothing.
  Result<void> Keep(Result<Ref<coordinationv1::Lease>> answer) {
    if (!answer) return std::move(answer).error();
    lease_ = std::move(*answer);
    return {};
  }

  Env& env_;
  const ResourceClient<coordinationv1::Lease> leases_;
  const LeaseLockOptions options_;
  const std::string description_;
  internal::election::LeaseFollower follower_;
  Ref<coordinationv1::Lease> lease_;  // last state seen on the server
};

}  // namespace

Result<std::unique_ptr<ResourceLock>> NewLeaseLock(const Client& client, LeaseLockOptions options) {
  const auto missing = [](const char* field) {
    return Error(Reason::kInvalidArgument,
                 std::string("LeaseLockOptions::") + field + " is empty: a Lease needs a " +
                     (field == std::string_view("identity") ? "candidate's identity" : field));
  };
  if (options.namespace_.empty()) return missing("namespace_");
  if (options.name.empty()) return missing("name");
  if (options.identity.empty()) return missing("identity");
  return std::unique_ptr<ResourceLock>(std::make_unique<LeaseLock>(client, std::move(options)));
}

std::string NewLeaderIdentity(Env& env) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string random;
  for (int word = 0; word < 2; ++word) {
    std::uint64_t bits = env.Random();
    for (int i = 0; i < 16; ++i, bits >>= 4) random += kDigits[bits & 15];
  }
  return internal::base::HostName() + "_" + random;
}

}  // namespace kinformer

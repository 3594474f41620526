// controller/election/testing/fake_lock.h
//
// FakeLease and FakeLock: an in-memory lock that records requests and fails on demand.

#ifndef KINFORMER_CONTROLLER_ELECTION_TESTING_FAKE_LOCK_H_
#define KINFORMER_CONTROLLER_ELECTION_TESTING_FAKE_LOCK_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/leaderelection/resource_lock.h"

namespace kinformer::testing {

// State shared by several locks. Used in one simulation, so it needs no mutex.
struct FakeLease {
  std::optional<LeaderElectionRecord> record{};
  std::uint64_t version = 0;
  std::vector<std::string> events{};

  void Put(LeaderElectionRecord put) {
    record = std::move(put);
    ++version;
  }
};

class FakeLock final : public ResourceLock {
 public:
  FakeLock(FakeLease& lease, std::string identity)
      : lease_(lease), identity_(std::move(identity)) {}

  Result<LeaderElectionRecord> Get(const CallOptions& call) override {
    if (Result<void> failed = Begin("get", call); !failed) return failed.error();
    if (!lease_.record) return Error(Reason::kNotFound, "no lease");
    seen_ = lease_.version;
    return *lease_.record;
  }
  Result<void> Create(const LeaderElectionRecord& record, const CallOptions& call) override {
    if (Result<void> failed = Begin("create", call); !failed) return failed;
    if (lease_.record) return Error(Reason::kAlreadyExists, "there is a lease");
    return Keep(record);
  }
  Result<void> Update(const LeaderElectionRecord& record, const CallOptions& call) override {
    if (!seen_) {
      asked.emplace_back("refused");
      return Error(Reason::kInvalidArgument, "not read yet");
    }
    if (Result<void> failed = Begin("update", call); !failed) return failed;
    if (lease_.version != *seen_) return Error(Reason::kConflict, "changed");
    return Keep(record);
  }
  void RecordEvent(std::string_view text) override {
    lease_.events.push_back(identity_ + " " + std::string(text));
  }
  [[nodiscard]] const std::string& Identity() const override { return identity_; }
  [[nodiscard]] const std::string& Describe() const override { return description_; }

  // Forgets the record, as if it had not been read: the next update is refused.
  void Forget() { seen_.reset(); }

  // Verbs of the requests: "get", "create", "update", or "refused" for a refused update.
  std::vector<std::string> asked{};
  // If set, called for each request; if it returns an error, the request fails with it.
  std::function<Result<void>(const std::string& verb, const CallOptions& call)> fault{};

 private:
  Result<void> Begin(const std::string& verb, const CallOptions& call) {
    asked.push_back(verb);
    return fault ? fault(verb, call) : Result<void>();
  }
  Result<void> Keep(const LeaderElectionRecord& record) {
    lease_.Put(record);
    seen_ = lease_.version;
    return {};
  }

  FakeLease& lease_;
  const std::string identity_;
  const std::string description_{"default/lease"};
  std::optional<std::uint64_t> seen_{};
};

}  // namespace kinformer::testing

#endif  // KINFORMER_CONTROLLER_ELECTION_TESTING_FAKE_LOCK_H_

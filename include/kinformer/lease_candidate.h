// kinformer/lease_candidate.h
//
// LeaseCandidate: this process's application for a lease that the server gives away (coordinated
// leader election): it says which version this is, and that it is alive. LeaderElectionConfig with
// `coordinated` then renews what was given.

#ifndef KINFORMER_LEASE_CANDIDATE_H_
#define KINFORMER_LEASE_CANDIDATE_H_

#include <memory>
#include <stop_token>
#include <string>

#include "kinformer/client.h"
#include "kinformer/result.h"

namespace kinformer {

// The fields of a coordination.k8s.io LeaseCandidate.
struct LeaseCandidateOptions {
  std::string namespace_{};
  std::string name{};               // of the LeaseCandidate: the identity of this process
  std::string lease_name{};         // of the Lease that is applied for, in the same namespace
  std::string binary_version{};     // "1.34.0"
  std::string emulation_version{};  // as what it behaves; not above binary_version
  std::string strategy{"OldestEmulationVersion"};
};

// Keeps one LeaseCandidate object (v1beta1, which the server must serve): makes it where it is not
// there, writes a new renewTime at the start and every five minutes, since servers take one that is
// half an hour old for gone, and answers the server's pings at once: where pingTime is later than
// renewTime. The answer is later than the ping, also where this machine's clock is behind. What
// fails is logged and tried again. Thread-safe.
// Counterpart: leaderelection.LeaseCandidate.
class LeaseCandidate {
 public:
  // kInvalidArgument: a name is missing.
  static Result<std::unique_ptr<LeaseCandidate>> New(const Client& client,
                                                     LeaseCandidateOptions options);
  virtual ~LeaseCandidate() = default;
  LeaseCandidate(const LeaseCandidate&) = delete;
  LeaseCandidate& operator=(const LeaseCandidate&) = delete;
  // Blocks until stop is requested; not for an event loop. The object stays when it returns: the
  // server forgets candidates that do not answer.
  virtual void Run(const std::stop_token& stop) = 0;

 protected:
  LeaseCandidate() = default;
};

}  // namespace kinformer

#endif  // KINFORMER_LEASE_CANDIDATE_H_

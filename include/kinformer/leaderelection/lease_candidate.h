// kinformer/leaderelection/lease_candidate.h
//
// LeaseCandidate: applies for a lease that the server assigns (coordinated leader election): it
// announces this process's version, and that it is alive. LeaderElectionConfig with `coordinated`
// then renews the assigned lease.

#ifndef KINFORMER_LEADERELECTION_LEASE_CANDIDATE_H_
#define KINFORMER_LEADERELECTION_LEASE_CANDIDATE_H_

#include <memory>
#include <stop_token>
#include <string>

#include "kinformer/base/result.h"
#include "kinformer/client/client.h"

namespace kinformer {

// Fields of a coordination.k8s.io LeaseCandidate.
struct LeaseCandidateOptions {
  std::string namespace_{};
  std::string name{};               // of the LeaseCandidate: identity of this process
  std::string lease_name{};         // of the requested Lease, in the same namespace
  std::string binary_version{};     // "1.34.0"
  std::string emulation_version{};  // version it emulates; not above binary_version
  std::string strategy{"OldestEmulationVersion"};
};

// Maintains one LeaseCandidate object (v1beta1, which the server must support): creates it if it is
// missing, writes a new renewTime at the start and every five minutes, since servers consider one
// that is half an hour old as dead, and answers the server's pings at once: if pingTime is later
// than renewTime. The answer is later than the ping even if this machine's clock is behind.
// Failures are logged, and retried. Thread-safe.
// Counterpart: leaderelection.LeaseCandidate.
class LeaseCandidate {
 public:
  // Creates a candidate. kInvalidArgument: a name is missing.
  static Result<std::unique_ptr<LeaseCandidate>> New(const Client& client,
                                                     LeaseCandidateOptions options);
  virtual ~LeaseCandidate() = default;
  LeaseCandidate(const LeaseCandidate&) = delete;
  LeaseCandidate& operator=(const LeaseCandidate&) = delete;
  // Blocks until `stop` is requested; not for an event loop. The object stays after that: the
  // server removes candidates that do not answer.
  virtual void Run(const std::stop_token& stop) = 0;

 protected:
  LeaseCandidate() = default;
};

}  // namespace kinformer

#endif  // KINFORMER_LEADERELECTION_LEASE_CANDIDATE_H_

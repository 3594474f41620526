// controller/election/lease_follower.h
//
// LeaseFollower: waits for changes of one Lease by a watch of it.

#ifndef KINFORMER_CONTROLLER_ELECTION_LEASE_FOLLOWER_H_
#define KINFORMER_CONTROLLER_ELECTION_LEASE_FOLLOWER_H_

#include <chrono>
#include <optional>
#include <string>

#include "kinformer/api/coordinationv1.h"
#include "kinformer/base/env.h"
#include "kinformer/client/client.h"
#include "kinformer/client/request_options.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/client/watcher.h"

namespace kinformer::internal::election {

// For one thread at a time. Without the right to watch the Lease it only lets time pass; it tries
// again once a minute, and logs that once.
class LeaseFollower {
 public:
  LeaseFollower(const Client& client, std::string space, std::string name);

  // Waits for a state that is newer than `known`. Null: there was none until the end of `call`,
  // which has a timeout. Deletions do not count. The watch stays open for the next call.
  Ref<coordinationv1::Lease> Await(const coordinationv1::Lease& known, const CallOptions& call);
  // Closes the watch.
  void Stop() { watcher_.reset(); }

 private:
  static constexpr Duration kPause = std::chrono::minutes(1);

  // Opens the watch where there is none. False: it cannot be opened now.
  bool Open(const coordinationv1::Lease& known);
  void Close(const Error& why);

  const Client client_;
  const std::string namespace_;
  const std::string name_;
  std::optional<Watcher<coordinationv1::Lease>> watcher_;
  SteadyTime not_before_ = SteadyTime::min();
  bool said_ = false;
};

}  // namespace kinformer::internal::election

#endif  // KINFORMER_CONTROLLER_ELECTION_LEASE_FOLLOWER_H_

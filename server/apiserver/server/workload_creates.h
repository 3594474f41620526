// apiserver/server/workload_creates.h
//
// WorkloadCreates: makes the creates of the simulated workloads as requests, which admission
// reviews.

#ifndef KINFORMER_APISERVER_SERVER_WORKLOAD_CREATES_H_
#define KINFORMER_APISERVER_SERVER_WORKLOAD_CREATES_H_

#include <cstdint>
#include <functional>
#include <map>

#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/workloads/create_requests.h"
#include "apiserver/write/request/mutations.h"

namespace kinformer::apiserver {

// Destroying it ends the requests under way, without a call. Loop-confined.
class WorkloadCreates final : public workloads::CreateRequests {
 public:
  // Both must outlive it.
  WorkloadCreates(ServerState& state, Mutations& mutations)
      : state_(state), mutations_(mutations) {}

  [[nodiscard]] bool Any() const override { return mutations_.ReviewsCreates(); }
  void Create(const WriteTarget& target, json::Value object,
              std::function<void(Result<void> made)> done) override;

 private:
  ServerState& state_;
  Mutations& mutations_;
  std::map<std::uint64_t, AsyncTicket> waiting_;  // by number of the request
  std::uint64_t made_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_WORKLOAD_CREATES_H_

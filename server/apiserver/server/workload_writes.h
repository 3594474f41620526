// apiserver/server/workload_writes.h
//
// WorkloadWrites: makes the writes of the simulated workloads as requests, which admission reviews.

#ifndef KINFORMER_APISERVER_SERVER_WORKLOAD_WRITES_H_
#define KINFORMER_APISERVER_SERVER_WORKLOAD_WRITES_H_

#include <cstdint>
#include <map>

#include "apiserver/registry/server_state.h"
#include "apiserver/request/async.h"
#include "apiserver/workloads/write_requests.h"
#include "apiserver/write/request/mutations.h"

namespace kinformer::apiserver {

// Destroying it ends the requests under way, without a call. Loop-confined.
class WorkloadWrites final : public workloads::WriteRequests {
 public:
  // Both must outlive it.
  WorkloadWrites(ServerState& state, Mutations& mutations) : state_(state), mutations_(mutations) {}

  [[nodiscard]] bool Any() const override { return mutations_.ReviewsWrites(); }
  void Create(const WriteTarget& target, json::Value object, Done done) override;
  void Update(const WriteTarget& target, json::Value object, Done done) override;
  void UpdateScale(const WriteTarget& target, const json::Value& object, Done done) override;
  void Bind(const WriteTarget& target, json::Value pod, Done done) override;
  void Delete(const WriteTarget& target, DeleteRequest request, Done done) override;

 private:
  void Run(Task<Result<void>> task, Done done);

  ServerState& state_;
  Mutations& mutations_;
  std::map<std::uint64_t, AsyncTicket> waiting_;  // by number of the request
  std::uint64_t made_ = 0;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_SERVER_WORKLOAD_WRITES_H_

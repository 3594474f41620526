// testing/replica_transport.h
//
// ReplicaTransport: a transport between a replica of an operator and the server that injects faults
// for tests. A replica has one for each loop; they share a ReplicaFaults.

#ifndef KINFORMER_TESTING_REPLICA_TRANSPORT_H_
#define KINFORMER_TESTING_REPLICA_TRANSPORT_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

namespace kinformer::testing {

// Faults of one replica. Confined to the simulation's single running thread, as are all of these
// tests.
class ReplicaFaults {
 public:
  // Called with every write before the server receives it.
  using OnSend = std::function<void(const HttpRequest& request)>;
  // Called with every write when it is answered, or has failed.
  using OnWrite = std::function<void(const HttpRequest& request, const std::string& answer)>;

  ReplicaFaults(OnSend on_send, OnWrite on_write, std::function<void()> on_crash)
      : on_send_(std::move(on_send)),
        on_write_(std::move(on_write)),
        on_crash_(std::move(on_crash)) {}

  void Crash();
  [[nodiscard]] bool crashed() const { return crashed_; }
  void CrashAtWrite(int n) { writes_until_crash_ = n; }
  void DelayWatches(Duration delay) { watch_delay_ = delay; }
  void LoseLeases(SteadyTime until) { no_leases_until_ = until; }
  // Also cuts the calls under way.
  void Disconnect(SteadyTime until);

 private:
  friend class ReplicaTransport;
  class Call;

  const OnSend on_send_;
  const OnWrite on_write_;
  const std::function<void()> on_crash_;
  std::vector<Call*> calls_;  // in the order of their start
  bool crashed_ = false;
  int writes_until_crash_ = 0;  // 0: no crash planned
  Duration watch_delay_{0};
  SteadyTime no_leases_until_{};
  SteadyTime disconnected_until_{};
};

// Calls run on the loop of `env`. The head of this file describes the rest.
class ReplicaTransport final : public Transport {
 public:
  ReplicaTransport(Env& env, std::shared_ptr<Transport> server,
                   std::shared_ptr<ReplicaFaults> faults)
      : env_(env), server_(std::move(server)), faults_(std::move(faults)) {}

  [[nodiscard]] std::unique_ptr<HttpCall> Start(HttpRequest request,
                                                ResponseReceiver& receiver) override;
  [[nodiscard]] TransportStats Stats() const override { return server_->Stats(); }
  [[nodiscard]] std::string Describe() const override { return server_->Describe(); }

 private:
  Env& env_;
  const std::shared_ptr<Transport> server_;
  const std::shared_ptr<ReplicaFaults> faults_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TESTING_REPLICA_TRANSPORT_H_

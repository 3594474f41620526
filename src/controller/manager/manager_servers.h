// controller/manager/manager_servers.h
//
// ManagerServers: the ports for a manager's health checks and metrics.

#ifndef KINFORMER_CONTROLLER_MANAGER_MANAGER_SERVERS_H_
#define KINFORMER_CONTROLLER_MANAGER_MANAGER_SERVERS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/cluster.h"
#include "kinformer/controller/manager.h"
#include "kinformer/endpoints/endpoint_server.h"
#include "kinformer/endpoints/healthz.h"

#include "controller/debug/debug_state.h"

namespace kinformer::internal {

// Thread-safe.
class ManagerServers {
 public:
  explicit ManagerServers(Env& env) : env_(env) {}

  // Opens the ports, with 404 for every request until Serve. Errors: EndpointServer::Listen's.
  Result<void> Listen(const Client& client, const ManagerOptions& options);
  // kInvalidArgument: after Serve. kAlreadyExists.
  Result<void> AddHealthzCheck(const std::string& name, healthz::Checker check);
  Result<void> AddReadyzCheck(const std::string& name, healthz::Checker check);
  // Adds the checks of these limits to /readyz. kInvalidArgument: a limit is not above zero.
  // `cluster` must outlive this.
  Result<void> AddLimits(const Cluster& cluster, const ReadyzLimits& limits);
  // kInvalidArgument: after Serve, or no metrics are served. kAlreadyExists.
  Result<void> AddExtraHandler(const std::string& path, std::shared_ptr<Handler> handler);
  // Serves the page of debug_page.h with the metrics, and `why` at kWhyPath. Clients that need no
  // authorization for the metrics must be on this machine. Does nothing if no metrics are served.
  // Called once, after Listen.
  void AddDebugPage(MetricsAccess access, std::function<debug::DebugState()> state,
                    std::shared_ptr<Handler> why);
  void Serve();
  void Shutdown(SteadyTime deadline);

  [[nodiscard]] std::uint16_t metrics_port() const { return metrics_ ? metrics_->port() : 0; }
  [[nodiscard]] std::uint16_t health_probe_port() const { return probes_ ? probes_->port() : 0; }

 private:
  Result<void> AddCheck(healthz::Checks& checks, const std::string& name, healthz::Checker check);

  Env& env_;
  std::unique_ptr<EndpointServer> metrics_;
  std::unique_ptr<EndpointServer> probes_;
  // Wraps a handler so that only authorized users reach it.
  std::function<std::shared_ptr<Handler>(std::shared_ptr<Handler>)> guard_;
  std::map<std::string, std::shared_ptr<Handler>> metrics_handlers_;  // by path
  std::mutex mutex_;
  bool serving_ = false;
  healthz::Checks healthz_;
  healthz::Checks readyz_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CONTROLLER_MANAGER_MANAGER_SERVERS_H_

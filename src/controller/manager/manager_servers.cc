#include "controller/manager/manager_servers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/controller/cache_checks.h"
#include "kinformer/endpoints/metrics_server.h"

#include "controller/debug/debug_page.h"
#include "controller/debug/local_only.h"
#include "controller/manager/why_handler.h"

namespace kinformer::internal {
namespace {

constexpr const char* kMetrics = "/metrics";
constexpr const char* kLiveness = "/healthz";
constexpr const char* kReadiness = "/readyz";

}  // namespace

Result<void> ManagerServers::Listen(const Client& client, const ManagerOptions& options) {
  if (options.metrics_access == MetricsAccess::kToken && options.metrics_token.empty()) {
    return Error(Reason::kInvalidArgument,
                 "ManagerOptions::metrics_access is kToken: metrics_token must be set");
  }
  if (options.metrics != nullptr) {
    EndpointServerOptions how = options.metrics_server;
    guard_ = [](std::shared_ptr<Handler> handler) { return handler; };
    if (options.metrics_access != MetricsAccess::kEverybody) how.tls = true;
    if (options.metrics_access == MetricsAccess::kToken) {
      guard_ = [token = options.metrics_token](std::shared_ptr<Handler> handler) {
        return WithBearerToken(token, std::move(handler));
      };
    }
    if (options.metrics_access == MetricsAccess::kAuthorized) {
      guard_ = [this, client](std::shared_ptr<Handler> handler) {
        return WithAuthenticationAndAuthorization(env_, client, std::move(handler));
      };
    }
    metrics_handlers_[kMetrics] = guard_(NewMetricsHandler(env_, options.metrics));
    auto server = EndpointServer::Listen(env_, options.metrics_bind_address, how);
    if (!server) return Error(server.error()).WithContext("ManagerOptions::metrics_bind_address");
    metrics_ = *std::move(server);
  }
  auto server = EndpointServer::Listen(env_, options.health_probe_bind_address);
  if (!server) {
    return Error(server.error()).WithContext("ManagerOptions::health_probe_bind_address");
  }
  probes_ = *std::move(server);
  return {};
}

Result<void> ManagerServers::AddCheck(healthz::Checks& checks, const std::string& name,
                                      healthz::Checker check) {
  const std::lock_guard lock(mutex_);
  if (serving_) {
    return Error(Reason::kInvalidArgument,
                 "check " + name + ": checks can be added only before the manager's Start");
  }
  if (!checks.emplace(name, std::move(check)).second) {
    return Error(Reason::kAlreadyExists, "there is a check of the name " + name);
  }
  return {};
}

Result<void> ManagerServers::AddHealthzCheck(const std::string& name, healthz::Checker check) {
  return AddCheck(healthz_, name, std::move(check));
}

Result<void> ManagerServers::AddReadyzCheck(const std::string& name, healthz::Checker check) {
  return AddCheck(readyz_, name, std::move(check));
}

Result<void> ManagerServers::AddLimits(const Cluster& cluster, const ReadyzLimits& limits) {
  const auto add = [&](const std::optional<TimeSpan>& limit, const char* option, const char* name,
                       auto check) -> Result<void> {
    if (!limit) return {};
    if (*limit > Duration(0)) return AddReadyzCheck(name, check(cluster, *limit));
    return Error(Reason::kInvalidArgument,
                 std::string("ManagerOptions::readyz: ") + option + " must be above zero");
  };
  if (Result<void> added = add(limits.max_cache_age, "max_cache_age", "cache-age", CacheAgeCheck);
      !added) {
    return added;
  }
  return add(limits.max_write_lag, "max_write_lag", "own-writes", WriteLagCheck);
}

Result<void> ManagerServers::AddExtraHandler(const std::string& path,
                                             std::shared_ptr<Handler> handler) {
  const std::lock_guard lock(mutex_);
  if (serving_ || metrics_ == nullptr) {
    return Error(Reason::kInvalidArgument,
                 path +
                     ": handlers can be added only before the manager's Start, where metrics "
                     "are served");
  }
  if (!path.starts_with('/')) {
    return Error(Reason::kInvalidArgument,
                 "the path of a handler begins with a slash, and \"" + path + "\" does not");
  }
  if (!metrics_handlers_.try_emplace(path, guard_(std::move(handler))).second) {
    return Error(Reason::kAlreadyExists, "there is a handler at " + path);
  }
  return {};
}

void ManagerServers::AddDebugPage(MetricsAccess access, std::function<debug::DebugState()> state,
                                  std::shared_ptr<Handler> why) {
  if (metrics_ == nullptr) return;
  const auto add = [&](const char* path, std::shared_ptr<Handler> handler) {
    metrics_handlers_[path] = access == MetricsAccess::kEverybody
                                  ? debug::OnlyThisMachine(std::move(handler))
                                  : guard_(std::move(handler));
  };
  add(debug::kDebugPage, debug::NewDebugPage(env_, std::move(state)));
  add(kWhyPath, std::move(why));
}

void ManagerServers::Serve() {
  const std::lock_guard lock(mutex_);
  serving_ = true;
  for (const auto& [path, handler] : metrics_handlers_) metrics_->Handle(path, handler);
  probes_->Handle(kLiveness, std::make_shared<healthz::Handler>(env_, healthz_, kLiveness));
  probes_->Handle(kReadiness, std::make_shared<healthz::Handler>(env_, readyz_, kReadiness));
}

void ManagerServers::Shutdown(SteadyTime deadline) {
  const Duration left = std::max(deadline - env_.Now(), Duration(0));
  // Clients have given up after a minute.
  const Duration grace = std::min<Duration>(left, std::chrono::minutes(1));
  if (metrics_ != nullptr) metrics_->Shutdown(grace);
  probes_->Shutdown(grace);
}

}  // namespace kinformer::internal

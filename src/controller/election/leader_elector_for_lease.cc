// In a separate file from leader_elector.cc, so that programs with their own transport do not link
// the network code.

#include <utility>

#include "kinformer/client/client.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "client/client_defaults.h"
#include "controller/election/elector.h"

namespace kinformer {
namespace {

using internal::election::MakeElector;

// Config for the lease's client: no rate limit, so that the program's requests cannot delay it.
Config ForLeases(Config config) {
  config.qps = -1;
  config.rate_limiter = nullptr;
  if (config.user_agent.empty()) config.user_agent = internal::client::DefaultUserAgent();
  config.user_agent += "/leader-election";
  return config;
}

Result<std::unique_ptr<ResourceLock>> LockOf(const Client& client, LeaseLockOptions options) {
  if (options.identity.empty()) options.identity = NewLeaderIdentity(client.env());
  return NewLeaseLock(client, std::move(options));
}

}  // namespace

Result<std::unique_ptr<LeaderElector>> LeaderElector::NewForLease(const Config& config,
                                                                  LeaseLockOptions lock,
                                                                  LeaderElectionConfig election) {
  if (Result<void> valid = internal::election::Validate(election); !valid) return valid.error();
  const Result<Client> client = Client::NewForConfig(ForLeases(config));
  if (!client) return client.error();
  Result<std::unique_ptr<ResourceLock>> made = LockOf(*client, std::move(lock));
  if (!made) return std::move(made).error();
  // The lock keeps the client alive, and the client keeps its threads alive.
  return MakeElector(client->env(), nullptr, *std::move(made), std::move(election));
}

Result<std::unique_ptr<LeaderElector>> LeaderElector::NewForLease(Env& env, const Config& config,
                                                                  LeaseLockOptions lock,
                                                                  LeaderElectionConfig election) {
  // Validates before anything is made on the new loop, which would have to outlive it.
  if (Result<void> valid = internal::election::Validate(election); !valid) return valid.error();
  std::unique_ptr<Loop> loop = env.NewLoop("leases");
  Result<Client> client = Client::NewForConfig(loop->env(), ForLeases(config));
  if (!client) return std::move(client).error();
  Result<std::unique_ptr<ResourceLock>> made = LockOf(*client, std::move(lock));
  if (!made) return std::move(made).error();
  return MakeElector(env, std::move(loop), *std::move(made), std::move(election));
}

}  // namespace kinformer

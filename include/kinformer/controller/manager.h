// kinformer/controller/manager.h
//
// Manager: runs the controllers of a program, and the parts that they share: a cache, a client,
// leader election, events, health checks, metrics.
//
//   int main() {
//     StopSource stop = StopOnSignals();
//     auto manager = Manager::New(Config::LoadDefault().OrExit(),
//                                 {.leader_election = true,
//                                  .leader_election_id = "printer.example.com"}).OrExit();
//     ControllerBuilder(*manager).For<corev1::Pod>().Complete(ReconcilePod).OrExit();
//     manager->Start(stop.token()).OrExit();
//   }
//
// Counterpart: controller-runtime's package manager.

#ifndef KINFORMER_CONTROLLER_MANAGER_H_
#define KINFORMER_CONTROLLER_MANAGER_H_

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/transport.h"
#include "kinformer/controller/cluster.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/runnable.h"
#include "kinformer/endpoints/endpoint_server.h"
#include "kinformer/endpoints/healthz.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/hidden_overrides.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/leaderelection/leader_elector.h"
#include "kinformer/leaderelection/resource_lock.h"
#include "kinformer/webhook/webhook_certificates.h"
#include "kinformer/webhook/webhook_listener.h"
#include "kinformer/webhook/webhook_server.h"

namespace kinformer {

// Clients that may read the metrics.
enum class MetricsAccess : std::uint8_t {
  kEverybody,
  // Clients with ManagerOptions::metrics_token: see WithBearerToken (metrics_server.h). Enables
  // TLS, since tokens are sent over the network.
  kToken,
  // Clients that the API server authorizes: see WithAuthenticationAndAuthorization
  // (metrics_server.h). Enables TLS too.
  kAuthorized,
};

// Limits beyond which /readyz fails: see cache_checks.h, whose checks are called "cache-age" and
// "own-writes".
struct ReadyzLimits {
  // Age of each cache. Use at least a minute and a half, since a quiet watch hears from the server
  // only about once a minute.
  std::optional<TimeSpan> max_cache_age{};
  // Time from a write of the manager's client until the cache shows it.
  std::optional<TimeSpan> max_write_lag{};
};

// Options of a manager. Counterpart: manager.Options, with its defaults.
struct ManagerOptions {
  ClusterOptions cluster{};
  // Defaults of the manager's controllers.
  ControllerOptions controller{};
  // Number of workers of controllers that are For one of these kinds; overrides the default above:
  // {"ReplicaSet.apps", 10}, {"Pod", 4}. Counterpart: config.Controller.GroupKindConcurrency.
  std::map<std::string, std::size_t> group_kind_concurrency{};

  // Lets only one of several processes run the Runnables of RunnableGroup::kLeaderElection.
  bool leader_election{false};
  std::string leader_election_id{};         // the name of the Lease; must be set
  std::string leader_election_namespace{};  // empty: the pod's own; outside a pod it must be set
  std::string leader_election_identity{};   // empty: NewLeaderIdentity
  // Labels set on the Lease.
  std::map<std::string, std::string> leader_election_labels{};
  // Creates a lock to use instead of a Lease; the members above are then ignored. Counterpart:
  // LeaderElectionResourceLockInterface.
  std::function<Result<std::unique_ptr<ResourceLock>>()> leader_election_resource_lock{};
  // Releases the Lease at the end, so that another process can lead at once. All work of this
  // process has ended by then.
  bool leader_election_release_on_cancel{false};
  TimeSpan lease_duration{std::chrono::seconds(15)};
  TimeSpan renew_deadline{std::chrono::seconds(10)};
  TimeSpan retry_period{std::chrono::seconds(2)};
  // Client for the Lease. Empty: with a Config, a client of its own, on a loop and connections of
  // its own; otherwise the manager's. With a loop of its own (Env::NewLoop), no work of the program
  // delays it; that loop must outlive the manager. Counterpart: LeaderElectionConfig.
  std::optional<Client> leader_election_client{};

  // Time for everything to end, including the release of the Lease and the last events (10 s at
  // most). 0: does not wait; below 0: no limit.
  TimeSpan graceful_shutdown_timeout{std::chrono::seconds(30)};

  // Address that serves metrics at /metrics: see EndpointServer::Listen. "0": none. Serves
  // `metrics`, which are those of the manager's Env. Manager::New without an Env creates them; with
  // an Env and without `metrics`, nothing is served.
  std::string metrics_bind_address{":8080"};
  std::shared_ptr<TextMetrics> metrics{};
  MetricsAccess metrics_access{};
  // Token for kToken, without "Bearer": a secret, which is never logged or part of an error.
  std::string metrics_token{};
  EndpointServerOptions metrics_server{};
  // Serves /debug/kinformer next to the metrics: a page that shows informers, queues, workers, the
  // Lease, recent errors, and why an object was reconciled (docs/guide/debug-page.md). With
  // kEverybody only clients on this machine get it (kubectl port-forward is one), otherwise those
  // that get the metrics.
  bool debug_page{true};
  // Address that serves the checks, at /healthz and /readyz. "0": none.
  std::string health_probe_bind_address{"0"};
  // Alarms in /readyz. Default: none.
  ReadyzLimits readyz{};
  WebhookServerOptions webhook_server{};
  // Address and certificate of the webhooks of GetWebhookServer.
  WebhookListenerOptions webhook{};
  // Takes the webhooks' certificates from a Secret, where they are created and renewed while the
  // manager runs, instead of those in `webhook`. Webhooks listen once the first certificate exists.
  std::optional<WebhookCertificatesOptions> webhook_certificates{};
  // False: webhooks do not listen; the embedded API server calls them in memory.
  bool serve_webhooks{true};
};

// Runs the controllers of a program and everything that they share: caches, a client, event
// recorders, webhooks, health checks, metrics, and leader election. A program adds Runnables
// (controllers are some), calls Start, and gets one error, or none, when everything has ended.
// Counterpart: manager.Manager.
//
// Start order. Servers of metrics and checks, webhooks, caches until they have synced, other
// Runnables, warm-ups of controllers, and, once this process leads or if there is no election, the
// leader's group, to which controllers belong by default. A Runnable that is added while the
// manager runs starts at once if its group runs.
//
// Stop order. Other Runnables (warm-ups get their stop request with them), the leader's group,
// caches, webhooks, servers, each group after the one before has ended; then the Lease is released,
// and the last events are sent. So a reconciler can read its caches and write until it has
// returned. All of this shares one deadline, graceful_shutdown_timeout. The error names what does
// not end in time.
//
// Controllers. Nothing is reconciled before all sources of the controller have synced and their
// handlers have had the existing objects. A request is reconciled by one worker at a time, and
// again if it was added meanwhile. A reconcile that fails or throws is repeated with growing
// delays. Without leadership requests are kept, not reconciled.
//
// Leadership. The process leads while it renews its Lease. When it cannot renew, running reconciles
// get their stop request before another process may lead; Start then returns kStopped, "leader
// election lost", without waiting, and the program should exit at once. The Lease is never released
// while anything of the leader's group runs. A process that is elected while it stops starts
// nothing more.
//
// Failures. The first Runnable that fails ends the manager, with its error. Exceptions of a
// Runnable count as failures; those of reconcilers, predicates and other functions are logged,
// counted, and contained. A hung function of the program delays only what belongs to it, and its
// end.
//
// Health. /healthz and /readyz are served from before the caches start until everything else has
// ended; /readyz fails until the webhooks listen.
//
// Ownership. The manager owns its Runnables (shared), caches, client and servers. With
// Manager::New(config) it has threads of its own, otherwise `env` must outlive it. The destructor
// stops everything and waits for it without a limit.
//
// Thread-safe. Only Start, Remove, WaitUntilElected and the destructor block. Called where they
// would wait for themselves, such as Remove inside the Runnable, they fail with kWouldDeadlock.
// Each promise above has its test: docs/guide/guarantees.md.
class Manager {
 public:
  // Creates a manager for the server of `config`, with threads of its own.
  static Result<std::unique_ptr<Manager>> New(const Config& config, ManagerOptions options = {});
  // Does the same on the threads of `env`, which must outlive it.
  static Result<std::unique_ptr<Manager>> New(Env& env, const Config& config,
                                              ManagerOptions options = {});
  // Creates a manager over an existing client, for example in simulated time. It also sends
  // requests for Leases, unless there is a leader_election_client.
  static Result<std::unique_ptr<Manager>> New(const Client& client, ManagerOptions options = {});
  // Errors of all three: kInvalidArgument (leader election without id or namespace, or with invalid
  // durations; invalid webhook_certificates; kToken without metrics_token), kConfig, kTransport (an
  // address is in use).
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Adds a Runnable: before Start, or while the manager runs; it is then started with its group or
  // at once. kStopped: its group has ended already. kAlreadyExists: it was added before.
  Result<void> Add(std::shared_ptr<Runnable> runnable);
  template <class OfClass>
    requires std::derived_from<OfClass, Runnable>
  Result<void> Add(std::shared_ptr<OfClass> runnable) {
    static_assert(internal::CheckRunnableClass<OfClass>());
    return Add(std::shared_ptr<Runnable>(std::move(runnable)));
  }
  template <class Wrong>
    requires(!std::convertible_to<Wrong &&, std::shared_ptr<Runnable>>)
  auto Add(Wrong&& /*wrong*/) {
    static_assert(internal::kNeverHolds<Wrong>,
                  "Add takes a std::shared_ptr to a Runnable: of a function "
                  "std::make_shared<RunnableFunc>([](const std::stop_token& stop) -> Result<void> "
                  "{ ... }), of a class of yours std::make_shared<YourRunnable>(...)");
    return Result<void>();
  }
  // Stops a Runnable and waits for it. kNotFound: it was not added.
  Result<void> Remove(const std::shared_ptr<Runnable>& runnable);

  // Add checks for /healthz (must this process be restarted?) and /readyz (should it get traffic?).
  // kInvalidArgument: after Start. kAlreadyExists: the name is taken.
  Result<void> AddHealthzCheck(const std::string& name, healthz::Checker check);
  Result<void> AddReadyzCheck(const std::string& name, healthz::Checker check);
  // Serves `handler` next to the metrics, to the same clients. It must live as long as the manager.
  // kInvalidArgument: called after Start, or no metrics are served. kAlreadyExists: the path is
  // taken.
  Result<void> AddMetricsServerExtraHandler(const std::string& path,
                                            std::shared_ptr<Handler> handler);

  // Runs everything until `stop` is requested or something fails, then stops it. Blocks; may be
  // called once. Errors: the first one of a Runnable; kStopped, "leader election lost", which is
  // returned without waiting, and the program should exit at once; kDeadlineExceeded if something
  // did not end within graceful_shutdown_timeout, with its name: it continues, and the destructor
  // waits for it.
  Result<void> Start(const std::stop_token& stop);
  template <class Source>
    requires requires(const Source& source) {
      { source.get_token() } -> std::convertible_to<std::stop_token>;
    } || requires(const Source& source) {
      { source.token() } -> std::convertible_to<std::stop_token>;
    }
  auto Start(const Source& /*source*/) {
    static_assert(internal::kNeverHolds<Source>,
                  "Start takes the token: Start(signals.token()), or Start(source.get_token()) of "
                  "a std::stop_source");
    return Result<void>();
  }

  // Returns true from when this process leads, or has started without election, to the end.
  [[nodiscard]] bool Elected() const;
  // Blocks until Elected(). kCanceled: `stop` was requested; kStopped: the manager ended before.
  Result<void> WaitUntilElected(const std::stop_token& stop) const;
  // Returns null without leader election.
  [[nodiscard]] std::shared_ptr<const LeaderElector> elector() const;

  [[nodiscard]] Env& env() const;
  [[nodiscard]] Cluster& GetCluster() const;
  // Return the parts of GetCluster().
  [[nodiscard]] const DelegatingClient& GetClient() const { return GetCluster().GetClient(); }
  [[nodiscard]] const Client& GetRESTClient() const { return GetCluster().GetRESTClient(); }
  [[nodiscard]] SharedInformerFactory& GetCache() const { return GetCluster().GetCache(); }
  [[nodiscard]] std::shared_ptr<EventRecorder> GetEventRecorderFor(const std::string& name) const {
    return GetCluster().GetEventRecorderFor(name);
  }
  [[nodiscard]] std::shared_ptr<events::EventRecorder> GetEventRecorder(
      const std::string& name) const {
    return GetCluster().GetEventRecorder(name);
  }

  // Returns the server to register webhooks with. The first call adds it to the manager; programs
  // that never call it have none. If it listens, caches start after it, and /readyz has the check
  // "webhook-server" (if the first call was before Start). kTransport from Start: its address is in
  // use; kConfig: it has no certificate.
  [[nodiscard]] WebhookServer& GetWebhookServer();

  // Returns `own` with empty members set to the manager's options. Reserves the name:
  // kAlreadyExists if another controller has it, unless skip_name_validation is set. `group_kind`:
  // the controller's kind, "ReplicaSet.apps" or "Pod".
  Result<ControllerOptions> OptionsFor(ControllerOptions own, const std::string& group_kind = {});

  // Return the open ports; 0: none. For tests, with addresses like "127.0.0.1:0".
  [[nodiscard]] std::uint16_t metrics_port() const;
  [[nodiscard]] std::uint16_t health_probe_port() const;
  // Returns the webhooks' port once they listen; any free one if WebhookListenerOptions::port = 0.
  [[nodiscard]] std::uint16_t webhook_port() const;

 private:
  struct Impl;
  explicit Manager(std::unique_ptr<Impl> impl);
  internal::Pimpl<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_MANAGER_H_

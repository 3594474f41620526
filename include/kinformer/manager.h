// kinformer/manager.h
//
// Manager: runs the controllers of a program, and what they share: a cache, a client, leader
// election, events, health checks, metrics.
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

#ifndef KINFORMER_MANAGER_H_
#define KINFORMER_MANAGER_H_

#include <chrono>
#include <concepts>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/client.h"
#include "kinformer/cluster.h"
#include "kinformer/config.h"
#include "kinformer/controller_options.h"
#include "kinformer/endpoint_server.h"
#include "kinformer/env.h"
#include "kinformer/healthz.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/hidden_overrides.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/leader_elector.h"
#include "kinformer/metrics.h"
#include "kinformer/resource_lock.h"
#include "kinformer/result.h"
#include "kinformer/runnable.h"
#include "kinformer/transport.h"
#include "kinformer/webhook_certificates.h"
#include "kinformer/webhook_listener.h"
#include "kinformer/webhook_server.h"

namespace kinformer {

// Who may read the metrics.
enum class MetricsAccess : std::uint8_t {
  kEverybody,
  // Who shows ManagerOptions::metrics_token: see WithBearerToken (metrics_server.h). Turns TLS on,
  // since tokens go over the wire.
  kToken,
  // Whom the API server lets: see WithAuthenticationAndAuthorization (metrics_server.h). Turns TLS
  // on, too.
  kAuthorized,
};

// Counterpart: manager.Options, with its defaults.
struct ManagerOptions {
  ClusterOptions cluster{};
  // Of controllers that do not say otherwise.
  ControllerOptions controller{};
  // The workers of those that are For one of these kinds, before max_concurrent_reconciles above:
  // {"ReplicaSet.apps", 10}, {"Pod", 4}. Counterpart: config.Controller.GroupKindConcurrency.
  std::map<std::string, std::size_t> group_kind_concurrency{};

  // Only one of several processes runs what is in RunnableGroup::kLeaderElection.
  bool leader_election{false};
  std::string leader_election_id{};         // the name of the Lease; must be set
  std::string leader_election_namespace{};  // empty: the pod's own; else it must be set
  std::string leader_election_identity{};   // empty: NewLeaderIdentity
  // Set on the Lease.
  std::map<std::string, std::string> leader_election_labels{};
  // Makes what is held instead of a Lease; nothing of the above is looked at then. Counterpart:
  // LeaderElectionResourceLockInterface.
  std::function<Result<std::unique_ptr<ResourceLock>>()> leader_election_resource_lock{};
  // Gives the Lease up at the end, so that another process leads at once. By then nothing of this
  // one works any more.
  bool leader_election_release_on_cancel{false};
  internal::TimeSpan lease_duration{std::chrono::seconds(15)};
  internal::TimeSpan renew_deadline{std::chrono::seconds(10)};
  internal::TimeSpan retry_period{std::chrono::seconds(2)};
  // Who asks for the Lease. Empty: with a Config, a client of its own, on a loop and connections of
  // its own; else the manager's. One on a loop of its own (Env::NewLoop) waits behind nothing that
  // the program does; that loop must outlive the manager. Counterpart: LeaderElectionConfig.
  std::optional<Client> leader_election_client{};

  // How long all that runs may take to end, the release of the Lease and the last events (10 s at
  // most) included. 0: it is not waited for; below 0: for ever.
  internal::TimeSpan graceful_shutdown_timeout{std::chrono::seconds(30)};

  // Where metrics are served at /metrics: see EndpointServer::Listen. "0": nowhere. What is served
  // is `metrics`: those of the Env that the manager uses. Manager::New without an Env makes them;
  // with one, and without `metrics`, nothing is served.
  std::string metrics_bind_address{":8080"};
  std::shared_ptr<TextMetrics> metrics{};
  MetricsAccess metrics_access{};
  // For kToken, without "Bearer": a secret, which no log and no error shows.
  std::string metrics_token{};
  EndpointServerOptions metrics_server{};
  // Where the checks are served, at /healthz and /readyz. "0": nowhere.
  std::string health_probe_bind_address{"0"};
  WebhookServerOptions webhook_server{};
  // Where the webhooks of GetWebhookServer listen.
  WebhookListenerOptions webhook{};
  // Their certificates are those of a Secret, which are made and renewed while the manager runs, in
  // the place of those that `webhook` names. Nothing listens before the first is there.
  std::optional<WebhookCertificatesOptions> webhook_certificates{};
  // False: nowhere. They are asked in memory, by the embedded API server.
  bool serve_webhooks{true};
};

// Thread-safe. Destruction waits for what still runs.
//
// Start order: servers, webhooks, caches (until they have synced), the others, warm-ups, and, once
// this process leads, what only the leader does. It ends in this order: the others (warm-ups are
// told to end with them), the leader's, caches, webhooks, servers; then the Lease is given up, and
// the last events are sent. A process that is elected while it ends starts nothing any more.
//
// Counterpart: manager.Manager.
class Manager {
 public:
  // For the server that `config` describes, with threads of its own.
  static Result<std::unique_ptr<Manager>> New(const Config& config, ManagerOptions options = {});
  // The same on the threads of `env`, which must outlive it.
  static Result<std::unique_ptr<Manager>> New(Env& env, const Config& config,
                                              ManagerOptions options = {});
  // Over a client that there is: in memory, in simulated time. Leases are asked for through it,
  // too, unless there is a leader_election_client.
  static Result<std::unique_ptr<Manager>> New(const Client& client, ManagerOptions options = {});
  // Errors of all three: kInvalidArgument (leader election without an id, a namespace or sound
  // lengths of time; webhook_certificates; metrics for a token without one), kConfig, kTransport
  // (an address is in use).
  ~Manager();
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  // Adds what is to run: before Start, or while it runs, where it is started with its group or at
  // once. kStopped: its group has ended already. kAlreadyExists: it has been added before.
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
  // Ends it and waits for it. kNotFound: it is not there.
  Result<void> Remove(const std::shared_ptr<Runnable>& runnable);

  // Checks for /healthz (should this process be restarted?) and /readyz (should it get traffic?).
  // kInvalidArgument: after Start. kAlreadyExists: of that name there is one.
  Result<void> AddHealthzCheck(const std::string& name, healthz::Checker check);
  Result<void> AddReadyzCheck(const std::string& name, healthz::Checker check);
  // Serves `handler` beside the metrics, to those who may read them. It must live as long as the
  // manager. kInvalidArgument: after Start, or no metrics are served. kAlreadyExists: at that path
  // there is one.
  Result<void> AddMetricsServerExtraHandler(const std::string& path,
                                            std::shared_ptr<Handler> handler);

  // Runs all that until stop is requested or something fails, then ends it. Blocks; may be called
  // once. Errors: the first of a runnable; kStopped, "leader election lost", where nothing is
  // waited for, and the program should end at once; kDeadlineExceeded where something did not end
  // within graceful_shutdown_timeout, which it names: that goes on, and the destructor waits for
  // it.
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

  // This process leads, or there is no election and it has been started. Stays true to the end.
  [[nodiscard]] bool Elected() const;
  // Blocks until then. kCanceled: stop was requested; kStopped: the manager ended before.
  Result<void> WaitUntilElected(const std::stop_token& stop) const;
  // Null without election.
  [[nodiscard]] std::shared_ptr<const LeaderElector> elector() const;

  [[nodiscard]] Env& env() const;
  [[nodiscard]] Cluster& GetCluster() const;
  // Those of GetCluster().
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

  // What webhooks are registered with. The first call adds it to what is to run; programs that
  // never call it have none. Where it is to listen, caches start once it does, and /readyz has the
  // check "webhook-server" (of a first call before Start). kTransport of Start: its address is in
  // use; kConfig: it has no certificate.
  [[nodiscard]] WebhookServer& GetWebhookServer();

  // The options of a controller that says `own`: what that leaves empty is the manager's. Takes the
  // name: kAlreadyExists, where another controller has it and it is not said to skip that.
  // `group_kind`: what it is for, "ReplicaSet.apps" or "Pod".
  Result<ControllerOptions> OptionsFor(ControllerOptions own, const std::string& group_kind = {});

  // The ports that are open; 0: none. For tests, with addresses like "127.0.0.1:0".
  [[nodiscard]] std::uint16_t metrics_port() const;
  [[nodiscard]] std::uint16_t health_probe_port() const;
  // Of the webhooks, once they listen: with WebhookListenerOptions::port = 0 any free one.
  [[nodiscard]] std::uint16_t webhook_port() const;

 private:
  struct Impl;
  explicit Manager(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer

#endif  // KINFORMER_MANAGER_H_

#include "kinformer/controller/manager.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/base/until.h"
#include "kinformer/internal/has_history.h"

#include "base/core/deadline.h"
#include "base/core/forked.h"
#include "base/core/would_deadlock.h"
#include "controller/manager/fight_events.h"
#include "controller/manager/leadership.h"
#include "controller/manager/manager_servers.h"
#include "controller/manager/manager_state.h"
#include "controller/manager/runnable_group.h"
#include "controller/manager/take_over.h"
#include "controller/manager/webhook_runnable.h"
#include "controller/manager/why_handler.h"

namespace kinformer {

using internal::GroupRunner;
using internal::Histories;
using internal::ManagerLeadership;
using internal::ManagerServers;
using internal::ManagerState;
using internal::TakeOver;
using internal::WebhookRunnable;
using internal::base::After;

namespace {

// Limit for writing the last events, however long the rest of the shutdown may take.
constexpr Duration kTimeForLastEvents = std::chrono::seconds(10);

}  // namespace

struct Manager::Impl {
  Impl(std::unique_ptr<Runtime> own, std::shared_ptr<Cluster> first, ManagerOptions with)
      : runtime(std::move(own)),
        cluster(std::move(first)),
        env(cluster->env()),
        options(std::move(with)),
        monitor(env.NewMonitor()),
        state(std::make_shared<ManagerState>(cluster)),
        histories(std::make_shared<Histories>()),
        servers(env),
        webhooks(env, GroupRunner::Body::kStart, OnError()),
        caches(env, GroupRunner::Body::kStart, OnError()),
        others(env, GroupRunner::Body::kStart, OnError()),
        warmups(env, GroupRunner::Body::kWarmup, OnError()),
        http(env, GroupRunner::Body::kStart, OnError()),
        leaders(env, GroupRunner::Body::kStart, OnError()) {}
  ~Impl() {
    // The election uses the leaders' group, so it is destroyed first.
    static_cast<void>(leaders.Stop(env.Now()));
    leaders.WaitUntilEnded();
    leadership.reset();
  }

  GroupRunner::OnError OnError() {
    return [this](const Error& error) { Fail(error); };
  }
  GroupRunner& GroupOf(RunnableGroup group) {
    switch (group) {
      case RunnableGroup::kHttpServers:
        return http;
      case RunnableGroup::kWebhooks:
        return webhooks;
      case RunnableGroup::kCaches:
        return caches;
      case RunnableGroup::kOthers:
        return others;
      case RunnableGroup::kWarmup:
        return warmups;
      case RunnableGroup::kLeaderElection:
        break;
    }
    return leaders;
  }

  // The first error ends the manager; later ones are logged.
  void Fail(const Error& error) {
    if (!TakeFailure(error)) {
      env.log().Log(LogLevel::kError, "error received after the stop sequence was engaged",
                    {{"err", error.ToString()}});
      return;
    }
    // Ends the waits for runnables to be ready. Called without the monitor, because callbacks and
    // log sinks may call the manager.
    abort.request_stop();
  }
  // Returns false if there was an error before, or if the manager is ending.
  bool TakeFailure(const Error& error) {
    MonitorLock lock(*monitor);
    if (failure || ending) return false;
    failure = error;
    monitor->NotifyAll();
    return true;
  }

  void StartAll();
  void StartLeaders();
  void Lead(const std::stop_token& until);
  void LeadershipEnds();
  Result<void> EndAll();
  Result<void> Run(const std::stop_token& stop);

  const std::unique_ptr<Runtime> runtime;  // set if the manager has its own threads
  const std::shared_ptr<Cluster> cluster;
  Env& env;
  const ManagerOptions options;
  const std::unique_ptr<Monitor> monitor;
  std::stop_source abort;  // ends waits for runnables to be ready
  // Guarded by monitor.
  bool started = false;
  bool ending = false;
  bool ended = false;
  bool elected = false;
  bool leadership_lost = false;
  std::optional<Error> failure;
  std::set<std::string> controller_names;
  std::shared_ptr<WebhookRunnable> webhook_server;  // null: not requested by anybody

  const std::shared_ptr<ManagerState> state;
  const std::shared_ptr<Histories> histories;  // of the controllers
  ManagerServers servers;
  std::unique_ptr<ManagerLeadership> leadership;  // null: there is no leader election
  std::shared_ptr<TakeOver> take_over;            // null likewise
  GroupRunner webhooks;
  GroupRunner caches;
  GroupRunner others;
  GroupRunner warmups;
  GroupRunner http;
  GroupRunner leaders;
};

void Manager::Impl::StartAll() {
  servers.Serve();
  for (GroupRunner* const group : {&http, &webhooks, &caches, &others, &warmups}) {
    if (abort.stop_requested()) return;
    group->Start(abort.get_token());
  }
  if (abort.stop_requested()) return;
  if (leadership == nullptr) {
    StartLeaders();
    return;
  }
  leadership->Start([this](const std::stop_token& until) { Lead(until); },
                    [this] { LeadershipEnds(); });
}

// The Lease is not released before this returns.
void Manager::Impl::Lead(const std::stop_token& until) {
  take_over->Elected();
  StartLeaders();
  while (SleepUnlessStopped(env, until, std::chrono::hours(24))) {
  }
  LeadershipEnds();
  leaders.WaitUntilEnded();
}

void Manager::Impl::LeadershipEnds() {
  {
    MonitorLock lock(*monitor);
    if (ending || leadership_lost) return;
    leadership_lost = true;
  }
  Fail({Reason::kStopped, "leader election lost"});
}

void Manager::Impl::StartLeaders() {
  {
    // A process that is elected during the shutdown must not start anything.
    MonitorLock lock(*monitor);
    if (ending) return;
  }
  leaders.Start(abort.get_token());
  MonitorLock lock(*monitor);
  if (ending) return;
  elected = true;
  state->SetElected();
  monitor->NotifyAll();
}

Result<void> Manager::Impl::EndAll() {
  Duration grace = options.graceful_shutdown_timeout;
  bool lost = false;
  {
    MonitorLock lock(*monitor);
    ending = true;
    lost = leadership_lost;
  }
  // Another process may lead already, so there is no grace period.
  if (lost) grace = Duration(0);
  abort.request_stop();
  const SteadyTime deadline =
      grace < Duration::zero() ? SteadyTime::max() : After(env.Now(), grace);
  std::string hanging;
  // Warm-ups are stopped first, and have as long to end as the groups they prepare.
  warmups.RequestStop();
  for (GroupRunner* const group : {&others, &leaders, &warmups, &caches, &webhooks, &http}) {
    // A group that is stopped after the deadline had no time, so it is not reported.
    const bool in_time = env.Now() < deadline;
    for (const std::string& name : group->Stop(deadline)) {
      if (in_time) hanging += (hanging.empty() ? "" : ", ") + name;
    }
  }
  servers.Shutdown(deadline);
  // If leadership is lost, only the destructor waits for running code. Events are not written
  // either: the usual cause is a server that does not answer.
  if (lost) cluster->ShutDownEvents(Duration(0));
  if (grace == Duration::zero()) {
    // Also stops an election that is not waited for: an idle replica must not hold the Lease.
    if (leadership != nullptr) static_cast<void>(leadership->Stop(deadline));
    return {};
  }
  // The Lease is released last, and kept while a runnable of the leader is still running.
  if (leadership != nullptr && !leadership->Stop(deadline) && hanging.empty()) {
    hanging = "leader election";
  }
  cluster->ShutDownEvents(
      std::clamp<Duration>(deadline - env.Now(), Duration(0), kTimeForLastEvents));
  if (hanging.empty()) return {};
  return Error(
      Reason::kDeadlineExceeded,
      "failed waiting for all runnables to end within grace period: these still run: " + hanging);
}

Result<void> Manager::Impl::Run(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    abort.request_stop();
    MonitorLock lock(*monitor);
    monitor->NotifyAll();
  });
  StartAll();
  {
    MonitorLock lock(*monitor);
    while (!failure && !stop.stop_requested()) lock.Wait();
  }
  Result<void> end = EndAll();
  MonitorLock lock(*monitor);
  ended = true;
  monitor->NotifyAll();
  if (!failure) return end;
  if (end) return *failure;
  return Error(failure->reason(), failure->message() + "; " + end.error().message());
}

Manager::Manager(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Manager::~Manager() { internal::base::LeaveIfForkedOff(impl_->env, impl_); }

namespace internal {

// Common part of all ways to make a manager: checks, ports and leader election.
template <class Impl>
Result<void> SetUp(Impl& impl, const Config* config) {
  if (impl.options.leader_election) {
    auto leadership = ManagerLeadership::New(*impl.cluster, config, impl.options);
    if (!leadership) return std::move(leadership).error();
    impl.leadership = *std::move(leadership);
    impl.take_over = std::make_shared<TakeOver>(impl.cluster);
    impl.state->SetLease(impl.leadership->lock_name(), impl.leadership->identity(),
                         impl.leadership->elector());
  }
  if (impl.options.webhook_certificates) {
    const WebhookCertificates certificates(impl.cluster->GetRESTClient(),
                                           *impl.options.webhook_certificates);
    if (Result<void> valid = certificates.Validate(); !valid) {
      return std::move(valid).error().WithContext("ManagerOptions::webhook_certificates");
    }
  }
  if (Result<void> open = impl.servers.Listen(impl.cluster->GetRESTClient(), impl.options); !open) {
    return open;
  }
  if (impl.options.debug_page) {
    impl.servers.AddDebugPage(
        impl.options.metrics_access, [state = impl.state] { return state->Read(); },
        std::make_shared<WhyHandler>(impl.env, impl.histories));
  }
  if (Result<void> added = impl.servers.AddLimits(*impl.cluster, impl.options.readyz); !added) {
    return added;
  }
  return impl.caches.Add(impl.cluster, impl.cluster->name());
}

}  // namespace internal

Result<std::unique_ptr<Manager>> Manager::New(const Config& config, ManagerOptions options) {
  if (options.metrics == nullptr) options.metrics = NewTextMetrics();
  auto runtime = std::make_unique<Runtime>(RuntimeOptions{.metrics = options.metrics});
  auto cluster = Cluster::New(runtime->env(), config, options.cluster);
  if (!cluster) return std::move(cluster).error();
  auto impl = std::make_unique<Impl>(std::move(runtime), *std::move(cluster), std::move(options));
  if (Result<void> ready = internal::SetUp(*impl, &config); !ready) return ready.error();
  return std::unique_ptr<Manager>(new Manager(std::move(impl)));
}

Result<std::unique_ptr<Manager>> Manager::New(Env& env, const Config& config,
                                              ManagerOptions options) {
  auto cluster = Cluster::New(env, config, options.cluster);
  if (!cluster) return std::move(cluster).error();
  auto impl = std::make_unique<Impl>(nullptr, *std::move(cluster), std::move(options));
  if (Result<void> ready = internal::SetUp(*impl, &config); !ready) return ready.error();
  return std::unique_ptr<Manager>(new Manager(std::move(impl)));
}

Result<std::unique_ptr<Manager>> Manager::New(const Client& client, ManagerOptions options) {
  auto cluster = std::make_shared<Cluster>(client, options.cluster);
  auto impl = std::make_unique<Impl>(nullptr, std::move(cluster), std::move(options));
  if (Result<void> ready = internal::SetUp(*impl, nullptr); !ready) return ready.error();
  return std::unique_ptr<Manager>(new Manager(std::move(impl)));
}

Result<void> Manager::Add(std::shared_ptr<Runnable> runnable) {
  if (runnable == nullptr) return Error(Reason::kInvalidArgument, "the runnable is null");
  const Result<internal::RunnableTraits> traits = internal::TraitsOf(impl_->env, *runnable);
  if (!traits) return traits.error();
  const std::string& name = traits->name;
  if (traits->group == RunnableGroup::kWarmup) {
    return Error(Reason::kInvalidArgument,
                 name +
                     " is in RunnableGroup::kWarmup, where no Start is called: "
                     "override HasWarmup and Warmup, and give it another group");
  }
  if (traits->has_warmup) {
    if (Result<void> added = impl_->warmups.Add(runnable, name); !added) return added;
  }
  const auto* const controller = dynamic_cast<const internal::HasHistory*>(runnable.get());
  const auto history = controller == nullptr ? nullptr : controller->History();
  const std::shared_ptr<Runnable> kept = runnable;
  Result<void> added = impl_->GroupOf(traits->group).Add(std::move(runnable), name);
  if (!added) return added;
  impl_->state->Add(kept);
  if (history != nullptr) impl_->histories->Add(history);
  if (const auto fights = controller == nullptr ? nullptr : controller->Fights()) {
    fights->TellTo(internal::EventsOfFights(impl_->cluster, name));
  }
  return added;
}

Result<void> Manager::Remove(const std::shared_ptr<Runnable>& runnable) {
  if (runnable == nullptr) return Error(Reason::kInvalidArgument, "the runnable is null");
  using Removal = internal::GroupRunner::Removal;
  const Removal warmup = impl_->warmups.Remove(runnable);
  const Result<internal::RunnableTraits> traits = internal::TraitsOf(impl_->env, *runnable);
  if (!traits) return traits.error();
  const std::string& name = traits->name;
  const Removal removal = impl_->GroupOf(traits->group).Remove(runnable);
  if (removal == Removal::kNotHere) {
    return Error(Reason::kNotFound, name + " is not in this manager");
  }
  {
    MonitorLock lock(*impl_->monitor);
    impl_->controller_names.erase(name);
  }
  if (removal == Removal::kEnded && warmup != Removal::kStillRuns) return {};
  return internal::base::WouldDeadlock(
      impl_->env, name +
                      " was told to end, but it still runs, and neither itself nor an event "
                      "loop can wait for it; call Remove from another thread, or let it return");
}

Result<void> Manager::AddHealthzCheck(const std::string& name, healthz::Checker check) {
  return impl_->servers.AddHealthzCheck(name, std::move(check));
}

Result<void> Manager::AddReadyzCheck(const std::string& name, healthz::Checker check) {
  return impl_->servers.AddReadyzCheck(name, std::move(check));
}

Result<void> Manager::AddMetricsServerExtraHandler(const std::string& path,
                                                   std::shared_ptr<Handler> handler) {
  return impl_->servers.AddExtraHandler(path, std::move(handler));
}

Result<void> Manager::Start(const std::stop_token& stop) {
  if (impl_->env.OnLoopThread()) {
    return internal::base::WouldDeadlock(impl_->env, "a manager cannot run on an event loop");
  }
  {
    MonitorLock lock(*impl_->monitor);
    if (impl_->started) {
      return Error(Reason::kInvalidArgument,
                   "the manager has been started before: make another one");
    }
    impl_->started = true;
  }
  return impl_->Run(stop);
}

bool Manager::Elected() const {
  MonitorLock lock(*impl_->monitor);
  return impl_->elected;
}

Result<void> Manager::WaitUntilElected(const std::stop_token& stop) const {
  if (impl_->env.OnLoopThread()) {
    return internal::base::WouldDeadlock(impl_->env, "an event loop cannot wait for leadership");
  }
  Monitor& monitor = *impl_->monitor;
  const std::stop_callback on_stop(stop, [&monitor] {
    MonitorLock lock(monitor);
    monitor.NotifyAll();
  });
  MonitorLock lock(monitor);
  while (!impl_->elected && !impl_->ended && !stop.stop_requested()) lock.Wait();
  if (impl_->elected) return {};
  if (impl_->ended) return Error(Reason::kStopped, "the manager has ended without having led");
  return Error(Reason::kCanceled, "the wait for leadership was stopped");
}

std::shared_ptr<const LeaderElector> Manager::elector() const {
  return impl_->leadership == nullptr ? nullptr : impl_->leadership->elector();
}

Env& Manager::env() const { return impl_->env; }
Cluster& Manager::GetCluster() const { return *impl_->cluster; }

WebhookServer& Manager::GetWebhookServer() {
  std::shared_ptr<WebhookRunnable> made;
  {
    MonitorLock lock(*impl_->monitor);
    if (impl_->webhook_server != nullptr) return impl_->webhook_server->server();
    const ManagerOptions& options = impl_->options;
    made = std::make_shared<WebhookRunnable>(
        GetRESTClient(), WebhookRunnable::Options{.listener = options.webhook,
                                                  .server = options.webhook_server,
                                                  .certificates = options.webhook_certificates,
                                                  .listens = options.serve_webhooks});
    impl_->webhook_server = made;
  }
  if (impl_->options.serve_webhooks) {
    // A running manager refuses the check; ignored, since the caller asked that late.
    static_cast<void>(
        impl_->servers.AddReadyzCheck("webhook-server", [made] { return made->Check(); }).ok());
  }
  if (Result<void> added = Add(made); !added) {
    impl_->env.log().Log(LogLevel::kError, "webhooks come too late and are not served",
                         {{"err", added.error().ToString()}});
  }
  return made->server();
}

Result<ControllerOptions> Manager::OptionsFor(ControllerOptions own,
                                              const std::string& group_kind) {
  const ControllerOptions& usual = impl_->options.controller;
  const auto inherit = [](auto& mine, const auto& theirs) {
    if (!mine) mine = theirs;
  };
  const auto& of_kinds = impl_->options.group_kind_concurrency;
  if (const auto of_kind = of_kinds.find(group_kind); of_kind != of_kinds.end()) {
    inherit(own.max_concurrent_reconciles, std::optional(of_kind->second));
  }
  inherit(own.max_concurrent_reconciles, usual.max_concurrent_reconciles);
  inherit(own.cache_sync_timeout, usual.cache_sync_timeout);
  inherit(own.recover_panic, usual.recover_panic);
  inherit(own.need_leader_election, usual.need_leader_election);
  inherit(own.use_priority_queue, usual.use_priority_queue);
  inherit(own.enable_warmup, usual.enable_warmup);
  inherit(own.reconciliation_timeout, usual.reconciliation_timeout);
  inherit(own.park_stale_reads, usual.park_stale_reads);
  inherit(own.filter_own_events, usual.filter_own_events);
  inherit(own.event_retry_interval, usual.event_retry_interval);
  inherit(own.min_interval, usual.min_interval);
  inherit(own.settle_time, usual.settle_time);
  inherit(own.settle_limit, usual.settle_limit);
  if (!own.pace_of) own.pace_of = usual.pace_of;
  inherit(own.fair_queue, usual.fair_queue);
  inherit(own.fights, usual.fights);
  inherit(own.max_cache_age, usual.max_cache_age);
  inherit(own.is_leader, usual.is_leader);
  if (!own.is_leader && own.need_leader_election.value_or(true) && elector() != nullptr) {
    own.is_leader = [elector = elector()] { return elector->IsLeader(); };
  }
  if (!own.catch_up) own.catch_up = usual.catch_up;
  if (!own.catch_up && own.need_leader_election.value_or(true) && impl_->take_over != nullptr) {
    own.catch_up = [take_over = impl_->take_over](const std::stop_token& stop) {
      return take_over->CatchUp(stop);
    };
  }
  if (own.skip_name_validation || usual.skip_name_validation) return own;
  MonitorLock lock(*impl_->monitor);
  if (!impl_->controller_names.insert(own.name).second) {
    return Error(Reason::kAlreadyExists,
                 "there is a controller of the name " + own.name +
                     ": give one of them another name, so that their metrics do not mix, or set "
                     "skip_name_validation");
  }
  return own;
}

std::uint16_t Manager::metrics_port() const { return impl_->servers.metrics_port(); }
std::uint16_t Manager::health_probe_port() const { return impl_->servers.health_probe_port(); }
std::uint16_t Manager::webhook_port() const {
  MonitorLock lock(*impl_->monitor);
  return impl_->webhook_server == nullptr ? std::uint16_t{0} : impl_->webhook_server->port();
}

}  // namespace kinformer

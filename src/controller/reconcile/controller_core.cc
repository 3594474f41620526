#include "kinformer/internal/controller_core.h"

#include <algorithm>
#include <utility>

#include "kinformer/base/until.h"

#include "base/core/inside.h"
#include "base/core/user_call.h"
#include "base/core/would_deadlock.h"
#include "controller/causes/reconcile_history.h"
#include "controller/fights/fight_book.h"
#include "controller/reconcile/instruments.h"
#include "controller/reconcile/reconcile_spans.h"
#include "controller/reconcile/source_starter.h"
#include "controller/reconcile/spin_watch.h"

namespace kinformer::internal {
namespace {

Result<void> CheckFights(const ControllerOptions& options) {
  const FightOptions fights = options.fights.value_or(FightOptions());
  const auto wrong = [&](std::string_view what) {
    return Error(Reason::kInvalidArgument,
                 "controller " + options.name + ": FightOptions::" + std::string(what));
  };
  if (fights.rounds < 2) return wrong("rounds must be at least 2");
  if (fights.answer_within <= Duration::zero()) return wrong("answer_within must be above zero");
  if (fights.interval < Duration::zero()) return wrong("interval must not be below zero");
  if (fights.rest <= fights.interval) return wrong("rest must be longer than interval");
  return {};
}

std::shared_ptr<FightBook> NewFightBook(Env& env, const ControllerOptions& options) {
  const FightOptions fights = options.fights.value_or(FightOptions());
  if (!fights.enabled) return nullptr;
  return std::make_shared<FightBook>(env, options.name, fights);
}

}  // namespace

Result<void> CheckController(const ControllerOptions& options, bool has_reconciler) {
  const auto wrong = [&](std::string_view what) {
    return Error(Reason::kInvalidArgument,
                 "controller " + (options.name.empty() ? "without a name" : options.name) + ": " +
                     std::string(what));
  };
  if (options.name.empty()) return wrong("ControllerOptions::name must be set");
  if (!has_reconciler) return wrong("there is no reconciler");
  if (options.max_concurrent_reconciles == std::size_t{0}) {
    return wrong("max_concurrent_reconciles must be above zero");
  }
  if (options.cache_sync_timeout && *options.cache_sync_timeout <= Duration::zero()) {
    return wrong("cache_sync_timeout must be above zero");
  }
  if (options.event_retry_interval && *options.event_retry_interval < Duration::zero()) {
    return wrong("event_retry_interval must not be below zero");
  }
  if (options.min_interval && *options.min_interval < Duration::zero()) {
    return wrong("min_interval must not be below zero");
  }
  if (options.settle_time && *options.settle_time < Duration::zero()) {
    return wrong("settle_time must not be below zero");
  }
  if (options.settle_limit && *options.settle_limit < options.settle_time.value_or(Duration(0))) {
    return wrong("settle_limit must not be below settle_time");
  }
  if (options.max_cache_age && *options.max_cache_age <= Duration::zero()) {
    return wrong("max_cache_age must be above zero");
  }
  return CheckFights(options);
}

std::shared_ptr<Counter> OwnEventsCounter(Env& env, const ControllerOptions& options) {
  if (!options.filter_own_events.value_or(false)) return nullptr;
  return env.metrics().NewCounter("kinformer_own_events_filtered_total",
                                  "Events that show only what a reconcile itself has written",
                                  {{"controller", options.name}});
}

namespace {

Error WaitsForItself(Env& env, const std::string& controller, const std::string& what) {
  return base::WouldDeadlock(
      env, "controller " + controller + ": " + what +
               " would have to wait until the sources have been started, "
               "and neither one of them nor an event loop can; call it from another thread");
}

}  // namespace

ControllerCore::ControllerCore(Env& env, ControllerOptions options)
    : env_(env),
      options_(std::move(options)),
      instruments_(std::make_unique<ControllerInstruments>(env.metrics(), options_.name)),
      spin_watch_(std::make_unique<reconcile::SpinWatch>()),
      history_(std::make_shared<ReconcileHistory>(options_.name)),
      fights_(NewFightBook(env, options_)),
      spans_(std::make_unique<reconcile::ReconcileSpans>(env, options_.name)),
      monitor_(env.NewMonitor()) {
  if (fights_ == nullptr) return;
  history_->SetFights([&env, fights = fights_] { return fights->Report(env.Now()); });
}

ControllerCore::~ControllerCore() {
  history_->SetQueue({});
  StopSources();
}

void ControllerCore::SetQueue(Queue queue) {
  queue_ = std::move(queue);
  history_->SetQueue([this](const WaitingQuestion& question) { return Waiting(question); });
}

WaitingAnswer ControllerCore::Waiting(const WaitingQuestion& question) const {
  WaitingAnswer answer{.requests = queue_.waiting(question),
                       .fair = options_.fair_queue.has_value()};
  MonitorLock lock(*monitor_);
  answer.held_back = why_held_back_;
  if (answer.held_back.empty() && !working_) {
    answer.held_back =
        "its workers have not begun: this process does not lead, or not all sources"
        " have synced";
  }
  return answer;
}

Result<void> ControllerCore::Watch(
    const std::shared_ptr<source::AnySource>& source,
    const std::function<Result<void>(const std::stop_token&)>& start) {
  const bool may_wait = !env_.OnLoopThread() && !base::Inside::Of(this);
  bool starting = false;
  bool there_already = false;
  {
    MonitorLock lock(*monitor_);
    // Waits until the sources that are being started have started.
    while (phase_ == Phase::kStarting && may_wait) lock.Wait();
    there_already = std::ranges::find(sources_, source, &Watched::source) != sources_.end();
    starting = phase_ == Phase::kStarting;
    if (!there_already) {
      if (!starting && phase_ != Phase::kNew && phase_ != Phase::kStarted) {
        return Error(Reason::kStopped, "controller " + options_.name + " has ended");
      }
      if (!starting) sources_.push_back({source, start, phase_ == Phase::kStarted});
      if (phase_ == Phase::kNew) return {};
    }
  }
  if (there_already) {
    return Error(Reason::kAlreadyExists, "controller " + options_.name + " has the source " +
                                             DescribeContained(env_, *source) +
                                             " already: make another one");
  }
  if (starting) return WaitsForItself(env_, options_.name, "Watch");
  Result<void> started;
  {
    const base::Inside inside(this);
    started = StartContained(env_, *source, start, sources_stop_.get_token());
  }
  {
    MonitorLock lock(*monitor_);
    const auto watched = std::ranges::find(sources_, source, &Watched::source);
    watched->starting = false;
    if (!started) sources_.erase(watched);
    monitor_->NotifyAll();
  }
  if (!started) StopContained(env_, *source);
  return started;
}

Result<void> ControllerCore::Unwatch(const std::shared_ptr<source::AnySource>& source) {
  const bool may_wait = !env_.OnLoopThread() && !base::Inside::Of(this);
  bool busy = false;
  {
    MonitorLock lock(*monitor_);
    auto watched = sources_.end();
    const auto is_busy = [&] {
      watched = std::ranges::find(sources_, source, &Watched::source);
      return phase_ == Phase::kStarting || (watched != sources_.end() && watched->starting);
    };
    while (is_busy() && may_wait) lock.Wait();
    if (watched == sources_.end()) {
      return Error(Reason::kNotFound, "controller " + options_.name + " has no such source");
    }
    busy = is_busy();
    if (!busy) sources_.erase(watched);
  }
  if (busy) return WaitsForItself(env_, options_.name, "Unwatch");
  StopContained(env_, *source);
  return {};
}

Result<bool> ControllerCore::StartSources(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    MonitorLock lock(*monitor_);
    monitor_->NotifyAll();
  });
  std::vector<Watched> sources;
  {
    MonitorLock lock(*monitor_);
    while (phase_ == Phase::kStarting && !stop.stop_requested()) lock.Wait();
    if (stop.stop_requested()) return false;
    if (phase_ == Phase::kStarted) return true;
    if (phase_ == Phase::kCanceled) return false;
    if (phase_ == Phase::kFailed) return *failure_;
    if (phase_ == Phase::kEnded) return Error(Reason::kStopped, options_.name + " has ended");
    phase_ = Phase::kStarting;
    sources = sources_;
  }
  return StartSourcesOnce(stop, std::move(sources));
}

Result<bool> ControllerCore::StartSourcesOnce(const std::stop_token& stop,
                                              std::vector<Watched> sources) {
  // A warm-up may be the caller; then the end of Start ends it through stop_.
  const std::stop_callback on_stop(stop, [this] { sources_stop_.request_stop(); });
  std::vector<SourceToStart> to_start;
  to_start.reserve(sources.size());
  for (Watched& watched : sources) {
    to_start.push_back({std::move(watched.source), std::move(watched.start)});
  }
  Result<bool> synced = StartAndSync(env_, options_.name, std::move(to_start),
                                     options_.cache_sync_timeout.value_or(std::chrono::minutes(2)),
                                     sources_stop_, this);
  MonitorLock lock(*monitor_);
  if (synced.ok()) {
    phase_ = *synced ? Phase::kStarted : Phase::kCanceled;
  } else {
    phase_ = Phase::kFailed;
    failure_ = synced.error();
  }
  monitor_->NotifyAll();
  return synced;
}

void ControllerCore::StopSources() {
  std::vector<Watched> sources;
  {
    MonitorLock lock(*monitor_);
    while (phase_ == Phase::kStarting) lock.Wait();
    phase_ = Phase::kEnded;
    while (std::ranges::any_of(sources_, &Watched::starting)) lock.Wait();
    sources.swap(sources_);
  }
  sources_stop_.request_stop();
  for (const Watched& watched : sources) StopContained(env_, *watched.source);
}

Result<void> ControllerCore::Warmup(const std::stop_token& stop) {
  if (!options_.enable_warmup.value_or(false)) return {};
  const Result<bool> synced = StartSources(stop);
  return synced.ok() ? Result<void>() : synced.error();
}

Result<void> ControllerCore::Start(const std::stop_token& stop) {
  if (env_.OnLoopThread()) {
    return base::WouldDeadlock(env_, "a controller cannot run on an event loop");
  }
  {
    MonitorLock lock(*monitor_);
    if (running_) {
      return Error(Reason::kInvalidArgument,
                   "controller " + options_.name + " has been started before: make another one");
    }
    running_ = true;
  }
  const std::size_t workers =
      std::max<std::size_t>(1, options_.max_concurrent_reconciles.value_or(1));
  instruments_->workers->Set(static_cast<double>(workers));
  const std::stop_callback on_stop(stop, [this] {
    stop_.request_stop();
    queue_.shut_down();
  });
  Result<bool> synced = StartSources(stop);
  if (synced.ok() && *synced && options_.catch_up) synced = CatchUp(stop);
  if (synced.ok() && *synced) {
    env_.log().Log(LogLevel::kInfo, "starting workers",
                   {{"controller", options_.name}, {"workers", std::to_string(workers)}});
    {
      MonitorLock lock(*monitor_);
      working_ = true;
    }
    // The threads end when the queue is shut down.
    std::vector<std::unique_ptr<Thread>> threads;
    for (std::size_t i = 0; i < workers; ++i) {
      threads.push_back(
          env_.NewThread(options_.name + std::to_string(i), [this, whose = base::Inside::All()] {
            const base::Inside inside(whose);
            Work();
          }));
    }
    for (const std::unique_ptr<Thread>& thread : threads) thread->Join();
    env_.log().Log(LogLevel::kInfo, "all workers have ended", {{"controller", options_.name}});
  }
  queue_.shut_down();
  StopSources();
  return synced.ok() ? Result<void>() : synced.error();
}

Result<bool> ControllerCore::CatchUp(const std::stop_token& stop) {
  const base::Inside inside(this);
  SayHeldBack("the caches may be older than this process's leadership (catch_up)");
  const Result<void> done = base::CallUserForResult(
      env_, "ControllerOptions::catch_up", [&] { return options_.catch_up(stop); },
      [this] { return options_.name; });
  SayHeldBack("");
  if (stop.stop_requested()) return false;
  if (!done) return Error(done.error()).WithContext("controller " + options_.name);
  return true;
}

void ControllerCore::SetKind(const KindInfo& kind) { history_->SetKind(&kind); }

ControllerFigures ControllerCore::Figures() const {
  ControllerFigures figures{.name = options_.name};
  figures.workers = std::max<std::size_t>(1, options_.max_concurrent_reconciles.value_or(1));
  figures.reconciles = reconciles_.load(std::memory_order_relaxed);
  figures.errors = errors_.load(std::memory_order_relaxed);
  figures.parked = parked_.load(std::memory_order_relaxed);
  history_->Report(figures, env_.Now());
  figures.fights = history_->Fights();
  MonitorLock lock(*monitor_);
  figures.held_back = why_held_back_;
  return figures;
}

bool ControllerCore::Contain(const std::function<void()>& work) {
  return base::CallUser(env_, "rate limiter or ToString", work, [this] { return options_.name; })
      .ok();
}

void ControllerCore::Work() {
  const ReconcileHistory::Worker worker(*history_);
  while (!stop_.stop_requested() && queue_.process_next()) {
  }
}

}  // namespace kinformer::internal

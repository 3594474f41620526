// One reconcile: the conditions for its start, the call, and the handling of its result.

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kinformer/base/task.h"
#include "kinformer/base/until.h"
#include "kinformer/internal/controller_core.h"

#include "base/core/deadline.h"
#include "base/core/user_call.h"
#include "base/loop/own_writes.h"
#include "base/loop/parked_waits.h"
#include "base/text/uuid.h"
#include "controller/causes/causes_of.h"
#include "controller/fights/fight_scope.h"
#include "controller/reconcile/instruments.h"
#include "controller/reconcile/noted_reconcile.h"
#include "controller/reconcile/reconcile_spans.h"
#include "controller/reconcile/spin_watch.h"

namespace kinformer::internal {
namespace {

// How often in a row a request is put aside. A reconcile that writes each time before it reads
// would never end.
constexpr int kMostParkings = 2;

// Awaits all of them, one after the other. Their errors do not matter: the reconcile reads again.
Task<Result<void>> AllOf(std::vector<base::ParkedWaits::Wait> waits) {
  for (const base::ParkedWaits::Wait& wait : waits) {
    Task<Result<void>> waiting = wait();
    static_cast<void>(co_await waiting);
  }
  co_return Result<void>();
}

constexpr Duration kLookAgain = std::chrono::seconds(1);

// Stops the token of a reconcile when its deadline passes or the controller ends.
class ReconcileStop {
 public:
  ReconcileStop(Env& env, const std::stop_token& controller, std::optional<SteadyTime> deadline)
      : on_end_(controller, [state = state_] { state->stop.request_stop(); }) {
    if (!deadline) return;
    timer_ = env.loop().RunAt(*deadline, [state = state_] {
      // True only if stop had not been requested before.
      state->timed_out = state->stop.request_stop();
    });
  }

  [[nodiscard]] std::stop_token token() const { return state_->stop.get_token(); }
  [[nodiscard]] bool timed_out() const { return state_->timed_out; }

 private:
  struct State {
    std::stop_source stop{};
    std::atomic<bool> timed_out{false};
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
  const std::stop_callback<std::function<void()>> on_end_;
  Timer timer_;
};

}  // namespace

std::string ControllerCore::WhyHeldBack() {
  std::string why;
  // An exception counts as not being the leader, or as a cache of unknown age.
  const Result<void> asked =
      base::CallUser(env_, "is_leader or ProgressAge", [&] { why = WhyNotNow(); });
  return asked ? why : asked.error().message();
}

std::string ControllerCore::WhyNotNow() {
  if (options_.is_leader && !options_.is_leader()) return "this process does not lead";
  if (!options_.max_cache_age) return {};
  // Asked without the lock, because a source of the program may call the controller.
  std::vector<std::shared_ptr<source::AnySource>> sources;
  {
    MonitorLock lock(*monitor_);
    for (const Watched& watched : sources_) sources.push_back(watched.source);
  }
  for (const std::shared_ptr<source::AnySource>& source : sources) {
    const std::optional<Duration> age = source->ProgressAge();
    if (!age || *age <= *options_.max_cache_age) continue;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(*age).count();
    return "the cache of " + source->Describe() + " was last known to be up to date " +
           std::to_string(seconds) + " s ago";
  }
  return {};
}

void ControllerCore::SayHeldBack(const std::string& why) {
  MonitorLock lock(*monitor_);
  why_held_back_ = why;
}

bool ControllerCore::WaitUntilAllowed(const std::string& key) {
  const std::stop_token stop = stop_.get_token();
  while (!stop.stop_requested()) {
    const std::string why = WhyHeldBack();
    if (!why.empty() || held_back_) SayHeldBack(why);
    if (why.empty()) {
      if (held_back_.exchange(false)) {
        instruments_->held_back->Set(0);
        env_.log().Log(LogLevel::kInfo, "reconciles go on", {{"controller", options_.name}});
      }
      return true;
    }
    if (!held_back_.exchange(true)) {
      instruments_->held_back->Set(1);
      env_.log().Log(LogLevel::kWarning, "reconciles wait",
                     {{"controller", options_.name}, {"key", key}, {"why", why}});
    }
    SleepUnlessStopped(env_, stop, kLookAgain);
  }
  return false;
}

Result<ReconcileResult> ControllerCore::CallContained(
    const ReconcileContext& context,
    const std::function<Result<ReconcileResult>(const ReconcileContext&)>& reconcile) {
  try {
    return reconcile(context);
  } catch (...) {
    instruments_->panics->Add();
    const std::string thrown = base::Thrown();
    if (!options_.recover_panic.value_or(true)) {
      context.Log(LogLevel::kError, "the reconciler threw", {{"what", thrown}});
      std::terminate();
    }
    return Error(Reason::kUnknown, "panic: " + thrown + " [recovered]");
  }
}

std::optional<Disposal> ControllerCore::Reconcile(
    std::string key, int priority, const FailedAttempts& failed, CauseNote& causes,
    const std::function<Result<ReconcileResult>(const ReconcileContext&)>& reconcile) {
  if (!WaitUntilAllowed(key)) return std::nullopt;
  const SteadyTime begun = env_.Now();
  std::optional<SteadyTime> deadline;
  if (options_.reconciliation_timeout.value_or(Duration(0)) > Duration::zero()) {
    deadline = base::After(begun, *options_.reconciliation_timeout);
  }
  const ReconcileStop stop(env_, stop_.get_token(), deadline);
  std::optional<reconcile::ReconcileSpans::One> span;
  if (env_.tracer() != nullptr) span.emplace(*spans_, key, priority, failed);
  ReconcileContext context(env_, stop.token(), deadline, options_.name, std::move(key),
                           base::NewUuid(env_), priority, failed.count, failed.last, &causes);
  LogBegin(context);
  reconcile::NotedReconcile noted(*history_, context, causes, begun);
  instruments_->active->Add(1);
  // Constructed only for a request that may be put aside.
  std::optional<base::ParkedWaits> parked;
  if (options_.park_stale_reads.value_or(true) && failed.parked < kMostParkings) parked.emplace();
  std::optional<FightScope> fights;
  if (fights_ != nullptr) fights.emplace(*fights_, context.key(), causes);
  std::optional<base::OwnWrites> written;
  if (options_.filter_own_events.value_or(false)) written.emplace();
  const Result<ReconcileResult> result = CallContained(context, reconcile);
  instruments_->active->Add(-1);
  const SteadyTime now = env_.Now();
  instruments_->time->Observe(std::chrono::duration<double>(now - begun).count());
  if (stop.timed_out()) instruments_->timeouts->Add();
  if (parked && !result) {
    if (std::vector<base::ParkedWaits::Wait> waits = parked->Take(); !waits.empty()) {
      parked_.fetch_add(1, std::memory_order_relaxed);
      if (span) span->Ended(context, result, Disposal::Action::kParked);
      noted.Parked(now);
      Disposal parking = ParkedUntil(std::move(waits), priority);
      if (fights) parking.holds = fights->Take();
      return parking;
    }
  }
  reconciles_.fetch_add(1, std::memory_order_relaxed);
  if (!result || result->terminal_error) errors_.fetch_add(1, std::memory_order_relaxed);
  WarnIfItSpins(context, result);
  Disposal disposal = DisposalOf(context, result);
  // A reconcile that failed for good returns by any event, as ever.
  if (written && result && !result->terminal_error) disposal.own_writes = written->Take();
  if (fights) disposal.holds = fights->Take();
  if (span) span->Ended(context, result, disposal.action);
  noted.Ended(result, now);
  return disposal;
}

void ControllerCore::LogBegin(const ReconcileContext& context) const {
  if (env_.log().level() > LogLevel::kDebug) return;
  context.Log(LogLevel::kDebug, "a reconcile begins", {{"causes", context.causes().ToString()}});
}

Disposal ControllerCore::ParkedUntil(std::vector<base::ParkedWaits::Wait> waits, int priority) {
  instruments_->parked->Add();
  Disposal disposal{Disposal::Action::kParked, {}, priority, {}, {}};
  disposal.await = [this, waits = std::move(waits)](std::function<void()> done) {
    Spawn(env_, AllOf(waits), [done = std::move(done)](const Result<void>&) { done(); });
  };
  return disposal;
}

void ControllerCore::WarnIfItSpins(const ReconcileContext& context,
                                   const Result<ReconcileResult>& result) {
  using reconcile::Again;
  Again again = Again::kByEvent;
  if (!result) {
    again = Again::kByError;
  } else if (!result->terminal_error && result->requeue_after > Duration::zero()) {
    again = Again::kByRequeueAfter;
  } else if (!result->terminal_error && result->requeue) {
    again = Again::kByRequeue;
  }
  const auto found = spin_watch_->Reconciled(
      context.key(), again, result ? Duration(result->requeue_after) : Duration::zero(),
      env_.Now());
  if (!found) return;
  const std::chrono::duration<double> within = found->within;
  context.Log(LogLevel::kWarning, "one request is reconciled over and over",
              {{"reconciles", std::to_string(found->reconciles)},
               {"seconds", std::to_string(within.count())},
               {"cause", reconcile::CauseOf(*found)}});
}

Disposal ControllerCore::DisposalOf(const ReconcileContext& context,
                                    const Result<ReconcileResult>& result) {
  using Action = Disposal::Action;
  if (!result || result->terminal_error) {
    instruments_->error->Add();
    instruments_->errors->Add();
    if (!result) {
      context.Log(LogLevel::kError, "Reconciler error", {{"err", result.error().ToString()}});
      return {Action::kRateLimited, {}, context.priority(), result.error(), {}};
    }
    instruments_->terminal_errors->Add();
    context.Log(LogLevel::kError, "Reconciler error",
                {{"err", "terminal error: " + result->terminal_error->ToString()}});
    return {Action::kForget, {}, {}, {}, {}};
  }
  const int priority = result->priority.value_or(context.priority());
  if (result->requeue_after > Duration::zero()) {
    instruments_->requeue_after->Add();
    return {Action::kAfter, result->requeue_after, priority, {}, {}};
  }
  if (result->requeue) {
    instruments_->requeue->Add();
    return {Action::kRateLimited, {}, priority, {}, {}};
  }
  instruments_->success->Add();
  return {Action::kForget, {}, {}, {}, {}};
}

}  // namespace kinformer::internal

namespace kinformer {

const Span& ReconcileContext::span() const {
  static const Span kNone;
  return span_ == nullptr ? kNone : *span_;
}

CallOptions ReconcileContext::call() const {
  CallOptions call{.stop = stop_};
  // A timeout of 0 would mean no limit.
  if (deadline_) call.timeout = std::max(*deadline_ - env_.Now(), Duration(1));
  const Span* const current = SpanScope::Current();
  const Span& parent = current != nullptr ? *current : span();
  if (parent) {
    call.traceparent = parent.context().Traceparent();
    call.tracestate = parent.context().tracestate;
  }
  return call;
}

Causes ReconcileContext::causes() const {
  if (causes_ == nullptr) return {};
  return internal::CausesOf(
      *causes_,
      {.key = key_, .attempts = attempts_, .last_error = last_error_ ? &*last_error_ : nullptr});
}

void ReconcileContext::Log(LogLevel level, std::string_view message,
                           std::initializer_list<LogField> fields) const {
  const auto field = [&](std::size_t i) { return fields.begin()[i]; };
  const LogField controller{"controller", controller_};
  const LogField key{"key", key_};
  const LogField id{"reconcileID", reconcile_id_};
  switch (fields.size()) {
    case 0:
      return env_.log().Log(level, message, {controller, key, id});
    case 1:
      return env_.log().Log(level, message, {controller, key, id, field(0)});
    case 2:
      return env_.log().Log(level, message, {controller, key, id, field(0), field(1)});
    case 3:
      return env_.log().Log(level, message, {controller, key, id, field(0), field(1), field(2)});
    default:
      return env_.log().Log(level, message,
                            {controller, key, id, field(0), field(1), field(2), field(3)});
  }
}

}  // namespace kinformer

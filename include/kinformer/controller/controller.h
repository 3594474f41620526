// kinformer/controller/controller.h
//
// Controller: sources add requests to a queue, and workers take each request and call a Reconciler
// for it.
//
//   auto controller = Controller::New(env, ReconcilerOf<Request>(ReconcilePod),
//                                     {.name = "printer"}).OrExit();
//   controller->Watch(source::Kind<corev1::Pod>(
//       factory, handler::EnqueueRequestForObject<corev1::Pod>())).OrExit();
//   controller->Start(stop.token()).OrExit();
//
// Most programs let a ControllerBuilder (builder.h) create their controllers, and a
// Manager (manager.h) run them.

#ifndef KINFORMER_CONTROLLER_CONTROLLER_H_
#define KINFORMER_CONTROLLER_CONTROLLER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/controller/controller_options.h"
#include "kinformer/controller/reconciler.h"
#include "kinformer/controller/request_queue.h"
#include "kinformer/controller/runnable.h"
#include "kinformer/controller/source.h"
#include "kinformer/internal/call_gate.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/controller_core.h"
#include "kinformer/internal/controller_figures.h"
#include "kinformer/internal/has_history.h"
#include "kinformer/internal/noted_queue.h"
#include "kinformer/internal/own_events.h"
#include "kinformer/internal/own_write.h"
#include "kinformer/internal/request_paces.h"
#include "kinformer/internal/waiting_of.h"
#include "kinformer/internal/waiting_request.h"
#include "kinformer/workqueue/priority_queue.h"
#include "kinformer/workqueue/worker.h"

namespace kinformer {

// A controller whose requests are of any type that is copyable, equality-comparable and hashed by
// std::hash; log lines show the result of its ToString(), if it has that.
//
// Guarantees: no reconcile begins before all sources have synced and their handlers have seen the
// initial objects; a request is reconciled by one worker at a time; a request added during its
// reconcile is reconciled again afterwards. Failed requests are retried after 5 ms, and then each
// time after twice as long, up to 1000 s, by the default limiter.
//
//   outcome                  the request            reconcile_total
//   OK                       is forgotten           success
//   OK, requeue_after        returns after it       requeue_after
//   OK, requeue              returns, rate limited  requeue
//   error or exception       returns, rate limited  error
//   TerminalError            is forgotten           error
//
// The failures of a request are counted only until it is forgotten, so deleted objects cost no
// memory, whatever the outcome of their reconciles.
//
// A request that returns again and again without end, because its reconcile writes the object or
// asks for a requeue, is logged as a warning: its key, how often it returned, and the likely cause.
//
// Metrics, with the label `controller`: controller_runtime_reconcile_total (and `result`),
// _reconcile_errors_total, _terminal_reconcile_errors_total, _reconcile_panics_total,
// _reconcile_timeouts_total, _reconcile_time_seconds, _max_concurrent_reconciles, _active_workers;
// kinformer_reconcile_held_back (1: reconciles wait for leadership or for a cache),
// kinformer_reconcile_parked_total (put aside until a cache shows an own write),
// kinformer_own_events_filtered_total (see ControllerOptions::filter_own_events),
// kinformer_fights_found_total and kinformer_fights_under_way (see fights.h); those of the queue,
// whose labels `name` and `controller` are the controller's name.
//
// Thread-safe. Counterpart: controller.TypedController.
template <class R>
class TypedController final : public Runnable,
                              public internal::HasControllerFigures,
                              public internal::HasHistory {
 public:
  // Creates a controller. `limiter` delays requests that return; null: the default one. `env` must
  // outlive it. kInvalidArgument: the name or the reconciler is missing.
  static Result<std::shared_ptr<TypedController>> New(
      Env& env, std::shared_ptr<TypedReconciler<R>> reconciler, ControllerOptions options,
      std::unique_ptr<RateLimiter<R>> limiter = nullptr);
  ~TypedController() override;

  // Adds a source, which starts with the controller. If the controller has started already, the
  // source starts at once, and nothing waits for it to sync.
  Result<void> Watch(std::shared_ptr<source::TypedSource<R>> source);
  // Stops a source: it adds no more requests; queued ones stay. kNotFound: the source does not
  // belong to this controller.
  Result<void> Unwatch(const std::shared_ptr<source::TypedSource<R>>& source);

  // Starts the sources, waits for them, and works until `stop` is requested; then waits for running
  // reconciles. Blocks. Fails if a source did not start or sync, or if it was called before.
  // Returns OK at once, without a reconcile, if a Warmup was stopped before the sources had synced:
  // that has ended the controller.
  Result<void> Start(const std::stop_token& stop) override;
  // Starts the sources and waits for them: the first half of Start. Blocks until they have synced
  // or `stop` is requested, here or for a Start that waits for this call; stopping returns OK too.
  Result<void> Warmup(const std::stop_token& stop) override;
  [[nodiscard]] bool HasWarmup() const override;
  [[nodiscard]] RunnableGroup group() const override;
  [[nodiscard]] std::string name() const override;

  // Returns the number of queued requests. May be outdated at once.
  [[nodiscard]] std::size_t Len() const;
  // Tells that requests name objects of this kind, for `kinformer why`. A ControllerBuilder does.
  void SetKind(const KindInfo& kind) { core_.SetKind(kind); }
  // For the manager.
  [[nodiscard]] std::shared_ptr<const internal::ReconcileHistory> History() const override {
    return core_.history();
  }
  [[nodiscard]] std::shared_ptr<internal::FightBook> Fights() const override {
    return core_.fights();
  }

 private:
  TypedController(Env& env, std::shared_ptr<TypedReconciler<R>> reconciler,
                  ControllerOptions options, std::unique_ptr<RateLimiter<R>> limiter);
  static std::unique_ptr<RateLimiter<R>> LimiterFor(Env& env, bool by_priority);
  [[nodiscard]] internal::ControllerFigures Figures() const override;
  bool ProcessNext();
  void Dispose(const R& request, const internal::Disposal& disposal);
  // Adds a request for itself, at the usual priority where there is no other.
  void Again(const R& request, AddOpts options, CauseType cause);
  // Puts back what woke a request that cannot be reconciled yet.
  void Postpone(const R& request, const AddOpts& options, internal::CauseNote causes);

  // Also says how long a request that has failed waits, and how long requests have waited.
  class Queue final : public PriorityQueue<R> {
   public:
    Queue(Env& env, std::unique_ptr<RateLimiter<R>> limiter, std::optional<FairFlows<R>> flows,
          const PriorityQueueOptions& options)
        : PriorityQueue<R>(env, std::move(limiter), options, std::move(flows),
                           internal::NotesOfCauses()) {}
    [[nodiscard]] Duration When(const R& request) { return this->limiter().When(request); }
    void Report(internal::ControllerFigures& figures) const {
      const internal::QueueLock lock(this->state());
      figures.waiting = this->state().LenLocked();
      figures.delayed = this->state().DelayedLocked();
      figures.oldest = this->state().OldestWaitLocked();
    }
  };

  const std::shared_ptr<TypedReconciler<R>> reconciler_;
  const std::optional<int> usual_;
  internal::CallGate gate_;  // of requests that return when what they lack is there
  internal::FailingRequests<R> failing_;
  internal::OwnEvents<R> own_events_;
  Queue queue_;
  internal::ControllerCore core_;  // destroyed first: it uses the other members
};
// A controller whose requests are names of objects.
using Controller = TypedController<Request>;

template <class R>
Result<std::shared_ptr<TypedController<R>>> TypedController<R>::New(
    Env& env, std::shared_ptr<TypedReconciler<R>> reconciler, ControllerOptions options,
    std::unique_ptr<RateLimiter<R>> limiter) {
  if (Result<void> valid = internal::CheckController(options, reconciler != nullptr); !valid) {
    return valid.error();
  }
  return std::shared_ptr<TypedController>(
      new TypedController(env, std::move(reconciler), std::move(options), std::move(limiter)));
}

template <class R>
TypedController<R>::TypedController(Env& env, std::shared_ptr<TypedReconciler<R>> reconciler,
                                    ControllerOptions options,
                                    std::unique_ptr<RateLimiter<R>> limiter)
    : reconciler_(std::move(reconciler)),
      usual_(options.use_priority_queue.value_or(true) ? std::optional(0) : std::nullopt),
      failing_(env, options),
      own_events_(internal::OwnEventsCounter(env, options)),
      queue_(env, limiter != nullptr ? std::move(limiter) : LimiterFor(env, usual_.has_value()),
             internal::FlowsFor<R>(options.fair_queue),
             {.name = options.name, .controller = options.name}),
      core_(env, std::move(options)) {
  core_.SetQueue({.process_next = [this] { return ProcessNext(); },
                  .shut_down = [this] { queue_.ShutDown(); },
                  .waiting =
                      [this](const internal::WaitingQuestion& question) {
                        return internal::WaitingOf(queue_, failing_, question);
                      }});
}

template <class R>
TypedController<R>::~TypedController() {
  gate_.Close();
}

template <class R>
Result<void> TypedController<R>::Watch(std::shared_ptr<source::TypedSource<R>> source) {
  if (source == nullptr) return Error(Reason::kInvalidArgument, "the source is null");
  source::TypedSource<R>* const raw = source.get();
  return core_.Watch(std::move(source), [this, raw](const std::stop_token& stop) {
    return raw->Start(stop,
                      RequestQueue<R>(queue_, usual_, &failing_, &core_.causes(), &own_events_));
  });
}

template <class R>
Result<void> TypedController<R>::Unwatch(const std::shared_ptr<source::TypedSource<R>>& source) {
  return core_.Unwatch(source);
}

template <class R>
Result<void> TypedController<R>::Start(const std::stop_token& stop) {
  return core_.Start(stop);
}

template <class R>
Result<void> TypedController<R>::Warmup(const std::stop_token& stop) {
  return core_.Warmup(stop);
}

template <class R>
bool TypedController<R>::HasWarmup() const {
  return core_.options().enable_warmup.value_or(false);
}

template <class R>
RunnableGroup TypedController<R>::group() const {
  return core_.options().need_leader_election.value_or(true) ? RunnableGroup::kLeaderElection
                                                             : RunnableGroup::kOthers;
}

template <class R>
std::string TypedController<R>::name() const {
  return core_.options().name;
}

template <class R>
std::size_t TypedController<R>::Len() const {
  return queue_.Len();
}

template <class R>
internal::ControllerFigures TypedController<R>::Figures() const {
  internal::ControllerFigures figures = core_.Figures();
  queue_.Report(figures);
  figures.failing = failing_.Count();
  return figures;
}

// Chooses as controller-runtime does: with priorities there is no overall rate limit.
template <class R>
std::unique_ptr<RateLimiter<R>> TypedController<R>::LimiterFor(Env& env, bool by_priority) {
  if (!by_priority) return DefaultControllerRateLimiter<R>(env);
  return std::make_unique<ItemExponentialFailureRateLimiter<R>>(std::chrono::milliseconds(5),
                                                                std::chrono::seconds(1000));
}

template <class R>
bool TypedController<R>::ProcessNext() {
  internal::CauseNote causes;
  const auto next = internal::NotedQueue::Get(
      queue_, [&](void* note) { causes = std::move(*static_cast<internal::CauseNote*>(note)); });
  if (!next) return false;
  const R& request = next->item;
  // An event that came during the attempt that failed waits, too.
  if (const Duration wait = failing_.TakeUp(request); wait > Duration(0)) {
    Postpone(request, {.after = wait, .priority = next->priority}, std::move(causes));
    queue_.Done(request);
    return true;
  }
  failing_.Tried(request, core_.EventRetryInterval());
  own_events_.Begin(request);
  std::vector<internal::OwnWrite> written;
  const bool disposed = core_.Contain([&] {
    std::optional<internal::Disposal> disposal =
        core_.Reconcile(internal::TextOf(request), next->priority, failing_.Of(request), causes,
                        [&](const ReconcileContext& context) {
                          failing_.Began(request);
                          return reconciler_->Reconcile(context, request);
                        });
    if (!disposal) return;
    written = std::move(disposal->own_writes);
    if (disposal->holds) failing_.Hold(request, std::move(*disposal->holds));
    Dispose(request, *disposal);
  });
  // If one of these throws, its delay is unknown. Retries in 1 s: no request may be lost.
  if (!disposed) Again(request, {.after = std::chrono::seconds(1)}, CauseType::kRetry);
  const RequestQueue<R> queue(queue_, usual_, &failing_, &core_.causes());
  for (internal::HeldEvent& other : own_events_.End(request, std::move(written))) {
    queue.AddEvent(request, std::move(other));
  }
  queue_.Done(request);
  return true;
}

template <class R>
void TypedController<R>::Dispose(const R& request, const internal::Disposal& disposal) {
  using Action = internal::Disposal::Action;
  switch (disposal.action) {
    case Action::kForget:
      queue_.Forget(request);
      failing_.Forget(request);
      return;
    case Action::kRateLimited: {
      const Duration wait = queue_.When(request);
      // A reconcile that asked for it is woken by any event.
      failing_.Failed(request, disposal.error,
                      disposal.error ? core_.env().Now() + wait : SteadyTime::min());
      Again(request, {.after = wait, .priority = disposal.priority},
            disposal.error ? CauseType::kRetry : CauseType::kRequeue);
      return;
    }
    case Action::kParked:
      failing_.Parked(request);
      disposal.await(gate_.Guard([this, request, priority = disposal.priority] {
        Again(request, {.priority = priority}, CauseType::kUnparked);
      }));
      return;
    case Action::kAfter:
      queue_.Forget(request);
      failing_.Forget(request);
      Again(request, {.after = disposal.after, .priority = disposal.priority}, CauseType::kTimer);
      return;
  }
}

template <class R>
void TypedController<R>::Again(const R& request, AddOpts options, CauseType cause) {
  if (!usual_) {
    options.priority = 0;
  } else if (!options.priority) {
    options.priority = usual_;
  }
  internal::NotedQueue::Add(queue_, options, request, [&](void* note, SteadyTime now) {
    static_cast<internal::CauseNote*>(note)->AddPlain(cause, now, core_.causes().budget());
  });
}

template <class R>
void TypedController<R>::Postpone(const R& request, const AddOpts& options,
                                  internal::CauseNote causes) {
  internal::NotedQueue::Add(queue_, options, request, [&](void* note, SteadyTime /*now*/) {
    static_cast<internal::CauseNote*>(note)->PutBack(std::move(causes), core_.causes().budget());
  });
}

extern template class TypedController<Request>;  // compiled in the library

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_CONTROLLER_H_

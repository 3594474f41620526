// kinformer/controller.h
//
// Controller: sources add requests to a queue, workers take them and have a Reconciler look at
// each.
//
//   auto controller = Controller::New(env, ReconcilerOf<Request>(ReconcilePod),
//                                     {.name = "printer"}).OrExit();
//   controller->Watch(source::Kind<corev1::Pod>(
//       factory, handler::EnqueueRequestForObject<corev1::Pod>())).OrExit();
//   controller->Start(stop.token()).OrExit();
//
// Most programs have a ControllerBuilder (controller_builder.h) make theirs, and a Manager
// (manager.h) run it.

#ifndef KINFORMER_CONTROLLER_H_
#define KINFORMER_CONTROLLER_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/controller_options.h"
#include "kinformer/env.h"
#include "kinformer/internal/controller_core.h"
#include "kinformer/priority_queue.h"
#include "kinformer/reconciler.h"
#include "kinformer/request_queue.h"
#include "kinformer/result.h"
#include "kinformer/runnable.h"
#include "kinformer/source.h"
#include "kinformer/worker.h"

namespace kinformer {

// A controller whose requests are of any type that is copyable, equality-comparable and hashed by
// std::hash; its text in logs is what ToString() gives, if it has that.
//
// Guarantees: no reconcile begins before all sources have synced and their handlers have had what
// was there; a request is reconciled by one worker at a time; a request that is added while it is
// reconciled is reconciled again afterwards. What fails comes again: 5 ms later, then each time
// after twice as long, up to 1000 s, by the usual limiter.
//
//   outcome                  the request            reconcile_total
//   OK                       is forgotten           success
//   OK, requeue_after        comes after that time  requeue_after
//   OK, requeue              comes, rate limited    requeue
//   error, or it throws      comes, rate limited    error
//   TerminalError            is forgotten           error
//
// What is forgotten leaves nothing behind: how often it failed is known only as long as it is to
// come again. So objects that vanish cost no memory, whatever their reconciles ended with.
//
// One request that comes over and over without end, since its own write wakes it or it asks for it,
// is warned of in the log: with its key, how often it came, and the likely cause.
//
// Metrics, with the label `controller`: controller_runtime_reconcile_total (and `result`),
// _reconcile_errors_total, _terminal_reconcile_errors_total, _reconcile_panics_total,
// _reconcile_timeouts_total, _reconcile_time_seconds, _max_concurrent_reconciles, _active_workers;
// kinformer_reconcile_held_back (1: reconciles wait for leadership or for a cache); those of the
// queue, whose labels `name` and `controller` are the controller's name.
//
// Thread-safe. Counterpart: controller.TypedController.
template <class R>
class TypedController final : public Runnable {
 public:
  // `limiter`: of what comes again; null: the usual one. `env` must outlive it. kInvalidArgument: a
  // name or the reconciler is missing.
  static Result<std::shared_ptr<TypedController>> New(
      Env& env, std::shared_ptr<TypedReconciler<R>> reconciler, ControllerOptions options,
      std::unique_ptr<RateLimiter<R>> limiter = nullptr) {
    if (Result<void> valid = internal::CheckController(options, reconciler != nullptr); !valid) {
      return valid.error();
    }
    return std::shared_ptr<TypedController>(
        new TypedController(env, std::move(reconciler), std::move(options), std::move(limiter)));
  }
  ~TypedController() override = default;

  // Adds a source. It is started with the controller, or at once where that has been; then nothing
  // waits for it to sync.
  Result<void> Watch(std::shared_ptr<source::TypedSource<R>> source) {
    if (source == nullptr) return Error(Reason::kInvalidArgument, "the source is null");
    source::TypedSource<R>* const raw = source.get();
    return core_.Watch(std::move(source), [this, raw](const std::stop_token& stop) {
      return raw->Start(stop, RequestQueue<R>(queue_, usual_));
    });
  }
  // Ends a source: it adds nothing any more. What it has added stays. kNotFound: it is none of this
  // controller's.
  Result<void> Unwatch(const std::shared_ptr<source::TypedSource<R>>& source) {
    return core_.Unwatch(source);
  }

  // Starts the sources, waits for them, and works until stop is requested; then waits for the
  // reconciles that run. Blocks. An error: a source did not start or sync, or this has been called
  // before. OK at once, without a reconcile, where a Warmup was stopped before the sources had
  // synced: the controller has ended with it.
  Result<void> Start(const std::stop_token& stop) override { return core_.Start(stop); }
  // The first half of it: starts the sources and waits for them. Blocks until they have synced, or
  // stop is requested, here or for a Start that waits for this: then it is OK, too.
  Result<void> Warmup(const std::stop_token& stop) override { return core_.Warmup(stop); }
  [[nodiscard]] bool HasWarmup() const override {
    return core_.options().enable_warmup.value_or(false);
  }
  [[nodiscard]] RunnableGroup group() const override {
    return core_.options().need_leader_election.value_or(true) ? RunnableGroup::kLeaderElection
                                                               : RunnableGroup::kOthers;
  }
  [[nodiscard]] std::string name() const override { return core_.options().name; }

  // Of the queue: what waits. A moment's value.
  [[nodiscard]] std::size_t Len() const { return queue_.Len(); }

 private:
  TypedController(Env& env, std::shared_ptr<TypedReconciler<R>> reconciler,
                  ControllerOptions options, std::unique_ptr<RateLimiter<R>> limiter)
      : reconciler_(std::move(reconciler)),
        usual_(options.use_priority_queue.value_or(true) ? std::optional(0) : std::nullopt),
        queue_(env, limiter != nullptr ? std::move(limiter) : LimiterFor(env, usual_.has_value()),
               {.name = options.name, .controller = options.name}),
        core_(env, std::move(options)) {
    core_.SetQueue({.process_next = [this] { return ProcessNext(); },
                    .shut_down = [this] { queue_.ShutDown(); }});
  }

  // As controller-runtime chooses: what has a priority is not held up for the sake of all.
  static std::unique_ptr<RateLimiter<R>> LimiterFor(Env& env, bool by_priority) {
    if (!by_priority) return DefaultControllerRateLimiter<R>(env);
    return std::make_unique<ItemExponentialFailureRateLimiter<R>>(std::chrono::milliseconds(5),
                                                                  std::chrono::seconds(1000));
  }

  bool ProcessNext() {
    const auto next = queue_.GetWithPriority();
    if (!next) return false;
    const R& request = next->item;
    const bool disposed = core_.Contain([&] {
      const std::optional<internal::Disposal> disposal = core_.Reconcile(
          internal::TextOf(request), next->priority, [&](const ReconcileContext& context) {
            return reconciler_->Reconcile(context, request);
          });
      if (disposal) Dispose(request, *disposal);
    });
    // Where one of these throws, nobody knows when it should come again; lost it must not be.
    if (!disposed) queue_.AddWithOpts({.after = std::chrono::seconds(1)}, request);
    queue_.Done(request);
    return true;
  }

  void Dispose(const R& request, const internal::Disposal& disposal) {
    using Action = internal::Disposal::Action;
    const RequestQueue<R> queue(queue_, usual_);
    switch (disposal.action) {
      case Action::kForget:
        queue_.Forget(request);
        return;
      case Action::kRateLimited:
        queue.AddWithOpts({.rate_limited = true, .priority = disposal.priority}, request);
        return;
      case Action::kAfter:
        queue_.Forget(request);
        queue.AddWithOpts({.after = disposal.after, .priority = disposal.priority}, request);
        return;
    }
  }

  const std::shared_ptr<TypedReconciler<R>> reconciler_;
  const std::optional<int> usual_;
  PriorityQueue<R> queue_;
  internal::ControllerCore core_;  // ends what uses the others
};
// Of the usual requests.
using Controller = TypedController<Request>;

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_H_

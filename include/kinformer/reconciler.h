// kinformer/reconciler.h
//
// Reconciler: brings the world in line with one object. What it is asked with is a name, and not
// what happened: it looks up the object, compares what is with what should be, and changes what
// differs. So it may be asked as often as one likes, and one run makes up for many changes.
//
//   class PodReconciler : public Reconciler {
//    public:
//     Result<ReconcileResult> Reconcile(const ReconcileContext& context,
//                                       const Request& request) override {
//       auto pod = manager->GetClient().Get<corev1::Pod>(request, context.call());
//       if (!pod) return IgnoreNotFound(pod.error());
//       ...
//       return ReconcileResult{.requeue_after = std::chrono::minutes(10)};
//     }
//   };
//
// A controller (controller.h) calls it. Counterpart: controller-runtime's package reconcile.

#ifndef KINFORMER_RECONCILER_H_
#define KINFORMER_RECONCILER_H_

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/env.h"
#include "kinformer/error.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/log.h"
#include "kinformer/object_name.h"
#include "kinformer/request_options.h"
#include "kinformer/result.h"

namespace kinformer {

// Which object to look at. Counterpart: reconcile.Request.
using Request = ObjectName;

// What a reconcile that did not fail asks for. By default nothing: the request comes again when
// something changes. Counterpart: reconcile.Result.
struct ReconcileResult {
  // Come again after this time; 0: no such wish. The failures of the past are forgotten.
  internal::TimeSpan requeue_after{};
  // Come again as after an error: later and later. requeue_after wins.
  bool requeue{false};
  // The priority with which it comes again; empty: the one that it came with.
  std::optional<int> priority{};
  // It failed, and to try again would not help: counted and logged as an error, and the request
  // comes again only when something changes. See TerminalError.
  std::optional<Error> terminal_error{};
};

namespace internal {
// So that `return {};` means that all is well, as `return ctrl.Result{}, nil` does.
template <>
inline constexpr bool kEmptyIsValue<ReconcileResult> = true;
}  // namespace internal

// What to return for an error that trying again does not cure, such as a spec that makes no sense.
// Counterpart: reconcile.TerminalError.
[[nodiscard]] inline ReconcileResult TerminalError(Error error) {
  return {.terminal_error = std::move(error)};
}

// What to return after a read that failed: nothing to do where the object is absent, else the
// error. Counterpart: client.IgnoreNotFound.
[[nodiscard]] inline Result<ReconcileResult> IgnoreNotFound(const Error& error) {
  if (IsAbsent(error)) return ReconcileResult{};
  return error;
}

// Explains, of a Result in the place of its error.
template <class T>
Result<ReconcileResult> IgnoreNotFound(const Result<T>& read) {
  static_assert(sizeof(read) == 0,
                "IgnoreNotFound takes the error, once it is clear that there is one: "
                "if (!pod) return IgnoreNotFound(pod.error());");
  return ReconcileResult{};
}

// What a reconcile is told beside the request. Lives as long as the call. Thread-safe.
// Counterpart: the context.Context of a Reconcile, with its logger.
class ReconcileContext {
 public:
  // For tests; a controller makes its own.
  ReconcileContext(Env& env, std::stop_token stop, std::optional<SteadyTime> deadline = {},
                   std::string controller = {}, std::string key = {}, std::string reconcile_id = {},
                   int priority = 0)
      : env_(env),
        stop_(std::move(stop)),
        deadline_(deadline),
        controller_(std::move(controller)),
        key_(std::move(key)),
        reconcile_id_(std::move(reconcile_id)),
        priority_(priority) {}

  [[nodiscard]] Env& env() const { return env_; }
  // The controller ends, leadership is lost, or this reconcile has taken longer than it may: return
  // soon. What is not done by then comes again.
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }
  // When the time of this reconcile is over. Empty: it has as long as it takes.
  [[nodiscard]] std::optional<SteadyTime> deadline() const { return deadline_; }
  // For requests to the server: they end with this reconcile. Where its time is over already, at
  // once.
  [[nodiscard]] CallOptions call() const;
  [[nodiscard]] const std::string& controller() const { return controller_; }
  // Another one for each reconcile; in every log line about it. Counterpart:
  // ReconcileIDFromContext.
  [[nodiscard]] const std::string& reconcile_id() const { return reconcile_id_; }
  // With which the request came.
  [[nodiscard]] int priority() const { return priority_; }

  // A log line with the controller, the request and the reconcile's id beside up to four fields of
  // the caller's.
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields = {}) const;

 private:
  Env& env_;
  const std::stop_token stop_;
  const std::optional<SteadyTime> deadline_;
  const std::string controller_;
  const std::string key_;
  const std::string reconcile_id_;
  const int priority_;
};

// Called from as many threads at once as the controller has workers, never twice at a time for one
// request. May block. An error is logged, and the request comes again, later and later; so does
// what is thrown. `R`: see TypedController. Counterpart: reconcile.TypedReconciler.
template <class R>
class TypedReconciler {
 public:
  virtual ~TypedReconciler() = default;
  virtual Result<ReconcileResult> Reconcile(const ReconcileContext& context, const R& request) = 0;
};
// Of the usual requests.
using Reconciler = TypedReconciler<Request>;

// A function as a Reconciler. Counterpart: reconcile.Func.
template <class R, class F>
  requires std::invocable<F&, const ReconcileContext&, const R&>
[[nodiscard]] std::shared_ptr<TypedReconciler<R>> ReconcilerOf(F function) {
  class Function final : public TypedReconciler<R> {
   public:
    explicit Function(F f) : function_(std::move(f)) {}
    Result<ReconcileResult> Reconcile(const ReconcileContext& context, const R& request) override {
      return function_(context, request);
    }

   private:
    F function_;
  };
  return std::make_shared<Function>(std::move(function));
}

}  // namespace kinformer

#endif  // KINFORMER_RECONCILER_H_

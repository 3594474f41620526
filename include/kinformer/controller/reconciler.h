// kinformer/controller/reconciler.h
//
// Reconciler: brings the cluster's state in line with one object. It gets the object's name, not
// the event: it reads the object, compares actual and desired state, and changes the differences.
// So it can be called any number of times, and one call handles many changes.
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

#ifndef KINFORMER_CONTROLLER_RECONCILER_H_
#define KINFORMER_CONTROLLER_RECONCILER_H_

#include <concepts>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/log.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/base/tracing.h"
#include "kinformer/client/request_options.h"
#include "kinformer/controller/causes.h"
#include "kinformer/object/object_name.h"

namespace kinformer {

namespace internal {
class CauseNote;  // internal/cause_note.h
namespace reconcile {
class NotedReconcile;  // controller/reconcile/noted_reconcile.h
}  // namespace reconcile
}  // namespace internal

// Name of the object to reconcile. Counterpart: reconcile.Request.
using Request = ObjectName;

// Result of a successful reconcile. By default the request returns only when something changes.
// Counterpart: reconcile.Result.
struct ReconcileResult {
  // Repeats the request after this time; 0: does not. Resets the count of failures.
  TimeSpan requeue_after{};
  // Repeats the request as after an error, with growing delays. requeue_after wins.
  bool requeue{false};
  // Priority of the repeated request; empty: the same as before.
  std::optional<int> priority{};
  // An error that a retry does not cure: it is counted and logged as an error, and the request
  // returns only when something changes. See TerminalError.
  std::optional<Error> terminal_error{};
};

namespace internal {
// Lets `return {};` mean success, as `return ctrl.Result{}, nil` does.
template <>
inline constexpr bool kEmptyIsValue<ReconcileResult> = true;
}  // namespace internal

// Returns the result for an error that a retry does not cure, such as an invalid spec. Counterpart:
// reconcile.TerminalError.
[[nodiscard]] inline ReconcileResult TerminalError(Error error) {
  return {.terminal_error = std::move(error)};
}

// Returns the result after a failed read: success if the object is absent, else the error.
// Counterpart: client.IgnoreNotFound.
[[nodiscard]] inline Result<ReconcileResult> IgnoreNotFound(const Error& error) {
  if (IsAbsent(error)) return ReconcileResult{};
  return error;
}

// Explains a Result in the place of its error.
template <class T>
Result<ReconcileResult> IgnoreNotFound(const Result<T>& read) {
  static_assert(sizeof(read) == 0,
                "IgnoreNotFound takes the error, once it is clear that there is one: "
                "if (!pod) return IgnoreNotFound(pod.error());");
  return ReconcileResult{};
}

// Context of one reconcile. Lives as long as the call. Thread-safe. Counterpart: the
// context.Context of a Reconcile, with its logger.
class ReconcileContext {
 public:
  // Creates a context, for tests; a controller makes its own.
  ReconcileContext(Env& env, std::stop_token stop, std::optional<SteadyTime> deadline = {},
                   std::string controller = {}, std::string key = {}, std::string reconcile_id = {},
                   int priority = 0, int attempts = 0, std::optional<Error> last_error = {},
                   const internal::CauseNote* causes = nullptr)
      : env_(env),
        stop_(std::move(stop)),
        deadline_(deadline),
        controller_(std::move(controller)),
        key_(std::move(key)),
        reconcile_id_(std::move(reconcile_id)),
        priority_(priority),
        attempts_(attempts),
        last_error_(std::move(last_error)),
        causes_(causes) {}

  [[nodiscard]] Env& env() const { return env_; }
  // Requests the reconcile to return soon: the controller stops, leadership is lost, or the time is
  // over. A request that is not finished is repeated.
  [[nodiscard]] const std::stop_token& stop() const { return stop_; }
  // Returns the time limit of this reconcile. Empty: none.
  [[nodiscard]] std::optional<SteadyTime> deadline() const { return deadline_; }
  // Returns options for requests to the server, which end with this reconcile; at once, if its time
  // is over.
  [[nodiscard]] CallOptions call() const;
  [[nodiscard]] const std::string& controller() const { return controller_; }
  // Returns the request as text.
  [[nodiscard]] const std::string& key() const { return key_; }
  // Returns an id that differs for each reconcile and is in all its log lines. Counterpart:
  // ReconcileIDFromContext.
  [[nodiscard]] const std::string& reconcile_id() const { return reconcile_id_; }
  // Returns the request's priority.
  [[nodiscard]] int priority() const { return priority_; }

  // Returns how often the request has been tried in vain since its last success: 0 at the first
  // attempt. It counts errors, exceptions and ReconcileResult::requeue.
  [[nodiscard]] int attempts() const { return attempts_; }
  // Returns the error of the attempt before, if that failed. Empty at the first attempt, and after
  // ReconcileResult::requeue.
  [[nodiscard]] const std::optional<Error>& last_error() const { return last_error_; }

  // Returns what has woken the request: see causes.h. Compares the versions of changed objects, so
  // each call may take tens of microseconds for each cause.
  [[nodiscard]] Causes causes() const;
  // Returns the span of this reconcile, for attributes, events and links; empty without a Tracer.
  // Requests with call(), and all those of its thread, are its children; in the scope of a Span of
  // the reconciler's own (SpanScope), they are that one's. A context takes the span that its thread
  // has when it is made.
  [[nodiscard]] const Span& span() const;

  // Logs a line with the controller, the request and the reconcile's id, and up to four fields of
  // the caller.
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields = {}) const;

 private:
  friend class internal::reconcile::NotedReconcile;

  Env& env_;
  const std::stop_token stop_;
  const std::optional<SteadyTime> deadline_;
  const std::string controller_;
  std::string key_;  // not const: the history takes both texts at the end
  std::string reconcile_id_;
  const int priority_;
  const int attempts_;
  const std::optional<Error> last_error_;
  const internal::CauseNote* const causes_;  // null: none
  const Span* const span_ = SpanScope::Current();
};

// Called from as many threads at once as the controller has workers, but never at the same time for
// one request. May block. Errors and exceptions are logged, and the request is retried with growing
// delays. `R`: see TypedController. Counterpart: reconcile.TypedReconciler.
template <class R>
class TypedReconciler {
 public:
  virtual ~TypedReconciler() = default;
  virtual Result<ReconcileResult> Reconcile(const ReconcileContext& context, const R& request) = 0;
};
// A reconciler of requests that name an object.
using Reconciler = TypedReconciler<Request>;

// Makes a Reconciler of a function. Counterpart: reconcile.Func.
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

#endif  // KINFORMER_CONTROLLER_RECONCILER_H_

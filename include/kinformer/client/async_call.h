// kinformer/client/async_call.h
//
// AsyncCall<T>: a request that has not been sent yet, in the forms for which no thread waits.
//
//   Result<Ref<corev1::Pod>> pod = co_await pods.Get("web-0").WithTimeout(5s);  // in a Task
//   pods.Get("web-0").Start([](Result<Ref<corev1::Pod>> pod) { ... });          // on the loop
//   Spawn(env, pods.Get("web-0").AsTask());

#ifndef KINFORMER_CLIENT_ASYNC_CALL_H_
#define KINFORMER_CLIENT_ASYNC_CALL_H_

#include <coroutine>
#include <functional>
#include <optional>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/base/time_span.h"
#include "kinformer/base/tracing.h"
#include "kinformer/client/request_options.h"
#include "kinformer/object/ref.h"

namespace kinformer {

namespace internal {

// The untyped form of an answer, and the way to its typed form.
template <class T>
struct AnswerForm {
  using Raw = T;
};
template <class T>
struct AnswerForm<Ref<T>> {
  using Raw = ObjectRef;
  static Ref<T> Typed(ObjectRef object) { return Ref<T>(std::move(object)); }
};

}  // namespace internal

// Its result is a Result<T>. Sent when this is awaited or started, which may happen once; never, if
// it is destroyed before. Keeps what it needs, so it may outlive the client that made it; for a
// call that has no end of its own that means: stop it (WithStop) before its Env ends. Movable.
// Thread-compatible.
template <class T>
class [[nodiscard]] AsyncCall {
  using Form = internal::AnswerForm<T>;
  using Raw = typename Form::Raw;

 public:
  using value_type = Result<T>;
  using Make = std::function<Task<Result<Raw>>(CallOptions call)>;

  AsyncCall(Env& env, Make make) : env_(&env), make_(std::move(make)) {}

  // A stop request ends the call with kCanceled, wherever it is.
  AsyncCall WithStop(std::stop_token stop) && {
    options_.stop = std::move(stop);
    return std::move(*this);
  }
  // Time after which it ends with kDeadlineExceeded: retries, pauses and the wait for the rate
  // limiter included. 0: no limit but the server's.
  AsyncCall WithTimeout(TimeSpan timeout) && {
    options_.timeout = timeout;
    return std::move(*this);
  }
  // W3C trace context of the caller's span: CallOptions::traceparent.
  AsyncCall WithTrace(std::string traceparent, std::string tracestate = {}) && {
    options_.traceparent = std::move(traceparent);
    options_.tracestate = std::move(tracestate);
    return std::move(*this);
  }

  // Sends the request, and calls `done` with its result on env().loop(), where it must not block.
  // Exceptions of `done` are logged and counted. Not called if the loop ends before.
  void Start(std::function<void(Result<T>)> done) && {
    Spawn<Result<Raw>>(*env_, env_->loop(), Made(),
                       [done = std::move(done)](Result<Raw> raw) { done(Typed(std::move(raw))); });
  }
  // Returns the request as a task, for Spawn, BlockOn and collections of tasks.
  [[nodiscard]] Task<Result<T>> AsTask() && { return Await(Made()); }
  [[nodiscard]] Env& env() const { return *env_; }

  // ---- For co_await.
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) {
    task_.emplace(Made());
    task_->await_suspend(caller);
  }
  Result<T> await_resume() const { return Typed(task_->await_resume()); }

 private:
  // Makes the task, and lets go of what only that needs.
  Task<Result<Raw>> Made() {
    const Make make = std::exchange(make_, nullptr);
    // The task may begin on another thread.
    if (options_.traceparent.empty() && options_.tracestate.empty()) {
      options_.traceparent = SpanScope::Traceparent();
    }
    return make(std::move(options_));
  }
  static Result<T> Typed(Result<Raw> raw) {
    if constexpr (std::is_same_v<Raw, T>) {
      return raw;
    } else {
      if (!raw) return std::move(raw).error();
      return Form::Typed(*std::move(raw));
    }
  }
  static Task<Result<T>> Await(Task<Result<Raw>> task) {
    Result<Raw> raw = co_await task;
    co_return Typed(std::move(raw));
  }

  Env* env_;
  Make make_;
  CallOptions options_{};
  std::optional<Task<Result<Raw>>> task_{};
};

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_ASYNC_CALL_H_

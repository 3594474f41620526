// apiserver/request/async.h
//
// Async: a function of the server that waits for something, written from top to bottom as a
// coroutine.
//
//   Async<ResponsePtr> Show(ResourceRequest request) {
//     Result<StoredObjectPtr> shown = co_await converter_.Convert(request.at, stored);
//     if (!shown) co_return ErrorResponse(shown.error(), request.accept);
//     std::string text = co_await off_loop_.Do(bytes, [&] { return Encode(**shown); });
//     co_return WholeResponse(200, kJson, std::move(text));
//   }
//   ...
//   return Respond(env, Show(std::move(request)));
//
// Guarantees:
//  * Coroutines are created, run and destroyed on the loop. Only a function that is passed to
//    OffLoop::Do runs on another thread, and the coroutine continues on the loop after it.
//  * Whoever has started a coroutine owns it. Destroying what Start or Respond returned ends it at
//    the next co_await: it does not continue, and its variables are destroyed. If a function of
//    OffLoop::Do is still using them, they are destroyed after it.
//  * Nothing continues once the server is gone.
//  * An exception reaches whoever awaits the coroutine, and in the end becomes an error response.
//    None leaves Start or Respond.
//
// REQUIRES: in an expression with co_await, closures capture by reference, and aggregates are
// variables (`T value{...}` in a statement before it). g++ 12 destroys such temporaries twice.

#ifndef KINFORMER_APISERVER_REQUEST_ASYNC_H_
#define KINFORMER_APISERVER_REQUEST_ASYNC_H_

#include <atomic>
#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// A coroutine that was started, together with those that it awaits; at most one of them runs or
// waits, and the others await it. Owned by whoever started it, and by work on another thread that
// uses its variables. Loop-confined, except wanted().
class Flow : public std::enable_shared_from_this<Flow> {
 public:
  Flow() = default;
  Flow(const Flow&) = delete;
  Flow& operator=(const Flow&) = delete;
  virtual ~Flow() = default;

  // Returns whether someone still waits for the result. Thread-safe.
  [[nodiscard]] bool wanted() const { return wanted_.load(std::memory_order_acquire); }

  // ---- For awaitables.
  // Continues `at`, which has been waiting, until the flow waits again or ends. Does nothing if the
  // result is not wanted. The caller may be destroyed meanwhile.
  void Resume(std::coroutine_handle<> at);
  // Returns a function that calls Resume, unless the flow was destroyed before.
  [[nodiscard]] std::function<void()> Resumption(std::coroutine_handle<> at);
  // Continues `at` as soon as the coroutine that runs now is suspended.
  void Next(std::coroutine_handle<> at) { next_ = at; }

 protected:
  void Leave() { wanted_.store(false, std::memory_order_release); }

 private:
  // Delivers the result, if there is one already.
  virtual void Deliver() = 0;

  std::atomic<bool> wanted_{true};
  std::coroutine_handle<> next_{};
};

namespace async {

// State that all coroutines have. Each starts when it is awaited, and continues its caller at its
// end.
class PromiseBase {
 public:
  [[nodiscard]] Flow* flow() const { return flow_; }
  void Join(Flow* flow, std::coroutine_handle<> caller) {
    flow_ = flow;
    caller_ = caller;
  }
  void RethrowIfThrown() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

  // ---- Called by the compiler.
  struct ToCaller {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class Promise>
    void await_suspend(std::coroutine_handle<Promise> ended) const noexcept {
      const PromiseBase& promise = ended.promise();
      if (promise.caller_) promise.flow_->Next(promise.caller_);
    }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] ToCaller final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { thrown_ = std::current_exception(); }

 private:
  Flow* flow_ = nullptr;
  std::coroutine_handle<> caller_{};
  std::exception_ptr thrown_{};
};

template <class T>
class Promise : public PromiseBase {
 public:
  std::coroutine_handle<Promise> get_return_object() {
    return std::coroutine_handle<Promise>::from_promise(*this);
  }
  template <class U = T>
    requires std::is_convertible_v<U&&, T>
  void return_value(U&& value) {
    value_.emplace(std::forward<U>(value));
  }
  T Take() {
    RethrowIfThrown();
    return *std::move(value_);
  }

 private:
  std::optional<T> value_{};
};

template <>
class Promise<void> : public PromiseBase {
 public:
  std::coroutine_handle<Promise> get_return_object() {
    return std::coroutine_handle<Promise>::from_promise(*this);
  }
  void return_void() const noexcept {}
  void Take() const { RethrowIfThrown(); }
};

}  // namespace async

// A coroutine that returns a T. It begins when it is awaited, which may happen once, or when it is
// passed to Start or Respond.
template <class T>
class [[nodiscard]] Async {
 public:
  using promise_type = async::Promise<T>;

  Async(std::coroutine_handle<promise_type> handle)  // NOLINT(google-explicit-constructor)
      : handle_(handle) {}
  Async(Async&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Async& operator=(Async&&) = delete;
  ~Async() {
    if (handle_) handle_.destroy();
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> caller) const {
    handle_.promise().Join(caller.promise().flow(), caller);
    caller.promise().flow()->Next(handle_);
  }
  T await_resume() const { return handle_.promise().Take(); }

  // ---- For Start.
  void Begin(Flow& flow) const {
    handle_.promise().Join(&flow, nullptr);
    flow.Resume(handle_);
  }
  [[nodiscard]] bool done() const { return handle_.done(); }

 private:
  std::coroutine_handle<promise_type> handle_;
};

namespace async {

// Logs the exception that is being handled, and returns it as an error for the client. Ends the
// process if there is no memory.
Error ErrorOfThrown(Env& env);

template <class T>
T FailedWith(const Error& error) {
  if constexpr (std::is_same_v<T, ResponsePtr>) {
    return ErrorResponse(error, {});
  } else {
    return T(error);
  }
}

template <class T>
class Started final : public Flow {
 public:
  Started(Env& env, Async<T> task, std::function<void(T)> done)
      : env_(env), task_(std::move(task)), done_(std::move(done)) {}

  void Begin() { task_->Begin(*this); }
  // Ends the flow when the owner is destroyed.
  struct Owner {
    explicit Owner(std::shared_ptr<Started> f) : flow(std::move(f)) {}
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() { flow->Leave(); }
    const std::shared_ptr<Started> flow;
  };

 private:
  void Deliver() override {
    if (!task_ || !task_->done()) return;
    T result = Take();
    task_.reset();  // the owner may stay for long
    const std::function<void(T)> done = std::move(done_);
    done(std::move(result));
  }
  T Take() {
    try {
      return task_->await_resume();
    } catch (...) {
      return FailedWith<T>(ErrorOfThrown(env_));
    }
  }

  Env& env_;
  std::optional<Async<T>> task_;  // empty: it has ended
  std::function<void(T)> done_;
};

}  // namespace async

// Owns a coroutine that was started; destroying it ends the coroutine, and cancels the callback.
using AsyncTicket = std::shared_ptr<void>;

// Runs `task`, and calls `done` with its result, on the loop; before returning if it does not wait
// for anything. `done` may destroy the ticket.
template <class T>
[[nodiscard]] AsyncTicket Start(Env& env, Async<T> task, std::function<void(T result)> done) {
  auto flow = std::make_shared<async::Started<T>>(env, std::move(task), std::move(done));
  auto owner = std::make_shared<typename async::Started<T>::Owner>(flow);
  flow->Begin();
  return owner;
}

// Runs `task`, and responds with its result: at once if it does not wait for anything, and not at
// all if the response is destroyed before.
ResponsePtr Respond(Env& env, Async<ResponsePtr> task);

// Awaits a later turn of the loop (ServerState::Post).
class NextTurn {
 public:
  explicit NextTurn(ServerState& state) : state_(state) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> at) const {
    state_.Post(at.promise().flow()->Resumption(at));
  }
  void await_resume() const noexcept {}

 private:
  ServerState& state_;
};

// Awaits an operation that passes its result to a callback on the loop, and that is cancelled by
// destroying the ticket that it returns.
template <class T>
class Called {
 public:
  using Done = std::function<void(T result)>;
  using Operation = std::function<std::shared_ptr<void>(Done done)>;

  explicit Called(Operation operation) : operation_(std::move(operation)) {}
  Called(const Called&) = delete;
  Called& operator=(const Called&) = delete;

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> at) {
    Flow* const flow = at.promise().flow();
    beginning_ = true;
    ticket_ = operation_([this, at, weak = flow->weak_from_this()](T result) {
      const std::shared_ptr<Flow> waiting = weak.lock();
      if (waiting == nullptr) return;
      result_.emplace(std::move(result));
      if (!beginning_) waiting->Resume(at);
    });
    beginning_ = false;
    if (result_) flow->Next(at);
  }
  T await_resume() { return *std::move(result_); }

 private:
  Operation operation_;
  std::shared_ptr<void> ticket_{};
  bool beginning_ = false;
  std::optional<T> result_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_ASYNC_H_

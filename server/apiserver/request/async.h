// apiserver/request/async.h
//
// Tasks of the server (kinformer/base/task.h): functions that wait for something, written from top
// to bottom as coroutines.
//
//   Task<ResponsePtr> Show(ResourceRequest request) {
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

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/task.h"

#include "apiserver/registry/server_state.h"
#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

using internal::Flow;

// Returns a function that continues the flow, unless it was destroyed before.
[[nodiscard]] inline std::function<void()> Resumption(Flow& flow, std::coroutine_handle<> at) {
  return [weak = flow.weak_from_this(), at] {
    if (const std::shared_ptr<Flow> waiting = weak.lock()) waiting->Continue(at);
  };
}

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
  Started(Env& env, Task<T> task, std::function<void(T)> done)
      : env_(env), task_(std::move(task)), done_(std::move(done)) {}

  void Begin() { Continue(internal::TaskAccess::Join(*task_, *this)); }
  // Coroutines run on the loop, and so does all that continues them.
  void Continue(std::coroutine_handle<> at) override { Resume(at); }
  // Ends the flow when the owner is destroyed.
  struct Owner {
    explicit Owner(std::shared_ptr<Started> f) : flow(std::move(f)) {}
    Owner(const Owner&) = delete;
    Owner& operator=(const Owner&) = delete;
    ~Owner() { flow->Leave(); }
    const std::shared_ptr<Started> flow;
  };

 private:
  [[nodiscard]] bool Ended() const override { return task_ && internal::TaskAccess::Done(*task_); }
  void Deliver() override {
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
  std::optional<Task<T>> task_;  // empty: it has ended
  std::function<void(T)> done_;
};

}  // namespace async

// Owns a coroutine that was started; destroying it ends the coroutine, and cancels the callback.
using AsyncTicket = std::shared_ptr<void>;

// Runs `task`, and calls `done` with its result, on the loop; before returning if it does not wait
// for anything. `done` may destroy the ticket.
template <class T>
[[nodiscard]] AsyncTicket Start(Env& env, Task<T> task, std::function<void(T result)> done) {
  auto flow = std::make_shared<async::Started<T>>(env, std::move(task), std::move(done));
  auto owner = std::make_shared<typename async::Started<T>::Owner>(flow);
  flow->Begin();
  return owner;
}

// Runs `task`, and responds with its result: at once if it does not wait for anything, and not at
// all if the response is destroyed before.
ResponsePtr Respond(Env& env, Task<ResponsePtr> task);

// Awaits a later turn of the loop (ServerState::Post).
class NextTurn {
 public:
  explicit NextTurn(ServerState& state) : state_(state) {}

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  void await_suspend(std::coroutine_handle<Promise> at) const {
    state_.Post(Resumption(*at.promise().flow(), at));
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
      if (!beginning_) waiting->Continue(at);
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

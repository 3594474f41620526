// kinformer/base/asio.h
//
// ForAsio: lets programs of boost::asio await kinformer's calls, on their own executor and with any
// completion token:
//
//   boost::asio::awaitable<void> Show(AsyncResourceClient<corev1::Pod> pods) {
//     auto pod = co_await ForAsio(pods.Get("web-0"), boost::asio::use_awaitable);
//     if (pod) std::cout << pod->status().phase() << '\n';
//   }
//
// The only header of kinformer that includes boost::asio's; a program that includes it links
// nothing more.

#ifndef KINFORMER_BASE_ASIO_H_
#define KINFORMER_BASE_ASIO_H_

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>

#include "kinformer/base/env.h"
#include "kinformer/base/task.h"

namespace kinformer {

namespace internal {

// Keeps a handler, and the work of its executor, until the result is there.
template <class T, class Handler>
class AsioCompletion {
 public:
  explicit AsioCompletion(Handler handler)
      : handler_(std::move(handler)), work_(boost::asio::get_associated_executor(handler_)) {}
  // Calls the handler on its executor.
  static void Complete(const std::shared_ptr<AsioCompletion>& self, T result) {
    boost::asio::post(self->work_.get_executor(), [self, result = std::move(result)]() mutable {
      Handler handler = std::move(self->handler_);
      self->work_.reset();
      std::move(handler)(std::move(result));
    });
  }

 private:
  Handler handler_;
  boost::asio::executor_work_guard<boost::asio::associated_executor_t<Handler>> work_;
};

}  // namespace internal

// Starts `task` on env.loop(), where it must not block, and completes `token` with its result, a
// Result<T>, on the executor of the token's handler. The task runs to its end even if the handler's
// executor has ended. `env` must outlive it. Thread-safe; never blocks. Counterpart: none.
template <class T, class Token>
auto ForAsio(Env& env, Task<T> task, Token&& token) {
  return boost::asio::async_initiate<Token, void(T)>(
      [&env](auto&& handler, Task<T> started) {
        using Completion = internal::AsioCompletion<T, std::decay_t<decltype(handler)>>;
        const auto completion =
            std::make_shared<Completion>(std::forward<decltype(handler)>(handler));
        Spawn<T>(env, env.loop(), std::move(started),
                 [completion](T result) { Completion::Complete(completion, std::move(result)); });
      },
      token, std::move(task));
}

// Does the same for a call, such as AsyncResourceClient::Get makes.
template <class Call, class Token>
  requires requires(Call call) {
    { call.env() } -> std::same_as<Env&>;
    std::move(call).AsTask();
  }
auto ForAsio(Call call, Token&& token) {
  Env& env = call.env();
  return ForAsio(env, std::move(call).AsTask(), std::forward<Token>(token));
}

}  // namespace kinformer

#endif  // KINFORMER_BASE_ASIO_H_

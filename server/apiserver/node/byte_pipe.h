// apiserver/node/byte_pipe.h
//
// BytePipe, Terminal: what a kubelet's task and the connection of its client share.

#ifndef KINFORMER_APISERVER_NODE_BYTE_PIPE_H_
#define KINFORMER_APISERVER_NODE_BYTE_PIPE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/apiserver/kubelet.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"

#include "base/core/mutex.h"
#include "base/loop/signal.h"

namespace kinformer::apiserver {

// A queue of bytes. One side is a task, which waits; the other is the loop, which `on_news` tells
// that it has something to do. Thread-safe.
class BytePipe {
 public:
  // `on_news` is called from any thread, without a lock. Null: a stream that nobody wants, whose
  // bytes are dropped, and which has none.
  explicit BytePipe(std::function<void()> on_news) : on_news_(std::move(on_news)) {}

  // ---- The task's side.
  static Task<Result<std::string>> Read(std::shared_ptr<BytePipe> self);
  static Task<Result<void>> Write(std::shared_ptr<BytePipe> self, std::string bytes);

  // ---- The loop's side.
  void Add(std::string_view bytes);
  // Ends writing. What is there may still be read.
  void Close();
  [[nodiscard]] std::string Take(std::size_t most);
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool full() const;

  // Ends everything: waits of the task end with kStopped.
  void End();

 private:
  [[nodiscard]] Result<void> Check() const KINFORMER_REQUIRES(mutex_);
  std::optional<Result<std::string>> TryRead();
  std::optional<Result<void>> TryWrite(std::string& bytes);
  void TellLoop() const {
    if (on_news_) on_news_();
  }

  static constexpr std::size_t kMostWaiting = std::size_t{256} << 10;

  const std::function<void()> on_news_;
  internal::base::Signal signal_;
  mutable internal::base::Mutex mutex_;
  std::string bytes_ KINFORMER_GUARDED_BY(mutex_);
  bool closed_ KINFORMER_GUARDED_BY(mutex_) = false;
  bool over_ KINFORMER_GUARDED_BY(mutex_) = false;
};

// The size of a client's terminal. Thread-safe.
class Terminal {
 public:
  static Task<Result<WindowSize>> Next(std::shared_ptr<Terminal> self);
  void Set(WindowSize size);
  void End();

 private:
  std::optional<Result<WindowSize>> TryNext();

  internal::base::Signal signal_;
  internal::base::Mutex mutex_;
  std::optional<WindowSize> size_ KINFORMER_GUARDED_BY(mutex_);  // not returned yet
  bool over_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_NODE_BYTE_PIPE_H_

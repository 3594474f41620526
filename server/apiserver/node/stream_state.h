// apiserver/node/stream_state.h
//
// StreamState: what a response about a running pod shares with the tasks of the kubelet.

#ifndef KINFORMER_APISERVER_NODE_STREAM_STATE_H_
#define KINFORMER_APISERVER_NODE_STREAM_STATE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"

#include "apiserver/node/byte_pipe.h"
#include "base/core/mutex.h"

namespace kinformer::apiserver {

// Wakes the reader of the response, and keeps the results of the tasks. News() and SetResult() are
// thread-safe; all else is confined to the loop.
class StreamState : public std::enable_shared_from_this<StreamState> {
 public:
  // `tasks`: their number.
  StreamState(Env& env, std::size_t tasks) : env_(env), results_(tasks) {}

  // Makes a pipe that wakes the reader; not `wanted`: one that drops everything.
  [[nodiscard]] std::shared_ptr<BytePipe> NewPipe(bool wanted);
  [[nodiscard]] std::shared_ptr<Terminal> NewTerminal();
  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }

  void SetWake(std::function<void()> wake) { wake_ = std::move(wake); }
  // Returns kWait, after which the next news wake the reader.
  void Arm() { armed_ = true; }
  // Wakes the reader in a turn of its own.
  void News();

  void SetResult(std::size_t task, Result<int> result);
  // Returns nullopt while the task runs.
  [[nodiscard]] std::optional<Result<int>> ResultOf(std::size_t task) const;

  // The client is gone: ends all pipes, and requests the tasks to stop.
  void End();

 private:
  void Wake();

  Env& env_;
  std::function<void()> wake_{};
  bool armed_ = true;
  std::vector<std::shared_ptr<BytePipe>> pipes_{};
  std::shared_ptr<Terminal> terminal_{};
  std::stop_source stop_{};
  mutable internal::base::Mutex mutex_;
  bool posted_ KINFORMER_GUARDED_BY(mutex_) = false;
  std::vector<std::optional<Result<int>>> results_ KINFORMER_GUARDED_BY(mutex_);
};

// Ends the state with the response that owns it.
class StreamOwner {
 public:
  explicit StreamOwner(std::shared_ptr<StreamState> state) : state_(std::move(state)) {}
  StreamOwner(const StreamOwner&) = delete;
  StreamOwner& operator=(const StreamOwner&) = delete;
  ~StreamOwner() { state_->End(); }
  StreamState* operator->() const { return state_.get(); }

 private:
  const std::shared_ptr<StreamState> state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_NODE_STREAM_STATE_H_

// client/body_feed.h
//
// BodySource: the BodyStream of a RestRequest and its copies. BodyFeed: reads it for one request,
// and writes it to the pipes of the attempts.

#ifndef KINFORMER_CLIENT_BODY_FEED_H_
#define KINFORMER_CLIENT_BODY_FEED_H_

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/body_pipe.h"
#include "kinformer/client/body_stream.h"

#include "base/core/mutex.h"

namespace kinformer::internal {

struct BodySource {
  explicit BodySource(BodyStream given) : stream(std::move(given)) {}
  const BodyStream stream;
  std::atomic<bool> begun{false};  // of a stream that can be read once
};

namespace client {

// Open belongs to the loop, Pump to the task that sends the request.
class BodyFeed : public std::enable_shared_from_this<BodyFeed> {
 public:
  // `keeper` owns `env`. `request`: for messages.
  BodyFeed(Env& env, std::shared_ptr<const void> keeper, std::shared_ptr<BodySource> source,
           std::string request);

  // Whether each attempt can have the whole body.
  [[nodiscard]] bool rewinds() const { return static_cast<bool>(source_->stream.open); }
  // Returns the pipe of a new attempt, and forgets the one before.
  [[nodiscard]] std::shared_ptr<BodyPipe> Open();
  // Sets the function that makes the task call Pump, on any thread. Call it before Open.
  void SetWake(std::function<void()> wake) { wake_ = std::move(wake); }
  // Reads while the pipe has room: here, or on the pool if this is a loop's thread.
  void Pump();

 private:
  void Run();
  // Returns the pipe to be filled; null if there is nothing to do for now.
  std::shared_ptr<BodyPipe> Next();
  void ReadInto(BodyPipe& pipe);
  Result<BodyStream::Read> Begin() const;

  Env& env_;
  const std::shared_ptr<const void> keeper_;
  const std::shared_ptr<BodySource> source_;
  const std::string request_;
  std::function<void()> wake_;
  BodyStream::Read read_;  // of whoever runs

  base::Mutex mutex_;
  std::shared_ptr<BodyPipe> pipe_ KINFORMER_GUARDED_BY(mutex_);
  bool fresh_ KINFORMER_GUARDED_BY(mutex_) = false;  // nothing was read for the pipe
  bool runs_ KINFORMER_GUARDED_BY(mutex_) = false;
};

}  // namespace client
}  // namespace kinformer::internal

#endif  // KINFORMER_CLIENT_BODY_FEED_H_

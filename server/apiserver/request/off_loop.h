// apiserver/request/off_loop.h
//
// OffLoop: runs work on requests that would block the loop for too long on another thread, and
// returns the result to the loop.

#ifndef KINFORMER_APISERVER_REQUEST_OFF_LOOP_H_
#define KINFORMER_APISERVER_REQUEST_OFF_LOOP_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "kinformer/base/env.h"

#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Loop-confined. Uses one thread, made on first use, which handles large bodies one by one while
// the loop serves other requests. Destruction waits for the work under way, so objects used by
// `work` must outlive this.
class OffLoop {
 public:
  explicit OffLoop(Env& env) : env_(env) {}
  OffLoop(const OffLoop&) = delete;
  OffLoop& operator=(const OffLoop&) = delete;

  // Returns whether work on that many bytes takes too long for a turn of the loop.
  [[nodiscard]] static bool IsMuch(std::size_t bytes) { return bytes > kMuch; }

  // Owns the work under way; destroying it cancels what has not run.
  using Ticket = std::shared_ptr<void>;
  // Runs `work` on the other thread, then `then` on the loop, unless the ticket was destroyed
  // before. Both are destroyed on the other thread.
  [[nodiscard]] Ticket Start(std::function<void()> work, std::function<void()> then);

  // Runs `work`, and responds with the result of `then`, on the loop: both at once if there is
  // little to do; else `work` on the other thread, unless the response is destroyed before. Both
  // are then destroyed on that thread.
  ResponsePtr Run(std::size_t bytes, std::function<void()> work, std::function<ResponsePtr()> then);

 private:
  // About two milliseconds of work, for the worst content of that size.
  static constexpr std::size_t kMuch = std::size_t{16} << 10;

  Executor& Thread();

  Env& env_;
  std::unique_ptr<Loop> loop_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_OFF_LOOP_H_

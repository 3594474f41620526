// apiserver/request/off_loop.h
//
// OffLoop: work on a request that would hold the loop for too long goes to a thread of its own, and
// what comes of it back to the loop.

#ifndef KINFORMER_APISERVER_REQUEST_OFF_LOOP_H_
#define KINFORMER_APISERVER_REQUEST_OFF_LOOP_H_

#include <cstddef>
#include <functional>
#include <memory>

#include "kinformer/env.h"

#include "apiserver/request/responses.h"

namespace kinformer::apiserver {

// Loop-confined. One thread, made when it is first needed: one large body after the other, while
// the loop serves everybody else. Destruction waits for what is under way on it, so whatever
// `work` refers to must be gone later.
class OffLoop {
 public:
  explicit OffLoop(Env& env) : env_(env) {}
  OffLoop(const OffLoop&) = delete;
  OffLoop& operator=(const OffLoop&) = delete;

  // Whether work on that many bytes is too much for a turn of the loop.
  [[nodiscard]] static bool IsMuch(std::size_t bytes) { return bytes > kMuch; }

  // Work that is under way. What is to come after it is dropped with this.
  using Ticket = std::shared_ptr<void>;
  // Does `work` on the other thread, and then `then` on the loop: neither if nobody has the ticket
  // any more. There they are destroyed, too.
  [[nodiscard]] Ticket Start(std::function<void()> work, std::function<void()> then);

  // Does `work`, and answers with what `then` makes, on the loop: both at once where there is
  // little to do; else `work` on the other thread, and nothing of it if nobody waits for the answer
  // any more. There they are destroyed, too.
  ResponsePtr Run(std::size_t bytes, std::function<void()> work, std::function<ResponsePtr()> then);

 private:
  // Two milliseconds of work or so, by the worst of what can be put into as many bytes.
  static constexpr std::size_t kMuch = std::size_t{16} << 10;

  Executor& Thread();

  Env& env_;
  std::unique_ptr<Loop> loop_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REQUEST_OFF_LOOP_H_

// kinformer/internal/head_judge.h
//
// HeadJudge: a Handler that can refuse a request by its head, so that the body of a refused request
// is never read.

#ifndef KINFORMER_INTERNAL_HEAD_JUDGE_H_
#define KINFORMER_INTERNAL_HEAD_JUDGE_H_

#include <memory>

#include "kinformer/client/transport.h"

namespace kinformer::internal::transport {

// Additional interface of some handlers of the library. Loop-confined; does not block.
class HeadJudge {
 public:
  // Status that means "not refused": the body may come.
  static constexpr int kContinue = 100;

  virtual ~HeadJudge() = default;
  // Called at the end of a head that a body follows. Null: the body may come, and Handle gets the
  // whole request. Otherwise the answer that refuses the request; it may become ready later, and
  // its status may then be kContinue.
  [[nodiscard]] virtual std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) = 0;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_INTERNAL_HEAD_JUDGE_H_

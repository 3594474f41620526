// transport/head_judge.h
//
// HeadJudge: a Handler that can tell by a request's head whom it lets in, so that nobody's body is
// read whom it would not.

#ifndef KINFORMER_TRANSPORT_HEAD_JUDGE_H_
#define KINFORMER_TRANSPORT_HEAD_JUDGE_H_

#include <memory>

#include "kinformer/transport.h"

namespace kinformer::internal::transport {

// Beside Handler, by a handler of ours. Loop-confined; never blocks.
class HeadJudge {
 public:
  // The status of an answer that is none: the body may come.
  static constexpr int kContinue = 100;

  virtual ~HeadJudge() = default;
  // Asked at the end of a head that a body follows. Null: the body may come, and Handle gets the
  // whole request. Else the answer that refuses the request; it may come later, and may then be
  // kContinue.
  [[nodiscard]] virtual std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) = 0;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_HEAD_JUDGE_H_

// client/patience.h
//
// Patience: how long the caller of something that asks several times will wait in all.

#ifndef KINFORMER_CLIENT_PATIENCE_H_
#define KINFORMER_CLIENT_PATIENCE_H_

#include <string>
#include <utility>

#include "kinformer/env.h"
#include "kinformer/request_options.h"
#include "kinformer/result.h"

#include "base/core/deadline.h"

namespace kinformer::internal::client {

// Counts from its making on. `what` is what errors call the whole: "the list".
class Patience {
 public:
  Patience(Env& env, const CallOptions& call, std::string what)
      : env_(env),
        call_(call),
        what_(std::move(what)),
        end_(base::After(env.Now(), call.timeout)) {}

  // What is left for the next question; or an error, where none may be asked any more.
  [[nodiscard]] Result<CallOptions> Left() const {
    if (call_.stop.stop_requested()) {
      return Error(Reason::kCanceled, "the caller has stopped " + what_);
    }
    CallOptions left = call_;
    if (call_.timeout > Duration(0)) {
      left.timeout = end_ - env_.Now();
      if (left.timeout <= Duration(0)) {
        return Error(Reason::kDeadlineExceeded, what_ + " took longer than the caller allows");
      }
    }
    return left;
  }

 private:
  Env& env_;
  const CallOptions call_;
  const std::string what_;
  const SteadyTime end_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_PATIENCE_H_

// client/patience.h
//
// Patience: the total time that a caller allows for an operation of several requests.

#ifndef KINFORMER_CLIENT_PATIENCE_H_
#define KINFORMER_CLIENT_PATIENCE_H_

#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/request_options.h"

#include "base/core/deadline.h"

namespace kinformer::internal::client {

// Time counts from construction. `what` names the operation in errors: "the list".
class Patience {
 public:
  Patience(Env& env, const CallOptions& call, std::string what)
      : env_(env),
        call_(call),
        what_(std::move(what)),
        end_(base::After(env.Now(), call.timeout)) {}

  // Returns the options for the next request with the time left, or an error if there is none.
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

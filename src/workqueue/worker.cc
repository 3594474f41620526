#include "kinformer/workqueue/worker.h"

#include "base/core/user_call.h"

namespace kinformer {

Result<void> internal::CallContained(const std::function<Result<void>()>& call) {
  try {
    return call();
  } catch (...) {
    return Error(Reason::kUnknown, "the reconciler threw: " + base::Thrown());
  }
}

void internal::ReportRetry(Env& env, const std::string& worker, const std::string& item,
                           int requeues, const Error& error) {
  env.log().Log(LogLevel::kWarning, "reconciling failed, will retry",
                {{"worker", worker},
                 {"key", item},
                 {"retries", std::to_string(requeues)},
                 {"err", error.ToString()}});
}

}  // namespace kinformer

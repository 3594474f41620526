#include "kinformer/worker.h"

#include <exception>

namespace kinformer {

Result<void> internal::CallContained(const std::function<Result<void>()>& call) {
  try {
    return call();
  } catch (const std::exception& e) {
    return Error(Reason::kUnknown, std::string("the reconciler threw: ") + e.what());
  } catch (...) {
    return Error(Reason::kUnknown, "the reconciler threw something that is no exception");
  }
}

void internal::ReportRetry(Env& env, const std::string& queue_name, const Error& error) {
  env.log().Log(LogLevel::kWarning, "reconciling failed, will retry",
                {{"worker", queue_name}, {"err", error.ToString()}});
}

}  // namespace kinformer

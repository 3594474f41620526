#include "kinformer/worker.h"

namespace kinformer {

void internal::ReportRetry(Env& env, const std::string& queue_name, const Error& error) {
  env.log().Log(LogLevel::kWarning, "reconciling failed, will retry",
                {{"worker", queue_name}, {"err", error.ToString()}});
}

}  // namespace kinformer

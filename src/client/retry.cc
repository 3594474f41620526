#include "kinformer/client/retry.h"

#include <string>

#include "kinformer/base/log.h"

namespace kinformer::retry::internal {

void LogConflicts(Env& env, int times, const Error& last) {
  env.log().Log(LogLevel::kWarning,
                "RetryOnConflict gives up: each call of its function ended in a conflict; the "
                "function has to read the object itself, so that each call reads it anew",
                {{"times", std::to_string(times)}, {"err", last.message()}});
}

}  // namespace kinformer::retry::internal

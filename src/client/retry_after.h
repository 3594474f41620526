// client/retry_after.h

#ifndef KINFORMER_CLIENT_RETRY_AFTER_H_
#define KINFORMER_CLIENT_RETRY_AFTER_H_

#include <chrono>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"

namespace kinformer::internal::client {

// Longest pause that is honoured; servers hardly mean more, and callers cannot wait longer.
inline constexpr Duration kLongestPause = std::chrono::minutes(2);

// Returns the pause that the error's Retry-After asks for: at most kLongestPause; zero if it has
// none. Logs a pause that is cut; `who` names the waiting part.
[[nodiscard]] Duration PauseAfter(Env& env, const Error& error, std::string_view who);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_RETRY_AFTER_H_

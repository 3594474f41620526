// client/retry_after.h

#ifndef KINFORMER_CLIENT_RETRY_AFTER_H_
#define KINFORMER_CLIENT_RETRY_AFTER_H_

#include <chrono>
#include <string_view>

#include "kinformer/env.h"
#include "kinformer/error.h"

namespace kinformer::internal::client {

// A longer pause than this a server does not mean, or a caller cannot wait for.
inline constexpr Duration kLongestPause = std::chrono::minutes(2);

// How long to wait because of the error's Retry-After: at most kLongestPause, and not at all where
// it has none. A pause that is cut is logged, with `who` waits.
[[nodiscard]] Duration PauseAfter(Env& env, const Error& error, std::string_view who);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_RETRY_AFTER_H_

#include "client/retry_after.h"

#include <string>

#include "kinformer/base/log.h"

namespace kinformer::internal::client {

Duration PauseAfter(Env& env, const Error& error, std::string_view who) {
  const std::optional<std::chrono::seconds> asked = error.retry_after();
  if (!asked || asked->count() <= 0) return Duration(0);
  constexpr auto kMost = std::chrono::duration_cast<std::chrono::seconds>(kLongestPause);
  // Compared in seconds, as the value may be more than a Duration can hold.
  if (*asked <= kMost) return *asked;
  env.log().Log(LogLevel::kWarning,
                "the server asks for a longer pause than anybody should make; it is asked again "
                "earlier",
                {{"who", std::string(who)},
                 {"asked_seconds", std::to_string(asked->count())},
                 {"seconds", std::to_string(kMost.count())}});
  return kLongestPause;
}

}  // namespace kinformer::internal::client

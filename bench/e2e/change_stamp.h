// bench/e2e/change_stamp.h
//
// Text that bench_serve writes into a pod's status message, so that clients know when it was
// changed: "changed at " and nanoseconds of the system's clock, which all processes share.

#ifndef KINFORMER_BENCH_E2E_CHANGE_STAMP_H_
#define KINFORMER_BENCH_E2E_CHANGE_STAMP_H_

#include <charconv>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace kinformer::bench {

inline std::int64_t SystemNanoseconds() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

inline constexpr std::string_view kChangedAt = "changed at ";

inline std::string ChangeStamp() {
  return std::string(kChangedAt) + std::to_string(SystemNanoseconds());
}

// Returns nullopt if the message is another one.
inline std::optional<std::int64_t> ReadChangeStamp(std::string_view message) {
  if (!message.starts_with(kChangedAt)) return std::nullopt;
  message.remove_prefix(kChangedAt.size());
  std::int64_t at = 0;
  const auto read = std::from_chars(message.data(), message.data() + message.size(), at);
  if (read.ec != std::errc()) return std::nullopt;
  return at;
}

}  // namespace kinformer::bench

#endif  // KINFORMER_BENCH_E2E_CHANGE_STAMP_H_

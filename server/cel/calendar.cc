#include "cel/calendar.h"

#include <chrono>
#include <optional>
#include <string>

#include "base/text/number_in.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::int64_t kNanos = 1'000'000'000;
constexpr std::int64_t kDay = 86400;

std::int64_t Floor(std::int64_t number, std::int64_t by) {
  return number / by - (number % by < 0 ? 1 : 0);
}

// "+02:00", "-02:30", "02:00".
std::optional<std::int64_t> OffsetIn(std::string_view zone) {
  if (zone.empty() || zone == "UTC") return 0;
  const bool negative = zone.front() == '-';
  if (negative || zone.front() == '+') zone.remove_prefix(1);
  const std::size_t colon = zone.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const auto hours = base::NumberIn<std::uint32_t>(zone.substr(0, colon));
  const auto minutes = base::NumberIn<std::uint32_t>(zone.substr(colon + 1));
  if (!hours || !minutes || *hours > 23 || *minutes > 59) return std::nullopt;
  const std::int64_t seconds = std::int64_t{*hours} * 3600 + std::int64_t{*minutes} * 60;
  return negative ? -seconds : seconds;
}

}  // namespace

Value AddDuration(const Timestamp& time, std::int64_t nanos) {
  std::int64_t seconds = time.seconds + Floor(nanos, kNanos);
  std::int64_t rest = time.nanos + (nanos - Floor(nanos, kNanos) * kNanos);
  seconds += Floor(rest, kNanos);
  rest -= Floor(rest, kNanos) * kNanos;
  if (seconds < kMinSeconds || seconds > kMaxSeconds) return Value::Error("timestamp overflow");
  return Value::Time({seconds, static_cast<std::int32_t>(rest), time.zone_minutes});
}

Value Difference(const Timestamp& a, const Timestamp& b) {
  std::int64_t nanos = 0;
  if (__builtin_mul_overflow(a.seconds - b.seconds, kNanos, &nanos) ||
      __builtin_add_overflow(nanos, std::int64_t{a.nanos} - b.nanos, &nanos)) {
    return Value::Error("integer overflow");
  }
  return Value::Duration(nanos);
}

Value TimePart(std::string_view getter, const Timestamp& time, std::string_view zone) {
  const auto offset = OffsetIn(zone);
  if (!offset) return Value::Error("unknown time zone " + std::string(zone));
  const std::int64_t local = time.seconds + *offset;
  const std::int64_t days = Floor(local, kDay);
  const std::int64_t seconds = local - days * kDay;
  const std::chrono::sys_days day{std::chrono::days{days}};
  const std::chrono::year_month_day date{day};
  const auto day_of_month = static_cast<std::int64_t>(static_cast<unsigned>(date.day()));
  if (getter == "getFullYear") return Value::Int(static_cast<int>(date.year()));
  if (getter == "getMonth") {
    return Value::Int(static_cast<std::int64_t>(static_cast<unsigned>(date.month())) - 1);
  }
  if (getter == "getDate") return Value::Int(day_of_month);
  if (getter == "getDayOfMonth") return Value::Int(day_of_month - 1);
  if (getter == "getDayOfWeek") {
    return Value::Int(static_cast<std::int64_t>(std::chrono::weekday{day}.c_encoding()));
  }
  if (getter == "getDayOfYear") {
    const std::chrono::sys_days first{date.year() / std::chrono::January / 1};
    return Value::Int((day - first).count());
  }
  if (getter == "getHours") return Value::Int(seconds / 3600);
  if (getter == "getMinutes") return Value::Int(seconds / 60 % 60);
  if (getter == "getSeconds") return Value::Int(seconds % 60);
  if (getter == "getMilliseconds") return Value::Int(time.nanos / 1'000'000);
  return NoSuchOverload();
}

Value DurationPart(std::string_view getter, std::int64_t nanos) {
  if (getter == "getHours") return Value::Int(nanos / kNanos / 3600);
  if (getter == "getMinutes") return Value::Int(nanos / kNanos / 60);
  if (getter == "getSeconds") return Value::Int(nanos / kNanos);
  if (getter == "getMilliseconds") return Value::Int(nanos / 1'000'000);
  return NoSuchOverload();
}

}  // namespace kinformer::internal::cel

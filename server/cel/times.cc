#include "cel/times.h"

#include "object/values/text_forms.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::int64_t kNanos = 1'000'000'000;

// Returns +hh:mm at the end of a time, in minutes; 0 for Z.
std::int16_t ZoneMinutes(std::string_view text) {
  constexpr std::size_t kLength = 6;
  if (text.size() < kLength || text.ends_with('Z') || text.ends_with('z')) return 0;
  const std::string_view zone = text.substr(text.size() - kLength);
  const auto number = [&](std::size_t at) { return (zone[at] - '0') * 10 + (zone[at + 1] - '0'); };
  const int minutes = number(1) * 60 + number(4);
  return static_cast<std::int16_t>(zone.front() == '-' ? -minutes : minutes);
}

std::string ZoneText(int minutes) {
  if (minutes == 0) return "Z";
  const auto two = [](int number) { return std::to_string(100 + number).substr(1); };
  const int size = minutes < 0 ? -minutes : minutes;
  return (minutes < 0 ? "-" : "+") + two(size / 60) + ":" + two(size % 60);
}

}  // namespace

std::optional<Timestamp> TimestampIn(std::string_view text, bool dates) {
  std::string whole(text);
  if (dates && text.size() == 10) whole += "T00:00:00Z";
  const auto parsed = ParseRfc3339(whole);
  if (!parsed || parsed->seconds < kMinSeconds || parsed->seconds > kMaxSeconds) {
    return std::nullopt;
  }
  return Timestamp{parsed->seconds, parsed->nanos, ZoneMinutes(whole)};
}

std::string TimestampText(const Timestamp& time) {
  std::string text;
  AppendRfc3339(time.seconds + time.zone_minutes * 60, text);
  text.pop_back();  // the Z
  if (time.nanos != 0) {
    std::string digits = std::to_string(kNanos + time.nanos).substr(1);
    digits.erase(digits.find_last_not_of('0') + 1);
    text.append(".").append(digits);
  }
  return text + ZoneText(time.zone_minutes);
}

}  // namespace kinformer::internal::cel

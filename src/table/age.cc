#include "table/age.h"

#include <cstdint>

#include "object/values/text_forms.h"

namespace kinformer::internal::table {
namespace {

// Formats two units, without the smaller one if it is zero.
std::string Two(std::int64_t large, const char* large_unit, std::int64_t small,
                const char* small_unit) {
  std::string text = std::to_string(large) + large_unit;
  if (small != 0) text += std::to_string(small) + small_unit;
  return text;
}

}  // namespace

std::string HumanDuration(std::chrono::seconds duration) {
  const std::int64_t s = duration.count();
  if (s < -1) return "<invalid>";
  if (s < 0) return "0s";
  if (s < 120) return std::to_string(s) + "s";
  const std::int64_t m = s / 60;
  if (m < 10) return Two(m, "m", s % 60, "s");
  if (m < 180) return std::to_string(m) + "m";
  const std::int64_t h = s / 3600;
  if (h < 8) return Two(h, "h", m % 60, "m");
  if (h < 48) return std::to_string(h) + "h";
  const std::int64_t d = h / 24;
  if (d < 8) return Two(d, "d", h % 24, "h");
  if (d < 2 * 365) return std::to_string(d) + "d";
  if (d < 8 * 365) return Two(d / 365, "y", d % 365, "d");
  return std::to_string(d / 365) + "y";
}

std::int64_t ParseTime(std::string_view time) {
  const auto parsed = internal::ParseRfc3339(time);
  return parsed ? parsed->seconds : -1;
}

std::string AgeOf(std::string_view time, WallTime now) {
  const std::int64_t then = ParseTime(time);
  if (then < 0) return "<unknown>";
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now).time_since_epoch();
  return HumanDuration(seconds - std::chrono::seconds(then));
}

}  // namespace kinformer::internal::table

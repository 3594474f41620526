#include "cel/times.h"

#include "object/values/text_forms.h"

namespace kinformer::internal::cel {
namespace {

constexpr std::int64_t kNanos = 1'000'000'000;

}  // namespace

std::optional<Timestamp> TimestampIn(std::string_view text, bool dates) {
  std::string whole(text);
  if (dates && text.size() == 10) whole += "T00:00:00Z";
  const auto parsed = ParseRfc3339(whole);
  if (!parsed || parsed->seconds < kMinSeconds || parsed->seconds > kMaxSeconds) {
    return std::nullopt;
  }
  return Timestamp{parsed->seconds, parsed->nanos};
}

std::string TimestampText(const Timestamp& time) {
  std::string text;
  AppendRfc3339(time.seconds, text);
  if (time.nanos == 0) return text;
  std::string digits = std::to_string(kNanos + time.nanos).substr(1);
  digits.erase(digits.find_last_not_of('0') + 1);
  text.insert(text.size() - 1, "." + digits);
  return text;
}

}  // namespace kinformer::internal::cel

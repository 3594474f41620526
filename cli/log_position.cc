#include "cli/log_position.h"

#include <cstddef>
#include <functional>

#include "kinformer/base/result.h"

namespace kinformer::cli {

TimedLine SplitTime(std::string_view line) {
  constexpr std::size_t kShortest = std::string_view("2024-01-02T03:04:05Z").size();
  constexpr std::size_t kLongest = 40;
  // An empty line of the container is its time alone.
  const std::size_t end = line.substr(0, kLongest).find(' ');
  const std::string_view time = line.substr(0, end);
  if (time.size() < kShortest || time.size() > kLongest || !metav1::Time::Parse(time)) {
    return {.text = line};
  }
  return {.time = time, .text = end == std::string_view::npos ? "" : line.substr(end + 1)};
}

bool LogPosition::Take(const TimedLine& line) {
  const Result<metav1::Time> time = metav1::Time::Parse(line.time);
  if (!time) return true;
  const std::hash<std::string_view> hash;
  const std::uint64_t id = hash(line.time) * 31 + hash(line.text);
  const auto repeated = repeats_.find(id);
  if (repeated != repeats_.end()) {
    if (--repeated->second == 0) repeats_.erase(repeated);
    return false;
  }
  if (!newest_ || time->seconds() > *newest_) {
    newest_ = time->seconds();
    seen_.clear();
  }
  // An older line, of the container's other stream, will not come again.
  if (time->seconds() == *newest_) ++seen_[id];
  return true;
}

std::optional<metav1::Time> LogPosition::SinceTime() const {
  if (!newest_) return std::nullopt;
  return metav1::Time(*newest_);
}

}  // namespace kinformer::cli

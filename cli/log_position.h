// cli/log_position.h
//
// LogPosition: how far a log has been read, so that a stream that was cut goes on where it stopped.

#ifndef KINFORMER_CLI_LOG_POSITION_H_
#define KINFORMER_CLI_LOG_POSITION_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "kinformer/object/time.h"

namespace kinformer::cli {

// A line of a log that was requested with timestamps.
struct TimedLine {
  std::string_view time{};  // as it stands in front of the line; empty: the line has none
  std::string_view text{};  // what follows
};
TimedLine SplitTime(std::string_view line);

// The server reads on from a second, not from a line. So this remembers the lines of the newest
// second, and drops those that come again. Thread-compatible.
class LogPosition {
 public:
  // Takes a line as it was received. Returns false for one that was there before the cut.
  bool Take(const TimedLine& line);
  // Says that a new stream begins, at SinceTime().
  void Resume() { repeats_ = seen_; }
  // Returns the second from which to read on; nothing if no line with a time has come.
  [[nodiscard]] std::optional<metav1::Time> SinceTime() const;

 private:
  using Lines = std::unordered_map<std::uint64_t, int>;  // hash of a line, and how often it came

  std::optional<std::int64_t> newest_;  // a second
  Lines seen_;                          // the lines of that second
  Lines repeats_;                       // those that are expected once more
};

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_LOG_POSITION_H_

// cli/output.h
//
// Standard output: what the terminal can show, and writing to it from several threads.

#ifndef KINFORMER_CLI_OUTPUT_H_
#define KINFORMER_CLI_OUTPUT_H_

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "kinformer/json.h"

namespace kinformer::cli {

// Colours are for terminals, and not where the user has said NO_COLOR.
bool ColorsWanted();

enum class Color { kPlain, kGreen, kYellow, kRed, kDim };

// Thread-safe: lines of different threads do not mix.
class Output {
 public:
  // `on_broken`: called once when nobody reads any more.
  explicit Output(std::function<void()> on_broken = {});
  // Writes the text and its newline at once.
  void Line(std::string_view text, Color color = Color::kPlain);

 private:
  const bool colors_;
  std::mutex mutex_;
  std::function<void()> on_broken_;
  bool broken_ = false;
};

// Objects and lists as kubectl prints them, to the byte, but for DEL and the control characters of
// C1, which terminals obey: they are escapes. Members are sorted.
std::string KubectlJson(const json::Value& value);
std::string KubectlYaml(json::Value value);
// The same in one line, as `kubectl get -w --output-watch-events -o json` prints an event.
std::string EventJson(std::string_view type, const json::Value& object);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_OUTPUT_H_

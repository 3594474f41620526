// cli/output.h
//
// Standard output: capabilities of the terminal, and writes from several threads.

#ifndef KINFORMER_CLI_OUTPUT_H_
#define KINFORMER_CLI_OUTPUT_H_

#include <functional>
#include <mutex>
#include <string>
#include <string_view>

#include "kinformer/json/json.h"

namespace kinformer::cli {

// Whether to use colours: only on a terminal, and not if NO_COLOR is set.
bool ColorsWanted();

enum class Color { kPlain, kGreen, kYellow, kRed, kDim };

// Returns the text with the codes of a colour around it.
std::string Colored(std::string_view text, Color color);

// Thread-safe: lines of different threads do not mix.
class Output {
 public:
  // `on_broken`: called once when the reader has closed the output.
  explicit Output(std::function<void()> on_broken = {});
  // Writes the text and its newline at once.
  void Line(std::string_view text, Color color = Color::kPlain);
  // Writes the text alone.
  void Text(std::string_view text);

 private:
  const bool colors_;
  std::mutex mutex_;
  std::function<void()> on_broken_;
  bool broken_ = false;
};

// Formats objects and lists like kubectl, byte for byte, except that DEL and the control characters
// of C1, which terminals obey, are escaped. Members are sorted.
std::string KubectlJson(const json::Value& value);
std::string KubectlYaml(json::Value value);
// Returns the output of a template: for a terminal with the codes escaped that it would obey,
// otherwise as it is.
std::string SafeText(std::string_view text);
// Formats one line like `kubectl get -w --output-watch-events -o json` prints an event.
std::string EventJson(std::string_view type, const json::Value& object);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_OUTPUT_H_

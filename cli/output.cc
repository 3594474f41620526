#include "cli/output.h"

#include <cstdio>
#include <cstdlib>
#include <unistd.h>
#include <utility>

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

const char* CodeOf(Color color) {
  switch (color) {
    case Color::kGreen:
      return "\x1b[32m";
    case Color::kYellow:
      return "\x1b[33m";
    case Color::kRed:
      return "\x1b[31m";
    case Color::kDim:
      return "\x1b[2m";
    case Color::kPlain:
      break;
  }
  return "";
}

}  // namespace

bool ColorsWanted() {
  if (isatty(STDOUT_FILENO) == 0) return false;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

Output::Output(std::function<void()> on_broken)
    : colors_(ColorsWanted()), on_broken_(std::move(on_broken)) {}

void Output::Line(std::string_view text, Color color) {
  std::string line;
  const bool colored = colors_ && color != Color::kPlain;
  if (colored) line += CodeOf(color);
  line += text;
  if (colored) line += "\x1b[0m";
  line += '\n';
  const std::lock_guard<std::mutex> lock(mutex_);
  if (broken_) return;
  if (std::fwrite(line.data(), 1, line.size(), stdout) != line.size() || std::fflush(stdout) != 0) {
    broken_ = true;
    if (on_broken_) on_broken_();
  }
}

std::string PrettyJson(const json::Value& value) {
  return PrintableJson(value.Dump({.indent = 4, .escape_html = false}));
}

}  // namespace kinformer::cli

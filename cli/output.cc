#include "cli/output.h"

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <unistd.h>
#include <utility>

#include "kinformer/json/yaml.h"

#include "base/text/go_text.h"
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

// Writes integers as digits, and other numbers like Go.
void WriteNumbersAsGo(json::Value& value) {
  if (value.is_number()) {
    if (const std::optional<std::int64_t> integer = value.AsInt64()) {
      value = json::Value(*integer);
    } else if (!value.AsUint64()) {
      value = json::Value::MakeNumber(internal::base::GoFloat(value.AsDouble().value_or(0)));
    }
  } else if (json::Array* const items = value.IfArray()) {
    for (json::Value& item : *items) WriteNumbersAsGo(item);
  } else if (json::Object* const members = value.IfObject()) {
    for (std::size_t i = 0; i < members->size(); ++i) WriteNumbersAsGo(members->value(i));
  }
}

}  // namespace

bool ColorsWanted() {
  if (isatty(STDOUT_FILENO) == 0) return false;
  const char* const no_color = std::getenv("NO_COLOR");
  const char* const term = std::getenv("TERM");
  return (no_color == nullptr || *no_color == '\0') &&
         (term == nullptr || std::string_view(term) != "dumb");
}

std::string Colored(std::string_view text, Color color) {
  if (color == Color::kPlain) return std::string(text);
  return CodeOf(color) + std::string(text) + "\x1b[0m";
}

Output::Output(std::function<void()> on_broken)
    : colors_(ColorsWanted()), on_broken_(std::move(on_broken)) {}

void Output::Line(std::string_view text, Color color) {
  Text(Colored(text, colors_ ? color : Color::kPlain) + '\n');
}

void Output::Text(std::string_view text) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (broken_) return;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    broken_ = true;
    if (on_broken_) on_broken_();
  }
}

std::string KubectlJson(const json::Value& value) {
  return PrintableJson(value.Dump({.indent = 4, .sort_keys = true}));
}

std::string KubectlYaml(json::Value value) {
  WriteNumbersAsGo(value);
  return yaml::Dump(value);
}

std::string SafeText(std::string_view text) {
  static const bool kTerminal = isatty(STDOUT_FILENO) != 0;
  return kTerminal ? PrintableLines(text) : std::string(text);
}

std::string EventJson(std::string_view type, const json::Value& object) {
  return "{\"type\":\"" + std::string(type) +
         "\",\"object\":" + PrintableJson(object.Dump({.sort_keys = true})) + "}";
}

}  // namespace kinformer::cli

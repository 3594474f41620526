#include "apiserver/workloads/field_line.h"

#include <string>
#include <vector>

#include "base/text/number_in.h"

namespace kinformer::apiserver::workloads {
namespace {

struct Line {
  std::size_t number = 0;
  std::size_t indent = 0;
  std::string_view text{};  // without indentation
};

std::vector<Line> LinesOf(std::string_view yaml) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !yaml.empty(); ++number) {
    const std::string_view line = yaml.substr(0, yaml.find('\n'));
    yaml.remove_prefix(line.size() == yaml.size() ? line.size() : line.size() + 1);
    const std::size_t indent = line.find_first_not_of(" \r");
    if (indent == std::string_view::npos || line[indent] == '#') continue;
    lines.push_back({.number = number, .indent = indent, .text = line.substr(indent)});
  }
  return lines;
}

// Splits "a[1].b" into a, 1, b.
std::vector<std::string> StepsOf(std::string_view path) {
  std::vector<std::string> steps(1);
  for (const char c : path) {
    if (c == '.' || c == '[') {
      if (!steps.back().empty()) steps.emplace_back();
    } else if (c != ']') {
      steps.back() += c;
    }
  }
  return steps;
}

// Removes "- " from a line, whose content then stands further right.
Line InsideItem(Line line) {
  std::size_t width = line.text.find_first_not_of(' ', 1);
  if (width == std::string_view::npos) width = line.text.size();
  return {.number = line.number, .indent = line.indent + width, .text = line.text.substr(width)};
}

bool IsItem(const Line& line) { return line.text == "-" || line.text.starts_with("- "); }

}  // namespace

std::size_t FieldLine(std::string_view yaml, std::string_view path) {
  std::vector<Line> lines = LinesOf(yaml);
  std::size_t found = lines.empty() ? 1 : lines.front().number;
  std::size_t first = 0;  // of the collection
  for (const std::string& step : StepsOf(path)) {
    if (first >= lines.size()) break;
    const std::size_t indent = lines[first].indent;
    const auto index = internal::base::NumberIn(step);
    const bool item = index.has_value() && IsItem(lines[first]);
    std::size_t at = first;
    std::int64_t left = item ? *index : 0;
    for (; at < lines.size() && lines[at].indent >= indent; ++at) {
      if (lines[at].indent > indent) continue;
      if (item ? IsItem(lines[at]) && left-- == 0 : lines[at].text.starts_with(step + ":")) break;
    }
    if (at == lines.size() || lines[at].indent < indent) break;
    found = lines[at].number;
    if (item) {
      lines[at] = InsideItem(lines[at]);
      first = lines[at].text.empty() ? at + 1 : at;
      continue;
    }
    first = at + 1;
    const bool deeper =
        first < lines.size() &&
        (lines[first].indent > indent || (lines[first].indent == indent && IsItem(lines[first])));
    if (!deeper) break;
  }
  return found;
}

}  // namespace kinformer::apiserver::workloads

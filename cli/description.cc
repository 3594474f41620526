#include "cli/description.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>

#include "cli/printable.h"
#include "cli/table.h"
#include "table/age.h"

namespace kinformer::cli {
namespace {

constexpr std::size_t kGap = 2;  // behind the widest cell of a column

std::vector<std::string> SplitLines(std::string_view text) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

void Description::Row(int level, std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = Printable(cell);
  if (!cells.empty()) {
    cells.front().insert(0, std::string(static_cast<std::size_t>(level) * 2, ' '));
  }
  rows_.push_back(std::move(cells));
}

void Description::Lines(int level, const std::string& label,
                        const std::vector<std::string>& values) {
  std::string first = label + ":";
  for (const std::string& value : values) Row(level, {std::exchange(first, {}), value});
}

void Description::Field(int level, const std::string& label, std::string_view value) {
  Lines(level, label, SplitLines(value));
}

void Description::FieldIfAny(int level, const std::string& label, std::string_view value) {
  if (!value.empty()) Field(level, label, value);
}

void Description::Text(int level, std::string_view text) {
  for (const std::string& line : SplitLines(text)) Row(level, {line});
}

void Description::Labels(int level, const std::string& label, const json::Value& labels) {
  std::vector<std::string> values;
  for (const std::string& name : SortedNames(labels)) {
    values.push_back(name + "=" + labels[name].StringOrEmpty());
  }
  if (values.empty()) values.emplace_back("<none>");
  Lines(level, label, values);
}

void Description::Annotations(int level, const std::string& label, const json::Value& annotations) {
  constexpr std::size_t kLongest = 140;
  std::vector<std::string> values;
  for (const std::string& name : SortedNames(annotations)) {
    if (name == "kubectl.kubernetes.io/last-applied-configuration") continue;
    std::string_view value = annotations[name].StringOrEmpty();
    if (value.ends_with('\n')) value.remove_suffix(1);
    if (name.size() + 2 + value.size() <= kLongest && value.find('\n') == std::string::npos) {
      values.push_back(name + ": " + std::string(value));
      continue;
    }
    values.push_back(name + ":");
    for (const std::string& line : SplitLines(value)) {
      constexpr std::size_t kLine = kLongest - 2;
      values.push_back("  " + line.substr(0, kLine) + (line.size() > kLine ? "..." : ""));
    }
  }
  if (values.empty()) values.emplace_back("<none>");
  Lines(level, label, values);
}

void Description::Map(int level, const std::string& label, const json::Value& map) {
  if (map.size() == 0) return;
  Title(level, label);
  for (const std::string& name : SortedNames(map)) Field(level + 1, name, ScalarText(map[name]));
}

std::string Description::ToText() const {
  std::vector<std::vector<std::size_t>> widths(rows_.size());
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    widths[i].resize(rows_[i].empty() ? 0 : rows_[i].size() - 1);
  }
  for (std::size_t begin = 0; begin < rows_.size(); ++begin) {
    for (std::size_t column = 0; column < widths[begin].size(); ++column) {
      if (widths[begin][column] != 0) continue;  // of a block that began above
      std::size_t widest = 0;
      std::size_t end = begin;
      for (; end < rows_.size() && column < widths[end].size(); ++end) {
        widest = std::max(widest, DisplayWidth(rows_[end][column]));
      }
      for (std::size_t row = begin; row < end; ++row) widths[row][column] = widest + kGap;
    }
  }
  std::string text;
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    for (std::size_t column = 0; column < rows_[i].size(); ++column) {
      const std::string& cell = rows_[i][column];
      text += cell;
      if (column < widths[i].size()) {
        text.append(widths[i][column] - DisplayWidth(cell), ' ');
      }
    }
    text += '\n';
  }
  return text;
}

std::string TimeText(const std::string& time) {
  const std::int64_t at = internal::table::ParseTime(time);
  if (at < 0) return time;
  constexpr std::array<const char*, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<const char*, 12> kMonths{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::sys_seconds moment{std::chrono::seconds(at)};
  const auto day = std::chrono::floor<std::chrono::days>(moment);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(moment - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d +0000",
                kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text.data();
}

std::string ScalarText(const json::Value& value, const char* none) {
  if (value.is_null()) return none;
  if (const auto text = value.AsString()) return std::string(*text);
  return value.Dump();
}

std::string OrNone(const std::string& text) { return text.empty() ? "<none>" : text; }

std::string TrueFalse(bool value) { return value ? "True" : "False"; }

std::string InBrackets(const json::Value& strings) {
  std::string text;
  for (const json::Value& one : strings.items()) {
    text += (text.empty() ? "" : " ") + one.StringOrEmpty();
  }
  return "[" + text + "]";
}

std::vector<std::string> SortedNames(const json::Value& object) {
  std::vector<std::string> names;
  for (const auto& [name, value] : object.members()) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace kinformer::cli

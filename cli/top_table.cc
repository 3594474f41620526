#include "cli/top_table.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <string_view>
#include <utility>

#include "cli/printable.h"
#include "cli/table.h"
#include "table/age.h"

namespace kinformer::cli {
namespace {

constexpr std::size_t kFirstNumber = 2;  // columns of text before those of numbers
constexpr std::size_t kState = 7;        // the column of text behind them

std::string Fixed(double number, const char* unit) {
  std::array<char, 64> text{};
  (void)std::snprintf(text.data(), text.size(), "%.1f%s", number, unit);
  return text.data();
}

std::uint64_t EventsOf(const InformerStats& stats) {
  return stats.added + stats.modified + stats.deleted + stats.unchanged;
}

std::string StateText(const InformerStatus& status) {
  std::string text(ToString(status.state));
  if (status.retry_in) text += " " + AgeText(*status.retry_in);
  return text;
}

Color ColorOf(const InformerStatus& status) {
  switch (status.state) {
    case InformerState::kWatching:
      return Color::kPlain;
    case InformerState::kNotStarted:
    case InformerState::kListing:
    case InformerState::kPaused:
      return Color::kYellow;
    default:
      return Color::kRed;
  }
}

std::string Padded(const std::string& text, std::size_t width, bool right) {
  const std::string blanks(width - std::min(width, DisplayWidth(text)), ' ');
  return right ? blanks + text : text + blanks;
}

// Returns the first `width` columns.
std::string Cut(const std::string& text, std::size_t width) {
  if (DisplayWidth(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    const bool begins = (static_cast<unsigned char>(text[end]) & 0xc0U) != 0x80U;
    if (begins && columns++ == width) break;
  }
  return text.substr(0, end);
}

// Appends a line for each error, with all resources that have it.
void AddErrors(const std::vector<TopSample>& samples, std::vector<TopLine>& lines) {
  std::vector<std::pair<std::string, std::string>> errors;  // text and resources
  for (const TopSample& sample : samples) {
    const std::string text = sample.stats.status.ErrorText();
    if (text.empty()) continue;
    const auto known = std::find_if(errors.begin(), errors.end(),
                                    [&](const auto& error) { return error.first == text; });
    if (known == errors.end()) {
      errors.emplace_back(text, sample.resource);
    } else {
      known->second += ", " + sample.resource;
    }
  }
  for (const auto& [text, resources] : errors) {
    lines.push_back({Printable(resources) + ": " + Printable(text), Color::kRed});
  }
}

}  // namespace

std::string ByteText(std::size_t bytes) {
  constexpr double kStep = 1024;
  if (bytes < 1024) return std::to_string(bytes) + " B";
  double number = static_cast<double>(bytes);
  std::size_t unit = 0;
  constexpr std::array<const char*, 5> kUnits{" B", " KiB", " MiB", " GiB", " TiB"};
  // From 999.5 on it would be written with four digits.
  while (number >= 999.5 && unit + 1 < kUnits.size()) {
    number /= kStep;
    ++unit;
  }
  if (number >= 9.95) return std::to_string(std::lround(number)) + kUnits[unit];
  return Fixed(number, kUnits[unit]);
}

std::string AgeText(Duration age) {
  const double seconds = std::chrono::duration<double>(age).count();
  if (seconds < 9.95) return Fixed(std::max(seconds, 0.0), "s");
  return internal::table::HumanDuration(std::chrono::round<std::chrono::seconds>(age));
}

std::vector<TopLine> TopTable::Lines(const std::vector<TopSample>& samples, SteadyTime now) {
  const double elapsed = last_ ? std::chrono::duration<double>(now - *last_).count() : 0;
  std::vector<std::vector<std::string>> rows{
      {"RESOURCE", "NAMESPACE", "OBJECTS", "BYTES", "EVENTS/S", "PROOF", "LAG", "STATE"}};
  events_.resize(samples.size(), 0);
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const InformerStats& stats = samples[i].stats;
    const std::uint64_t events = EventsOf(stats);
    const double rate = static_cast<double>(events - std::min(events, events_[i])) / elapsed;
    events_[i] = events;
    rows.push_back({Printable(samples[i].resource),
                    samples[i].namespace_.empty() ? "-" : Printable(samples[i].namespace_),
                    std::to_string(stats.objects), ByteText(stats.object_bytes),
                    elapsed > 0 ? Fixed(rate, "") : "-",
                    stats.status.progress_age ? AgeText(*stats.status.progress_age) : "-",
                    std::to_string(stats.queued), StateText(stats.status)});
  }
  last_ = now;
  widths_.resize(kState + 1, 0);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths_[i] = std::max(widths_[i], DisplayWidth(row[i]));
    }
  }
  std::vector<TopLine> lines;
  for (std::size_t at = 0; at < rows.size(); ++at) {
    std::string line;
    for (std::size_t i = 0; i < kState; ++i) {
      line += Padded(rows[at][i], widths_[i], i >= kFirstNumber) + "   ";
    }
    lines.push_back(
        {line + rows[at][kState], at == 0 ? Color::kDim : ColorOf(samples[at - 1].stats.status)});
  }
  AddErrors(samples, lines);
  return lines;
}

std::string Picture(const std::vector<TopLine>& lines, std::size_t before, std::size_t width,
                    std::size_t height, bool colors, std::size_t& shown) {
  // The cursor stands below the last line.
  shown = std::min(lines.size(), height > 1 ? height - 1 : 1);
  const std::size_t up = std::min(before, height > 1 ? height - 1 : 1);
  std::string picture = "\r";
  if (up > 0) picture += "\x1b[" + std::to_string(up) + "A";
  for (std::size_t i = 0; i < shown; ++i) {
    const std::string text = Cut(lines[i].text, width);
    picture += (colors ? Colored(text, lines[i].color) : text) + "\x1b[K\n";
  }
  return picture + "\x1b[J";
}

}  // namespace kinformer::cli

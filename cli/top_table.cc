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
    const std::string text = sample.error.empty() ? sample.stats.status.ErrorText() : sample.error;
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

void TopTable::Begin(SteadyTime now) {
  elapsed_ = last_ ? std::chrono::duration<double>(now - *last_).count() : 0;
  last_ = now;
  before_ = std::exchange(totals_, {});
}

std::string TopTable::RateOf(const std::string& name, std::uint64_t total) {
  totals_[name] = total;
  const auto before = before_.find(name);
  if (before == before_.end() || elapsed_ <= 0) return "-";
  const std::uint64_t grown = total - std::min(total, before->second);
  return Fixed(static_cast<double>(grown) / elapsed_, "");
}

std::vector<TopLine> TopTable::Aligned(const std::vector<Row>& rows, std::size_t first_number) {
  const std::size_t last = rows.front().cells.size() - 1;
  widths_.resize(last + 1, 0);
  for (const Row& row : rows) {
    for (std::size_t i = 0; i <= last; ++i) {
      widths_[i] = std::max(widths_[i], DisplayWidth(row.cells[i]));
    }
  }
  std::vector<TopLine> lines;
  for (const Row& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < last; ++i) {
      line += Padded(row.cells[i], widths_[i], i >= first_number) + "   ";
    }
    lines.push_back({line + row.cells[last], row.color});
  }
  return lines;
}

std::vector<TopLine> TopTable::Lines(const std::vector<TopSample>& samples, SteadyTime now) {
  Begin(now);
  std::vector<Row> rows{
      {{"RESOURCE", "NAMESPACE", "OBJECTS", "BYTES", "EVENTS/S", "PROOF", "LAG", "STATE"},
       Color::kDim}};
  for (const TopSample& sample : samples) {
    const InformerStats& stats = sample.stats;
    const InformerStatus& status = stats.status;
    rows.push_back({{Printable(sample.resource),
                     sample.namespace_.empty() ? "-" : Printable(sample.namespace_),
                     std::to_string(stats.objects), ByteText(stats.object_bytes),
                     RateOf(sample.resource + '\n' + sample.namespace_, EventsOf(stats)),
                     status.progress_age ? AgeText(*status.progress_age) : "-",
                     std::to_string(stats.queued), StateText(status)},
                    ColorOf(status)});
  }
  std::vector<TopLine> lines = Aligned(rows, 2);
  AddErrors(samples, lines);
  return lines;
}

std::vector<TopLine> TopTable::Lines(const std::vector<ControllerSample>& samples, SteadyTime now) {
  Begin(now);
  std::vector<Row> rows{{{"CONTROLLER", "WORKERS", "WAITING", "OLDEST", "DELAYED", "FAILING",
                          "RECONCILES/S", "ERRORS", "NOW"},
                         Color::kDim}};
  for (const ControllerSample& sample : samples) {
    Color color = Color::kPlain;
    if (sample.held_back) color = Color::kYellow;
    if (sample.failing > 0) color = Color::kRed;
    rows.push_back(
        {{Printable(sample.name),
          std::to_string(sample.busy) + "/" + std::to_string(sample.workers),
          std::to_string(sample.waiting), sample.waiting > 0 ? AgeText(sample.oldest) : "-",
          std::to_string(sample.delayed), std::to_string(sample.failing),
          RateOf(sample.name, sample.reconciles), std::to_string(sample.errors),
          Printable(sample.now)},
         color});
  }
  return Aligned(rows, 1);
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

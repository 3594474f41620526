#include "cli/table.h"

#include <algorithm>

#include "cli/printable.h"

namespace kinformer::cli {
namespace {

// The narrowest column, with its blanks.
constexpr std::size_t kLeast = 6;

}  // namespace

std::size_t DisplayWidth(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) != 0x80U;
  }));
}

void Table::Measure(const std::vector<std::string>& cells) {
  if (widths_.size() < cells.size()) widths_.resize(cells.size(), 0);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    widths_[i] = std::max(widths_[i], DisplayWidth(Printable(cells[i])));
  }
}

std::string Table::Line(const std::vector<std::string>& cells) {
  Measure(cells);
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string cell = Printable(cells[i]);
    line += cell;
    if (i + 1 == cells.size()) break;
    line.append(std::max(widths_[i] + 3, kLeast) - DisplayWidth(cell), ' ');
  }
  return line;
}

}  // namespace kinformer::cli

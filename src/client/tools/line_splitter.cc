#include "client/tools/line_splitter.h"

#include <algorithm>

namespace kinformer::internal::client {
namespace {

std::string_view WithoutReturn(std::string_view line) {
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

bool LineSplitter::Feed(std::string_view piece) {
  while (!piece.empty()) {
    const std::size_t end = piece.find('\n');
    if (end == std::string_view::npos || begun_.size() + end > kLongest) {
      const std::size_t most = std::min({piece.size(), end, kLongest - begun_.size()});
      begun_.append(piece.substr(0, most));
      piece.remove_prefix(most);
      if (begun_.size() == kLongest && !piece.empty() && !Finish()) return false;
      continue;
    }
    if (begun_.empty()) {
      if (!on_line_(WithoutReturn(piece.substr(0, end)))) return false;
    } else {
      begun_.append(piece.substr(0, end));
      const std::string line = std::exchange(begun_, {});
      if (!on_line_(WithoutReturn(line))) return false;
    }
    piece.remove_prefix(end + 1);
  }
  return true;
}

bool LineSplitter::Finish() {
  if (begun_.empty()) return true;
  const std::string line = std::exchange(begun_, {});
  return on_line_(line);
}

}  // namespace kinformer::internal::client

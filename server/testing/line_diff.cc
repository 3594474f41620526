#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/internal/document_checks.h"

#include "base/text/line_changes.h"

namespace kinformer::internal::kit {
namespace {

constexpr std::size_t kAround = 3;

}  // namespace

std::string LineDiff(std::string_view expected, std::string_view actual) {
  const std::vector<base::MarkedLine> marked = base::LineChanges(expected, actual);
  std::vector<bool> shown(marked.size(), false);
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (marked[i].mark == ' ') continue;
    const std::size_t end = std::min(i + kAround + 1, marked.size());
    for (std::size_t k = i > kAround ? i - kAround : 0; k < end; ++k) shown[k] = true;
  }
  std::string out;
  bool gap = false;
  for (std::size_t i = 0; i < marked.size(); ++i) {
    if (!shown[i]) {
      gap = true;
      continue;
    }
    if (gap && !out.empty()) out += "  ...\n";
    gap = false;
    out.append({marked[i].mark, ' '}).append(marked[i].line).append("\n");
  }
  return out;
}

}  // namespace kinformer::internal::kit

#include "base/text/line_changes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace kinformer::internal::base {
namespace {

using Lines = std::vector<std::string_view>;

// Above this size of the table, what lies between the first and the last difference is one change.
constexpr std::size_t kMaxCells = 4'000'000;

void Mark(const Lines& lines, std::size_t from, std::size_t to, char mark,
          std::vector<MarkedLine>& out) {
  for (std::size_t i = from; i < to; ++i) out.push_back({mark, lines[i]});
}

// Marks the lines of both from `begin` to the given ends by their longest common subsequence.
void MarkMiddle(const Lines& a, std::size_t a_end, const Lines& b, std::size_t b_end,
                std::size_t begin, std::vector<MarkedLine>& out) {
  const std::size_t rows = a_end - begin;
  const std::size_t columns = b_end - begin;
  if (rows * columns > kMaxCells) {
    Mark(a, begin, a_end, '-', out);
    Mark(b, begin, b_end, '+', out);
    return;
  }
  // common[i][j]: length for the lines from i of `a` and from j of `b`.
  const std::size_t width = columns + 1;
  std::vector<std::uint32_t> common((rows + 1) * width, 0);
  for (std::size_t i = rows; i-- > 0;) {
    for (std::size_t j = columns; j-- > 0;) {
      common[(i * width) + j] =
          a[begin + i] == b[begin + j]
              ? common[((i + 1) * width) + j + 1] + 1
              : std::max(common[((i + 1) * width) + j], common[(i * width) + j + 1]);
    }
  }
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < rows || j < columns) {
    if (i < rows && j < columns && a[begin + i] == b[begin + j]) {
      out.push_back({' ', a[begin + i]});
      ++i;
      ++j;
    } else if (j == columns ||
               (i < rows && common[((i + 1) * width) + j] >= common[(i * width) + j + 1])) {
      out.push_back({'-', a[begin + i++]});
    } else {
      out.push_back({'+', b[begin + j++]});
    }
  }
}

}  // namespace

std::vector<std::string_view> LinesOf(std::string_view text) {
  Lines lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

std::vector<MarkedLine> LineChanges(std::string_view from, std::string_view to) {
  const Lines a = LinesOf(from);
  const Lines b = LinesOf(to);
  std::vector<MarkedLine> out;
  std::size_t begin = 0;
  while (begin < a.size() && begin < b.size() && a[begin] == b[begin]) ++begin;
  std::size_t same = 0;
  while (same < std::min(a.size(), b.size()) - begin &&
         a[a.size() - 1 - same] == b[b.size() - 1 - same]) {
    ++same;
  }
  Mark(a, 0, begin, ' ', out);
  MarkMiddle(a, a.size() - same, b, b.size() - same, begin, out);
  Mark(a, a.size() - same, a.size(), ' ', out);
  return out;
}

}  // namespace kinformer::internal::base

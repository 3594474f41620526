// base/text/line_changes.h
//
// Lines of a text, and differences between two texts, line by line.

#ifndef KINFORMER_BASE_TEXT_LINE_CHANGES_H_
#define KINFORMER_BASE_TEXT_LINE_CHANGES_H_

#include <string_view>
#include <vector>

namespace kinformer::internal::base {

// Returns the lines without their ends, as views of the text.
std::vector<std::string_view> LinesOf(std::string_view text);

// A line of either text, without its end.
struct MarkedLine {
  char mark;  // ' ': of both; '-': of the first; '+': of the second
  std::string_view line;
};

// Returns the lines of both texts in their order, with as many common ones as possible. If what
// lies between the first and the last difference is large, that is one change. The views point into
// the texts.
std::vector<MarkedLine> LineChanges(std::string_view from, std::string_view to);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_LINE_CHANGES_H_

// cli/table.h
//
// Text in columns.

#ifndef KINFORMER_CLI_TABLE_H_
#define KINFORMER_CLI_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace kinformer::cli {

// Pads cells so that each column is aligned, with three blanks behind its widest cell so far,
// and is at least six wide, as in kubectl.
// Replaces control characters by blanks, because cells contain users' text.
class Table {
 public:
  // Widens the columns. Call it for every row before the first Line, if the rows are known.
  void Measure(const std::vector<std::string>& cells);
  // Returns one line without a line break; the last cell is not padded.
  std::string Line(const std::vector<std::string>& cells);

 private:
  std::vector<std::size_t> widths_;
};

// Returns the columns that UTF-8 text takes on a terminal, one for each character.
std::size_t DisplayWidth(const std::string& text);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_TABLE_H_

// cli/table.h
//
// Text in columns.

#ifndef KINFORMER_CLI_TABLE_H_
#define KINFORMER_CLI_TABLE_H_

#include <cstddef>
#include <string>
#include <vector>

namespace kinformer::cli {

// Pads cells so that those of one column begin at the same place: three blanks behind the widest so
// far. Control characters become blanks, since cells hold what users wrote.
class Table {
 public:
  // Makes room. Call for every row before the first Line, where the rows are known.
  void Measure(const std::vector<std::string>& cells);
  // One line without its end; the last cell is not padded.
  std::string Line(const std::vector<std::string>& cells);

 private:
  std::vector<std::size_t> widths_;
};

// Columns that a terminal shows for UTF-8 text, taking each character for one.
std::size_t DisplayWidth(const std::string& text);

}  // namespace kinformer::cli

#endif  // KINFORMER_CLI_TABLE_H_

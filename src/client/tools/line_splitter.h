// client/tools/line_splitter.h
//
// LineSplitter: makes lines of text that comes in pieces.

#ifndef KINFORMER_CLIENT_TOOLS_LINE_SPLITTER_H_
#define KINFORMER_CLIENT_TOOLS_LINE_SPLITTER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace kinformer::internal::client {

// Thread-compatible.
class LineSplitter {
 public:
  // Returns false to end.
  using OnLine = std::function<bool(std::string_view line)>;

  explicit LineSplitter(OnLine on_line) : on_line_(std::move(on_line)) {}

  // Takes a piece. Passes on each line that is complete, without its end; "\r\n" is an end, too.
  // Returns false once the function has.
  bool Feed(std::string_view piece);
  // Passes on what follows the last end of a line, if anything does.
  bool Finish();

  // A longer line is passed on in pieces.
  static constexpr std::size_t kLongest = std::size_t{1} << 20;

 private:
  OnLine on_line_;
  std::string begun_;
};

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_TOOLS_LINE_SPLITTER_H_

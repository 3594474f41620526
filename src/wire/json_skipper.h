// wire/json_skipper.h
//
// JsonSkipper: finds the end of a JSON object or array that is too large to be kept.

#ifndef KINFORMER_WIRE_JSON_SKIPPER_H_
#define KINFORMER_WIRE_JSON_SKIPPER_H_

#include <cstddef>
#include <string_view>

namespace kinformer::wire {

// Reads the text in pieces of any size, byte by byte, since such objects are rare.
class JsonSkipper {
 public:
  // Returns how many bytes at the front of `text` belong to the object; Done tells if it has ended.
  std::size_t Feed(std::string_view text) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      Step(text[i]);
      if (Done()) return i + 1;
    }
    return text.size();
  }
  [[nodiscard]] bool Done() const { return begun_ && depth_ == 0; }

 private:
  void Step(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (in_string_) {
      escaped_ = c == '\\';
      in_string_ = c != '"';
    } else if (c == '"') {
      in_string_ = true;
    } else if (c == '{' || c == '[') {
      begun_ = true;
      ++depth_;
    } else if (c == '}' || c == ']') {
      --depth_;
    }
  }

  std::size_t depth_ = 0;
  bool begun_ = false;
  bool in_string_ = false;
  bool escaped_ = false;
};

}  // namespace kinformer::wire

#endif  // KINFORMER_WIRE_JSON_SKIPPER_H_

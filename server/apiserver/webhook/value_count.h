// apiserver/webhook/value_count.h
//
// ValueCount: an upper bound of the number of values in a JSON text, computed as it arrives: a
// value of two bytes takes many times that memory.

#ifndef KINFORMER_APISERVER_WEBHOOK_VALUE_COUNT_H_
#define KINFORMER_APISERVER_WEBHOOK_VALUE_COUNT_H_

#include <cstddef>
#include <string_view>
#include <utility>

namespace kinformer::apiserver {

// Thread-compatible.
class ValueCount {
 public:
  // Adds the next part of the text, which may be split anywhere.
  void Add(std::string_view part) {
    for (const char c : part) {
      if (std::exchange(escaped_, false)) continue;
      if (c == '"') {
        in_string_ = !in_string_;
      } else if (in_string_) {
        escaped_ = c == '\\';
      } else if (c == ',' || c == '[' || c == '{') {
        ++count_;
      }
    }
  }
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  bool in_string_ = false;
  bool escaped_ = false;
  std::size_t count_ = 1;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_WEBHOOK_VALUE_COUNT_H_

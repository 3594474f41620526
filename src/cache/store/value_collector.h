// cache/store/value_collector.h
//
// ValueCollector: collects the values that an index function adds for one object, without repeats.

#ifndef KINFORMER_CACHE_STORE_VALUE_COLLECTOR_H_
#define KINFORMER_CACHE_STORE_VALUE_COLLECTOR_H_

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cache/store/store_index.h"

namespace kinformer::internal::cache {

// Reuses one buffer for all objects. Not thread-safe.
class ValueCollector final : public IndexValues {
 public:
  void Add(std::string_view value) override {
    ends_.push_back(bytes_.size());
    bytes_.append(value);
  }
  void Clear() {
    bytes_.clear();
    ends_.clear();
  }
  // Valid until the next Clear.
  const SortedValues& Sorted() {
    sorted_.clear();
    for (std::size_t i = 0; i < ends_.size(); ++i) {
      const std::size_t end = i + 1 < ends_.size() ? ends_[i + 1] : bytes_.size();
      sorted_.push_back(std::string_view(bytes_).substr(ends_[i], end - ends_[i]));
    }
    std::sort(sorted_.begin(), sorted_.end());
    sorted_.erase(std::unique(sorted_.begin(), sorted_.end()), sorted_.end());
    return sorted_;
  }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;  // start of each value in bytes_
  SortedValues sorted_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_VALUE_COLLECTOR_H_

// controller/fights/recent_table.h
//
// RecentTable: remembers the newest of many numbers in a fixed amount of memory.

#ifndef KINFORMER_CONTROLLER_FIGHTS_RECENT_TABLE_H_
#define KINFORMER_CONTROLLER_FIGHTS_RECENT_TABLE_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "kinformer/base/env.h"

namespace kinformer::internal::fights {

// A table of keys that are hashes, each with a value and the time of its last note. A new key takes
// the place of the oldest of the four with which it shares a line. Takes 24 bytes for each place,
// from the first note on. Thread-compatible.
class RecentTable {
 public:
  struct Entry {
    std::uint64_t key = 0;  // 0: none
    std::uint64_t value = 0;
    SteadyTime at{};
  };

  explicit RecentTable(std::size_t lines) : lines_(lines) {}

  // Returns null if the key is unknown. The pointer is valid until the next Note.
  [[nodiscard]] const Entry* Find(std::uint64_t key) const {
    if (entries_.empty()) return nullptr;
    const std::size_t first = FirstOf(key);
    for (std::size_t i = first; i < first + kWays; ++i) {
      if (entries_[i].key == key) return &entries_[i];
    }
    return nullptr;
  }
  void Note(std::uint64_t key, std::uint64_t value, SteadyTime at) {
    if (entries_.empty()) entries_.resize(lines_ * kWays);
    const std::size_t first = FirstOf(key);
    Entry* place = &entries_[first];
    for (std::size_t i = first; i < first + kWays; ++i) {
      Entry& entry = entries_[i];
      if (entry.key == key || entry.key == 0) {
        place = &entry;
        break;
      }
      if (entry.at < place->at) place = &entry;
    }
    *place = {key, value, at};
  }

 private:
  static constexpr std::size_t kWays = 4;
  [[nodiscard]] std::size_t FirstOf(std::uint64_t key) const { return key % lines_ * kWays; }

  const std::size_t lines_;
  std::vector<Entry> entries_;
};

}  // namespace kinformer::internal::fights

#endif  // KINFORMER_CONTROLLER_FIGHTS_RECENT_TABLE_H_

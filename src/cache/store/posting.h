// cache/store/posting.h
//
// Posting: a value of an index, and the numbers of all entries that have it at some version that
// may still be read.

#ifndef KINFORMER_CACHE_STORE_POSTING_H_
#define KINFORMER_CACHE_STORE_POSTING_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>

namespace kinformer::internal::cache {

// Growing list of entry numbers. Readers may read while the writer appends.
struct EntryList {
  explicit EntryList(std::uint32_t room)
      : capacity(room), at(std::make_unique<std::atomic<std::uint32_t>[]>(room)) {}
  const std::uint32_t capacity;
  std::atomic<std::uint32_t> size{0};
  std::unique_ptr<std::atomic<std::uint32_t>[]> at;
};

struct Posting {
  Posting(std::string_view v, std::uint64_t h) : value(v), hash(h) {}
  ~Posting() { delete entries.load(std::memory_order_relaxed); }
  Posting(const Posting&) = delete;
  Posting& operator=(const Posting&) = delete;

  const std::string value;
  const std::uint64_t hash;
  std::atomic<EntryList*> entries{nullptr};
  // Entries in the list that have the value at no version any more. Null: none. Used by the writer
  // only.
  std::unique_ptr<std::unordered_set<std::uint32_t>> stale{};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_POSTING_H_

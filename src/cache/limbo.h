// cache/limbo.h
//
// Limbo: what has been unlinked and waits until no reader can be looking at it.

#ifndef KINFORMER_CACHE_LIMBO_H_
#define KINFORMER_CACHE_LIMBO_H_

#include <cstddef>
#include <cstdint>
#include <deque>

#include "cache/epoch.h"

namespace kinformer::internal {

// Writer only. Frees in the order in which it was given things. Destruction frees all: nobody may be reading then.
class Limbo {
 public:
  using Free = void (*)(void* context, void* item);

  Limbo() = default;
  ~Limbo() {
    Stamp();
    FreeBefore(UINT64_MAX, SIZE_MAX);
  }
  Limbo(const Limbo&) = delete;
  Limbo& operator=(const Limbo&) = delete;

  // `item` can no longer be reached by a reader that starts now.
  void Retire(void* item, Free free, void* context = nullptr) {
    items_.push_back({item, free, context, UINT64_MAX});
    ++unstamped_;
  }
  template <class T>
  void RetireDelete(const T* item) {
    Retire(const_cast<T*>(item), [](void*, void* p) { delete static_cast<T*>(p); });
  }

  // To be called once in a while; only what was there then is freed.
  void Stamp() {
    if (unstamped_ == 0) return;
    const std::uint64_t epoch = StampEpoch();
    for (; unstamped_ != 0; --unstamped_) items_[items_.size() - unstamped_].epoch = epoch;
  }

  // Frees what was stamped before epoch `safe`, at most `limit` items.
  void FreeBefore(std::uint64_t safe, std::size_t limit) {
    for (; limit > 0 && !items_.empty() && items_.front().epoch < safe; --limit) {
      const Item item = items_.front();
      items_.pop_front();
      if (items_.size() > kAhead) __builtin_prefetch(items_[kAhead].item, 1);
      item.free(item.context, item.item);
    }
  }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }

 private:
  struct Item {
    void* item;
    Free free;
    void* context;
    std::uint64_t epoch;
  };
  // What is freed is no longer in the processor's cache: so many are fetched ahead.
  static constexpr std::size_t kAhead = 8;
  std::deque<Item> items_;
  std::size_t unstamped_ = 0;  // at the end of items_
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_LIMBO_H_

// cache/store/retire_list.h
//
// RetireList: what has been unlinked and waits until no reader can be looking at it.

#ifndef KINFORMER_CACHE_STORE_RETIRE_LIST_H_
#define KINFORMER_CACHE_STORE_RETIRE_LIST_H_

#include <cstddef>
#include <cstdint>

#include "cache/store/lazy_deque.h"
#include "cache/store/reclamation.h"

namespace kinformer::internal::cache {

// Writer only. Frees in the order in which it was given things. Destruction frees all: nobody may
// be reading then.
class RetireList {
 public:
  using Free = void (*)(void* context, void* item);

  RetireList() = default;
  ~RetireList() {
    Stamp();
    FreeBefore(UINT64_MAX, SIZE_MAX);
  }
  RetireList(const RetireList&) = delete;
  RetireList& operator=(const RetireList&) = delete;

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
    const std::uint64_t stamp = StampRetired();
    for (; unstamped_ != 0; --unstamped_) items_[items_.size() - unstamped_].stamp = stamp;
  }

  // Frees what was stamped before `safe`, at most `limit` items.
  void FreeBefore(std::uint64_t safe, std::size_t limit) {
    for (; limit > 0 && !items_.empty() && items_.front().stamp < safe; --limit) {
      const Item item = items_.front();
      items_.pop_front();
      if (items_.size() > kAhead) __builtin_prefetch(items_[kAhead].item, 1);
      item.free(item.context, item.item);
    }
  }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  // Of an empty list.
  void ReleaseMemory() { items_.ReleaseMemory(); }

 private:
  struct Item {
    void* item;
    Free free;
    void* context;
    std::uint64_t stamp;
  };
  // What is freed is no longer in the processor's cache: so many are fetched ahead.
  static constexpr std::size_t kAhead = 8;
  LazyDeque<Item> items_;
  std::size_t unstamped_ = 0;  // at the end of items_
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_RETIRE_LIST_H_

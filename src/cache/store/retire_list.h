// cache/store/retire_list.h
//
// RetireList: unlinked memory that waits until no reader can access it any more.

#ifndef KINFORMER_CACHE_STORE_RETIRE_LIST_H_
#define KINFORMER_CACHE_STORE_RETIRE_LIST_H_

#include <cstddef>
#include <cstdint>

#include "cache/store/lazy_deque.h"
#include "cache/store/reclamation.h"

namespace kinformer::internal::cache {

// Used by the writer only. Frees items in the order of their calls to Retire. The destructor frees
// all of them: no reader may be active then.
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

  // Adds `item` to the list. REQUIRES: a reader that starts now cannot reach it.
  void Retire(void* item, Free free, void* context = nullptr) {
    items_.push_back({item, free, context, UINT64_MAX});
    ++unstamped_;
  }
  template <class T>
  void RetireDelete(const T* item) {
    Retire(const_cast<T*>(item), [](void*, void* p) { delete static_cast<T*>(p); });
  }

  // Stamps the items added so far; only stamped items can be freed. Call it now and then.
  void Stamp() {
    if (unstamped_ == 0) return;
    const std::uint64_t stamp = StampRetired();
    for (; unstamped_ != 0; --unstamped_) items_[items_.size() - unstamped_].stamp = stamp;
  }

  // Frees up to `limit` items whose stamp is below `safe`.
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
  // Frees the list's own memory. REQUIRES: empty.
  void ReleaseMemory() { items_.ReleaseMemory(); }

 private:
  struct Item {
    void* item;
    Free free;
    void* context;
    std::uint64_t stamp;
  };
  // Number of items to prefetch: items to be freed are rarely in the processor's cache.
  static constexpr std::size_t kAhead = 8;
  LazyDeque<Item> items_;
  std::size_t unstamped_ = 0;  // number of items at the end of items_ without a stamp
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_RETIRE_LIST_H_

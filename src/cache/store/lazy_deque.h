// cache/store/lazy_deque.h
//
// LazyDeque<T>: a std::deque that takes no memory until something is pushed. libstdc++'s deque
// takes about 600 bytes from the start, which a store that rarely changes would waste.

#ifndef KINFORMER_CACHE_STORE_LAZY_DEQUE_H_
#define KINFORMER_CACHE_STORE_LAZY_DEQUE_H_

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

namespace kinformer::internal::cache {

// Thread-compatible.
template <class T>
class LazyDeque {
 public:
  [[nodiscard]] bool empty() const { return !items_ || items_->empty(); }
  [[nodiscard]] std::size_t size() const { return items_ ? items_->size() : 0; }
  // REQUIRES: not empty.
  [[nodiscard]] T& front() { return items_->front(); }
  [[nodiscard]] T& operator[](std::size_t i) { return (*items_)[i]; }

  void push_back(T item) {
    if (!items_) items_.emplace();
    items_->push_back(std::move(item));
  }
  // REQUIRES: not empty.
  void pop_front() { items_->pop_front(); }
  template <class Predicate>
  void EraseIf(Predicate predicate) {
    if (items_) std::erase_if(*items_, std::move(predicate));
  }
  // Frees the memory. REQUIRES: empty.
  void ReleaseMemory() { items_.reset(); }

 private:
  std::optional<std::deque<T>> items_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_LAZY_DEQUE_H_

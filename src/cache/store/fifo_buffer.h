// cache/store/fifo_buffer.h
//
// FifoBuffer<T>: a first-in, first-out sequence in one vector. Unlike a std::deque it takes no
// memory while it is empty, which is the usual state of an informer's queue.

#ifndef KINFORMER_CACHE_STORE_FIFO_BUFFER_H_
#define KINFORMER_CACHE_STORE_FIFO_BUFFER_H_

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace kinformer::internal::cache {

// Appends and removes in amortized constant time. Frees its memory when it becomes empty, except
// for room for kKept items. kKept is either 0 or at least 8. Invalidates iterators on every append.
// Thread-compatible.
template <class T, std::size_t kKept = 0>
class FifoBuffer {
 public:
  [[nodiscard]] bool empty() const { return first_ == items_.size(); }
  [[nodiscard]] std::size_t size() const { return items_.size() - first_; }
  // REQUIRES: not empty.
  [[nodiscard]] T& front() { return items_[first_]; }
  [[nodiscard]] const T& front() const { return items_[first_]; }
  [[nodiscard]] T& back() { return items_.back(); }
  [[nodiscard]] auto begin() const { return items_.begin() + Offset(); }
  [[nodiscard]] auto end() const { return items_.end(); }

  T& push_back(T item) {
    if (items_.size() == items_.capacity()) MakeRoom();
    return items_.emplace_back(std::move(item));
  }
  // REQUIRES: not empty.
  void pop_front() {
    items_[first_++] = T();
    if (empty()) clear();
  }
  void clear() {
    if (items_.capacity() > kKept) {
      items_ = std::vector<T>();
    } else {
      items_.clear();
    }
    first_ = 0;
  }

 private:
  static constexpr std::size_t kFirstCapacity = 8;

  [[nodiscard]] auto Offset() const { return static_cast<std::ptrdiff_t>(first_); }

  // Moves the remaining items to the front if that frees half of the vector.
  void MakeRoom() {
    if (items_.empty()) {
      items_.reserve(kFirstCapacity);
    } else if (first_ >= items_.size() / 2) {
      items_.erase(items_.begin(), items_.begin() + Offset());
      first_ = 0;
    }
  }

  std::vector<T> items_;
  // Index of the first remaining item.
  std::size_t first_ = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_FIFO_BUFFER_H_

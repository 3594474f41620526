// workqueue/placed_heap.h
//
// PlacedHeap: a heap from whose middle elements can be removed, since each knows its place.

#ifndef KINFORMER_WORKQUEUE_PLACED_HEAP_H_
#define KINFORMER_WORKQUEUE_PLACED_HEAP_H_

#include <cstddef>
#include <utility>
#include <vector>

namespace kinformer::internal {

// Place of an element that is not in the heap.
inline constexpr std::size_t kNoPlace = static_cast<std::size_t>(-1);

// A heap of pointers. `kPlace` is the member of T that holds its place; `Ahead` says which of two
// comes first. O(log n) for each operation. Not thread-safe; elements must not move.
template <class T, std::size_t T::* kPlace, class Ahead>
class PlacedHeap {
 public:
  explicit PlacedHeap(Ahead ahead = {}) : ahead_(std::move(ahead)) {}

  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  // REQUIRES: not empty.
  [[nodiscard]] T& first() const { return *items_[0]; }

  // Inserts `item`, or moves it to where it belongs now.
  void Put(T& item) {
    if (item.*kPlace == kNoPlace) {
      item.*kPlace = items_.size();
      items_.push_back(&item);
    }
    Sift(item);
  }
  // Removes `item`, if it is there.
  void Remove(T& item) {
    const std::size_t place = std::exchange(item.*kPlace, kNoPlace);
    if (place == kNoPlace) return;
    T* const last = items_.back();
    items_.pop_back();
    if (last == &item) return;
    Set(place, last);
    Sift(*last);
  }

 private:
  void Set(std::size_t place, T* item) {
    items_[place] = item;
    item->*kPlace = place;
  }
  void Sift(T& item) {
    std::size_t place = item.*kPlace;
    for (; place > 0 && ahead_(item, *items_[(place - 1) / 2]); place = (place - 1) / 2) {
      Set(place, items_[(place - 1) / 2]);
    }
    for (;;) {
      std::size_t child = 2 * place + 1;
      if (child + 1 < items_.size() && ahead_(*items_[child + 1], *items_[child])) ++child;
      if (child >= items_.size() || !ahead_(*items_[child], item)) break;
      Set(place, items_[child]);
      place = child;
    }
    Set(place, &item);
  }

  const Ahead ahead_;
  std::vector<T*> items_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_WORKQUEUE_PLACED_HEAP_H_

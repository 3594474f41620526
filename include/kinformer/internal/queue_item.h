// kinformer/internal/queue_item.h
//
// CheckQueueItem: explains why a type cannot be an item of a queue or of a rate limiter.

#ifndef KINFORMER_INTERNAL_QUEUE_ITEM_H_
#define KINFORMER_INTERNAL_QUEUE_ITEM_H_

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace kinformer::internal {

template <class Item, class Hash>
consteval bool CheckQueueItem() {
  static_assert(
      std::is_default_constructible_v<Hash> &&
          std::is_invocable_r_v<std::size_t, const Hash&, const Item&>,
      "an item of a queue needs a hash: specialise std::hash<YourItem>, or name a class "
      "that computes one, WorkQueue<YourItem, YourHash>; Request and ObjectName have one");
  static_assert(std::equality_comparable<Item>,
                "an item of a queue needs an equality: bool operator==(const YourItem&) const = "
                "default;");
  static_assert(std::copy_constructible<Item>,
                "an item of a queue is copied: keep what cannot be copied elsewhere, and let the "
                "item be its key");
  return true;
}

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_QUEUE_ITEM_H_

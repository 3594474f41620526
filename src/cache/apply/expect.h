// cache/apply/expect.h
//
// ExpectFrom: prefetches for the next writes to the store, so that their cache misses overlap.

#ifndef KINFORMER_CACHE_APPLY_EXPECT_H_
#define KINFORMER_CACHE_APPLY_EXPECT_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

#include "kinformer/internal/block.h"

#include "cache/deltas/delta.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

inline const Block* ObjectOf(const ObjectRef& object) { return object.get(); }
inline const Block* ObjectOf(const Delta& delta) { return delta.object.get(); }

// Prefetches the next kMost of `items` whenever `at` is a multiple of kMost; else does nothing.
template <class Item>
void ExpectFrom(const StoreCore& store, const std::vector<Item>& items, std::size_t at) {
  constexpr std::size_t kMost = StoreCore::kMostExpected;
  if (at % kMost != 0 || at + 1 >= items.size()) return;
  std::array<const Block*, kMost> objects{};
  std::size_t count = 0;
  const std::size_t end = std::min(at + kMost, items.size());
  for (; at < end; ++at) {
    if (const Block* object = ObjectOf(items[at])) objects[count++] = object;
  }
  store.Expect({objects.data(), count});
}

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_EXPECT_H_

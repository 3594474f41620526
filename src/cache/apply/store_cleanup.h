// cache/apply/store_cleanup.h
//
// StoreCleanup: frees what is old in a store between its writes, and gives memory back to the
// system where much of it was freed.
//
// Each commit frees a part of what no reader can see any more: as much as keeps up with a stream of
// events. What a list that changed everything or a mass deletion leaves behind at once would stay
// until thousands of events had come, which may be never. And malloc keeps what lies between the
// objects that are left.

#ifndef KINFORMER_CACHE_APPLY_STORE_CLEANUP_H_
#define KINFORMER_CACHE_APPLY_STORE_CLEANUP_H_

#include <cstddef>

#include "kinformer/env.h"

#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

// Confined to the loop. The store outlives it.
class StoreCleanup {
 public:
  StoreCleanup(Env& env, StoreCore& store) : env_(env), store_(store) {}

  // The store has a new version.
  void Committed();

 private:
  // Of objects, old ones included.
  [[nodiscard]] std::size_t Bytes() const { return store_.object_bytes() + store_.old_bytes(); }
  // Much less than it was.
  [[nodiscard]] bool HasShrunk() const;
  void WorkAfter(Duration pause);
  void Work();

  Env& env_;
  StoreCore& store_;
  std::size_t most_ = 0;  // Bytes() at most, since memory was last given back
  std::size_t seen_ = 0;  // Bytes() when it was last looked at
  Timer timer_;           // armed while there is something to do
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_STORE_CLEANUP_H_

// cache/apply/store_cleanup.h
//
// StoreCleanup: frees old versions of a store between its writes, and returns memory to the system
// after much of it was freed.
//
// Each commit frees a part of what no reader can access: enough for a stream of events. A list that
// changed everything, or a mass deletion, leaves much at once. Without this class that would stay
// until thousands of events had come, which may be never. And malloc would keep the memory between
// the remaining objects.

#ifndef KINFORMER_CACHE_APPLY_STORE_CLEANUP_H_
#define KINFORMER_CACHE_APPLY_STORE_CLEANUP_H_

#include <cstddef>

#include "kinformer/base/env.h"

#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

// Confined to the loop. The store must outlive it.
class StoreCleanup {
 public:
  StoreCleanup(Env& env, StoreCore& store) : env_(env), store_(store) {}

  // Called after each commit of the store.
  void Committed();

 private:
  // Returns the bytes of all objects, old versions included.
  [[nodiscard]] std::size_t Bytes() const { return store_.object_bytes() + store_.old_bytes(); }
  // Returns whether the store is much smaller than it was.
  [[nodiscard]] bool HasShrunk() const;
  void WorkAfter(Duration pause);
  void Work();

  Env& env_;
  StoreCore& store_;
  std::size_t most_ = 0;  // largest Bytes() since memory was last returned
  std::size_t seen_ = 0;  // Bytes() at the last check
  Timer timer_;           // armed while there is work to do
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_STORE_CLEANUP_H_

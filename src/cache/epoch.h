// cache/epoch.h
//
// When may memory that readers could be looking at be freed? Readers announce themselves with an EpochGuard; a writer stamps
// what it has unlinked with the current epoch and frees it once no reader is left that entered at that epoch or before.
//
// One domain for the process: a thread that has a guard holds up the freeing (never the writing) of every store, so guards are
// for the length of one look-up. What must last longer pins a version instead (store_core.h).
//
// Why this is right without a fence: a reader announces itself with a read-modify-write on its slot, and the writer looks at
// the slot with one as well. These are totally ordered. Either the writer sees the announcement, or the reader's reads-from
// the writer's, and then everything the writer had unlinked before looking is unlinked for the reader too.

#ifndef KINFORMER_CACHE_EPOCH_H_
#define KINFORMER_CACHE_EPOCH_H_

#include <atomic>
#include <cstdint>

namespace kinformer::internal {

struct alignas(128) ReaderSlot {  // 128: prefetchers work on pairs of lines
  std::atomic<std::uint64_t> entered{
      0};                   // the epoch at which the outermost guard was made; 0: no guard
  std::uint32_t depth = 0;  // guards of the thread that has the slot
  std::atomic<bool> taken{false};
  ReaderSlot* next = nullptr;  // written before the slot is in the list
};

extern constinit thread_local ReaderSlot* this_thread_reader_slot;
ReaderSlot& TakeReaderSlot();

extern constinit std::atomic<std::uint64_t> current_epoch;

// Nothing that was reachable when the guard was made is freed while it exists. May be nested. About 5 ns.
class EpochGuard {
 public:
  EpochGuard()
      : slot_(this_thread_reader_slot != nullptr ? *this_thread_reader_slot : TakeReaderSlot()) {
    if (slot_.depth++ == 0) {
      slot_.entered.exchange(current_epoch.load(std::memory_order_acquire),
                             std::memory_order_acq_rel);
    }
  }
  ~EpochGuard() {
    if (--slot_.depth == 0) slot_.entered.store(0, std::memory_order_release);
  }
  EpochGuard(const EpochGuard&) = delete;
  EpochGuard& operator=(const EpochGuard&) = delete;

 private:
  ReaderSlot& slot_;
};

// The stamp for what the calling writer has unlinked so far. A step of the epoch each time: only what comes after this very
// step is sure to see the unlinking, whatever other writers do meanwhile.
inline std::uint64_t StampEpoch() { return current_epoch.fetch_add(1, std::memory_order_acq_rel); }
// Whatever was unlinked with a stamp below the result may be freed. Looks at every thread that ever read.
std::uint64_t SafeEpoch();

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_EPOCH_H_

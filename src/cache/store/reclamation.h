// cache/store/reclamation.h
//
// Decides when memory that readers may access can be freed. A reader announces itself with a
// ReadGuard; a writer stamps what it has unlinked with the current time of a clock, and frees it
// once no reader is left that entered at that time or before.
//
// There is one domain for the process: a thread with a guard delays the freeing (never the writing)
// of every store, so guards last for one look-up only. A version that is needed for longer is
// pinned instead (store_core.h).
//
// Correctness: a reader must not read what its announcement does not protect yet, although a
// processor may delay stores behind later loads. If the kernel can make all threads of the process
// pass a memory barrier (membarrier), the writer requests that before it reads the slots. Then
// either the announcement came before the barrier, and the writer sees it, or the reader's loads
// came after, and what the writer had unlinked is unlinked for the reader, too. A reader then
// announces itself with an ordinary store, and its loads can overlap with those before:
// docs/decisions/0016-reads-at-memory-speed.md. Elsewhere, and under ThreadSanitizer, which does
// not know that call, a reader announces itself with a read-modify-write on its slot, and the
// writer reads the slot with one as well. These are totally ordered: either the writer sees the
// announcement, or the reader's reads-from the writer's.

#ifndef KINFORMER_CACHE_STORE_RECLAMATION_H_
#define KINFORMER_CACHE_STORE_RECLAMATION_H_

#include <atomic>
#include <cstdint>

namespace kinformer::internal::cache {

struct alignas(128) ReaderSlot {  // 128: prefetchers work on pairs of lines
  // Clock value when the outermost guard was created; 0: there is none.
  std::atomic<std::uint64_t> entered{0};
  // Number of nested guards of the thread that owns the slot.
  std::uint32_t depth = 0;
  // True in all slots of the process if writers use barriers and readers need none.
  bool plain = false;
  std::atomic<bool> taken{false};
  // Written before the slot is in the list.
  ReaderSlot* next = nullptr;
};

extern constinit thread_local ReaderSlot* this_thread_reader_slot;
ReaderSlot& TakeReaderSlot();

extern constinit std::atomic<std::uint64_t> reclamation_clock;

// Prevents the freeing of everything that was reachable when the guard was created. May be nested.
// Takes about 1 ns; 5 ns if readers need a barrier.
class ReadGuard {
 public:
  ReadGuard()
      : slot_(this_thread_reader_slot != nullptr ? *this_thread_reader_slot : TakeReaderSlot()) {
    if (slot_.depth++ != 0) return;
    const std::uint64_t now = reclamation_clock.load(std::memory_order_acquire);
    if (slot_.plain) [[likely]] {
      slot_.entered.store(now, std::memory_order_relaxed);
      // Stops the compiler from reordering; the writer's barrier does so for the processor.
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      slot_.entered.exchange(now, std::memory_order_acq_rel);
    }
  }
  ~ReadGuard() {
    if (--slot_.depth == 0) slot_.entered.store(0, std::memory_order_release);
  }
  ReadGuard(const ReadGuard&) = delete;
  ReadGuard& operator=(const ReadGuard&) = delete;

 private:
  ReaderSlot& slot_;
};

// Returns the stamp for everything that the calling writer has unlinked so far. Advances the clock
// each time: only a reader that enters after this very step is sure to see the unlinking,
// regardless of other writers.
inline std::uint64_t StampRetired() {
  return reclamation_clock.fetch_add(1, std::memory_order_acq_rel);
}
// Returns the stamp below which unlinked memory may be freed. Checks every thread that ever read
// and interrupts running ones for about a microsecond each: too slow for every commit.
std::uint64_t SafeToFree();

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_RECLAMATION_H_

// cache/store/reclamation.h
//
// When may memory that readers could be looking at be freed? Readers announce themselves with a
// ReadGuard; a writer stamps what it has unlinked with the current time of a clock and frees it
// once no reader is left that entered at that time or before.
//
// One domain for the process: a thread that has a guard holds up the freeing (never the writing) of
// every store, so guards are for the length of one look-up. What must last longer pins a version
// instead (store_core.h).
//
// Why this is right: a reader must not read what its announcement does not protect yet, though a
// processor may delay stores behind later loads. Where the kernel can make all threads of the
// process pass a memory barrier (membarrier), the writer asks for that before it looks at the
// slots. Then either the announcement came before the barrier, and the writer sees it, or the
// reader's loads came after, and what the writer had unlinked is unlinked for the reader too. A
// reader then announces itself with an ordinary store, and what it reads can overlap with what it
// read before: docs/decisions/0016-reads-at-memory-speed.md. Elsewhere, and under ThreadSanitizer,
// which does not know that call, a reader announces itself with a read-modify-write on its slot,
// and the writer looks at the slot with one as well. These are totally ordered: either the writer
// sees the announcement, or the reader's reads-from the writer's.

#ifndef KINFORMER_CACHE_STORE_RECLAMATION_H_
#define KINFORMER_CACHE_STORE_RECLAMATION_H_

#include <atomic>
#include <cstdint>

namespace kinformer::internal::cache {

struct alignas(128) ReaderSlot {  // 128: prefetchers work on pairs of lines
  // When the outermost guard was made; 0: there is none.
  std::atomic<std::uint64_t> entered{0};
  // Guards of the thread that has the slot.
  std::uint32_t depth = 0;
  // The same for all slots of the process: writers ask for barriers.
  bool plain = false;
  std::atomic<bool> taken{false};
  // Written before the slot is in the list.
  ReaderSlot* next = nullptr;
};

extern constinit thread_local ReaderSlot* this_thread_reader_slot;
ReaderSlot& TakeReaderSlot();

extern constinit std::atomic<std::uint64_t> reclamation_clock;

// Nothing that was reachable when the guard was made is freed while it exists. May be nested. About
// 1 ns; 5 ns where readers need a barrier.
class ReadGuard {
 public:
  ReadGuard()
      : slot_(this_thread_reader_slot != nullptr ? *this_thread_reader_slot : TakeReaderSlot()) {
    if (slot_.depth++ != 0) return;
    const std::uint64_t now = reclamation_clock.load(std::memory_order_acquire);
    if (slot_.plain) [[likely]] {
      slot_.entered.store(now, std::memory_order_relaxed);
      // For the compiler; the processor's part is the writer's.
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

// The stamp for what the calling writer has unlinked so far. The clock goes a step each time: only
// what comes after this very step is sure to see the unlinking, whatever other writers do
// meanwhile.
inline std::uint64_t StampRetired() {
  return reclamation_clock.fetch_add(1, std::memory_order_acq_rel);
}
// Whatever was unlinked with a stamp below the result may be freed. Looks at every thread that ever
// read, and interrupts those that are running, each for about a microsecond: not for every commit.
std::uint64_t SafeToFree();

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_RECLAMATION_H_

#include "cache/store/reclamation.h"

#include <algorithm>
#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define KINFORMER_TSAN 1
#endif
#endif

namespace kinformer::internal::cache {

constinit thread_local ReaderSlot* this_thread_reader_slot = nullptr;
constinit std::atomic<std::uint64_t> reclamation_clock{1};

namespace {

// Slots are never freed: a thread that ends leaves its slot to the next one.
constinit std::atomic<ReaderSlot*> slots{nullptr};

bool AskForBarrier(int command) { return syscall(SYS_membarrier, command, 0, 0) == 0; }

// Whether writers can make all threads pass a barrier. Decided once.
bool HasBarrier() {
#if defined(KINFORMER_TSAN) || defined(__SANITIZE_THREAD__)
  return false;
#else
  static const bool has = AskForBarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
                          AskForBarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  return has;
#endif
}

// Returns false if readers may not have passed a barrier. A forked process must register again.
bool PassBarrier() {
  return AskForBarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED) ||
         (AskForBarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) &&
          AskForBarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED));
}

// Returns the slot of a thread when the thread ends.
struct SlotReturner {
  ~SlotReturner() {
    this_thread_reader_slot->taken.store(false, std::memory_order_release);
    this_thread_reader_slot = nullptr;
  }
};

}  // namespace

ReaderSlot& TakeReaderSlot() {
  thread_local const SlotReturner returner;
  for (ReaderSlot* slot = slots.load(std::memory_order_acquire); slot != nullptr;
       slot = slot->next) {
    if (!slot->taken.load(std::memory_order_relaxed) &&
        !slot->taken.exchange(true, std::memory_order_acq_rel)) {
      this_thread_reader_slot = slot;
      return *slot;
    }
  }
  auto* slot = new ReaderSlot;
  slot->plain = HasBarrier();
  slot->taken.store(true, std::memory_order_relaxed);
  slot->next = slots.load(std::memory_order_relaxed);
  // acq_rel: a reader that enters with this slot must come after every SafeToFree that did not see
  // it in the list.
  while (!slots.compare_exchange_weak(slot->next, slot, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
  }
  this_thread_reader_slot = slot;
  return *slot;
}

std::uint64_t SafeToFree() {
  std::uint64_t safe = reclamation_clock.load(std::memory_order_relaxed) + 1;
  if (HasBarrier() && !PassBarrier()) return 0;
  // A read-modify-write, so that a slot added after it synchronizes with this look: see
  // TakeReaderSlot.
  ReaderSlot* first = slots.load(std::memory_order_relaxed);
  while (!slots.compare_exchange_weak(first, first, std::memory_order_acq_rel,
                                      std::memory_order_relaxed)) {
  }
  for (ReaderSlot* slot = first; slot != nullptr; slot = slot->next) {
    const std::uint64_t entered = slot->entered.fetch_add(0, std::memory_order_acq_rel);
    if (entered != 0) safe = std::min(safe, entered);
  }
  return safe;
}

}  // namespace kinformer::internal::cache

#include "base/loop/heap_pages.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <malloc.h>
#include <string_view>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "base/core/mutex.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define KINFORMER_OTHER_HEAP 1
#endif
#endif
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && \
    !defined(KINFORMER_OTHER_HEAP)
#define KINFORMER_GLIBC_HEAP 1
#endif

namespace kinformer::internal::base {
namespace {

std::atomic<bool>& Wanted() {
  static std::atomic<bool> wanted = [] {
    const char* const said = std::getenv("KINFORMER_HUGE_PAGES");
    return said == nullptr || std::string_view(said) != "0";
  }();
  return wanted;
}

#if defined(KINFORMER_GLIBC_HEAP)
// Addresses of the pieces for which huge pages were requested.
class Advised {
 public:
  void Add(std::uintptr_t piece) {
    const base::MutexLock lock(mutex_);
    pieces_.push_back(piece);
  }
  std::vector<std::uintptr_t> Take() {
    const base::MutexLock lock(mutex_);
    return std::exchange(pieces_, {});
  }

 private:
  Mutex mutex_;
  std::vector<std::uintptr_t> pieces_ KINFORMER_GUARDED_BY(mutex_);
};
Advised& AdvisedPieces() {
  static auto* const pieces = new Advised;  // used as long as any thread runs
  return *pieces;
}

// glibc reserves heaps of threads other than the main one in aligned pieces of this size.
constexpr std::uintptr_t kArenaBytes = std::uintptr_t{64} << 20;
// A thread with fewer bytes keeps small pages: in a small process, huge pages cost more than they
// save.
constexpr std::size_t kSmall = std::size_t{8} << 20;

std::uintptr_t PieceOf(const void* memory) {
  return reinterpret_cast<std::uintptr_t>(memory) & ~(kArenaBytes - 1);
}

// Makes a whole piece writable in which a heap of glibc has begun to grow. glibc makes only a few
// pages writable at a time, so no huge page fits into the writable part when it is first touched.
// The rest of the piece must be reserved for that heap, which the kernel's memory map shows:
// anonymous, private, without access rights, from the end of the writable part to the end of the
// piece. If it is not, nothing is changed.
void OpenPiece(std::uintptr_t piece) {
  std::FILE* const maps = std::fopen("/proc/self/maps", "re");
  if (maps == nullptr) return;
  std::array<char, 512> line;
  std::uintptr_t writable_end = 0;
  while (std::fgets(line.data(), line.size(), maps) != nullptr) {
    std::uintptr_t begin = 0;
    std::uintptr_t end = 0;
    std::array<char, 5> rights{};
    unsigned long inode = 1;
    if (std::sscanf(line.data(), "%" SCNxPTR "-%" SCNxPTR " %4s %*s %*s %lu", &begin, &end,
                    rights.data(), &inode) != 4) {
      continue;
    }
    const std::string_view may(rights.data());
    if (begin == piece && may == "rw-p" && inode == 0) {
      writable_end = end;
    } else if (begin >= piece) {
      if (begin == writable_end && end == piece + kArenaBytes && may == "---p" && inode == 0) {
        // NOLINTNEXTLINE(performance-no-int-to-ptr): the kernel names addresses as numbers
        mprotect(reinterpret_cast<void*>(begin), end - begin, PROT_READ | PROT_WRITE);
      }
      break;
    }
  }
  std::fclose(maps);
}
// glibc grows such a heap by just the pages that an allocation needs, with a call of mprotect for
// every few objects of a first list. GrowInSteps allocates and frees a block of this size, so that
// the heap grows in larger steps. 128 KiB would make glibc return memory to the system.
constexpr std::size_t kGrowth = std::size_t{96} << 10;

void GrowInSteps(const void* block, std::size_t size) {
  thread_local std::uintptr_t grown_to = 0;
  thread_local std::uintptr_t grown_in = 0;
  const std::uintptr_t end = reinterpret_cast<std::uintptr_t>(block) + size;
  if (PieceOf(block) == grown_in && end <= grown_to) return;
  grown_in = PieceOf(block);
  grown_to = end + kGrowth;
  void* const step = std::malloc(kGrowth);
  // If the block came from a hole below the end, the heap has not grown.
  if (reinterpret_cast<std::uintptr_t>(step) >= end) {
    grown_to = reinterpret_cast<std::uintptr_t>(step) + kGrowth;
  }
  std::free(step);
}

// Makes a piece writable and requests huge pages in it, once per piece and thread.
void AdvisePiece(std::uintptr_t piece) {
  thread_local std::vector<std::uintptr_t> advised;
  const auto at = std::lower_bound(advised.begin(), advised.end(), piece);
  if (at != advised.end() && *at == piece) return;
  advised.insert(at, piece);
  OpenPiece(piece);
  // NOLINTNEXTLINE(performance-no-int-to-ptr): see above
  madvise(reinterpret_cast<void*>(piece), kArenaBytes, MADV_HUGEPAGE);
  AdvisedPieces().Add(piece);
}
#endif

}  // namespace

void UseHugePagesFor([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) {
#if defined(KINFORMER_GLIBC_HEAP)
  thread_local std::size_t made = 0;
  if (made < kSmall) {
    made += size;
    return;
  }
  if (!HugePagesWanted()) return;
  GrowInSteps(memory, size);
  thread_local std::uintptr_t latest = 0;
  const std::uintptr_t piece = PieceOf(memory);
  if (piece == latest) return;
  latest = piece;
  AdvisePiece(piece);
#endif
}

void GiveBackFreeMemory() {
#if defined(KINFORMER_GLIBC_HEAP)
  // Otherwise the kernel would build huge pages from the little that is left, and everything would
  // be resident again after some minutes. Another mapping in its place gets small pages.
  for (const std::uintptr_t piece : AdvisedPieces().Take()) {
    // NOLINTNEXTLINE(performance-no-int-to-ptr): see above
    madvise(reinterpret_cast<void*>(piece), kArenaBytes, MADV_NOHUGEPAGE);
  }
  malloc_trim(0);
#endif
}

void SetHugePages(bool wanted) { Wanted().store(wanted, std::memory_order_relaxed); }
bool HugePagesWanted() { return Wanted().load(std::memory_order_relaxed); }

}  // namespace kinformer::internal::base

#include "object/block/ended_blocks.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <malloc.h>
#include <utility>

#include "base/core/mutex.h"

#if defined(__SANITIZE_ADDRESS__)
#define KINFORMER_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define KINFORMER_ASAN 1
#endif
#endif

namespace kinformer::internal {
namespace {

// AddressSanitizer itself detects reads of freed memory, and reports who freed it.
#ifdef KINFORMER_ASAN
constexpr bool kKeep = false;
#else
constexpr bool kKeep = kCheckViews;
#endif

constexpr std::size_t kMostKept = std::size_t{32} << 20;

// Memory of the last destroyed objects.
class EndedBlocks {
 public:
  void Keep(void* block) {
    const std::size_t size = malloc_usable_size(block);
    std::memset(block, kEnded, size);
    base::MutexLock lock(mutex_);
    kept_.emplace_back(block, size);
    bytes_ += size;
    while (bytes_ > kMostKept) {
      bytes_ -= kept_.front().second;
      std::free(kept_.front().first);
      kept_.pop_front();
    }
  }

 private:
  base::Mutex mutex_;
  std::deque<std::pair<void*, std::size_t>> kept_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

}  // namespace

void FreeBlock(void* block) {
  if constexpr (kKeep) {
    static auto* const ended = new EndedBlocks;  // used as long as any thread runs
    ended->Keep(block);
  } else {
    std::free(block);
  }
}

void FailIfEnded(const void* block) {
  // Sizes and positions at the end of a block's header, which never change. No living block has
  // these values.
  std::array<unsigned char, 16> sizes{};
  std::memcpy(sizes.data(), static_cast<const char*>(block) + sizeof(Block) - sizes.size(),
              sizes.size());
  if (!std::all_of(sizes.begin(), sizes.end(), [](unsigned char c) { return c == kEnded; })) return;
  std::fputs(
      "kinformer: a view was read after its object had ended. Views from a handler end with the "
      "callback: keep a Ref, which Retain() gives (docs/guide/lifetimes.md)\n",
      stderr);
  std::abort();
}

}  // namespace kinformer::internal

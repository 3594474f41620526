#include "cache/apply/store_cleanup.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/core/deadline.h"
#include "base/loop/heap_pages.h"
#include "base/loop/own_work.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::milliseconds;

// Smaller amounts are left to the next commits.
constexpr std::size_t kMuchOld = std::size_t{1} << 20;
constexpr std::size_t kLeastShrinkage = std::size_t{64} << 20;
// Number of objects freed per turn of the loop; takes a fraction of a millisecond.
constexpr std::size_t kObjectsPerTurn = 1024;
// Pauses before the start, since events often come in bursts; between two turns; and while
// snapshots keep the rest or more is being deleted.
constexpr Duration kFirstPause = milliseconds(100);
constexpr Duration kPause = milliseconds(1);
constexpr Duration kLongPause = milliseconds(1000);

}  // namespace

bool StoreCleanup::HasShrunk() const {
  const std::size_t bytes = Bytes();
  return most_ > bytes && most_ - bytes >= std::max(kLeastShrinkage, bytes / 2);
}

void StoreCleanup::Committed() {
  most_ = std::max(most_, Bytes());
  if (!timer_.armed() && (store_.old_bytes() > kMuchOld || HasShrunk())) WorkAfter(kFirstPause);
}

void StoreCleanup::WorkAfter(Duration pause) {
  timer_ = env_.loop().RunAt(base::After(env_.Now(), pause), [this] {
    timer_ = Timer();
    Work();
  });
}

void StoreCleanup::Work() {
  // A list that is being written uses entry numbers. Its commit calls Committed again.
  if (store_.is_open()) return;
  if (store_.CollectSome(kObjectsPerTurn)) return WorkAfter(kPause);
  if (store_.old_bytes() > kMuchOld) return WorkAfter(kLongPause);
  if (!HasShrunk()) return;
  const std::size_t bytes = Bytes();
  const std::size_t seen = std::exchange(seen_, bytes);
  const bool settled = std::max(seen, bytes) - std::min(seen, bytes) <= bytes / 16;
  if (!settled) return WorkAfter(kLongPause);
  most_ = bytes;
  // On another thread: it may take tens of milliseconds.
  base::OwnWorkOf(env_).threads.Post([] { base::GiveBackFreeMemory(); });
}

}  // namespace kinformer::internal::cache

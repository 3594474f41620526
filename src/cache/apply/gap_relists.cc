#include "cache/apply/gap_relists.h"

#include <algorithm>

namespace kinformer::internal::cache {

bool GapRelists::Seen() {
  if (due_) return false;
  due_ = true;
  const SteadyTime now = env_.Now();
  // After a quiet time as long as the longest pause, a gap counts as a new problem.
  if (now - not_before_ >= kLongest) pause_ = kShortest;
  if (now >= not_before_) {
    Relist();
  } else {
    timer_ = env_.loop().RunAt(not_before_, [this] { Relist(); });
  }
  return true;
}

void GapRelists::Relist() {
  not_before_ = env_.Now() + pause_;
  pause_ = std::min(2 * pause_, kLongest);
  if (relist_) relist_();
}

void GapRelists::Listed() {
  due_ = false;
  timer_ = Timer();
}

}  // namespace kinformer::internal::cache

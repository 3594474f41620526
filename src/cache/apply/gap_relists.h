// cache/apply/gap_relists.h
//
// GapRelists: decides when an informer lists again after its watch has shown a gap.

#ifndef KINFORMER_CACHE_APPLY_GAP_RELISTS_H_
#define KINFORMER_CACHE_APPLY_GAP_RELISTS_H_

#include <functional>
#include <utility>

#include "kinformer/base/env.h"

namespace kinformer::internal::cache {

// Lists at once for the first gap. Limits the rate for a server that shows gaps all the time:
// the next list comes at least one minute later, then two, and so on up to ten. Confined to the
// loop.
class GapRelists {
 public:
  // `relist` may be empty.
  GapRelists(Env& env, std::function<void()> relist) : env_(env), relist_(std::move(relist)) {}

  // Reports a gap. Returns true if it is the first since the last list; a list is then due.
  bool Seen();
  // The store equals a list, for whatever reason it was made: the gap is closed.
  void Listed();

 private:
  static constexpr Duration kShortest = std::chrono::minutes(1);
  static constexpr Duration kLongest = std::chrono::minutes(10);

  void Relist();

  Env& env_;
  const std::function<void()> relist_;
  Duration pause_ = kShortest;  // after the next relist
  SteadyTime not_before_{};
  bool due_ = false;
  Timer timer_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_GAP_RELISTS_H_

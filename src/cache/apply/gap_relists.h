// cache/apply/gap_relists.h
//
// GapRelists: when an informer lists again because a watch has shown that something is missing.

#ifndef KINFORMER_CACHE_APPLY_GAP_RELISTS_H_
#define KINFORMER_CACHE_APPLY_GAP_RELISTS_H_

#include <functional>
#include <utility>

#include "kinformer/env.h"

namespace kinformer::internal::cache {

// The first gap is a relist at once. A server that shows gaps all the time is not listed all the
// time: the next one comes a minute later at the earliest, then two, up to ten. Confined to the
// loop.
class GapRelists {
 public:
  // `relist` may be empty.
  GapRelists(Env& env, std::function<void()> relist) : env_(env), relist_(std::move(relist)) {}

  // A gap. True: it is the first since the last list, and a list is due because of it.
  bool Seen();
  // The store equals a list, whoever asked for it: what was missing is there.
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

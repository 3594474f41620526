// cache/pipeline/store_limit.h
//
// StoreLimit: which objects find room in a store whose size is bounded.

#ifndef KINFORMER_CACHE_PIPELINE_STORE_LIMIT_H_
#define KINFORMER_CACHE_PIPELINE_STORE_LIMIT_H_

#include <cstddef>
#include <functional>
#include <string>

#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/block.h"

#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

struct StoreLimitOptions {
  // 0: no limit.
  std::size_t max_objects{0};
  std::size_t max_bytes{0};
  LimitPolicy policy{LimitPolicy::kNotSynced};
};

// Counts what the store has: nothing is pushed out for what comes later. What a list brings is
// judged as it comes, so that a list takes no more memory than the store may: what is there
// already keeps its place, and what is new gets the places that are free when the list begins. What
// the list lacks leaves its place to the list after that. Confined to the loop.
class StoreLimit {
 public:
  // `name`: what messages call the informer. `relist` may be empty.
  StoreLimit(Env& env, const std::string& name, const StoreCore& store, StoreLimitOptions options,
             std::function<void()> relist);

  [[nodiscard]] bool bounded() const {
    return options_.max_objects != 0 || options_.max_bytes != 0;
  }
  // Whether an informer with so many objects left out may count as synced.
  [[nodiscard]] bool Tolerates(std::size_t left_out) const {
    return left_out == 0 || options_.policy == LimitPolicy::kServePart;
  }

  // A list begins; its objects, each with what the store has under its key (false: no room); its
  // end.
  void BeginList();
  bool TakeListed(const Block& object, const Block* stored);
  void EndList();
  // The same of an event, which is to be applied now. What found no room has been left out, as the
  // first one or not.
  [[nodiscard]] bool HasRoomFor(const Block& object, const Block* stored) const;
  void LeftOut(bool first);

  // The store has a new version, without so many objects. Says in the log when it begins to leave
  // some out and when it has all again.
  void Committed(std::size_t left_out);
  // All that was known of then has been applied. Asks for a list where more is free than when the
  // last one was left out, and there is room for all of them, or for a good part: at once, then a
  // minute later at the earliest, then two, up to an hour.
  void CaughtUp();

 private:
  static constexpr Duration kShortest = std::chrono::minutes(1);
  static constexpr Duration kLongest = std::chrono::hours(1);

  [[nodiscard]] std::size_t FreeObjects() const;
  [[nodiscard]] std::size_t FreeBytes() const;
  [[nodiscard]] bool HasRoomAgain() const;

  Env& env_;
  const std::string& name_;
  const StoreCore& store_;
  const StoreLimitOptions options_;
  const std::function<void()> relist_;
  // Left for the list that comes.
  std::size_t list_objects_ = 0;
  std::size_t list_bytes_ = 0;
  std::size_t left_out_ = 0;
  // The least that was free when one of these found no room.
  std::size_t scarce_objects_ = 0;
  std::size_t scarce_bytes_ = 0;
  Duration pause_ = kShortest;
  SteadyTime relist_not_before_{};
  SteadyTime log_not_before_{};
  bool said_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_PIPELINE_STORE_LIMIT_H_

// cache/apply/store_limit.h
//
// StoreLimit: how much a store whose size is bounded has room for, whoever writes to it.

#ifndef KINFORMER_CACHE_APPLY_STORE_LIMIT_H_
#define KINFORMER_CACHE_APPLY_STORE_LIMIT_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/informer_options.h"

#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

class LimitShare;  // cache/apply/limit_share.h

struct StoreLimitOptions {
  // 0: no limit.
  std::size_t max_objects{0};
  std::size_t max_bytes{0};
  LimitPolicy policy{LimitPolicy::kNotSynced};
};

// Objects, and the bytes of their blocks.
struct StoreRoom {
  std::size_t objects = 0;
  std::size_t bytes = 0;
};

// Counts what the store has, and what the lists that are on their way into it have been promised:
// nothing is pushed out for what comes later. Each controller that writes to the store has a
// LimitShare. Confined to the loop.
class StoreLimit {
 public:
  // `name`: what messages call the informer. At least one limit is set.
  StoreLimit(Env& env, const std::string& name, const StoreCore& store, StoreLimitOptions options);

  // Whether an informer, or a namespace of it, with so many objects left out may count as synced.
  [[nodiscard]] bool Tolerates(std::size_t left_out) const {
    return left_out == 0 || options_.policy == LimitPolicy::kServePart;
  }

 private:
  friend class LimitShare;

  [[nodiscard]] const StoreLimitOptions& options() const { return options_; }
  [[nodiscard]] StoreRoom Stored() const;
  // What is free for `share`, where the store has `stored`: not what others have been promised.
  [[nodiscard]] StoreRoom FreeFor(const LimitShare& share, StoreRoom stored) const;
  // How many more objects find room in that, if they are as large as those that are there.
  [[nodiscard]] std::size_t MoreObjects(StoreRoom free) const;
  // Whether so much is free that objects of which so many are left out should be listed again: all
  // of them find room, or a good part of the limit does.
  [[nodiscard]] bool IsWorthAList(StoreRoom free, std::size_t left_out) const;

  void Add(LimitShare& share) { shares_.push_back(&share); }
  void Remove(const LimitShare& share, std::size_t left_out);
  void Promise(StoreRoom more, StoreRoom less);
  // A list of `share` is being written, from now until that is over: others leave it the room.
  void BeginRelist(const LimitShare& share, StoreRoom promised);
  void EndRelist() { relisting_ = nullptr; }

  // The store has a new version, of which a share that lacked `before` objects lacks `left_out`.
  // Says in the log when it begins to leave some out and when it has all again.
  void Committed(std::size_t before, std::size_t left_out);
  // There may be room for what shares have left out. They are asked to list again, one after the
  // other, as many as there is room for.
  void OfferRoom();

  Env& env_;
  const std::string& name_;
  const StoreCore& store_;
  const StoreLimitOptions options_;
  std::vector<LimitShare*> shares_;
  std::size_t next_offer_ = 0;  // whose turn it is, modulo their number
  StoreRoom promised_{};        // to lists that are not being written yet
  std::size_t left_out_ = 0;
  // Null: none. `relisting_room_`: what the store may have once it is over.
  const LimitShare* relisting_ = nullptr;
  StoreRoom relisting_room_{};
  SteadyTime log_not_before_{};
  bool said_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_STORE_LIMIT_H_

// cache/apply/store_limit.h
//
// StoreLimit: the free room of a store with a size limit, for all of its writers.

#ifndef KINFORMER_CACHE_APPLY_STORE_LIMIT_H_
#define KINFORMER_CACHE_APPLY_STORE_LIMIT_H_

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/informer_options.h"

#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

struct StoreLimitOptions {
  // 0: no limit.
  std::size_t max_objects{0};
  std::size_t max_bytes{0};
  LimitPolicy policy{LimitPolicy::kNotSynced};
};

// Number of objects, and the bytes of their blocks.
struct StoreRoom {
  std::size_t objects = 0;
  std::size_t bytes = 0;
};

// Counts the stored objects, and the room promised to lists that are not written yet. Later objects
// never push out earlier ones. Each controller that writes to the store has a LimitShare. Confined
// to the loop.
class StoreLimit {
 public:
  // `name`: the informer's name in messages. At least one limit must be set.
  StoreLimit(Env& env, const std::string& name, const StoreCore& store, StoreLimitOptions options);

  // One of the writers, as the limit sees it: a LimitShare (limit_share.h).
  class Share {
   public:
    // Returns the room that others leave to the share's lists until they are written.
    [[nodiscard]] virtual StoreRoom promised() const = 0;
    // Returns how many objects a requested list may add; 0 if none was requested lately.
    [[nodiscard]] virtual std::size_t Offered() const = 0;
    // Requests a list if more is free than when an object was last left out, and all left-out
    // objects or a good part of the limit fit. The first request is immediate; the next ones wait
    // at least one minute, then two, up to an hour. Returns how many objects may come with it.
    virtual std::size_t TakeOffer(StoreRoom free) = 0;

   protected:
    ~Share() = default;
  };

  // Returns whether an informer or namespace with that many left-out objects counts as synced.
  [[nodiscard]] bool Tolerates(std::size_t left_out) const {
    return left_out == 0 || options_.policy == LimitPolicy::kServePart;
  }

  // ---- for the shares
  [[nodiscard]] const StoreLimitOptions& options() const { return options_; }
  [[nodiscard]] StoreRoom Stored() const;
  // Returns the free room for `share`, given `stored`, without what is promised to others.
  [[nodiscard]] StoreRoom FreeFor(const Share& share, StoreRoom stored) const;
  // Returns how many more objects of average size fit into `free`.
  [[nodiscard]] std::size_t MoreObjects(StoreRoom free) const;
  // Returns whether a list is worthwhile: all left-out objects, or as many as a good part of the
  // limit, fit into `free`.
  [[nodiscard]] bool IsWorthAList(StoreRoom free, std::size_t left_out) const;

  void Add(Share& share) { shares_.push_back(&share); }
  void Remove(const Share& share, std::size_t left_out);
  void Promise(StoreRoom more, StoreRoom less);
  // A list of `share` is being written from now on: others leave it the promised room.
  void BeginRelist(const Share& share, StoreRoom promised);
  void EndRelist() { relisting_ = nullptr; }

  // Reports a commit: a share that lacked `before` objects now lacks `left_out`. Logs when objects
  // begin to be left out and when none are any more.
  void Committed(std::size_t before, std::size_t left_out);
  // Offers free room to shares that left objects out: requests lists from them, one after the
  // other, as long as their objects fit.
  void OfferRoom();

 private:
  Env& env_;
  const std::string& name_;
  const StoreCore& store_;
  const StoreLimitOptions options_;
  std::vector<Share*> shares_;
  std::size_t next_offer_ = 0;  // index of the next share, modulo their number
  StoreRoom promised_{};        // to lists that are not being written yet
  std::size_t left_out_ = 0;
  // Null: none. `relisting_room_`: size that the store may reach at the end of that list.
  const Share* relisting_ = nullptr;
  StoreRoom relisting_room_{};
  SteadyTime log_not_before_{};
  bool said_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_STORE_LIMIT_H_

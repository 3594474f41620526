// cache/apply/limit_share.h
//
// LimitShare: what one controller may add to a store with a size limit.

#ifndef KINFORMER_CACHE_APPLY_LIMIT_SHARE_H_
#define KINFORMER_CACHE_APPLY_LIMIT_SHARE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/internal/block.h"

#include "cache/apply/store_limit.h"

namespace kinformer::internal::cache {

// Decides on each object of a list as it arrives, so that a list never takes more memory than the
// store may. Stored objects keep their room. New ones get free room, which is reserved until the
// list is in the store. Room of objects that the list lacks serves later lists. Confined to the
// loop.
class LimitShare final : private StoreLimit::Share {
 public:
  // `limit`: null for no limit; else it must outlive this object. `relist` may be empty.
  LimitShare(Env& env, StoreLimit* limit, std::function<void()> relist);
  ~LimitShare();
  LimitShare(const LimitShare&) = delete;
  LimitShare& operator=(const LimitShare&) = delete;

  [[nodiscard]] bool bounded() const { return limit_ != nullptr; }
  [[nodiscard]] bool Tolerates(std::size_t left_out) const {
    return limit_ == nullptr || limit_->Tolerates(left_out);
  }

  // The start of a list (drops one that has not ended, as it failed); each object with the stored
  // object of its key, false if it does not fit; and the end, before the list enters the queue.
  void BeginList();
  bool TakeListed(const Block& object, const Block* stored);
  void EndList();
  // The write of the oldest list in the queue begins, and ends.
  void BeginRelist();
  void EndRelist();

  // Whether a single object fits now; it did not, and was left out.
  [[nodiscard]] bool HasRoomFor(const Block& object, const Block* stored) const;
  void LeftOut();

  // Reports a commit; `left_out`: number of objects of this controller that the store lacks.
  void Committed(std::size_t left_out);
  // All lists that were queued are applied: offers free room.
  void CaughtUp();

 private:
  static constexpr Duration kShortest = std::chrono::minutes(1);
  static constexpr Duration kLongest = std::chrono::hours(1);
  // Time for which others leave room to a list that was requested.
  static constexpr Duration kOfferHolds = std::chrono::seconds(30);

  // Growth of the store by a list; the bytes are negative if its objects have shrunk.
  struct Growth {
    std::size_t objects = 0;
    std::int64_t bytes = 0;
  };

  // StoreLimit::Share
  [[nodiscard]] StoreRoom promised() const override { return promised_; }
  [[nodiscard]] std::size_t Offered() const override;
  std::size_t TakeOffer(StoreRoom free) override;
  void UpdatePromise();
  // Returns the room that is left for the current list.
  [[nodiscard]] StoreRoom FreeForList() const;

  Env& env_;
  StoreLimit* const limit_;
  const std::function<void()> relist_;

  // The list that is being received, or the last one that failed.
  bool listing_ = false;
  StoreRoom stored_at_begin_{};
  Growth list_{};
  // Lists in the queue, oldest first.
  std::vector<Growth> queued_;
  StoreRoom promised_{};

  std::size_t left_out_ = 0;
  // The smallest free room at which an object was left out.
  StoreRoom scarce_{};
  bool scarce_is_known_ = false;
  Duration pause_ = kShortest;
  SteadyTime relist_not_before_{};
  SteadyTime offered_until_{};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_LIMIT_SHARE_H_

// cache/apply/limit_share.h
//
// LimitShare: what one controller may put into a store whose size is bounded.

#ifndef KINFORMER_CACHE_APPLY_LIMIT_SHARE_H_
#define KINFORMER_CACHE_APPLY_LIMIT_SHARE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/block.h"

#include "cache/apply/store_limit.h"

namespace kinformer::internal::cache {

// What a list brings is judged as it comes, so that a list takes no more memory than the store may:
// what is there already keeps its place, and what is new gets the places that are free, which the
// others then leave to it until it is in the store. What the list lacks leaves its place to the
// lists after that. Confined to the loop.
class LimitShare {
 public:
  // `limit` null: there is none; else it outlives this. `per_key`: the queue is a DeltaFIFO, which
  // gives a list out object by object. `relist` may be empty.
  LimitShare(Env& env, StoreLimit* limit, bool per_key, std::function<void()> relist);
  ~LimitShare();
  LimitShare(const LimitShare&) = delete;
  LimitShare& operator=(const LimitShare&) = delete;

  [[nodiscard]] bool bounded() const { return limit_ != nullptr; }
  [[nodiscard]] bool Tolerates(std::size_t left_out) const {
    return limit_ == nullptr || limit_->Tolerates(left_out);
  }

  // A list begins, and the one before, if it has not ended, has failed; its objects, each with what
  // the store has under its key (false: no room); its end, when it goes into the queue.
  void BeginList();
  bool TakeListed(const Block& object, const Block* stored);
  void EndList();
  // The oldest list in the queue is being written, and has been. Not of a DeltaFIFO.
  void BeginRelist();
  void EndRelist();

  // An object is to be written now, by itself. What finds no room is to be left out.
  [[nodiscard]] bool HasRoomFor(const Block& object, const Block* stored) const;
  void Took(const Block& object, const Block* stored);
  void LeftOut();

  // The store has a new version, and lacks so many objects of this controller's.
  void Committed(std::size_t left_out);
  // All that this controller knew of then has been applied.
  void CaughtUp();

 private:
  friend class StoreLimit;

  static constexpr Duration kShortest = std::chrono::minutes(1);
  static constexpr Duration kLongest = std::chrono::hours(1);
  // For so long others leave their room to a list that has been asked for.
  static constexpr Duration kOfferHolds = std::chrono::seconds(30);

  // What a list will add to the store; fewer bytes, where its objects have shrunk.
  struct Growth {
    std::size_t objects = 0;
    std::int64_t bytes = 0;
  };

  // Places that others leave to the lists of this one that are yet to be written.
  [[nodiscard]] StoreRoom promised() const { return promised_; }
  void UpdatePromise();
  // What is left for the list that streams in.
  [[nodiscard]] StoreRoom FreeForList() const;
  // How many objects may come in by a list that has been asked for and has not come yet.
  [[nodiscard]] std::size_t Offered() const;
  // So much is free. Asks for a list where more is free than when the last object was left out, and
  // there is room for all of them, or for a good part: at once, then a minute later at the
  // earliest, then two, up to an hour. Gives how many objects may come in by that.
  std::size_t TakeOffer(StoreRoom free);

  Env& env_;
  StoreLimit* const limit_;
  const bool per_key_;
  const std::function<void()> relist_;

  // The list that streams in, or the last one that has failed.
  bool listing_ = false;
  StoreRoom stored_at_begin_{};
  Growth list_{};
  // The lists in the queue, oldest first; of a DeltaFIFO the newest, as far as it is still there.
  std::vector<Growth> queued_;
  StoreRoom promised_{};

  std::size_t left_out_ = 0;
  // The least that was free when one of these found no room.
  StoreRoom scarce_{};
  bool scarce_is_known_ = false;
  Duration pause_ = kShortest;
  SteadyTime relist_not_before_{};
  SteadyTime offered_until_{};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_APPLY_LIMIT_SHARE_H_

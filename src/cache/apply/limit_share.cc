#include "cache/apply/limit_share.h"

#include <algorithm>
#include <utility>

namespace kinformer::internal::cache {
namespace {

std::int64_t BytesMore(const Block& object, const Block* stored) {
  const std::size_t had = stored == nullptr ? 0 : stored->allocated_bytes();
  return static_cast<std::int64_t>(object.allocated_bytes()) - static_cast<std::int64_t>(had);
}

bool Fits(const Block& object, const Block* stored, StoreRoom free) {
  if (stored == nullptr && free.objects == 0) return false;
  return std::cmp_less_equal(BytesMore(object, stored), free.bytes);
}

}  // namespace

LimitShare::LimitShare(Env& env, StoreLimit* limit, std::function<void()> relist)
    : env_(env), limit_(limit), relist_(std::move(relist)) {
  if (limit_ != nullptr) limit_->Add(*this);
}

LimitShare::~LimitShare() {
  if (limit_ != nullptr) limit_->Remove(*this, left_out_);
}

// ---- lists

void LimitShare::UpdatePromise() {
  // Each list replaces the previous one, so the maximum is enough.
  Growth most = list_;
  for (const Growth& list : queued_) {
    most.objects = std::max(most.objects, list.objects);
    most.bytes = std::max(most.bytes, list.bytes);
  }
  const StoreRoom promised{most.objects,
                           static_cast<std::size_t>(std::max<std::int64_t>(most.bytes, 0))};
  limit_->Promise(promised, promised_);
  promised_ = promised;
}

void LimitShare::BeginList() {
  if (limit_ == nullptr) return;
  listing_ = true;
  list_ = {};
  stored_at_begin_ = limit_->Stored();
  UpdatePromise();
}

StoreRoom LimitShare::FreeForList() const {
  // An object deleted meanwhile may still be in the list, so its room stays reserved.
  StoreRoom stored = limit_->Stored();
  stored.objects = std::max(stored.objects, stored_at_begin_.objects);
  stored.bytes = std::max(stored.bytes, stored_at_begin_.bytes);
  StoreRoom free = limit_->FreeFor(*this, stored);
  if (limit_->options().max_objects != 0) {
    free.objects -= std::min(free.objects, list_.objects);
  }
  if (limit_->options().max_bytes != 0) {
    const auto bytes = static_cast<std::int64_t>(free.bytes) - list_.bytes;
    free.bytes = static_cast<std::size_t>(std::max<std::int64_t>(bytes, 0));
  }
  return free;
}

bool LimitShare::TakeListed(const Block& object, const Block* stored) {
  if (limit_ == nullptr) return true;
  if (!Fits(object, stored, FreeForList())) return false;
  if (stored == nullptr) ++list_.objects;
  list_.bytes += BytesMore(object, stored);
  UpdatePromise();
  return true;
}

void LimitShare::EndList() {
  if (limit_ == nullptr) return;
  listing_ = false;
  offered_until_ = {};
  scarce_ = FreeForList();
  scarce_is_known_ = true;
  queued_.push_back(std::exchange(list_, {}));
  UpdatePromise();
}

void LimitShare::BeginRelist() {
  if (limit_ == nullptr) return;
  const Growth list = queued_.front();
  queued_.erase(queued_.begin());
  UpdatePromise();
  limit_->BeginRelist(
      *this, {list.objects, static_cast<std::size_t>(std::max<std::int64_t>(list.bytes, 0))});
}

void LimitShare::EndRelist() {
  if (limit_ != nullptr) limit_->EndRelist();
}

// ---- single objects

bool LimitShare::HasRoomFor(const Block& object, const Block* stored) const {
  return limit_ == nullptr || Fits(object, stored, limit_->FreeFor(*this, limit_->Stored()));
}

void LimitShare::LeftOut() {
  const StoreRoom free = limit_->FreeFor(*this, limit_->Stored());
  if (!std::exchange(scarce_is_known_, true)) scarce_ = free;
  scarce_.objects = std::min(scarce_.objects, free.objects);
  scarce_.bytes = std::min(scarce_.bytes, free.bytes);
}

// ---- left-out objects

void LimitShare::Committed(std::size_t left_out) {
  if (limit_ == nullptr) return;
  const std::size_t before = std::exchange(left_out_, left_out);
  if (left_out == 0) {
    pause_ = kShortest;
    scarce_is_known_ = false;
  }
  limit_->Committed(before, left_out);
}

void LimitShare::CaughtUp() {
  if (limit_ != nullptr) limit_->OfferRoom();
}

std::size_t LimitShare::Offered() const { return env_.Now() < offered_until_ ? left_out_ : 0; }

std::size_t LimitShare::TakeOffer(StoreRoom free) {
  if (left_out_ == 0 || listing_ || !queued_.empty() || !relist_) return 0;
  const SteadyTime now = env_.Now();
  if (now < relist_not_before_) return 0;
  if (free.objects <= scarce_.objects && free.bytes <= scarce_.bytes) return 0;
  if (!limit_->IsWorthAList(free, left_out_)) return 0;
  offered_until_ = now + kOfferHolds;
  relist_not_before_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongest);
  relist_();
  return left_out_;
}

}  // namespace kinformer::internal::cache

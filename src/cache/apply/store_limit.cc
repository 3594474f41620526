#include "cache/apply/store_limit.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace kinformer::internal::cache {
namespace {

// Divisor of the limit: this part must be free before left-out objects are listed again.
constexpr std::size_t kGoodPart = 16;
// Limits the log if the store is full now and then.
constexpr Duration kLogPeriod = std::chrono::minutes(1);

std::size_t Less(std::size_t limit, std::size_t taken) {
  if (limit == 0) return SIZE_MAX;
  return limit > taken ? limit - taken : 0;
}

}  // namespace

StoreLimit::StoreLimit(Env& env, const std::string& name, const StoreCore& store,
                       StoreLimitOptions options)
    : env_(env), name_(name), store_(store), options_(options) {}

StoreRoom StoreLimit::Stored() const { return {store_.written_objects(), store_.object_bytes()}; }

StoreRoom StoreLimit::FreeFor(const Share& share, StoreRoom stored) const {
  if (relisting_ != nullptr && relisting_ != &share) {
    stored.objects = std::max(stored.objects, relisting_room_.objects);
    stored.bytes = std::max(stored.bytes, relisting_room_.bytes);
  }
  const StoreRoom own = share.promised();
  return {Less(options_.max_objects, stored.objects + promised_.objects - own.objects),
          Less(options_.max_bytes, stored.bytes + promised_.bytes - own.bytes)};
}

std::size_t StoreLimit::MoreObjects(StoreRoom free) const {
  if (options_.max_bytes == 0) return free.objects;
  const StoreRoom stored = Stored();
  const std::size_t each =
      stored.objects == 0 ? 1 : std::max<std::size_t>(1, stored.bytes / stored.objects);
  return std::min(free.objects, free.bytes / each);
}

bool StoreLimit::IsWorthAList(StoreRoom free, std::size_t left_out) const {
  const auto some = [left_out](std::size_t limit) {
    return std::min(left_out, std::max<std::size_t>(1, limit / kGoodPart));
  };
  if (free.objects < some(options_.max_objects)) return false;
  if (options_.max_bytes == 0) return true;
  const std::size_t limit = MoreObjects({SIZE_MAX, options_.max_bytes});
  return MoreObjects({SIZE_MAX, free.bytes}) >= some(limit);
}

void StoreLimit::Remove(const Share& share, std::size_t left_out) {
  std::erase(shares_, &share);
  Promise({}, share.promised());
  left_out_ -= left_out;
  if (relisting_ == &share) relisting_ = nullptr;
}

void StoreLimit::Promise(StoreRoom more, StoreRoom less) {
  promised_.objects += more.objects - less.objects;
  promised_.bytes += more.bytes - less.bytes;
}

void StoreLimit::BeginRelist(const Share& share, StoreRoom promised) {
  const StoreRoom stored = Stored();
  relisting_ = &share;
  relisting_room_ = {stored.objects + promised.objects, stored.bytes + promised.bytes};
}

void StoreLimit::Committed(std::size_t before, std::size_t left_out) {
  left_out_ += left_out - before;
  if (left_out_ == 0) {
    if (std::exchange(said_, false)) {
      env_.log().Log(LogLevel::kInfo, "the cache has room for all objects again",
                     {{"informer", name_}});
    }
    return;
  }
  const SteadyTime now = env_.Now();
  if (said_ || now < log_not_before_) return;
  said_ = true;
  log_not_before_ = now + kLogPeriod;
  const StoreRoom stored = Stored();
  env_.log().Log(
      LogLevel::kError,
      options_.policy == LimitPolicy::kServePart
          ? "the cache is full: some objects are left out, and reads of it miss them; raise the "
            "limit, or select less"
          : "the cache is full: some objects are left out, and it counts as not synced until it "
            "has room for them; raise the limit, or select less",
      {{"informer", name_},
       {"left_out", std::to_string(left_out_)},
       {"objects", std::to_string(stored.objects)},
       {"max_objects", std::to_string(options_.max_objects)},
       {"bytes", std::to_string(stored.bytes)},
       {"max_bytes", std::to_string(options_.max_bytes)}});
}

void StoreLimit::OfferRoom() {
  if (left_out_ == 0) return;
  std::size_t offered = 0;
  for (const Share* share : shares_) offered += share->Offered();
  const std::size_t first = next_offer_;
  for (std::size_t i = first; i < first + shares_.size(); ++i) {
    Share& share = *shares_[i % shares_.size()];
    const StoreRoom free = FreeFor(share, Stored());
    if (offered >= MoreObjects(free)) return;
    const std::size_t taken = share.TakeOffer(free);
    if (taken > 0) next_offer_ = i + 1;
    offered += taken;
  }
}

}  // namespace kinformer::internal::cache

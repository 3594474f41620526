#include "cache/pipeline/store_limit.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace kinformer::internal::cache {
namespace {

// Of the limit: so much must be free before all is listed again for what has been left out.
constexpr std::size_t kGoodPart = 16;

std::size_t Less(std::size_t limit, std::size_t taken) {
  if (limit == 0) return SIZE_MAX;
  return limit > taken ? limit - taken : 0;
}

}  // namespace

StoreLimit::StoreLimit(Env& env, const std::string& name, const StoreCore& store,
                       StoreLimitOptions options, std::function<void()> relist)
    : env_(env), name_(name), store_(store), options_(options), relist_(std::move(relist)) {}

std::size_t StoreLimit::FreeObjects() const {
  return Less(options_.max_objects, store_.written_objects());
}

std::size_t StoreLimit::FreeBytes() const {
  return Less(options_.max_bytes, store_.object_bytes());
}

void StoreLimit::BeginList() {
  list_objects_ = FreeObjects();
  list_bytes_ = FreeBytes();
}

bool StoreLimit::TakeListed(const Block& object, const Block* stored) {
  if (!bounded()) return true;
  const std::size_t bytes = object.allocated_bytes();
  const std::size_t had = stored == nullptr ? 0 : stored->allocated_bytes();
  if (options_.max_bytes != 0) {
    if (bytes > had && bytes - had > list_bytes_) return false;
  }
  if (stored == nullptr && options_.max_objects != 0) {
    if (list_objects_ == 0) return false;
    --list_objects_;
  }
  if (options_.max_bytes != 0) list_bytes_ = list_bytes_ + had - bytes;
  return true;
}

bool StoreLimit::HasRoomFor(const Block& object, const Block* stored) const {
  if (!bounded()) return true;
  if (stored == nullptr && FreeObjects() == 0) return false;
  if (options_.max_bytes == 0) return true;
  const std::size_t bytes = object.allocated_bytes();
  const std::size_t had = stored == nullptr ? 0 : stored->allocated_bytes();
  return bytes <= had || bytes - had <= FreeBytes();
}

void StoreLimit::EndList() {
  scarce_objects_ = list_objects_;
  scarce_bytes_ = list_bytes_;
}

void StoreLimit::LeftOut(bool first) {
  scarce_objects_ = first ? FreeObjects() : std::min(scarce_objects_, FreeObjects());
  scarce_bytes_ = first ? FreeBytes() : std::min(scarce_bytes_, FreeBytes());
}

bool StoreLimit::HasRoomAgain() const {
  const std::size_t objects = FreeObjects();
  const std::size_t bytes = FreeBytes();
  if (objects <= scarce_objects_ && bytes <= scarce_bytes_) return false;
  const auto some = [this](std::size_t limit) {
    return std::min(left_out_, std::max<std::size_t>(1, limit / kGoodPart));
  };
  if (objects < some(options_.max_objects)) return false;
  if (options_.max_bytes == 0) return true;
  // They are taken to be as large as those that are there.
  const std::size_t have = store_.written_objects();
  const std::size_t each = have == 0 ? 1 : std::max<std::size_t>(1, store_.object_bytes() / have);
  return bytes / each >= some(options_.max_bytes / each);
}

void StoreLimit::Committed(std::size_t left_out) {
  const std::size_t before = std::exchange(left_out_, left_out);
  if (left_out == 0) {
    if (before == 0) return;
    pause_ = kShortest;
    if (std::exchange(said_, false)) {
      env_.log().Log(LogLevel::kInfo, "the cache has room for all objects again",
                     {{"informer", name_}});
    }
    return;
  }
  const SteadyTime now = env_.Now();
  if (said_ || now < log_not_before_) return;
  said_ = true;
  // One that is full now and then does not fill the log.
  log_not_before_ = now + kShortest;
  env_.log().Log(
      LogLevel::kError,
      options_.policy == LimitPolicy::kServePart
          ? "the cache is full: some objects are left out, and reads of it miss them; raise the "
            "limit, or select less"
          : "the cache is full: some objects are left out, and it counts as not synced until it "
            "has room for them; raise the limit, or select less",
      {{"informer", name_},
       {"left_out", std::to_string(left_out)},
       {"objects", std::to_string(store_.written_objects())},
       {"max_objects", std::to_string(options_.max_objects)},
       {"bytes", std::to_string(store_.object_bytes())},
       {"max_bytes", std::to_string(options_.max_bytes)}});
}

void StoreLimit::CaughtUp() {
  if (left_out_ == 0) return;
  const SteadyTime now = env_.Now();
  if (now < relist_not_before_ || !HasRoomAgain()) return;
  relist_not_before_ = now + pause_;
  pause_ = std::min(2 * pause_, kLongest);
  if (relist_) relist_();
}

}  // namespace kinformer::internal::cache

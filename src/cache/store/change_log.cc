#include "cache/store/change_log.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace kinformer::internal::cache {

namespace {

// Number of changes between two checks of a version's size against the window.
constexpr std::size_t kChangesPerLook = 256;

struct Key {
  std::string_view namespace_;
  std::string_view name;
  bool operator==(const Key&) const = default;
};
struct KeyHash {
  std::size_t operator()(const Key& key) const {
    const std::hash<std::string_view> hash;
    return hash(key.namespace_) * 31 + hash(key.name);
  }
};

// Net changes per key; the changes are visited from the last to the first.
class NetOf {
 public:
  void SeeEarlier(const NetChanges::Change& change) {
    const Key key{change.object->namespace_(), change.object->name()};
    const bool was_there = change.type != EventType::kAdded;
    const auto [at, last] = by_key_.try_emplace(key, keys_.size());
    if (last) {
      keys_.push_back({&change, was_there});
    } else {
      keys_[at->second].was_there = was_there;
    }
  }
  // Returns them in the order of their last changes.
  [[nodiscard]] std::vector<NetChanges::Change> Result() const {
    std::vector<NetChanges::Change> net;
    for (auto key = keys_.rbegin(); key != keys_.rend(); ++key) {
      const bool is_there = key->last->type != EventType::kDeleted;
      if (!is_there && !key->was_there) continue;
      const EventType type = !is_there        ? EventType::kDeleted
                             : key->was_there ? EventType::kUpdated
                                              : EventType::kAdded;
      const ObjectRef& object = key->last->object;
      net.push_back({type, object->packed() ? Unpacked(object) : object});
    }
    return net;
  }

 private:
  struct OfKey {
    const NetChanges::Change* last;
    bool was_there;  // before the earliest change visited
  };
  std::unordered_map<Key, std::size_t, KeyHash> by_key_;
  std::vector<OfKey> keys_;
};

}  // namespace

void ChangeLog::Start(std::uint64_t version) {
  const base::MutexLock lock(mutex_);
  complete_after_ = version;
}

void ChangeLog::Add(EventType type, ObjectRef object) {
  if (too_much_) return;
  pending_.bytes += object->allocated_bytes();
  pending_.changes.push_back({type, std::move(object)});
  if (pending_.changes.size() % kChangesPerLook != 0) return;
  {
    const base::MutexLock lock(mutex_);
    too_much_ = Exceeds(pending_.changes.size(), pending_.bytes);
  }
  if (too_much_) pending_ = {};
}

void ChangeLog::Commit(std::uint64_t version) {
  if (pending_.changes.empty() && !too_much_) return;
  pending_.version = version;
  const auto batch = std::make_shared<const Batch>(std::exchange(pending_, {}));
  Batches gone;
  const base::MutexLock lock(mutex_);
  if (std::exchange(too_much_, false)) {
    gone.assign(std::make_move_iterator(batches_.begin()), std::make_move_iterator(batches_.end()));
    batches_.clear();
    events_ = 0;
    bytes_ = 0;
    complete_after_ = version;
    return;
  }
  events_ += batch->changes.size();
  bytes_ += batch->bytes;
  batches_.push_back(batch);
  gone = Trim();
}

void ChangeLog::Widen(std::size_t events, std::size_t bytes) {
  const base::MutexLock lock(mutex_);
  max_events_ = std::max(max_events_, events);
  max_bytes_ = std::max(max_bytes_, bytes);
}

ChangeLog::Batches ChangeLog::Trim() {
  Batches gone;
  while (!batches_.empty() && Exceeds(events_, bytes_)) {
    events_ -= batches_.front()->changes.size();
    bytes_ -= batches_.front()->bytes;
    complete_after_ = batches_.front()->version;
    gone.push_back(std::move(batches_.front()));
    batches_.pop_front();
  }
  return gone;
}

std::optional<std::vector<NetChanges::Change>> ChangeLog::Between(std::uint64_t from,
                                                                  std::uint64_t to) const {
  Batches batches;
  {
    const base::MutexLock lock(mutex_);
    if (from < complete_after_) return std::nullopt;
    auto at = std::upper_bound(
        batches_.begin(), batches_.end(), from,
        [](std::uint64_t version, const auto& batch) { return version < batch->version; });
    for (; at != batches_.end() && (*at)->version <= to; ++at) batches.push_back(*at);
  }
  NetOf net;
  for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
    const auto& changes = (*batch)->changes;
    for (auto change = changes.rbegin(); change != changes.rend(); ++change)
      net.SeeEarlier(*change);
  }
  return net.Result();
}

}  // namespace kinformer::internal::cache

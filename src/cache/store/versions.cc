#include "cache/store/versions.h"

#include <algorithm>
#include <utility>

#include "cache/store/reclamation.h"

namespace kinformer::internal::cache {

Versions::Versions() : current_(new VersionNode) {
  current_.load(std::memory_order_relaxed)->content.indexes = std::make_shared<const IndexList>();
}

Versions::~Versions() {
  delete current_.load(std::memory_order_relaxed);
  for (VersionNode* node : unsettled_) delete node;
  for (VersionNode* node : pinned_) delete node;
  for (VersionNode* node : spare_) delete node;
}

base::Mutex& Versions::HoldMutex() {
  static base::Mutex mutex;
  return mutex;
}

void Versions::WaitUntilReleased() { const base::MutexLock lock(HoldMutex()); }

void Versions::Publish(const VersionContent& content) {
  if (held_.load(std::memory_order_acquire) != 0) WaitUntilReleased();
  VersionNode* old = current_.load(std::memory_order_relaxed);
  VersionNode* node = nullptr;
  if (spare_.empty()) {
    node = new VersionNode;
  } else {
    node = spare_.back();
    spare_.pop_back();
  }
  node->version = old->version + 1;
  node->content.size = content.size;
  node->content.entries = content.entries;
  node->content.epoch = content.epoch;
  node->content.resource_version = content.resource_version;
  // Compares first: copying a shared_ptr changes its count.
  if (node->content.indexes != content.indexes) node->content.indexes = content.indexes;
  if (node->content.coverage != content.coverage) node->content.coverage = content.coverage;
  current_.store(node, std::memory_order_release);
  old->retired_at = StampRetired();
  unsettled_.push_back(old);
}

void Versions::Settle(std::uint64_t safe_to_free) {
  while (!unsettled_.empty() && unsettled_.front()->retired_at < safe_to_free) {
    VersionNode* node = unsettled_.front();
    unsettled_.pop_front();
    if (node->pins.load(std::memory_order_acquire) == 0) {
      Recycle(node);
    } else {
      node->pinned_since = SteadyTime::max();
      pinned_.push_back(node);
    }
  }
  if (!unpinned_.load(std::memory_order_relaxed) ||
      !unpinned_.exchange(false, std::memory_order_acquire)) {
    return;
  }
  std::erase_if(pinned_, [this](VersionNode* node) {
    if (node->pins.load(std::memory_order_acquire) != 0) return false;
    if (!node->held.empty()) unheld_.push_back(std::exchange(node->held, {}));
    Recycle(node);
    return true;
  });
}

SteadyTime Versions::PinnedSince(SteadyTime now) {
  for (auto node = pinned_.rbegin(); node != pinned_.rend(); ++node) {
    if ((*node)->pinned_since != SteadyTime::max()) break;
    (*node)->pinned_since = now;
  }
  return pinned_.front()->pinned_since;
}

VersionNode* Versions::PinnedIn(std::uint64_t from, std::uint64_t until) const {
  const auto at =
      std::lower_bound(pinned_.begin(), pinned_.end(), from,
                       [](const VersionNode* node, std::uint64_t v) { return node->version < v; });
  return at != pinned_.end() && (*at)->version < until ? *at : nullptr;
}

bool Versions::NextUnheld(Replaced& replaced) {
  if (unheld_.empty()) return false;
  std::vector<Replaced>& last = unheld_.back();
  replaced = last.back();
  last.pop_back();
  if (last.empty()) unheld_.pop_back();
  return true;
}

void Versions::DropIndex(const StoreIndex* index) {
  const auto of_index = [index](const Replaced& r) { return r.index == index; };
  for (VersionNode* node : pinned_) std::erase_if(node->held, of_index);
  for (auto& held : unheld_) std::erase_if(held, of_index);
  std::erase_if(unheld_, [](const std::vector<Replaced>& held) { return held.empty(); });
}

void Versions::Recycle(VersionNode* node) {
  constexpr std::size_t kSpare = 64;
  if (spare_.size() >= kSpare) {
    delete node;
    return;
  }
  // Releases removed indexes: they live as long as some version has them.
  node->content.indexes.reset();
  spare_.push_back(node);
}

}  // namespace kinformer::internal::cache

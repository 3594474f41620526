// cache/versions.h
//
// Versions: which versions of a store somebody may still read.
//
// Every commit publishes a VersionNode. A reader that wants the version for longer than a guard pins its node. A node that is no
// longer current, and that no guard can have picked up any more, is settled: its pins can only go down. From then on it is
// either forgotten at once, or kept until its last pin goes.

#ifndef KINFORMER_CACHE_VERSIONS_H_
#define KINFORMER_CACHE_VERSIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal {

class StoreIndex;
using IndexList = std::vector<std::shared_ptr<StoreIndex>>;

// Something of an entry that was replaced: the object (index is null), or the values in an index. `from` is the version at which
// it had become current, `until` the one that replaced it.
struct Replaced {
  std::uint64_t from = 0;
  std::uint64_t until = 0;
  std::uint32_t entry = 0;
  StoreIndex* index = nullptr;
};

struct VersionNode {
  std::atomic<std::uint64_t> pins{0};
  // Constant while the node is current or pinned.
  std::uint64_t version = 0;
  std::size_t size = 0;
  std::uint32_t entries = 0;  // entries below this number may be in use
  std::string resource_version{};
  std::shared_ptr<const IndexList> indexes{};
  // The writer's.
  std::uint64_t epoch = 0;       // at which it ceased to be current
  std::vector<Replaced> held{};  // what is kept because this version is pinned
};

class Versions {
 public:
  Versions();
  ~Versions();
  Versions(const Versions&) = delete;
  Versions& operator=(const Versions&) = delete;

  // ---- readers, under a guard
  [[nodiscard]] const VersionNode& Current() const {
    return *current_.load(std::memory_order_acquire);
  }
  [[nodiscard]] VersionNode* Pin() const {
    VersionNode* node = current_.load(std::memory_order_acquire);
    node->pins.fetch_add(1, std::memory_order_relaxed);
    return node;
  }
  // ---- readers, without
  void Unpin(VersionNode* node) {
    node->pins.fetch_sub(1, std::memory_order_release);
    unpinned_.store(true, std::memory_order_release);
  }

  // ---- writer
  // Makes the next version current.
  void Publish(std::size_t size, std::uint32_t entries, std::string_view resource_version,
               const std::shared_ptr<const IndexList>& indexes);
  // Settles what can be, given that readers which entered before `safe_epoch` are gone.
  void Settle(std::uint64_t safe_epoch);
  // Versions below this one are settled.
  [[nodiscard]] std::uint64_t SettledBelow() const {
    return unsettled_.empty() ? Current().version : unsettled_.front()->version;
  }
  // A pinned settled version in [from, until), or null.
  [[nodiscard]] VersionNode* PinnedIn(std::uint64_t from, std::uint64_t until) const;
  // May somebody, now or later, read a version in [from, until)?
  [[nodiscard]] bool MayBeRead(std::uint64_t from, std::uint64_t until) const {
    return until > SettledBelow() || PinnedIn(from, until) != nullptr;
  }
  // Takes one thing out of what ended pins were holding. False if there is none.
  bool NextUnheld(Replaced& replaced);
  [[nodiscard]] bool HasUnheld() const { return !unheld_.empty(); }
  [[nodiscard]] std::size_t pinned() const { return pinned_.size(); }
  [[nodiscard]] bool HasUnsettled() const { return !unsettled_.empty(); }
  [[nodiscard]] bool SawUnpin() const { return unpinned_.load(std::memory_order_relaxed); }
  // Forgets an index that is going away.
  void DropIndex(const StoreIndex* index);

 private:
  void Recycle(VersionNode* node);

  std::atomic<VersionNode*> current_;
  std::atomic<bool> unpinned_{false};
  std::deque<VersionNode*> unsettled_;  // oldest first
  std::vector<VersionNode*> pinned_;    // settled with pins, oldest first
  std::vector<VersionNode*> spare_;
  std::vector<std::vector<Replaced>> unheld_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_CACHE_VERSIONS_H_

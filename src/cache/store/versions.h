// cache/store/versions.h
//
// Versions: which versions of a store somebody may still read.
//
// Every commit publishes a VersionNode. A reader that wants the version for longer than a guard
// pins its node. A node that is no longer current, and that no guard can have picked up any more,
// is settled: its pins can only go down. From then on it is either forgotten at once, or kept until
// its last pin goes.

#ifndef KINFORMER_CACHE_STORE_VERSIONS_H_
#define KINFORMER_CACHE_STORE_VERSIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"

#include "base/core/mutex.h"
#include "cache/store/coverage.h"
#include "cache/store/fifo_buffer.h"

namespace kinformer::internal::cache {

class StoreIndex;
using IndexList = std::vector<std::shared_ptr<StoreIndex>>;

// Something of an entry that was replaced: the object (index is null), or the values in an index.
// `from` is the version at which it had become current, `until` the one that replaced it.
struct Replaced {
  std::uint64_t from = 0;
  std::uint64_t until = 0;
  std::uint32_t entry = 0;
  StoreIndex* index = nullptr;
};

// What is the same for all readers of a version.
struct VersionContent {
  std::size_t size = 0;
  // Entries below this number may be in use.
  std::uint32_t entries = 0;
  std::shared_ptr<const IndexList> indexes{};
  // Null: the store holds all there is.
  std::shared_ptr<const Coverage> coverage{};
  // How often the server had gone back in time when it said what is in this version.
  std::uint64_t epoch = 0;
  std::string resource_version{};
};

// Two cache lines: what every reader looks at is not in the line of what snapshots change.
struct alignas(64) VersionNode {
  // Both constant while the node is current or pinned.
  std::uint64_t version = 0;
  VersionContent content{};
  // The writer's: when it ceased to be current, and what is kept because it is pinned.
  std::uint64_t retired_at = 0;
  std::vector<Replaced> held{};
  // How many snapshots there are of it.
  std::atomic<std::uint64_t> pins{0};
  // The writer's: when it was found to be pinned though it was not current any more.
  SteadyTime pinned_since{};
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

  // ---- readers of several stores: see joint_snapshot.cc
  // From Hold to Release, while the mutex is locked all the time, the writer publishes at most once
  // more.
  static base::Mutex& HoldMutex();
  void Hold() { held_.fetch_add(1, std::memory_order_seq_cst); }
  void Release() { held_.fetch_sub(1, std::memory_order_release); }

  // ---- writer
  // Makes the next version current, with a copy of `content`.
  void Publish(const VersionContent& content);
  // Settles what can be, given that readers which entered before `safe_to_free` are gone.
  void Settle(std::uint64_t safe_to_free);
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
  // Notes `now` for the versions that were found to be pinned since the last call. Returns when the
  // oldest one was. REQUIRES: pinned() is not 0.
  SteadyTime PinnedSince(SteadyTime now);
  [[nodiscard]] bool HasUnsettled() const { return !unsettled_.empty(); }
  [[nodiscard]] bool SawUnpin() const { return unpinned_.load(std::memory_order_relaxed); }
  // Forgets an index that is going away.
  void DropIndex(const StoreIndex* index);

 private:
  void Recycle(VersionNode* node);
  static void WaitUntilReleased();

  // Each in a line of its own: what readers load, what they store, and what the writer works with.
  alignas(64) std::atomic<VersionNode*> current_;
  alignas(64) std::atomic<bool> unpinned_{false};
  alignas(64) std::atomic<std::uint32_t> held_{0};
  // Oldest first.
  FifoBuffer<VersionNode*, 8> unsettled_;
  // Settled with pins, oldest first.
  std::vector<VersionNode*> pinned_;
  std::vector<VersionNode*> spare_;
  std::vector<std::vector<Replaced>> unheld_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_VERSIONS_H_

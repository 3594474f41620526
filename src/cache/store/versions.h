// cache/store/versions.h
//
// Versions: keeps track of the versions of a store that may still be read.
//
// Every commit publishes a VersionNode. A reader that needs a version for longer than a guard pins
// its node. A node that is no longer current, and that no guard can have picked up any more, is
// settled: its pins can only decrease. From then on it is either forgotten at once, or kept until
// its last pin is released.

#ifndef KINFORMER_CACHE_STORE_VERSIONS_H_
#define KINFORMER_CACHE_STORE_VERSIONS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"

#include "base/core/mutex.h"
#include "cache/store/coverage.h"
#include "cache/store/fifo_buffer.h"

namespace kinformer::internal::cache {

class StoreIndex;
using IndexList = std::vector<std::shared_ptr<StoreIndex>>;

// The object of an entry (index is null) or its values in an index that were replaced. Current from
// version `from` until `until`, which replaced them.
struct Replaced {
  std::uint64_t from = 0;
  std::uint64_t until = 0;
  std::uint32_t entry = 0;
  StoreIndex* index = nullptr;
};

// State that all readers of a version share.
struct VersionContent {
  std::size_t size = 0;
  // Entries below this number may be in use.
  std::uint32_t entries = 0;
  std::shared_ptr<const IndexList> indexes{};
  // Null: the store holds every object that exists.
  std::shared_ptr<const Coverage> coverage{};
  // Number of times the server had gone back in time before the content of this version.
  std::uint64_t epoch = 0;
  std::string resource_version{};
};

// Two cache lines: fields that readers read are apart from those that snapshots change.
struct alignas(64) VersionNode {
  // Both are constant while the node is current or pinned.
  std::uint64_t version = 0;
  VersionContent content{};
  // For the writer: when the node ceased to be current, and what its pins keep alive.
  std::uint64_t retired_at = 0;
  std::vector<Replaced> held{};
  // Number of snapshots of this version.
  std::atomic<std::uint64_t> pins{0};
  // For the writer: when the node was first found to be pinned and no longer current.
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
  // Between Hold and Release the writer publishes at most one more version. Lock HoldMutex for all
  // of that time.
  static base::Mutex& HoldMutex();
  void Hold() { held_.fetch_add(1, std::memory_order_seq_cst); }
  void Release() { held_.fetch_sub(1, std::memory_order_release); }

  // ---- writer
  // Makes the next version current, with a copy of `content`.
  void Publish(const VersionContent& content);
  // Settles all nodes that no reader can pick up; those that entered before `safe_to_free` left.
  void Settle(std::uint64_t safe_to_free);
  // Returns the bound below which all versions are settled.
  [[nodiscard]] std::uint64_t SettledBelow() const {
    return unsettled_.empty() ? Current().version : unsettled_.front()->version;
  }
  // Returns a pinned settled version in [from, until), or null.
  [[nodiscard]] VersionNode* PinnedIn(std::uint64_t from, std::uint64_t until) const;
  // Returns whether a version in [from, until) can still be read, now or later.
  [[nodiscard]] bool MayBeRead(std::uint64_t from, std::uint64_t until) const {
    return until > SettledBelow() || PinnedIn(from, until) != nullptr;
  }
  // Takes one item that released pins kept alive. Returns false if there is none.
  bool NextUnheld(Replaced& replaced);
  [[nodiscard]] bool HasUnheld() const { return !unheld_.empty(); }
  [[nodiscard]] std::size_t pinned() const { return pinned_.size(); }
  // Stores `now` in the nodes found to be pinned since the last call. Returns the time of the
  // oldest pinned node. REQUIRES: pinned() is not 0.
  SteadyTime PinnedSince(SteadyTime now);
  [[nodiscard]] bool HasUnsettled() const { return !unsettled_.empty(); }
  [[nodiscard]] bool SawUnpin() const { return unpinned_.load(std::memory_order_relaxed); }
  // Forgets an index that is being removed.
  void DropIndex(const StoreIndex* index);

 private:
  void Recycle(VersionNode* node);
  static void WaitUntilReleased();

  // One cache line each: what readers load, what readers store, and what the writer uses.
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

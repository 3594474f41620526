// cache/store/change_log.h
//
// ChangeLog: the last changes of a store, by version.

#ifndef KINFORMER_CACHE_STORE_CHANGE_LOG_H_
#define KINFORMER_CACHE_STORE_CHANGE_LOG_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "kinformer/internal/block.h"
#include "kinformer/internal/net_changes.h"

#include "base/core/mutex.h"

namespace kinformer::internal::cache {

// What the writer collects for a version becomes one batch, which readers share; so the lock is
// held for a few pointers only.
class ChangeLog {
 public:
  // ---- writer
  // What changes after `version` will be in it. REQUIRES: called first, and once.
  void Start(std::uint64_t version);
  void Add(NetChangeType type, ObjectRef object);
  // Before the version is published.
  void Commit(std::uint64_t version);

  // ---- any thread
  // Makes the window as large, at least.
  void Widen(std::size_t events, std::size_t bytes);
  // The net changes from one version to another; nothing where not all of them are in it.
  [[nodiscard]] std::optional<std::vector<NetChanges::Change>> Between(std::uint64_t from,
                                                                       std::uint64_t to) const;

 private:
  struct Batch {
    std::uint64_t version = 0;
    std::size_t bytes = 0;
    std::vector<NetChanges::Change> changes{};
  };
  using Batches = std::vector<std::shared_ptr<const Batch>>;

  // Takes out what is beyond the window, for the caller to free outside the lock.
  Batches Trim() KINFORMER_REQUIRES(mutex_);
  [[nodiscard]] bool Exceeds(std::size_t events, std::size_t bytes) const
      KINFORMER_REQUIRES(mutex_) {
    return events > max_events_ || bytes > max_bytes_;
  }

  // The writer's: of the version that is being written.
  Batch pending_;
  bool too_much_ = false;  // it exceeds the window by itself, so that it is not collected

  mutable base::Mutex mutex_;
  std::size_t max_events_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::size_t max_bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
  // All changes after this version are in it.
  std::uint64_t complete_after_ KINFORMER_GUARDED_BY(mutex_) = UINT64_MAX;
  std::deque<std::shared_ptr<const Batch>> batches_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t events_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_CHANGE_LOG_H_

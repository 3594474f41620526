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

// Keeps one batch of changes per version. The writer fills a batch before it is published and
// readers share it, so the lock is held only while a few pointers are copied.
class ChangeLog {
 public:
  // ---- writer
  // Begins recording with the version after `version`. REQUIRES: called first, and only once.
  void Start(std::uint64_t version);
  void Add(EventType type, ObjectRef object);
  // Ends the batch of `version`. Called before that version is published.
  void Commit(std::uint64_t version);

  // ---- any thread
  // Enlarges the window to at least these sizes. Never shrinks it.
  void Widen(std::size_t events, std::size_t bytes);
  // Returns the net changes between two versions; nullopt if some of them are no longer kept.
  [[nodiscard]] std::optional<std::vector<NetChanges::Change>> Between(std::uint64_t from,
                                                                       std::uint64_t to) const;

 private:
  struct Batch {
    std::uint64_t version = 0;
    std::size_t bytes = 0;
    std::vector<NetChanges::Change> changes{};
  };
  using Batches = std::vector<std::shared_ptr<const Batch>>;

  // Removes the batches beyond the window; the caller frees them outside the lock.
  Batches Trim() KINFORMER_REQUIRES(mutex_);
  [[nodiscard]] bool Exceeds(std::size_t events, std::size_t bytes) const
      KINFORMER_REQUIRES(mutex_) {
    return events > max_events_ || bytes > max_bytes_;
  }

  // Changes of the version that is being written. Used by the writer only.
  Batch pending_;
  bool too_much_ = false;  // pending_ alone exceeds the window and is not kept

  mutable base::Mutex mutex_;
  std::size_t max_events_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::size_t max_bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
  // The log has every change after this version.
  std::uint64_t complete_after_ KINFORMER_GUARDED_BY(mutex_) = UINT64_MAX;
  std::deque<std::shared_ptr<const Batch>> batches_ KINFORMER_GUARDED_BY(mutex_);
  std::size_t events_ KINFORMER_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_ KINFORMER_GUARDED_BY(mutex_) = 0;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_CHANGE_LOG_H_

// cache/figures/pipeline_counters.h
//
// PipelineCounters: counts the changes between reflector and store.

#ifndef KINFORMER_CACHE_FIGURES_PIPELINE_COUNTERS_H_
#define KINFORMER_CACHE_FIGURES_PIPELINE_COUNTERS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace kinformer::internal::cache {

// Written on the loop; read by any thread.
struct PipelineCounters {
  std::atomic<std::uint64_t> added{0};
  std::atomic<std::uint64_t> modified{0};
  std::atomic<std::uint64_t> deleted{0};
  std::atomic<std::uint64_t> unchanged{0};
  std::atomic<std::uint64_t> bookmarks{0};
  std::atomic<std::uint64_t> gaps{0};
  std::atomic<std::uint64_t> consistency_checks{0};
  std::atomic<std::uint64_t> inconsistencies{0};
  std::atomic<std::size_t> left_out{0};
  std::atomic<std::size_t> queued{0};
  std::atomic<std::size_t> queued_bytes{0};
};

// The part of one queue in the counters of all queues. Confined to the loop.
class QueuedShare {
 public:
  explicit QueuedShare(PipelineCounters& counters) : counters_(counters) {}
  ~QueuedShare() { Set(0, 0); }
  QueuedShare(const QueuedShare&) = delete;
  QueuedShare& operator=(const QueuedShare&) = delete;
  void Set(std::size_t items, std::size_t bytes) {
    counters_.queued.fetch_add(items - items_, std::memory_order_relaxed);
    counters_.queued_bytes.fetch_add(bytes - bytes_, std::memory_order_relaxed);
    items_ = items;
    bytes_ = bytes;
  }

 private:
  PipelineCounters& counters_;
  std::size_t items_ = 0;
  std::size_t bytes_ = 0;
};

inline void Count(std::atomic<std::uint64_t>& counter) {
  counter.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_FIGURES_PIPELINE_COUNTERS_H_

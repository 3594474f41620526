// cache/delivery/handler_caller.h
//
// HandlerCaller: calls a handler, contains its exceptions, and keeps its statistics.

#ifndef KINFORMER_CACHE_DELIVERY_HANDLER_CALLER_H_
#define KINFORMER_CACHE_DELIVERY_HANDLER_CALLER_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/raw_event.h"

namespace kinformer::internal::cache {

// One thread at a time makes calls; any thread may read the statistics.
class HandlerCaller {
 public:
  using Trace = std::function<void(TraceEvent&)>;

  // `name`: name of the handler. `trace`: called before each call of the handler; may be empty.
  HandlerCaller(Env& env, std::shared_ptr<RawHandler> handler, std::string name, Trace trace);

  // Calls the handler for one event, with its key and with unpacked objects.
  void Call(RawEvent& event);
  // Does the same for several events at once, for handlers that take batches.
  void CallBatch(std::vector<RawEvent>& events);
  [[nodiscard]] bool takes_batches() const { return takes_batches_; }
  [[nodiscard]] bool is_prompt() const { return is_prompt_; }

  // Returns how long the current callback has been running; 0 if none is.
  [[nodiscard]] Duration CallbackAge(SteadyTime now) const;
  // Counts events that a reader has fetched as delivered.
  void CountPulled(std::size_t events) { delivered_.fetch_add(events, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t delivered() const {
    return delivered_.load(std::memory_order_relaxed);
  }
  // Fills in the fields of `stats` that are known here.
  void Report(HandlerStats& stats) const;

 private:
  struct Whole;

  void Prepare(RawEvent& event, std::string& key, Whole& whole);
  void Timed(std::uint64_t events, const RawEvent& first, const std::function<void()>& call);
  void TraceCall(const RawEvent& event) const;
  void LogSlow(const std::string& key, Duration took, SteadyTime now);
  void ExplainTombstone(const RawEvent& event);
  void LogMalformed(const Block& object, const std::string& key, SteadyTime now);

  Env& env_;
  const std::shared_ptr<RawHandler> handler_;
  const std::string name_;
  const Trace trace_;
  const bool takes_batches_;
  const bool is_prompt_;
  // Keys of the current event, or of those of the current batch.
  std::string key_;
  std::vector<std::string> keys_;

  std::atomic<std::int64_t> started_ns_{0};  // start of the current callback; 0 if none is running
  std::atomic<std::uint64_t> delivered_{0};
  std::atomic<std::uint64_t> exceptions_{0};
  std::atomic<std::int64_t> longest_ns_{0};
  std::uint64_t slow_calls_ = 0;
  SteadyTime slow_logged_{};
  bool tombstones_explained_ = false;
  // Number of calls whose handler read malformed fields.
  std::uint64_t malformed_events_ = 0;
  SteadyTime malformed_logged_{};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELIVERY_HANDLER_CALLER_H_

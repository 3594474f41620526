#include "cache/delivery/handler_caller.h"

#include <algorithm>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/internal/view.h"

#include "base/core/user_call.h"
#include "object/block/ended_blocks.h"
#include "object/values/object_key.h"

namespace kinformer::internal::cache {
namespace {

constexpr Duration kSlowCallback = std::chrono::milliseconds(100);
constexpr Duration kSlowLogPeriod = std::chrono::minutes(10);
constexpr Duration kMalformedLogPeriod = std::chrono::seconds(10);

// Gives the callback private copies of the objects, which end with the call unless it retains them:
// a view kept without a reference dangles even if the object stays in the cache.
class OwnBlocks {
 public:
  void GiveTo(RawEvent& event) {
    const bool is_resync = event.old_block == event.block;
    if (event.old_block != nullptr && !is_resync) event.old_block = Own(old_, *event.old_block);
    event.block = Own(object_, *event.block);
    if (is_resync) event.old_block = event.block;
  }

 private:
  static const Block* Own(ObjectRef& into, const Block& block) {
    into = CloneBlock(block);
    return into.get();
  }
  ObjectRef object_;
  ObjectRef old_;
};

}  // namespace

// Objects of an event while its callback runs. Handlers get unpacked objects, and own those they
// take a reference to.
struct HandlerCaller::Whole {
  ObjectRef object;
  ObjectRef old_object;
  OwnBlocks own;
};

HandlerCaller::HandlerCaller(Env& env, std::shared_ptr<RawHandler> handler, std::string name,
                             Trace trace)
    : env_(env),
      handler_(std::move(handler)),
      name_(std::move(name)),
      trace_(std::move(trace)),
      takes_batches_(handler_->TakesBatches()),
      is_prompt_(handler_->IsPrompt()) {}

void HandlerCaller::Prepare(RawEvent& event, std::string& key, Whole& whole) {
  key.clear();
  AppendObjectKey(event.block->namespace_(), event.block->name(), key);
  event.key = &key;
  if (event.final_state_unknown && !std::exchange(tombstones_explained_, true)) {
    ExplainTombstone(event);
  }
  const bool is_resync = event.old_block == event.block;
  if (event.block->packed()) {
    whole.object = Unpacked(ObjectRef::Share(event.block));
    event.block = whole.object.get();
  }
  if (is_resync) {
    event.old_block = event.block;
  } else if (event.old_block != nullptr && event.old_block->packed()) {
    whole.old_object = Unpacked(ObjectRef::Share(event.old_block));
    event.old_block = whole.old_object.get();
  }
  if constexpr (kCheckViews) whole.own.GiveTo(event);
  if (trace_) TraceCall(event);
}

void HandlerCaller::Call(RawEvent& event) {
  Whole whole;
  Prepare(event, key_, whole);
  Timed(1, event, [&] { handler_->Handle(event); });
}

void HandlerCaller::CallBatch(std::vector<RawEvent>& events) {
  if (keys_.size() < events.size()) keys_.resize(events.size());
  std::vector<Whole> whole(events.size());
  for (std::size_t i = 0; i < events.size(); ++i) Prepare(events[i], keys_[i], whole[i]);
  Timed(events.size(), events.front(), [&] { handler_->HandleBatch(events); });
}

void HandlerCaller::Timed(std::uint64_t events, const RawEvent& first,
                          const std::function<void()>& call) {
  const SteadyTime start = env_.Now();
  started_ns_.store(std::max<std::int64_t>(1, start.time_since_epoch().count()),
                    std::memory_order_relaxed);
  const std::uint64_t malformed_before = MalformedReadsHere();
  // Events count as delivered even if the handler throws.
  const Result<void> handled =
      base::CallUser(env_, "an event handler", call, [&] { return name_ + " for " + *first.key; });
  if (!handled) exceptions_.fetch_add(1, std::memory_order_relaxed);
  started_ns_.store(0, std::memory_order_relaxed);
  delivered_.fetch_add(events, std::memory_order_relaxed);
  if (MalformedReadsHere() != malformed_before) LogMalformed(*first.block, *first.key, start);
  const Duration took = env_.Now() - start;
  if (took.count() > longest_ns_.load(std::memory_order_relaxed)) {
    longest_ns_.store(took.count(), std::memory_order_relaxed);
  }
  if (took > kSlowCallback) LogSlow(*first.key, took, start + took);
}

Duration HandlerCaller::CallbackAge(SteadyTime now) const {
  const std::int64_t started = started_ns_.load(std::memory_order_relaxed);
  if (started == 0) return Duration(0);
  return std::max(Duration(0), now.time_since_epoch() - Duration(started));
}

void HandlerCaller::TraceCall(const RawEvent& event) const {
  TraceEvent trace;
  trace.stage = "listener";
  trace.type = EventTypeName(event.type);
  trace.key = *event.key;
  trace.resourceVersion = event.block->resourceVersion();
  trace.listener = name_;
  trace.in_list = event.is_in_initial_list;
  (void)base::CallUser(env_, "trace", [&] { trace_(trace); });
}

// Limits the log: a slow handler is usually slow for every event.
void HandlerCaller::LogSlow(const std::string& key, Duration took, SteadyTime now) {
  ++slow_calls_;
  if (slow_calls_ > 1 && now - slow_logged_ < kSlowLogPeriod) return;
  slow_logged_ = now;
  env_.log().Log(LogLevel::kInfo, "slow event handler",
                 {{"handler", name_},
                  {"key", key},
                  {"ms", std::to_string(took.count() / 1'000'000)},
                  {"slow_calls_so_far", std::to_string(slow_calls_)}});
}

// Logged once: users may take the object for the state in which it was deleted.
void HandlerCaller::ExplainTombstone(const RawEvent& event) {
  env_.log().Log(LogLevel::kInfo,
                 "a handler is told of a deletion that nobody saw (final_state_unknown): the "
                 "object is the last state that was cached, and may have changed, or been made "
                 "anew, before it went; act on its key, and do not trust its fields",
                 {{"handler", name_},
                  {"kind", std::string(event.block->type().kind)},
                  {"key", *event.key},
                  {"resourceVersion", std::string(event.block->resourceVersion())}});
}

// Limits the log, as a server may send nothing but malformed objects.
void HandlerCaller::LogMalformed(const Block& object, const std::string& key, SteadyTime now) {
  ++malformed_events_;
  if (malformed_events_ > 1 && now - malformed_logged_ < kMalformedLogPeriod) return;
  malformed_logged_ = now;
  env_.log().Log(LogLevel::kWarning,
                 "a handler read malformed fields, which count as absent; Validation::kFull "
                 "quarantines such objects",
                 {{"handler", name_},
                  {"kind", std::string(object.type().kind)},
                  {"key", key},
                  {"resourceVersion", std::string(object.resourceVersion())},
                  {"events_so_far", std::to_string(malformed_events_)}});
}

void HandlerCaller::Report(HandlerStats& stats) const {
  stats.delivered = delivered();
  stats.exceptions = exceptions_.load(std::memory_order_relaxed);
  stats.longest_callback = Duration(longest_ns_.load(std::memory_order_relaxed));
}

}  // namespace kinformer::internal::cache

#include "cache/pipeline/handler_caller.h"

#include <utility>

#include "kinformer/internal/view.h"
#include "kinformer/log.h"

#include "base/user_call.h"
#include "object/block/ended_blocks.h"
#include "object/values/object_key.h"

namespace kinformer::internal::cache {
namespace {

constexpr Duration kSlowCallback = std::chrono::milliseconds(100);
constexpr Duration kMalformedLogPeriod = std::chrono::seconds(10);

// Gives the callback objects that are nobody else's and end with it, unless it retains them: a view
// that it keeps ends, too, however long the object stays in the cache.
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

HandlerCaller::HandlerCaller(Env& env, std::shared_ptr<RawHandler> handler, std::string name,
                             Trace trace)
    : env_(env), handler_(std::move(handler)), name_(std::move(name)), trace_(std::move(trace)) {}

void HandlerCaller::Call(RawEvent& event) {
  const Block& object = *event.block;
  key_.clear();
  AppendObjectKey(object.namespace_(), object.name(), key_);
  event.key = &key_;

  // What handlers keep a count on is theirs.
  ObjectRef whole;
  ObjectRef whole_old;
  const bool is_resync = event.old_block == event.block;
  if (object.packed()) {
    whole = Unpacked(ObjectRef::Share(event.block));
    event.block = whole.get();
  }
  if (is_resync) {
    event.old_block = event.block;
  } else if (event.old_block != nullptr && event.old_block->packed()) {
    whole_old = Unpacked(ObjectRef::Share(event.old_block));
    event.old_block = whole_old.get();
  }
  OwnBlocks own;
  if constexpr (kCheckViews) own.GiveTo(event);

  if (trace_) TraceCall(event, object);
  const SteadyTime start = env_.Now();
  const std::uint64_t malformed_before = MalformedReadsHere();
  CallContained(event);
  delivered_.fetch_add(1, std::memory_order_relaxed);
  if (MalformedReadsHere() != malformed_before) LogMalformed(object, start);
  const Duration took = env_.Now() - start;
  if (took.count() > longest_ns_.load(std::memory_order_relaxed)) {
    longest_ns_.store(took.count(), std::memory_order_relaxed);
  }
  if (took > kSlowCallback) LogSlow(took);
}

void HandlerCaller::TraceCall(const RawEvent& event, const Block& block) const {
  TraceEvent trace;
  trace.stage = "listener";
  trace.type = EventKindName(event.kind);
  trace.key = key_;
  trace.resourceVersion = block.resourceVersion();
  trace.listener = name_;
  trace.in_list = event.is_in_initial_list;
  (void)base::CallUser(env_, "trace", [&] { trace_(trace); });
}

void HandlerCaller::CallContained(const RawEvent& event) {
  // The event counts as handled.
  const Result<void> handled = base::CallUser(
      env_, "an event handler", [&] { handler_->Handle(event); },
      [&] { return name_ + " for " + key_; });
  if (!handled) exceptions_.fetch_add(1, std::memory_order_relaxed);
}

void HandlerCaller::LogSlow(Duration took) {
  env_.log().Log(
      LogLevel::kInfo, "slow event handler",
      {{"handler", name_}, {"key", key_}, {"ms", std::to_string(took.count() / 1'000'000)}});
}

// A server that garbles all it sends must not fill the log as well.
void HandlerCaller::LogMalformed(const Block& object, SteadyTime now) {
  ++malformed_events_;
  if (malformed_events_ > 1 && now - malformed_logged_ < kMalformedLogPeriod) return;
  malformed_logged_ = now;
  env_.log().Log(LogLevel::kWarning,
                 "a handler read malformed fields, which count as absent; Validation::kFull "
                 "quarantines such objects",
                 {{"handler", name_},
                  {"kind", std::string(object.type().kind)},
                  {"key", key_},
                  {"resourceVersion", std::string(object.resourceVersion())},
                  {"events_so_far", std::to_string(malformed_events_)}});
}

void HandlerCaller::Report(HandlerStats& stats) const {
  stats.delivered = delivered();
  stats.exceptions = exceptions_.load(std::memory_order_relaxed);
  stats.longest_callback = Duration(longest_ns_.load(std::memory_order_relaxed));
}

}  // namespace kinformer::internal::cache

#include "kinformer/internal/cache_controller_core.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "kinformer/internal/indexer_core.h"

#include "cache/delivery/handler_caller.h"
#include "cache/deltas/delta.h"

namespace kinformer::internal {

// ---- the controller

Result<void> RunController(ReflectorCore& reflector, const PoppedQueue& queue,
                           const std::stop_token& stop) {
  if (queue.is_closed()) {
    return Error(Reason::kStopped,
                 reflector.name() + ": its queue is closed; a controller runs once");
  }
  if (Result<void> started = reflector.Start(); !started) return started;
  // Releases it also if the process function throws.
  struct StopReflector {
    ~StopReflector() { reflector.Stop(); }
    ReflectorCore& reflector;
  };
  const StopReflector stop_reflector{reflector};
  const std::stop_callback on_stop(stop, [&queue] { queue.close(); });
  while (!stop.stop_requested()) {
    const Result<void> popped = queue.pop();
    if (popped) continue;
    const Reason reason = popped.error().reason();
    if (reason == Reason::kWouldDeadlock) return popped;
    if (reason == Reason::kStopped && queue.is_closed()) break;
    reflector.env().log().Log(
        LogLevel::kError, "changes could not be processed and are lost",
        {{"controller", reflector.name()}, {"err", popped.error().ToString()}});
  }
  return {};
}

// ---- from deltas to a store and a handler

namespace {

// Thread-compatible.
class DeltaProcessor {
 public:
  DeltaProcessor(Env& env, std::shared_ptr<IndexerCore> store, std::shared_ptr<RawHandler> handler)
      : store_(std::move(store)), handler_(env, std::move(handler), "handler", {}) {}
  Result<void> Process(std::vector<cache::Delta>& deltas, bool is_in_initial_list);

 private:
  Result<void> ProcessChanges(std::vector<cache::Delta>& deltas, bool is_in_initial_list);
  Result<void> ProcessReplacedAll(cache::DeltaExtra& list, bool is_in_initial_list);
  void ProcessSyncAll();
  Result<void> ProcessUnreadableGone(const ObjectName& name);
  // `before` is null for a new object.
  void Changed(const Block* before, const Block* after, bool is_in_initial_list);
  void Deleted(const Block* last, bool final_state_unknown);

  const std::shared_ptr<IndexerCore> store_;
  cache::HandlerCaller handler_;
};

Result<void> DeltaProcessor::Process(std::vector<cache::Delta>& deltas, bool is_in_initial_list) {
  // Deltas that are not about one readable object are the only ones of their batch.
  cache::Delta& first = deltas.front();
  switch (first.type) {
    case DeltaType::kReplacedAll:
      return ProcessReplacedAll(*first.extra, is_in_initial_list);
    case DeltaType::kSyncAll:
      ProcessSyncAll();
      return {};
    case DeltaType::kBookmark:
      return store_->Bookmark(first.extra->resourceVersion);
    case DeltaType::kUnreadable:
      // An object that still exists keeps its last readable state in the store.
      if (!first.final_state_unknown) return {};
      return ProcessUnreadableGone(first.extra->unreadable.front());
    default:
      return ProcessChanges(deltas, is_in_initial_list);
  }
}

// Writes all changes as one version of the store. No object occurs twice.
Result<void> DeltaProcessor::ProcessChanges(std::vector<cache::Delta>& deltas,
                                            bool is_in_initial_list) {
  const auto before = store_->Snapshot();
  std::vector<Write> writes;
  writes.reserve(deltas.size());
  for (const cache::Delta& delta : deltas) {
    writes.push_back({delta.object, delta.type == DeltaType::kDeleted});
  }
  Result<WriteOutcome> outcome = store_->Apply(std::move(writes));
  if (!outcome) return std::move(outcome).error();
  for (const std::size_t i : outcome->successful) {
    const cache::Delta& delta = deltas[i];
    const Block* const block = delta.object.get();
    if (delta.type == DeltaType::kDeleted) {
      Deleted(block, delta.final_state_unknown);
      continue;
    }
    Changed(before->Get(block->namespace_(), block->name()), block, is_in_initial_list);
  }
  if (outcome->error) return std::move(*outcome->error);
  return {};
}

Result<void> DeltaProcessor::ProcessReplacedAll(cache::DeltaExtra& list, bool is_in_initial_list) {
  const auto before = store_->Snapshot();
  std::unordered_set<std::string> listed;
  for (const ObjectRef& object : list.objects) listed.insert(KeyOfBlock(*object));
  std::vector<ObjectRef> after = list.objects;
  for (const ObjectName& name : list.unreadable) {
    const Block* const last = before->Get(name.namespace_, name.name);
    if (last != nullptr && listed.insert(name.ToString()).second) {
      after.push_back(ObjectRef::Share(last));
    }
  }
  if (Result<void> replaced = store_->Replace(after, list.resourceVersion); !replaced) {
    return replaced;
  }
  SnapshotCore::Cursor cursor;
  while (const Block* block = before->Next(cursor)) {
    if (listed.contains(KeyOfBlock(*block))) continue;
    Deleted(block, true);
  }
  for (const ObjectRef& object : list.objects) {
    Changed(before->Get(object->namespace_(), object->name()), object.get(), is_in_initial_list);
  }
  return {};
}

void DeltaProcessor::ProcessSyncAll() {
  const auto all = store_->Snapshot();
  SnapshotCore::Cursor cursor;
  while (const Block* block = all->Next(cursor)) Changed(block, block, false);
}

Result<void> DeltaProcessor::ProcessUnreadableGone(const ObjectName& name) {
  const ObjectRef last = store_->Get(name.namespace_, name.name);
  if (!last) return {};
  if (Result<void> deleted = store_->Delete(name.namespace_, name.name, {}); !deleted) {
    return deleted;
  }
  Deleted(last.get(), true);
  return {};
}

void DeltaProcessor::Changed(const Block* before, const Block* after, bool is_in_initial_list) {
  RawEvent event;
  event.type = before == nullptr ? EventType::kAdded : EventType::kUpdated;
  event.is_in_initial_list = before == nullptr && is_in_initial_list;
  event.old_block = before;
  event.block = after;
  handler_.Call(event);
}

void DeltaProcessor::Deleted(const Block* last, bool final_state_unknown) {
  RawEvent event;
  event.type = EventType::kDeleted;
  event.final_state_unknown = final_state_unknown;
  event.block = last;
  handler_.Call(event);
}

}  // namespace

DeltaQueueCore::Process NewDeltaProcessor(Env& env, std::shared_ptr<IndexerCore> store,
                                          std::shared_ptr<RawHandler> handler) {
  return [processor = std::make_shared<DeltaProcessor>(env, std::move(store), std::move(handler))](
             std::vector<cache::Delta>& deltas, bool is_in_initial_list) {
    return processor->Process(deltas, is_in_initial_list);
  };
}

}  // namespace kinformer::internal

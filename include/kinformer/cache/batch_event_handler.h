// kinformer/cache/batch_event_handler.h
//
// AddBatchEventHandler: a handler that gets several events in one call, for programs that work once
// per change of the cache rather than per object: they rebuild a routing table, write a file,
// commit a transaction.
//
//   AddBatchEventHandler<corev1::Pod>(pods, [](const EventBatch<corev1::Pod>& batch) {
//     for (const BatchedEvent<corev1::Pod>& e : batch.events) std::cout << e.key() << '\n';
//   }).OrExit();
//
// client-go has no counterpart.

#ifndef KINFORMER_CACHE_BATCH_EVENT_HANDLER_H_
#define KINFORMER_CACHE_BATCH_EVENT_HANDLER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/cache/event_type.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/raw_event.h"
#include "kinformer/object/object_name.h"
#include "kinformer/object/ref.h"

namespace kinformer {

// One event of a batch: Added, Updated or Deleted. Valid during the callback, with its views.
template <class T>
class BatchedEvent {
 public:
  explicit BatchedEvent(const internal::RawEvent& event) : event_(event) {}

  [[nodiscard]] EventType type() const { return event_.type; }
  [[nodiscard]] const std::string& key() const { return *event_.key; }
  [[nodiscard]] ObjectName object_name() const { return internal::NameOf(*event_.block); }
  // Returns the current state; for a deletion, the last known one.
  [[nodiscard]] T object() const { return T(event_.block); }
  // Returns an update's old state; for a deletion the last delivered one, for an addition object().
  [[nodiscard]] T old_object() const {
    return T(event_.old_block != nullptr ? event_.old_block : event_.block);
  }
  [[nodiscard]] bool is_in_initial_list() const { return event_.is_in_initial_list; }
  [[nodiscard]] bool final_state_unknown() const { return event_.final_state_unknown; }
  [[nodiscard]] bool is_resync() const { return event_.old_block == event_.block; }
  [[nodiscard]] Ref<T> Retain() const { return Ref<T>(internal::ObjectRef::Share(event_.block)); }

 private:
  internal::RawEvent event_;
};

// Events of one version of the cache.
template <class T>
struct EventBatch {
  std::span<const BatchedEvent<T>> events;  // in order; never empty
  // First version of the cache (see Snapshot::version) that contains all of these events. The cache
  // itself may be newer. Never decreases from batch to batch.
  std::uint64_t version = 0;
  std::uint32_t epoch = 0;  // see Added::epoch
};

namespace internal {

struct BatchWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits,
                  "a function of batches is called with them: [](const EventBatch<T>& batch) { for "
                  "(const auto& event : batch.events) ... }, of the informer's kind");
  }
};
template <class T>
using BatchFunc = Callable<void(const EventBatch<T>&), BatchWords>;

template <class T>
class BatchHandlerAdapter final : public RawHandler {
 public:
  explicit BatchHandlerAdapter(BatchFunc<T> on_batch) : on_batch_(std::move(on_batch)) {}

  [[nodiscard]] bool TakesBatches() const override { return true; }
  void Handle(const RawEvent& event) override { HandleBatch({&event, 1}); }
  void HandleBatch(std::span<const RawEvent> events) override {
    std::vector<BatchedEvent<T>> typed;
    typed.reserve(events.size());
    for (const RawEvent& event : events) typed.emplace_back(event);
    on_batch_({typed, events.front().version, events.front().epoch});
  }

 private:
  const BatchFunc<T> on_batch_;
};

}  // namespace internal

// Registers a handler of batches, with all guarantees of AddEventHandler: order, one call at a
// time, the store before the handler, the policies for slow handlers. A batch has events of one
// version only, so that the program goes from one consistent state to the next. A version with more
// than about a thousand events, such as a whole list, is delivered in several calls with the same
// version number. Versions may be skipped, since events that wait too long are coalesced.
// Exceptions of `on_batch` are logged and counted, and the batch counts as handled. kStopped: the
// informer has stopped. Thread-safe; never blocks.
template <class T>
Result<EventHandlerRegistration> AddBatchEventHandler(
    const SharedInformer<T>& informer, std::type_identity_t<internal::BatchFunc<T>> on_batch,
    HandlerOptions options = {}) {
  auto listener = informer.core()->AddHandler(
      std::make_shared<internal::BatchHandlerAdapter<T>>(std::move(on_batch)), std::move(options));
  if (!listener) return std::move(listener).error();
  return EventHandlerRegistration(std::move(*listener));
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_BATCH_EVENT_HANDLER_H_

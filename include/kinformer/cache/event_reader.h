// kinformer/cache/event_reader.h
//
// EventReader: lets the program fetch an informer's events when it wants them, on any thread: for
// programs with an event loop, for simulations of their own, for tests.
//
//   auto reader = NewEventReader(pods).OrExit();
//   std::vector<ReadEvent<corev1::Pod>> batch;
//   while (reader.Next(batch, std::nullopt, stop.token())) {
//     for (const ReadEvent<corev1::Pod>& e : batch) std::cout << e.key << '\n';
//   }

#ifndef KINFORMER_CACHE_EVENT_READER_H_
#define KINFORMER_CACHE_EVENT_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/cache/event_type.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/internal/event_reader_core.h"
#include "kinformer/object/ref.h"

namespace kinformer {

// A fetched event. It owns its objects and may be kept.
template <class T>
struct ReadEvent {
  EventType type{};
  std::string key{};
  Ref<T> object{};      // for a deletion: the last known state
  Ref<T> old_object{};  // for an update: the old state; else empty
  bool is_in_initial_list = false;
  bool final_state_unknown = false;
  std::uint32_t epoch = 0;    // see Added::epoch
  std::uint64_t version = 0;  // see EventBatch::version

  [[nodiscard]] bool is_resync() const { return object.object() == old_object.object(); }
};

// Options of an EventReader.
struct EventReaderOptions {
  // Limits and overflow policy, as for a handler: a reader that stops reading blocks the informer
  // with OverflowPolicy::kBlock, and otherwise gets events coalesced or replaced by the difference.
  // With AtStop::kDrain pending events can be read after the end; no call waits for that.
  HandlerOptions handler{};
  // Maximal number of events per call of Next.
  std::size_t max_batch{256};
  // Called on some thread once events can be read, and again only after a Next that found no more:
  // to wake a loop, by an eventfd or a post. Must be quick; must not call Next.
  std::function<void()> on_readable{};
};

// Reads events. Movable; destruction removes the handler. For one thread at a time.
template <class T>
class EventReader {
 public:
  explicit EventReader(EventHandlerRegistration registration, std::size_t max_batch)
      : registration_(std::move(registration)),
        scoped_(registration_.Scoped()),
        max_batch_(max_batch) {}

  // Replaces `batch` by the next events, at least one, all of one version. Waits for them until
  // `deadline`, by the Env's clock; empty: without limit; a past time: does not wait.
  //
  // kDeadlineExceeded: there was none. kCanceled: `stop` was requested. kStopped: the informer or
  // this handler has ended, and no more events follow, unless the informer is started again.
  // kWouldDeadlock: it would have to wait on the loop's thread.
  Result<void> Next(std::vector<ReadEvent<T>>& batch, std::optional<SteadyTime> deadline = {},
                    const std::stop_token& stop = {}) {
    batch.clear();
    std::vector<internal::PulledEvent> pulled;
    Result<void> result =
        internal::PullEvents(*registration_.listener(), max_batch_, deadline, stop, pulled);
    if (result) batch = Typed(std::move(pulled));
    return result;
  }

  // Returns HasSynced and statistics. Synced: Next was called again after the whole initial list.
  [[nodiscard]] const EventHandlerRegistration& registration() const { return registration_; }
  [[nodiscard]] std::size_t max_batch() const { return max_batch_; }

 private:
  template <class U>
  friend class AsyncEventReader;

  static std::vector<ReadEvent<T>> Typed(std::vector<internal::PulledEvent> pulled) {
    std::vector<ReadEvent<T>> batch;
    batch.reserve(pulled.size());
    for (internal::PulledEvent& e : pulled) {
      ReadEvent<T>& event = batch.emplace_back();
      event.type = e.type;
      event.key = std::move(e.key);
      event.object = Ref<T>(std::move(e.object));
      if (e.old_object) event.old_object = Ref<T>(std::move(e.old_object));
      event.is_in_initial_list = e.is_in_initial_list;
      event.final_state_unknown = e.final_state_unknown;
      event.epoch = e.epoch;
      event.version = e.version;
    }
    return batch;
  }

  EventHandlerRegistration registration_;
  EventHandlerRegistration::ScopedRegistration scoped_;
  std::size_t max_batch_;
};

// Registers a reader. kStopped: the informer has stopped. Thread-safe; never blocks.
template <class T>
Result<EventReader<T>> NewEventReader(const SharedInformer<T>& informer,
                                      EventReaderOptions options = {}) {
  auto listener = informer.core()->AddHandler(
      std::make_shared<internal::PulledHandler>(std::move(options.on_readable)),
      std::move(options.handler));
  if (!listener) return std::move(listener).error();
  return EventReader<T>(EventHandlerRegistration(std::move(*listener)),
                        options.max_batch == 0 ? 1 : options.max_batch);
}

}  // namespace kinformer

#endif  // KINFORMER_CACHE_EVENT_READER_H_

// kinformer/event_reader.h
//
// EventReader: a handler turned round. It fetches its events when it wants them, on a thread of its
// own choice: for programs with an event loop, for simulations of their own, for tests.
//
//   auto reader = NewEventReader(pods).OrExit();
//   std::vector<ReadEvent<corev1::Pod>> batch;
//   while (reader.Next(batch, std::nullopt, stop.token())) {
//     for (const ReadEvent<corev1::Pod>& e : batch) std::cout << e.key << '\n';
//   }

#ifndef KINFORMER_EVENT_READER_H_
#define KINFORMER_EVENT_READER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/batch_event_handler.h"
#include "kinformer/env.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/event_reader_core.h"
#include "kinformer/ref.h"
#include "kinformer/result.h"
#include "kinformer/shared_informer.h"

namespace kinformer {

// An event that was fetched. It owns its objects and may be kept.
template <class T>
struct ReadEvent {
  EventType type{};
  std::string key{};
  Ref<T> object{};      // of a deletion: the last state that is known
  Ref<T> old_object{};  // of an update: what it started from; else empty
  bool is_in_initial_list = false;
  bool final_state_unknown = false;
  std::uint32_t epoch = 0;    // see Added::epoch
  std::uint64_t version = 0;  // see EventBatch::version

  [[nodiscard]] bool is_resync() const { return object.object() == old_object.object(); }
};

// How an EventReader is served.
struct EventReaderOptions {
  // Bounds and what happens past them, as for a handler: a reader that does not come holds up the
  // informer with OverflowPolicy::kBlock, and else finds events coalesced or replaced by the
  // difference. With AtStop::kDrain what waits at the end can still be read; nobody waits for that.
  HandlerOptions handler{};
  // Events of one call to Next, at most.
  std::size_t max_batch{256};
  // Called on some thread once something can be read, and again only after a Next that found
  // nothing more: to wake a loop, by an eventfd or a post. Must be quick; must not call Next.
  std::function<void()> on_readable{};
};

// Movable; its end removes the handler. For one thread at a time.
template <class T>
class EventReader {
 public:
  explicit EventReader(EventHandlerRegistration registration, std::size_t max_batch)
      : registration_(std::move(registration)),
        scoped_(registration_.Scoped()),
        max_batch_(max_batch) {}

  // Replaces `batch` by the next events, which are of one version: at least one. Waits for them
  // until `deadline`, of the Env's clock; empty: for ever; a time that is over: not at all.
  //
  // kDeadlineExceeded: there was none. kCanceled: stop was requested. kStopped: the informer or
  // this handler has ended, and nothing more comes; an informer that is only stopped may start
  // again. kWouldDeadlock: on the loop's thread, where it would have to wait.
  Result<void> Next(std::vector<ReadEvent<T>>& batch, std::optional<SteadyTime> deadline = {},
                    const std::stop_token& stop = {}) {
    batch.clear();
    std::vector<internal::PulledEvent> pulled;
    Result<void> result =
        internal::PullEvents(*registration_.listener(), max_batch_, deadline, stop, pulled);
    if (!result) return result;
    batch.reserve(pulled.size());
    for (internal::PulledEvent& e : pulled) {
      ReadEvent<T>& event = batch.emplace_back();
      event.type = static_cast<EventType>(e.kind);
      event.key = std::move(e.key);
      event.object = Ref<T>(std::move(e.object));
      if (e.old_object) event.old_object = Ref<T>(std::move(e.old_object));
      event.is_in_initial_list = e.is_in_initial_list;
      event.final_state_unknown = e.final_state_unknown;
      event.epoch = e.epoch;
      event.version = e.version;
    }
    return {};
  }

  // HasSynced and figures. Synced: Next was called again after all of the initial list.
  [[nodiscard]] const EventHandlerRegistration& registration() const { return registration_; }

 private:
  EventHandlerRegistration registration_;
  EventHandlerRegistration::ScopedRegistration scoped_;
  std::size_t max_batch_;
};

// Registers a reader. kStopped where the informer has stopped. Thread-safe; never blocks.
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

#endif  // KINFORMER_EVENT_READER_H_

// kinformer/internal/raw_event.h
//
// RawEvent: an event for a handler, without a type; and HandlerAdapter, which gives it to a typed
// handler.

#ifndef KINFORMER_INTERNAL_RAW_EVENT_H_
#define KINFORMER_INTERNAL_RAW_EVENT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/event_handler.h"
#include "kinformer/internal/block.h"

namespace kinformer::internal {

// Which callback of a handler an event is for.
enum class EventKind : std::uint8_t { kAdd, kUpdate, kDelete };

// As traces call it.
constexpr std::string_view EventKindName(EventKind kind) {
  switch (kind) {
    case EventKind::kAdd:
      return "ADDED";
    case EventKind::kUpdate:
      return "MODIFIED";
    case EventKind::kDelete:
      return "DELETED";
  }
  return "";
}

// Borrows what it points to, for as long as the callback runs.
struct RawEvent {
  EventKind kind{};
  bool is_in_initial_list = false;
  bool final_state_unknown = false;
  std::uint32_t epoch = 0;
  const std::string* key = nullptr;
  // Of updates; of a deletion before which others were skipped: what the handler was told last.
  const Block* old_block = nullptr;
  // Of a deletion: the last known state.
  const Block* block = nullptr;
  // Of the store, as Snapshot::version counts: the first that has this event.
  std::uint64_t version = 0;
};

class RawHandler {
 public:
  virtual ~RawHandler() = default;
  virtual void Handle(const RawEvent& event) = 0;
  // True: a call takes microseconds and waits for nobody, so that a few may be made on the event
  // loop. Asked once.
  [[nodiscard]] virtual bool IsPrompt() const { return false; }
  // True: several events of one version are given in one call instead. Asked once.
  [[nodiscard]] virtual bool TakesBatches() const { return false; }
  virtual void HandleBatch(std::span<const RawEvent> events) {
    for (const RawEvent& event : events) Handle(event);
  }
};

// `Handler` is the class of the handler as far as it is known: calls to one that is final are not
// virtual.
template <class T, class Handler = ResourceEventHandler<T>>
class HandlerAdapter final : public RawHandler {
 public:
  explicit HandlerAdapter(std::shared_ptr<Handler> handler) : handler_(std::move(handler)) {}

  [[nodiscard]] bool IsPrompt() const override {
    if constexpr (requires { handler_->IsPrompt(); }) {
      return handler_->IsPrompt();
    } else {
      return false;
    }
  }
  void Handle(const RawEvent& e) override {
    switch (e.kind) {
      case EventKind::kAdd:
        return handler_->OnAdd(
            Added<T>{*e.key, T(e.block), e.is_in_initial_list, e.block, e.epoch});
      case EventKind::kUpdate:
        return handler_->OnUpdate(
            Updated<T>{*e.key, T(e.old_block), T(e.block), e.old_block, e.block, e.epoch});
      case EventKind::kDelete:
        return handler_->OnDelete(
            Deleted<T>{*e.key, T(e.block), e.final_state_unknown, e.block, e.epoch, e.old_block});
    }
  }

 private:
  const std::shared_ptr<Handler> handler_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_RAW_EVENT_H_

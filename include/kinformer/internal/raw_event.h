// kinformer/internal/raw_event.h
//
// RawEvent: an untyped event for a handler; and HandlerAdapter, which passes it to a typed
// handler.

#ifndef KINFORMER_INTERNAL_RAW_EVENT_H_
#define KINFORMER_INTERNAL_RAW_EVENT_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/cache/event_type.h"
#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/internal/block.h"

namespace kinformer::internal {

// Returns the name in traces.
constexpr std::string_view EventTypeName(EventType type) {
  switch (type) {
    case EventType::kAdded:
      return "ADDED";
    case EventType::kUpdated:
      return "MODIFIED";
    case EventType::kDeleted:
      return "DELETED";
  }
  return "";
}

// An event. Borrows the data that it points to, for the time of the callback.
struct RawEvent {
  EventType type{};
  bool is_in_initial_list = false;
  bool final_state_unknown = false;
  std::uint32_t epoch = 0;
  const std::string* key = nullptr;
  // Updates: the old state. Deletions after skipped updates: the state that the handler got last.
  const Block* old_block = nullptr;
  // The object; for deletions the last known state.
  const Block* block = nullptr;
  // First version of the store (see Snapshot::version) that contains this event.
  std::uint64_t version = 0;
};

class RawHandler {
 public:
  virtual ~RawHandler() = default;
  virtual void Handle(const RawEvent& event) = 0;
  // Returns true if calls take microseconds and never wait, so that a few can run on the event
  // loop. Called once.
  [[nodiscard]] virtual bool IsPrompt() const { return false; }
  // Returns true if it wants several events of one version in one call. Called once.
  [[nodiscard]] virtual bool TakesBatches() const { return false; }
  virtual void HandleBatch(std::span<const RawEvent> events) {
    for (const RawEvent& event : events) Handle(event);
  }
};

// Passes events to a typed handler. `Handler` is its class as far as known: calls to a final class
// are not virtual.
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
    switch (e.type) {
      case EventType::kAdded:
        return handler_->OnAdd(Added<T>{*e.key, T(e.block), e.is_in_initial_list, e.epoch});
      case EventType::kUpdated:
        return handler_->OnUpdate(Updated<T>{*e.key, T(e.old_block), T(e.block), e.epoch});
      case EventType::kDeleted:
        return handler_->OnDelete(
            Deleted<T>{*e.key, T(e.block), e.final_state_unknown, e.epoch, Told(e.old_block)});
    }
  }

 private:
  static std::optional<T> Told(const Block* block) {
    return block == nullptr ? std::nullopt : std::optional<T>(T(block));
  }

  const std::shared_ptr<Handler> handler_;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_RAW_EVENT_H_

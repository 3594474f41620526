// kinformer/internal/event_reader_core.h
//
// Untyped half of EventReader<T>: events of a handler that are fetched, not delivered.

#ifndef KINFORMER_INTERNAL_EVENT_READER_CORE_H_
#define KINFORMER_INTERNAL_EVENT_READER_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/raw_event.h"

namespace kinformer::internal {

namespace cache {
class Listener;
}  // namespace cache

// Marks a listener whose events are fetched.
class PulledHandler final : public RawHandler {
 public:
  explicit PulledHandler(std::function<void()> readable) : readable_(std::move(readable)) {}
  void Handle(const RawEvent& /*event*/) override {}
  [[nodiscard]] const std::function<void()>& readable() const { return readable_; }

 private:
  const std::function<void()> readable_;
};

// An event that owns its objects.
struct PulledEvent {
  EventType type{};
  bool is_in_initial_list = false;
  bool final_state_unknown = false;
  std::uint32_t epoch = 0;
  std::uint64_t version = 0;
  std::string key{};
  ObjectRef old_object{};  // of updates
  ObjectRef object{};
};

// Implements EventReader::Next. The listener must have a PulledHandler.
Result<void> PullEvents(cache::Listener& listener, std::size_t most,
                        std::optional<SteadyTime> deadline, const std::stop_token& stop,
                        std::vector<PulledEvent>& events);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_EVENT_READER_CORE_H_

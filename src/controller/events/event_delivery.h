// controller/events/event_delivery.h
//
// EventDelivery: writes events to a sink as their correlation says, and retries failed writes.

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_DELIVERY_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_DELIVERY_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>

#include "kinformer/base/env.h"
#include "kinformer/events/event_sink.h"

#include "controller/events/correlation.h"
#include "controller/events/event_watcher.h"

namespace kinformer::internal::events {

// Reason for the loss of an event; a label of the metric.
enum class Lost : std::uint8_t { kQueueFull, kNoAnswer, kRefused, kShutdown };

// Options for the delivery to one sink.
struct DeliveryOptions {
  int max_attempts = 0;
  Duration retry_delay{0};
  // Called for each event that is not written.
  std::function<void(Lost)> lost{};
  std::function<void()> skipped{};
};

// Used by one thread. Blocks until an event is written or given up.
template <class Event>
class EventDelivery final : public EventTaker<Event> {
 public:
  EventDelivery(Env& env, DeliveryOptions options, std::unique_ptr<BasicEventSink<Event>> sink,
                std::unique_ptr<Correlation<Event>> correlation);

  void Take(const Event& event, const std::stop_token& stop) override;
  [[nodiscard]] SteadyTime NextSweep() const override { return correlation_->NextSweep(); }
  void Sweep(const std::stop_token& stop) override;
  void Finish(const std::stop_token& stop) override;

 private:
  // Returns nullopt if the event is written or refused, else the error to retry after.
  std::optional<Error> Attempt(CorrelatedEvent<Event>& correlated, const std::stop_token& stop);
  void GiveUp(const Event& event, Lost why, const Error& error);
  Result<Event> Write(CorrelatedEvent<Event>& correlated, const std::stop_token& stop);

  Env& env_;
  const DeliveryOptions options_;
  const std::unique_ptr<BasicEventSink<Event>> sink_;
  const std::unique_ptr<Correlation<Event>> correlation_;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_DELIVERY_H_

// controller/events/event_delivery.h
//
// EventDelivery: writes events to a sink, as the correlator says, again where nobody answers.

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_DELIVERY_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_DELIVERY_H_

#include <functional>
#include <memory>
#include <stop_token>

#include "kinformer/env.h"
#include "kinformer/event_recorder.h"

#include "controller/events/event_correlator.h"

namespace kinformer::internal::events {

// Why an event did not get to where it should, as the metric has it.
enum class Lost : std::uint8_t { kQueueFull, kNoAnswer, kRefused, kShutdown };

// Used by one thread.
class EventDelivery {
 public:
  // `lost` and `filtered` are told of each event that is not written.
  EventDelivery(Env& env, const EventBroadcasterOptions& options, std::unique_ptr<EventSink> sink,
                std::function<void(Lost)> lost, std::function<void()> filtered);

  // Blocks until the event is written or given up.
  void Deliver(const corev1::EventMutable& event, const std::stop_token& stop);

 private:
  Result<corev1::EventMutable> Write(CorrelatedEvent& correlated, const std::stop_token& stop);

  Env& env_;
  const EventBroadcasterOptions options_;
  const std::unique_ptr<EventSink> sink_;
  const std::function<void(Lost)> lost_;
  const std::function<void()> filtered_;
  EventCorrelator correlator_;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_DELIVERY_H_

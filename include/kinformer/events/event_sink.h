// kinformer/events/event_sink.h
//
// EventSink: destination of a broadcaster's events. Those of core/v1 (event_broadcaster.h) and of
// events.k8s.io/v1 (events.h) have one each.

#ifndef KINFORMER_EVENTS_EVENT_SINK_H_
#define KINFORMER_EVENTS_EVENT_SINK_H_

#include <memory>

#include "kinformer/base/result.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"

namespace kinformer {

class Client;  // client.h
namespace corev1 {
struct EventMutable;  // kinformer/api/corev1_mutable.h
}  // namespace corev1
namespace eventsv1 {
struct EventMutable;  // kinformer/api/eventsv1_mutable.h
}  // namespace eventsv1

// Writes events. `Event` is the struct of one API version of events. Used by one thread of the
// broadcaster. Both methods block, and return the event as the server has it. Exceptions are logged
// and counted, and the event is dropped as if the server had refused it.
template <class Event>
class BasicEventSink {
 public:
  virtual ~BasicEventSink() = default;
  virtual Result<Event> Create(const Event& event, const CallOptions& call) = 0;
  // Patches an event. kNotFound: there is none of that name.
  virtual Result<Event> Patch(const Event& event, const kinformer::Patch& patch,
                              const CallOptions& call) = 0;
};

// Destination of core/v1 events. Counterpart: record.EventSink.
using EventSink = BasicEventSink<corev1::EventMutable>;
// Returns a sink that writes Event objects (core/v1) to a server.
std::unique_ptr<EventSink> NewEventSink(const Client& client);

namespace events {

// Destination of events.k8s.io/v1 events. Counterpart: events.EventSink.
using EventSink = BasicEventSink<eventsv1::EventMutable>;
// Returns a sink that writes Event objects (events.k8s.io/v1) to a server.
std::unique_ptr<EventSink> NewEventSink(const Client& client);

}  // namespace events
}  // namespace kinformer

#endif  // KINFORMER_EVENTS_EVENT_SINK_H_

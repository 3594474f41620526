// kinformer/events/event_sink.h
//
// BasicEventSink: destination of a broadcaster's events (event_recorder.h, events.h).

#ifndef KINFORMER_EVENTS_EVENT_SINK_H_
#define KINFORMER_EVENTS_EVENT_SINK_H_

#include "kinformer/base/result.h"
#include "kinformer/client/patch.h"
#include "kinformer/client/request_options.h"

namespace kinformer {

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

}  // namespace kinformer

#endif  // KINFORMER_EVENTS_EVENT_SINK_H_

// controller/events/correlation.h
//
// Correlation: decides how an event is written: as a new object, as a change of an existing one, or
// not at all. It contains the differences between the API versions of events.

#ifndef KINFORMER_CONTROLLER_EVENTS_CORRELATION_H_
#define KINFORMER_CONTROLLER_EVENTS_CORRELATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/client/patch.h"

namespace kinformer::internal::events {

enum class EventWrite : std::uint8_t {
  kCreate,
  kPatch,    // an object for that event exists already
  kLater,    // only counted; the count is written later
  kSkipped,  // dropped: too many events about that object
};

template <class Event>
struct CorrelatedEvent {
  Event event{};
  std::string key{};  // key to pass to Observed or Refused
  EventWrite write = EventWrite::kCreate;
};

// Used by one sink. Thread-compatible.
template <class Event>
class Correlation {
 public:
  virtual ~Correlation() = default;

  virtual CorrelatedEvent<Event> Correlate(const Event& event) = 0;
  // Reports that the server has stored the event (Observed), or has refused it (Refused).
  virtual void Observed(const std::string& key, const Event& event) = 0;
  virtual void Refused(const std::string& /*key*/) {}

  // Returns the patch with the changed fields of an event.
  [[nodiscard]] virtual Patch PatchOf(const Event& event) const = 0;
  // Prepares an event for creation, after the server no longer had the object to be patched.
  virtual void Renew(Event& event) = 0;

  // Time of the next Sweep, which returns events to write although no new event has arrived.
  [[nodiscard]] virtual SteadyTime NextSweep() const { return SteadyTime::max(); }
  virtual std::vector<CorrelatedEvent<Event>> Sweep() { return {}; }
  // Returns counts that are not written yet. Called once at the end.
  virtual std::vector<CorrelatedEvent<Event>> Unwritten() { return {}; }
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_CORRELATION_H_

// controller/events/correlation.h
//
// Correlation: decides what is written for an event: a new object, a change of one that there is,
// or nothing. What differs between the API versions of events is here; the delivery is the same.

#ifndef KINFORMER_CONTROLLER_EVENTS_CORRELATION_H_
#define KINFORMER_CONTROLLER_EVENTS_CORRELATION_H_

#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/patch.h"

namespace kinformer::internal::events {

enum class EventWrite : std::uint8_t {
  kCreate,
  kPatch,    // there is an object of that event already
  kLater,    // it is counted, and the count is written later
  kSkipped,  // there are too many about that object
};

template <class Event>
struct CorrelatedEvent {
  Event event{};
  std::string key{};  // what Observed and Refused are to be given
  EventWrite write = EventWrite::kCreate;
};

// Of one sink. Thread-compatible.
template <class Event>
class Correlation {
 public:
  virtual ~Correlation() = default;

  virtual CorrelatedEvent<Event> Correlate(const Event& event) = 0;
  // The server has that event now; or it does not want it.
  virtual void Observed(const std::string& key, const Event& event) = 0;
  virtual void Refused(const std::string& /*key*/) {}

  // What is new in an event that is to be patched.
  [[nodiscard]] virtual Patch PatchOf(const Event& event) const = 0;
  // The server has forgotten the event that was to be patched: it shall be created.
  virtual void Renew(Event& event) = 0;

  // What is to be written without a new event, from NextSweep() on.
  [[nodiscard]] virtual SteadyTime NextSweep() const { return SteadyTime::max(); }
  virtual std::vector<CorrelatedEvent<Event>> Sweep() { return {}; }
  // What is counted and not written yet.
  virtual std::vector<CorrelatedEvent<Event>> Unwritten() { return {}; }
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_CORRELATION_H_

// controller/events/event_correlator.h
//
// EventCorrelator: what is written for an event: a new object, a higher count of one that there is,
// or nothing.

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_CORRELATOR_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_CORRELATOR_H_

#include <cstdint>
#include <set>
#include <string>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/env.h"
#include "kinformer/event_recorder.h"
#include "kinformer/internal/token_bucket.h"

#include "base/lru_cache.h"

namespace kinformer::internal::events {

// What an event has in common with those that are told together with it, and what tells it from
// them: its message.
std::string AggregateKey(const corev1::EventMutable& event);

struct CorrelatedEvent {
  corev1::EventMutable event{};
  std::string key{};  // what Observed is to be given
  bool skip = false;  // there are too many about that object
  // There is an object of that event already: only its count, time and message are new.
  [[nodiscard]] bool repeats() const { return event.count > 1; }
};

// Of one sink. Thread-compatible. Counterpart: record.EventCorrelator.
class EventCorrelator {
 public:
  EventCorrelator(Env& env, const EventCorrelatorOptions& options);

  CorrelatedEvent Correlate(const corev1::EventMutable& event);
  // The server has that event now.
  void Observed(const std::string& key, const corev1::EventMutable& event);

 private:
  struct Alike {
    std::set<std::string> messages{};
    SteadyTime last{};
  };
  struct Known {
    std::int32_t count = 0;
    metav1::Time first{};
    std::string name{};
    std::string resource_version{};
  };

  CorrelatedEvent Aggregated(const corev1::EventMutable& event);
  void Count(CorrelatedEvent& correlated);
  bool HasRoom(const corev1::EventMutable& event);

  Env& env_;
  const EventCorrelatorOptions options_;
  base::LruCache<Alike> alike_;
  base::LruCache<Known> known_;
  base::LruCache<TokenBucket> buckets_;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_CORRELATOR_H_

// controller/events/event_correlator.h
//
// EventCorrelator: counts, combines or drops similar events of core/v1.

#ifndef KINFORMER_CONTROLLER_EVENTS_EVENT_CORRELATOR_H_
#define KINFORMER_CONTROLLER_EVENTS_EVENT_CORRELATOR_H_

#include <cstdint>
#include <set>
#include <string>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/internal/token_bucket.h"

#include "base/core/lru_cache.h"
#include "controller/events/correlation.h"

namespace kinformer::internal::events {

// Returns the key of events that may be combined: everything they have in common, without the
// message, by which they are told apart.
std::string AggregateKey(const corev1::EventMutable& event);

// Correlation for core/v1: writes each higher count. Counterpart: record.EventCorrelator.
class EventCorrelator final : public Correlation<corev1::EventMutable> {
 public:
  using Correlated = CorrelatedEvent<corev1::EventMutable>;

  EventCorrelator(Env& env, const EventCorrelatorOptions& options);

  Correlated Correlate(const corev1::EventMutable& event) override;
  void Observed(const std::string& key, const corev1::EventMutable& event) override;
  [[nodiscard]] Patch PatchOf(const corev1::EventMutable& event) const override;
  void Renew(corev1::EventMutable& event) override;

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

  [[nodiscard]] EventAggregatorKeys KeysOf(const corev1::EventMutable& event) const;
  [[nodiscard]] std::string CombinedMessage(const corev1::EventMutable& event) const;
  [[nodiscard]] std::string KeyOfLimit(const corev1::EventMutable& event) const;
  Correlated Aggregated(const corev1::EventMutable& event);
  void Count(Correlated& correlated);
  bool HasRoom(const corev1::EventMutable& event);

  Env& env_;
  const EventCorrelatorOptions options_;
  base::LruCache<Alike> alike_;
  base::LruCache<Known> known_;
  base::LruCache<TokenBucket> buckets_;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_EVENT_CORRELATOR_H_

// controller/events/series_correlator.h
//
// SeriesCorrelator: combines similar events of events.k8s.io/v1 to a series, whose count is written
// periodically.

#ifndef KINFORMER_CONTROLLER_EVENTS_SERIES_CORRELATOR_H_
#define KINFORMER_CONTROLLER_EVENTS_SERIES_CORRELATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/api/eventsv1_mutable.h"
#include "kinformer/base/env.h"

#include "base/core/lru_cache.h"
#include "controller/events/correlation.h"

namespace kinformer::internal::events {

// Key of a series: the fields that all its events have in common.
std::string SeriesKey(const eventsv1::EventMutable& event);

// The values are explained in kinformer/events/events.h.
struct SeriesOptions {
  std::size_t cache_size = 0;
  Duration finish_time{0};
  Duration refresh_time{0};
};

// The first event is created; the second turns it into a series, with a patch; later ones are only
// counted. Sweeps write the counts of all series and end those that had no new event.
class SeriesCorrelator final : public Correlation<eventsv1::EventMutable> {
 public:
  using Correlated = CorrelatedEvent<eventsv1::EventMutable>;

  SeriesCorrelator(Env& env, const SeriesOptions& options);

  Correlated Correlate(const eventsv1::EventMutable& event) override;
  void Observed(const std::string& key, const eventsv1::EventMutable& event) override;
  void Refused(const std::string& key) override;
  [[nodiscard]] Patch PatchOf(const eventsv1::EventMutable& event) const override;
  void Renew(eventsv1::EventMutable& /*event*/) override {}  // the name is free again
  [[nodiscard]] SteadyTime NextSweep() const override;
  std::vector<Correlated> Sweep() override;
  std::vector<Correlated> Unwritten() override;

 private:
  struct Series {
    eventsv1::EventMutable event{};
    SteadyTime last{};  // time of the last event in the series
    std::int32_t written = 0;
    bool over = false;  // ends when its count is written
  };

  // Ends series without new events. An event that never became a series is removed at once.
  void EndIdle(SteadyTime now);

  Env& env_;
  const SeriesOptions options_;
  base::LruCache<Series> series_;
  SteadyTime next_finish_;
  SteadyTime next_refresh_;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_SERIES_CORRELATOR_H_

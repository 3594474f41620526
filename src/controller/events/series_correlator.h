// controller/events/series_correlator.h
//
// SeriesCorrelator: events of events.k8s.io/v1 that are alike become a series, whose count is
// written now and then.

#ifndef KINFORMER_CONTROLLER_EVENTS_SERIES_CORRELATOR_H_
#define KINFORMER_CONTROLLER_EVENTS_SERIES_CORRELATOR_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/api/eventsv1_mutable.h"
#include "kinformer/env.h"

#include "base/core/lru_cache.h"
#include "controller/events/correlation.h"

namespace kinformer::internal::events {

// What events of a series have in common.
std::string SeriesKey(const eventsv1::EventMutable& event);

// See kinformer/events.h for the numbers.
struct SeriesOptions {
  std::size_t cache_size = 0;
  Duration finish_time{0};
  Duration refresh_time{0};
};

// The first event is created; the second makes a series of it, with a patch; what follows is only
// counted. Sweeps write the counts of all series, and end those to which nothing is added.
class SeriesCorrelator final : public Correlation<eventsv1::EventMutable> {
 public:
  using Correlated = CorrelatedEvent<eventsv1::EventMutable>;

  SeriesCorrelator(Env& env, const SeriesOptions& options);

  Correlated Correlate(const eventsv1::EventMutable& event) override;
  void Observed(const std::string& key, const eventsv1::EventMutable& event) override;
  void Refused(const std::string& key) override;
  [[nodiscard]] Patch PatchOf(const eventsv1::EventMutable& event) const override;
  void Renew(eventsv1::EventMutable& /*event*/) override {}  // its name is free again
  [[nodiscard]] SteadyTime NextSweep() const override;
  std::vector<Correlated> Sweep() override;
  std::vector<Correlated> Unwritten() override;

 private:
  struct Series {
    eventsv1::EventMutable event{};
    SteadyTime last{};  // when the last event of it was given
    std::int32_t written = 0;
    bool over = false;  // it goes as soon as its count is written
  };

  // Those of an event alone go at once.
  void EndIdle(SteadyTime now);

  Env& env_;
  const SeriesOptions options_;
  base::LruCache<Series> series_;
  SteadyTime next_finish_;
  SteadyTime next_refresh_;
};

}  // namespace kinformer::internal::events

#endif  // KINFORMER_CONTROLLER_EVENTS_SERIES_CORRELATOR_H_

#include "controller/events/series_correlator.h"

#include <algorithm>
#include <utility>

#include "kinformer/json/json.h"

#include "base/core/deadline.h"
#include "controller/events/event_parts.h"

namespace kinformer::internal::events {
namespace {

using base::After;

// Without the resourceVersion, since a changed object is still the same object.
std::string ReferenceKey(const corev1::ObjectReferenceMutable& object) {
  return JoinedKey({object.kind, object.namespace_, object.name, object.uid, object.apiVersion,
                    object.fieldPath});
}

}  // namespace

std::string SeriesKey(const eventsv1::EventMutable& event) {
  return JoinedKey({event.type, event.action, event.reason, event.reportingController,
                    event.reportingInstance, ReferenceKey(event.regarding),
                    event.related ? ReferenceKey(*event.related) : std::string()});
}

SeriesCorrelator::SeriesCorrelator(Env& env, const SeriesOptions& options)
    : env_(env),
      options_(options),
      series_(options.cache_size),
      next_finish_(After(env.Now(), options.finish_time)),
      next_refresh_(After(env.Now(), options.refresh_time)) {}

SeriesCorrelator::Correlated SeriesCorrelator::Correlate(const eventsv1::EventMutable& event) {
  const std::string key = SeriesKey(event);
  Series* const known = series_.Find(key);
  if (known == nullptr) {
    series_.Put(key, {.event = event, .last = env_.Now()});
    return {.event = event, .key = key, .write = EventWrite::kCreate};
  }
  known->last = env_.Now();
  known->over = false;
  const bool begins = !known->event.series.has_value();
  if (begins) known->event.series = eventsv1::EventSeriesMutable{.count = 1};
  ++known->event.series->count;
  known->event.series->lastObservedTime = event.eventTime;
  if (!begins) return {.key = key, .write = EventWrite::kLater};
  return {.event = known->event, .key = key, .write = EventWrite::kPatch};
}

void SeriesCorrelator::Observed(const std::string& key, const eventsv1::EventMutable& event) {
  Series* const known = series_.Find(key);
  if (known == nullptr) return;
  if (event.series) known->written = event.series->count;
  if (known->over) series_.Erase(key);
}

void SeriesCorrelator::Refused(const std::string& key) {
  const Series* const known = series_.Find(key);
  if (known != nullptr && known->over) series_.Erase(key);
}

Patch SeriesCorrelator::PatchOf(const eventsv1::EventMutable& event) const {
  json::Value series = json::Value::MakeObject();
  series.Set("count", event.series->count);
  series.Set("lastObservedTime", event.series->lastObservedTime.ToString());
  json::Value body = json::Value::MakeObject();
  body.Set("series", std::move(series));
  return {.type = PatchType::kMergePatch, .body = body.Dump()};
}

SteadyTime SeriesCorrelator::NextSweep() const { return std::min(next_finish_, next_refresh_); }

std::vector<SeriesCorrelator::Correlated> SeriesCorrelator::Sweep() {
  const SteadyTime now = env_.Now();
  if (now >= next_finish_) {
    next_finish_ = After(now, options_.finish_time);
    EndIdle(now);
  }
  const bool refresh = now >= next_refresh_;
  if (refresh) next_refresh_ = After(now, options_.refresh_time);
  std::vector<Correlated> due;
  series_.ForEach([&](const std::string& key, const Series& series) {
    if (!series.event.series || !(refresh || series.over)) return;
    due.push_back({.event = series.event, .key = key, .write = EventWrite::kPatch});
  });
  return due;
}

void SeriesCorrelator::EndIdle(SteadyTime now) {
  std::vector<std::string> gone;
  series_.ForEach([&](const std::string& key, Series& series) {
    if (now - series.last <= options_.finish_time) return;
    series.over = series.event.series.has_value();
    if (!series.over) gone.push_back(key);
  });
  for (const std::string& key : gone) series_.Erase(key);
}

std::vector<SeriesCorrelator::Correlated> SeriesCorrelator::Unwritten() {
  std::vector<Correlated> unwritten;
  series_.ForEach([&](const std::string& key, const Series& series) {
    if (!series.event.series || series.event.series->count <= series.written) return;
    unwritten.push_back({.event = series.event, .key = key, .write = EventWrite::kPatch});
  });
  return unwritten;
}

}  // namespace kinformer::internal::events

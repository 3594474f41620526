#include "controller/events/event_correlator.h"

#include <initializer_list>
#include <string_view>
#include <utility>

namespace kinformer::internal::events {
namespace {

constexpr std::string_view kCombined = "(combined from similar events): ";

// Parts cannot run into each other.
std::string Key(std::initializer_list<std::string_view> parts) {
  std::string key;
  for (const std::string_view part : parts) key.append(part).push_back('\0');
  return key;
}

std::string EventKey(const corev1::EventMutable& e) {
  const corev1::ObjectReferenceMutable& about = e.involvedObject;
  return Key({e.source.component, e.source.host, about.kind, about.namespace_, about.name,
              about.fieldPath, about.uid, about.apiVersion, e.type, e.reason, e.message});
}

std::string SpamKey(const corev1::EventMutable& e) {
  const corev1::ObjectReferenceMutable& about = e.involvedObject;
  return Key({e.source.component, e.source.host, about.kind, about.namespace_, about.name,
              about.uid, about.apiVersion, e.type});
}

}  // namespace

std::string AggregateKey(const corev1::EventMutable& e) {
  const corev1::ObjectReferenceMutable& about = e.involvedObject;
  return Key({e.source.component, e.source.host, about.kind, about.namespace_, about.name,
              about.uid, about.apiVersion, e.type, e.reason, e.reportingComponent,
              e.reportingInstance});
}

EventCorrelator::EventCorrelator(Env& env, const EventCorrelatorOptions& options)
    : env_(env),
      options_(options),
      alike_(options.cache_size),
      known_(options.cache_size),
      buckets_(options.cache_size) {}

CorrelatedEvent EventCorrelator::Correlate(const corev1::EventMutable& event) {
  CorrelatedEvent correlated = Aggregated(event);
  Count(correlated);
  correlated.skip = !HasRoom(correlated.event);
  return correlated;
}

CorrelatedEvent EventCorrelator::Aggregated(const corev1::EventMutable& event) {
  const std::string key = AggregateKey(event);
  const SteadyTime now = env_.Now();
  Alike* alike = alike_.Find(key);
  if (alike == nullptr || now - alike->last > options_.max_interval) alike = &alike_.Put(key, {});
  alike->last = now;
  alike->messages.insert(event.message);
  if (alike->messages.size() < options_.max_events) return {.event = event, .key = EventKey(event)};
  // One that is as many as needed; it does not grow with what still comes.
  if (alike->messages.size() > options_.max_events) alike->messages.erase(alike->messages.begin());
  CorrelatedEvent together{.event = event, .key = key};
  together.event.message = std::string(kCombined) + event.message;
  return together;
}

void EventCorrelator::Count(CorrelatedEvent& correlated) {
  corev1::EventMutable& event = correlated.event;
  Known known{.count = 1, .first = event.firstTimestamp, .name = event.metadata.name};
  if (const Known* const before = known_.Find(correlated.key)) {
    known = *before;
    ++known.count;
    event.metadata.name = known.name;
    event.metadata.resourceVersion = known.resource_version;
    event.firstTimestamp = known.first;
    event.count = known.count;
  }
  known_.Put(correlated.key, std::move(known));
}

bool EventCorrelator::HasRoom(const corev1::EventMutable& event) {
  const std::string key = SpamKey(event);
  TokenBucket* bucket = buckets_.Find(key);
  if (bucket == nullptr) {
    bucket = &buckets_.Put(key, TokenBucket(options_.qps, options_.burst_size));
  }
  if (bucket->Reserve(env_.Now()) <= Duration::zero()) return true;
  bucket->Return();
  return false;
}

void EventCorrelator::Observed(const std::string& key, const corev1::EventMutable& event) {
  known_.Put(key, {.count = event.count,
                   .first = event.firstTimestamp,
                   .name = event.metadata.name,
                   .resource_version = event.metadata.resourceVersion});
}

}  // namespace kinformer::internal::events

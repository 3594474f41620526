#include "controller/events/event_correlator.h"

#include <string_view>
#include <utility>

#include "kinformer/json/json.h"

#include "base/core/user_call.h"
#include "controller/events/event_name.h"
#include "controller/events/event_parts.h"

namespace kinformer::internal::events {
namespace {

constexpr std::string_view kCombined = "(combined from similar events): ";

std::string EventKey(const corev1::EventMutable& e) {
  const corev1::ObjectReferenceMutable& about = e.involvedObject;
  return JoinedKey({e.source.component, e.source.host, about.kind, about.namespace_, about.name,
                    about.fieldPath, about.uid, about.apiVersion, e.type, e.reason, e.message});
}

std::string SpamKey(const corev1::EventMutable& e) {
  const corev1::ObjectReferenceMutable& about = e.involvedObject;
  return JoinedKey({e.source.component, e.source.host, about.kind, about.namespace_, about.name,
                    about.uid, about.apiVersion, e.type});
}

}  // namespace

std::string AggregateKey(const corev1::EventMutable& e) {
  const corev1::ObjectReferenceMutable& about = e.involvedObject;
  return JoinedKey({e.source.component, e.source.host, about.kind, about.namespace_, about.name,
                    about.uid, about.apiVersion, e.type, e.reason, e.reportingComponent,
                    e.reportingInstance});
}

EventCorrelator::EventCorrelator(Env& env, const EventCorrelatorOptions& options)
    : env_(env),
      options_(options),
      alike_(options.cache_size),
      known_(options.cache_size),
      buckets_(options.cache_size) {}

EventCorrelator::Correlated EventCorrelator::Correlate(const corev1::EventMutable& event) {
  Correlated correlated = Aggregated(event);
  Count(correlated);
  if (!HasRoom(correlated.event)) correlated.write = EventWrite::kSkipped;
  return correlated;
}

EventAggregatorKeys EventCorrelator::KeysOf(const corev1::EventMutable& event) const {
  EventAggregatorKeys keys{.aggregate = AggregateKey(event), .local = event.message};
  if (options_.key_func) {
    (void)base::CallUser(env_, "EventCorrelatorOptions::key_func",
                         [&] { keys = options_.key_func(event); });
  }
  return keys;
}

std::string EventCorrelator::CombinedMessage(const corev1::EventMutable& event) const {
  std::string message = std::string(kCombined) + event.message;
  if (options_.message_func) {
    (void)base::CallUser(env_, "EventCorrelatorOptions::message_func",
                         [&] { message = options_.message_func(event); });
  }
  return message;
}

std::string EventCorrelator::KeyOfLimit(const corev1::EventMutable& event) const {
  std::string key = SpamKey(event);
  if (options_.spam_key_func) {
    (void)base::CallUser(env_, "EventCorrelatorOptions::spam_key_func",
                         [&] { key = options_.spam_key_func(event); });
  }
  return key;
}

EventCorrelator::Correlated EventCorrelator::Aggregated(const corev1::EventMutable& event) {
  const auto [key, local] = KeysOf(event);
  const SteadyTime now = env_.Now();
  Alike* alike = alike_.Find(key);
  if (alike == nullptr || now - alike->last > options_.max_interval) alike = &alike_.Put(key, {});
  alike->last = now;
  alike->messages.insert(local);
  if (alike->messages.size() < options_.max_events) return {.event = event, .key = EventKey(event)};
  // Keeps as many messages as needed, so that the set does not grow further.
  if (alike->messages.size() > options_.max_events) alike->messages.erase(alike->messages.begin());
  Correlated together{.event = event, .key = key};
  together.event.message = CombinedMessage(event);
  return together;
}

void EventCorrelator::Count(Correlated& correlated) {
  corev1::EventMutable& event = correlated.event;
  Known known{.count = 1, .first = event.firstTimestamp, .name = event.metadata.name};
  if (const Known* const before = known_.Find(correlated.key)) {
    known = *before;
    ++known.count;
    event.metadata.name = known.name;
    event.metadata.resourceVersion = known.resource_version;
    event.firstTimestamp = known.first;
    event.count = known.count;
    correlated.write = EventWrite::kPatch;
  }
  known_.Put(correlated.key, std::move(known));
}

bool EventCorrelator::HasRoom(const corev1::EventMutable& event) {
  const std::string key = KeyOfLimit(event);
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

Patch EventCorrelator::PatchOf(const corev1::EventMutable& event) const {
  json::Value body = json::Value::MakeObject();
  body.Set("count", event.count);
  body.Set("lastTimestamp", event.lastTimestamp.ToString());
  body.Set("message", event.message);
  return {.type = PatchType::kMergePatch, .body = body.Dump()};
}

void EventCorrelator::Renew(corev1::EventMutable& event) {
  event.metadata.name = EventName(event.involvedObject.name, env_);
}

}  // namespace kinformer::internal::events

#include "apiserver/write/background/event_expiry.h"

#include <utility>

#include "base/core/deadline.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {

void EventExpiry::AfterPut(const ObjectPut& put) {
  const ServedResource& resource = *put.at.resource;
  if (resource.plural != "events" || resource.custom) return;
  const Duration ttl = state_.options.event_ttl;
  if (ttl <= Duration::zero()) return;
  entries_.push_back({.due = internal::base::After(state_.env.Now(), ttl),
                      .at = put.at,
                      .key = put.stored->key(),
                      .resource_version = put.stored->resource_version()});
  Arm();
}

void EventExpiry::Arm() {
  if (std::exchange(armed_, true)) return;
  state_.deadlines.Add(entries_.front().due, [this] { Expire(); });
}

void EventExpiry::Expire() {
  armed_ = false;
  const SteadyTime now = state_.env.Now();
  const internal::base::WorkSlice turn(state_.env);
  while (!entries_.empty() && entries_.front().due <= now && !turn.over()) {
    const Entry entry = std::move(entries_.front());
    entries_.pop_front();
    const StoredObjectPtr stored = entry.at.resource->store->Get(entry.key);
    if (stored == nullptr) continue;
    (void)writer_
        .Delete({.at = entry.at,
                 .namespace_ = std::string(stored->namespace_()),
                 .name = std::string(stored->name())},
                {.resource_version = std::to_string(entry.resource_version)})
        .ok();  // fails if it has been written since; one with finalizers stays for them
  }
  if (!entries_.empty()) Arm();
}

}  // namespace kinformer::apiserver

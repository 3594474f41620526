#include "apiserver/write/background/event_expiry.h"

#include <utility>

#include "apiserver/registry/conversion.h"
#include "base/core/deadline.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {

void EventExpiry::AfterPut(const ObjectPut& put) {
  const ServedResource& resource = *put.at.resource;
  if (resource.plural != "events" || resource.custom) return;
  Enter(put.at, *put.stored);
}

void EventExpiry::AfterReplace() {
  entries_.clear();
  const ResourceAt at = StoredAt(state_.resources.Find("", "v1", "events"));
  at.resource->store->Walk({}, {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
    Enter(at, *stored);
    return true;
  });
}

void EventExpiry::Enter(const ResourceAt& at, const StoredObject& stored) {
  const Duration ttl = state_.options.event_ttl;
  if (ttl <= Duration::zero()) return;
  entries_.push_back({.due = internal::base::After(state_.env.Now(), ttl),
                      .at = at,
                      .key = stored.key(),
                      .resource_version = stored.resource_version()});
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
    if (stored == nullptr || !state_.acts()) continue;
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

#include "apiserver/workloads/deployment_scale.h"

#include <algorithm>
#include <cmath>

#include "apiserver/workloads/object_parts.h"

namespace kinformer::apiserver::workloads {
namespace {

// Returns what each set gets of a change, by its share in the present size.
std::int64_t ShareOf(std::int64_t replicas, std::int64_t allowed, std::int64_t before) {
  if (before <= 0) return 0;
  const double share =
      static_cast<double>(replicas) * static_cast<double>(allowed) / static_cast<double>(before);
  return std::llround(share) - replicas;
}

void GrowNewest(const RollingLimits& limits, std::int64_t total, SetSize& newest) {
  if (newest.replicas > limits.replicas) {
    newest.next = limits.replicas;
  } else if (newest.replicas < limits.replicas) {
    const std::int64_t room = limits.replicas + limits.surge - total;
    newest.next += std::clamp<std::int64_t>(room, 0, limits.replicas - newest.replicas);
  }
}

}  // namespace

RollingLimits LimitsOf(const json::Value& deployment) {
  RollingLimits limits{.replicas =
                           std::max<std::int64_t>(Number(deployment, "/spec/replicas", 1), 0)};
  if (Text(deployment, "/spec/strategy/type") == "Recreate") return limits;
  const json::Value& rolling = deployment["spec"]["strategy"]["rollingUpdate"];
  const json::Value quarter("25%");
  const auto part = [&](const char* name, bool up) {
    const json::Value& value = rolling[name];
    return std::max<std::int64_t>(PartOf(value.is_null() ? quarter : value, limits.replicas, up, 0),
                                  0);
  };
  limits.surge = part("maxSurge", /*up=*/true);
  limits.unavailable = part("maxUnavailable", /*up=*/false);
  if (limits.surge == 0 && limits.unavailable == 0) limits.unavailable = 1;
  limits.unavailable = std::min(limits.unavailable, limits.replicas);
  return limits;
}

void RollStep(const RollingLimits& limits, SetSize& newest, std::vector<SetSize>& old) {
  std::int64_t total = newest.replicas;
  std::int64_t old_total = 0;
  newest.next = newest.replicas;
  std::int64_t available = newest.available;
  for (SetSize& set : old) {
    set.next = set.replicas;
    total += set.replicas;
    old_total += set.replicas;
    available += set.available;
  }
  GrowNewest(limits, total, newest);
  if (newest.next != newest.replicas || old_total == 0) return;
  const std::int64_t least = limits.replicas - limits.unavailable;
  // Pods that are not available go first, as long as enough would remain.
  std::int64_t spare = total - least - (newest.replicas - newest.available);
  if (spare <= 0) return;
  for (SetSize& set : old) {
    const std::int64_t unhealthy = std::max<std::int64_t>(set.replicas - set.available, 0);
    const std::int64_t gone = std::min(spare, unhealthy);
    set.next -= gone;
    spare -= gone;
  }
  std::int64_t surplus = available - least;
  for (SetSize& set : old) {
    if (surplus <= 0) return;
    const std::int64_t gone = std::min(surplus, set.next);
    set.next -= gone;
    surplus -= gone;
  }
}

void ScaleInProportion(const RollingLimits& limits, std::int64_t before,
                       std::vector<SetSize*>& sets) {
  std::int64_t total = 0;
  for (SetSize* set : sets) {
    set->next = set->replicas;
    total += set->replicas;
  }
  const std::int64_t allowed = limits.replicas > 0 ? limits.replicas + limits.surge : 0;
  std::int64_t left = allowed - total;
  const bool grows = left > 0;
  // The largest first; of equal ones the newest if it grows, else the oldest.
  if (grows) std::reverse(sets.begin(), sets.end());
  std::stable_sort(sets.begin(), sets.end(),
                   [](const SetSize* a, const SetSize* b) { return a->replicas > b->replicas; });
  for (SetSize* set : sets) {
    if (left == 0 || set->replicas == 0) continue;
    const std::int64_t share = ShareOf(set->replicas, allowed, before);
    const std::int64_t part =
        grows ? std::clamp<std::int64_t>(share, 0, left) : std::clamp<std::int64_t>(share, left, 0);
    set->next += part;
    left -= part;
  }
  if (!sets.empty()) sets.front()->next = std::max<std::int64_t>(sets.front()->next + left, 0);
}

}  // namespace kinformer::apiserver::workloads

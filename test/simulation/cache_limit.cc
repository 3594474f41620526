#include "simulation/cache_limit.h"

#include "kinformer/cache/lister.h"

namespace kinformer::testing {

CacheLimit CacheLimit::Draw(const SimulationPlan& plan, int number) {
  CacheLimit limit;
  Dice dice(plan.seed, 500 + static_cast<std::uint64_t>(number));
  if ((plan.troubles & BitOf(kLimits)) == 0 || dice.OneIn(2)) return limit;
  const std::uint64_t of_what = dice.Below(3);
  if (of_what != 0) limit.objects = kLeast + 1 + dice.Below(20);
  if (of_what != 1) limit.bytes = 5000 + dice.Below(12000);
  if (dice.OneIn(2)) limit.policy = LimitPolicy::kServePart;
  return limit;
}

std::string CacheLimit::Describe() const {
  if (!bounded()) return {};
  std::string text = ", at most";
  if (objects != 0) text += " " + std::to_string(objects) + " objects";
  if (bytes != 0) text += " " + std::to_string(bytes) + " bytes";
  return text + (policy == LimitPolicy::kNotSynced ? ", else not synced" : ", else a part");
}

std::string CacheLimit::BrokenBy(const SharedInformer<corev1::ConfigMap>& informer) const {
  const InformerStats stats = informer.Stats();
  if (objects != 0 && stats.objects > objects) {
    return "has " + std::to_string(stats.objects) + " objects, and may have " +
           std::to_string(objects);
  }
  if (bytes != 0 && stats.object_bytes > bytes) {
    return "has " + std::to_string(stats.object_bytes) + " bytes, and may have " +
           std::to_string(bytes);
  }
  if (policy == LimitPolicy::kNotSynced && stats.left_out != 0) {
    if (informer.HasSynced()) return "has synced, and leaves objects out";
    if (informer.lister().List().ok()) return "gives a list, and leaves objects out";
  }
  return {};
}

bool LeavesOut(const SharedInformer<corev1::ConfigMap>& informer, std::string_view key) {
  const auto answer = informer.lister().GetByKey(key);
  return !answer && answer.error().reason() == Reason::kOverLimit;
}

}  // namespace kinformer::testing

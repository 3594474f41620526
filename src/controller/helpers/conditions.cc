#include <algorithm>
#include <chrono>
#include <utility>

#include "kinformer/controller/meta.h"

namespace kinformer::meta {

bool SetStatusCondition(Env& env, std::vector<metav1::ConditionMutable>& conditions,
                        metav1::ConditionMutable condition) {
  metav1::ConditionMutable* const there = FindStatusCondition(conditions, condition.type);
  const bool turns = there == nullptr || there->status != condition.status;
  if (!turns) {
    condition.lastTransitionTime = there->lastTransitionTime;
  } else if (condition.lastTransitionTime.IsZero()) {
    // The API stores whole seconds.
    condition.lastTransitionTime = metav1::Time(
        std::chrono::floor<std::chrono::seconds>(env.WallNow()).time_since_epoch().count());
  }
  if (there == nullptr) {
    conditions.push_back(std::move(condition));
    return true;
  }
  if (*there == condition) return false;
  *there = std::move(condition);
  return true;
}

bool RemoveStatusCondition(std::vector<metav1::ConditionMutable>& conditions,
                           std::string_view type) {
  return std::erase_if(conditions, [&](const auto& c) { return c.type == type; }) > 0;
}

const metav1::ConditionMutable* FindStatusCondition(
    const std::vector<metav1::ConditionMutable>& conditions, std::string_view type) {
  const auto there = std::ranges::find(conditions, type, &metav1::ConditionMutable::type);
  return there == conditions.end() ? nullptr : &*there;
}

metav1::ConditionMutable* FindStatusCondition(std::vector<metav1::ConditionMutable>& conditions,
                                              std::string_view type) {
  return const_cast<metav1::ConditionMutable*>(
      FindStatusCondition(std::as_const(conditions), type));
}

bool IsStatusConditionPresentAndEqual(const std::vector<metav1::ConditionMutable>& conditions,
                                      std::string_view type, std::string_view status) {
  const metav1::ConditionMutable* const there = FindStatusCondition(conditions, type);
  return there != nullptr && there->status == status;
}

bool IsStatusConditionTrue(const std::vector<metav1::ConditionMutable>& conditions,
                           std::string_view type) {
  return IsStatusConditionPresentAndEqual(conditions, type, "True");
}

bool IsStatusConditionFalse(const std::vector<metav1::ConditionMutable>& conditions,
                            std::string_view type) {
  return IsStatusConditionPresentAndEqual(conditions, type, "False");
}

}  // namespace kinformer::meta

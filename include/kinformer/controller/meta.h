// kinformer/controller/meta.h
//
// Conditions: properties of an object in its status, by type, such as Ready, with time and reason.
//
//   meta::Conditions conditions;
//   meta::SetStatusCondition(env, conditions,
//                            {.type = "Ready", .status = "True", .reason = "AllPodsRun"});
//
// Counterpart: apimachinery's package api/meta.

#ifndef KINFORMER_CONTROLLER_META_H_
#define KINFORMER_CONTROLLER_META_H_

#include <concepts>
#include <string_view>
#include <vector>

#include "kinformer/api/metav1_mutable.h"
#include "kinformer/base/env.h"
#include "kinformer/internal/callable.h"
#include "kinformer/object/struct_list.h"

namespace kinformer::meta {

// Condition list of a status.
using Conditions = StructList<metav1::ConditionMutable>;

namespace internal {
template <class Given>
concept NoConditions =
    !std::convertible_to<const Given&, const std::vector<metav1::ConditionMutable>&>;
template <class Given>
constexpr void ExplainConditions() {
  constexpr bool kIsVector = requires(Given& g) { g.push_back(*g.begin()); };
  static_assert(!kIsVector,
                "these conditions are of the kind's own type, such as "
                "appsv1::DeploymentConditionMutable: SetStatusCondition and its like are for those "
                "that are metav1::Condition");
  static_assert(kIsVector,
                "these functions take the conditions of a struct, std::vector<"
                "metav1::ConditionMutable>: those of an object that is only read are a view, and "
                "DeepCopy() of the object makes the struct");
}
}  // namespace internal

// Sets the condition of that type, or adds it. If the status changes, lastTransitionTime
// becomes the given one, or else now. Returns true if anything changed. Counterpart:
// SetStatusCondition.
bool SetStatusCondition(Env& env, std::vector<metav1::ConditionMutable>& conditions,
                        metav1::ConditionMutable condition);
// Removes a condition. Returns false if there was none. Counterpart: RemoveStatusCondition.
bool RemoveStatusCondition(std::vector<metav1::ConditionMutable>& conditions,
                           std::string_view type);
// Returns a pointer into `conditions`; null if there is none. Counterpart: FindStatusCondition.
[[nodiscard]] metav1::ConditionMutable* FindStatusCondition(
    std::vector<metav1::ConditionMutable>& conditions, std::string_view type);
// Does the same for const conditions.
[[nodiscard]] const metav1::ConditionMutable* FindStatusCondition(
    const std::vector<metav1::ConditionMutable>& conditions, std::string_view type);
// Returns true if the type has that status. Counterpart: IsStatusConditionPresentAndEqual.
[[nodiscard]] bool IsStatusConditionPresentAndEqual(
    const std::vector<metav1::ConditionMutable>& conditions, std::string_view type,
    std::string_view status);
// Returns true if the type is "True". Counterpart: IsStatusConditionTrue.
[[nodiscard]] bool IsStatusConditionTrue(const std::vector<metav1::ConditionMutable>& conditions,
                                         std::string_view type);
// Returns true if the type is "False". Counterpart: IsStatusConditionFalse.
[[nodiscard]] bool IsStatusConditionFalse(const std::vector<metav1::ConditionMutable>& conditions,
                                          std::string_view type);

// Explains calls without the Env.
template <class Wrong>
auto SetStatusCondition(const Wrong& /*conditions*/,
                        const metav1::ConditionMutable& /*condition*/) {
  static_assert(kinformer::internal::kNeverHolds<Wrong>,
                "SetStatusCondition's first argument is the Env, which says what time it is: "
                "SetStatusCondition(client.env(), conditions, {.type = \"Ready\", ...}), in a "
                "reconciler context.env()");
  return false;
}
// Explains conditions of another type.
template <internal::NoConditions Wrong>
auto SetStatusCondition(Env& /*env*/, const Wrong& /*conditions*/,
                        const metav1::ConditionMutable& /*condition*/) {
  internal::ExplainConditions<Wrong>();
  return false;
}
// Explains conditions of another type.
template <internal::NoConditions Wrong>
auto RemoveStatusCondition(const Wrong& /*conditions*/, std::string_view /*type*/) {
  internal::ExplainConditions<Wrong>();
  return false;
}
// Explains conditions of another type.
template <internal::NoConditions Wrong>
auto FindStatusCondition(const Wrong& /*conditions*/, std::string_view /*type*/) {
  internal::ExplainConditions<Wrong>();
  return static_cast<metav1::ConditionMutable*>(nullptr);
}
// Explains conditions of another type.
template <internal::NoConditions Wrong>
auto IsStatusConditionTrue(const Wrong& /*conditions*/, std::string_view /*type*/) {
  internal::ExplainConditions<Wrong>();
  return false;
}
// Explains conditions of another type.
template <internal::NoConditions Wrong>
auto IsStatusConditionFalse(const Wrong& /*conditions*/, std::string_view /*type*/) {
  internal::ExplainConditions<Wrong>();
  return false;
}

}  // namespace kinformer::meta

#endif  // KINFORMER_CONTROLLER_META_H_

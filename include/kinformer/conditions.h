// kinformer/conditions.h
//
// Conditions: what a status says about an object, by type: Ready is True since when, and why.
//
//   meta::Conditions conditions;
//   meta::SetStatusCondition(env, conditions,
//                            {.type = "Ready", .status = "True", .reason = "AllPodsRun"});
//
// Counterpart: apimachinery's package api/meta.

#ifndef KINFORMER_CONDITIONS_H_
#define KINFORMER_CONDITIONS_H_

#include <string_view>
#include <vector>

#include "kinformer/api/metav1_mutable.h"
#include "kinformer/env.h"

namespace kinformer::meta {

// The list of a status.
using Conditions = std::vector<metav1::ConditionMutable>;

// Sets the condition of that type, or adds it. lastTransitionTime is the given one, or else now,
// where the status changes; else it stays. True: something is other than before. Counterpart:
// SetStatusCondition.
bool SetStatusCondition(Env& env, Conditions& conditions, metav1::ConditionMutable condition);
// True: there was one. Counterpart: RemoveStatusCondition.
bool RemoveStatusCondition(Conditions& conditions, std::string_view type);
// Null: there is none. Points into `conditions`. Counterpart: FindStatusCondition.
[[nodiscard]] metav1::ConditionMutable* FindStatusCondition(Conditions& conditions,
                                                            std::string_view type);
// The same for conditions that are only read.
[[nodiscard]] const metav1::ConditionMutable* FindStatusCondition(const Conditions& conditions,
                                                                  std::string_view type);
// Is there one of that type, with that status? Counterpart: IsStatusConditionPresentAndEqual.
[[nodiscard]] bool IsStatusConditionPresentAndEqual(const Conditions& conditions,
                                                    std::string_view type, std::string_view status);
// Is it "True"? Counterpart: IsStatusConditionTrue.
[[nodiscard]] bool IsStatusConditionTrue(const Conditions& conditions, std::string_view type);
// Is it "False"? Counterpart: IsStatusConditionFalse.
[[nodiscard]] bool IsStatusConditionFalse(const Conditions& conditions, std::string_view type);

}  // namespace kinformer::meta

#endif  // KINFORMER_CONDITIONS_H_

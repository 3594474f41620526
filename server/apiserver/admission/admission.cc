#include "apiserver/admission/admission.h"

#include <iterator>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/admission/mutating_policies.h"
#include "apiserver/admission/validating_policies.h"
#include "apiserver/builtin/plugin_names.h"

namespace kinformer::apiserver {

namespace {

// Puts the warnings of policies before those of webhooks.
void PutBefore(std::vector<std::string> warnings, AdmissionOutcome& outcome) {
  outcome.warnings.insert(outcome.warnings.begin(), std::make_move_iterator(warnings.begin()),
                          std::make_move_iterator(warnings.end()));
}

}  // namespace

Admission::Admission(const AdmissionParts& parts)
    : parts_(parts),
      webhooks_(parts),
      mutating_(parts.state, "mutatingadmissionpolicies", "mutatingadmissionpolicybindings",
                MutatingPolicyOf),
      validating_(parts.state, "validatingadmissionpolicies", "validatingadmissionpolicybindings",
                  ValidatingPolicyOf),
      mutates_(IsPluginOn(parts.state.options, "MutatingAdmissionPolicy")),
      validates_(IsPluginOn(parts.state.options, "ValidatingAdmissionPolicy")) {}

bool Admission::HasPolicies(AdmissionPhase phase) const {
  return phase == AdmissionPhase::kMutate ? mutates_ && mutating_.Any()
                                          : validates_ && validating_.Any();
}

bool Admission::Any(AdmissionPhase phase) const {
  return webhooks_.Any(phase) || HasPolicies(phase);
}

Task<AdmissionOutcome> Admission::Ask(AdmissionPhase phase,
                                      std::shared_ptr<AdmissionAttributes> attributes) {
  return phase == AdmissionPhase::kMutate ? Mutate(std::move(attributes))
                                          : Validate(std::move(attributes));
}

Task<AdmissionOutcome> Admission::Mutate(std::shared_ptr<AdmissionAttributes> attributes) {
  constexpr AdmissionPhase kPhase = AdmissionPhase::kMutate;
  AdmissionOutcome outcome;
  std::unique_ptr<MutatingPolicies> policies;  // null: none matches
  if (HasPolicies(kPhase) && attributes->operation != "DELETE") {
    std::vector<PolicyQuestion> matching = mutating_.Concerned(*attributes);
    if (!matching.empty()) {
      policies = std::make_unique<MutatingPolicies>(parts_, attributes, std::move(matching));
    }
  }
  if (policies != nullptr) {
    const Result<bool> changed = co_await policies->Apply();
    if (!changed.ok()) {
      outcome.allowed = changed.error();
      co_return outcome;
    }
    outcome.changed = *changed;
  }
  std::vector<AdmissionQuestionFor> questions;
  if (webhooks_.Any(kPhase)) questions = webhooks_.Concerned(kPhase, *attributes);
  if (!questions.empty()) {
    BetweenRounds between;
    if (policies != nullptr) between = [&policies] { return policies->ApplyAgain(); };
    const bool changed = outcome.changed;
    outcome = co_await webhooks_.Ask(kPhase, attributes, std::move(questions), std::move(between));
    outcome.changed = outcome.changed || changed;
  } else if (policies != nullptr) {
    const Result<bool> changed = co_await policies->ApplyAgain();
    if (changed.ok()) {
      outcome.changed = outcome.changed || *changed;
    } else {
      outcome.allowed = changed.error();
    }
  }
  co_return outcome;
}

Task<AdmissionOutcome> Admission::Validate(std::shared_ptr<AdmissionAttributes> attributes) {
  constexpr AdmissionPhase kPhase = AdmissionPhase::kValidate;
  AdmissionOutcome outcome;
  if (HasPolicies(kPhase)) {
    std::vector<PolicyQuestion> questions = validating_.Concerned(*attributes);
    if (!questions.empty()) {
      outcome = co_await ValidateByPolicies(parts_, attributes, std::move(questions));
    }
  }
  if (!outcome.allowed || !webhooks_.Any(kPhase)) co_return outcome;
  std::vector<AdmissionQuestionFor> questions = webhooks_.Concerned(kPhase, *attributes);
  if (questions.empty()) co_return outcome;
  std::vector<std::string> warnings = std::move(outcome.warnings);
  outcome = co_await webhooks_.Ask(kPhase, std::move(attributes), std::move(questions));
  PutBefore(std::move(warnings), outcome);
  co_return outcome;
}

}  // namespace kinformer::apiserver

#include "apiserver/admission/admission_policy.h"

#include <algorithm>
#include <utility>

#include "apiserver/expressions/match_condition.h"

namespace kinformer::apiserver {
namespace {

std::optional<ParamKind> ParamKindOf(const json::Value& said) {
  if (said.is_null()) return std::nullopt;
  const std::string& version = said["apiVersion"].StringOrEmpty();
  const std::size_t slash = version.find('/');
  const bool core = slash == std::string::npos;
  return ParamKind{.group = core ? std::string() : version.substr(0, slash),
                   .version = core ? version : version.substr(slash + 1),
                   .kind = said["kind"].StringOrEmpty()};
}

// Parses what both kinds of policies have, and declares the variables.
AdmissionPolicy CommonOf(const json::Value& stored, ExpressionScope& scope) {
  const json::Value& spec = stored["spec"];
  AdmissionPolicy policy{
      .name = stored.At("/metadata/name").StringOrEmpty(),
      .constraints = MatchResources::Of(spec["matchConstraints"]),
      .params = ParamKindOf(spec["paramKind"]),
      .ignores = spec["failurePolicy"].StringOrEmpty() == "Ignore",
      .variables = scope.Declare(spec["variables"]),
  };
  policy.conditions = MatchConditionsOf(spec["matchConditions"], policy.params.has_value());
  return policy;
}

PolicyValidation ValidationOf(const json::Value& said, const ExpressionScope& scope,
                              const ExpressionScope& message_scope) {
  PolicyValidation validation{
      .expression = scope.Compile(said["expression"].StringOrEmpty(), ExpressionResult::kBool),
      .message = std::string(Trimmed(said["message"].StringOrEmpty())),
      .reason = said["reason"].StringOrEmpty(),
  };
  if (const std::string& text = said["messageExpression"].StringOrEmpty(); !text.empty()) {
    validation.message_expression = message_scope.Compile(text, ExpressionResult::kText);
  }
  return validation;
}

}  // namespace

bool AdmissionPolicy::asks_authorizer() const {
  const auto asks = [](const AdmissionExpression& each) { return each.asks_authorizer(); };
  return std::ranges::any_of(conditions, asks) ||
         std::ranges::any_of(variables, asks, &PolicyVariable::expression) ||
         std::ranges::any_of(validations, asks, &PolicyValidation::expression) ||
         std::ranges::any_of(mutations, asks, &PolicyMutation::expression);
}

AdmissionPolicyPtr ValidatingPolicyOf(const json::Value& stored) {
  const json::Value& spec = stored["spec"];
  const bool params = !spec["paramKind"].is_null();
  ExpressionScope scope({.params = params});
  ExpressionScope message_scope({.params = params, .authorizer = false});
  AdmissionPolicy policy = CommonOf(stored, scope);
  message_scope.Declare(policy.variables);
  for (const json::Value& said : spec["validations"].items()) {
    policy.validations.push_back(ValidationOf(said, scope, message_scope));
  }
  for (const json::Value& said : spec["auditAnnotations"].items()) {
    policy.annotations.push_back(
        {.key = said["key"].StringOrEmpty(),
         .expression = scope.Compile(said["valueExpression"].StringOrEmpty(),
                                     ExpressionResult::kTextOrNull)});
  }
  return std::make_shared<const AdmissionPolicy>(std::move(policy));
}

AdmissionPolicyPtr MutatingPolicyOf(const json::Value& stored) {
  const json::Value& spec = stored["spec"];
  const bool params = !spec["paramKind"].is_null();
  ExpressionScope scope({.params = params});
  ExpressionScope patch_scope({.params = params, .patches = true});
  AdmissionPolicy policy = CommonOf(stored, scope);
  patch_scope.Declare(policy.variables);
  policy.again = spec["reinvocationPolicy"].StringOrEmpty() == "IfNeeded";
  for (const json::Value& said : spec["mutations"].items()) {
    const bool applies = said["patchType"].StringOrEmpty() == "ApplyConfiguration";
    const json::Value& patch = said[applies ? "applyConfiguration" : "jsonPatch"];
    policy.mutations.push_back(
        {.applies = applies,
         .expression = patch_scope.Compile(
             patch["expression"].StringOrEmpty(),
             applies ? ExpressionResult::kApplyConfiguration : ExpressionResult::kJsonPatch)});
  }
  return std::make_shared<const AdmissionPolicy>(std::move(policy));
}

PolicyBindingPtr PolicyBindingOf(const json::Value& stored) {
  const json::Value& spec = stored["spec"];
  PolicyBinding binding{.name = stored.At("/metadata/name").StringOrEmpty(),
                        .policy = spec["policyName"].StringOrEmpty()};
  if (const json::Value& ref = spec["paramRef"]; !ref.is_null()) {
    binding.params = ParamRef{
        .name = ref["name"].StringOrEmpty(),
        .namespace_ = ref["namespace"].StringOrEmpty(),
        .denies_missing = ref["parameterNotFoundAction"].StringOrEmpty() == "Deny",
    };
    if (!ref["selector"].is_null()) binding.params->selector = SelectorOf(ref["selector"]);
  }
  if (const json::Value& resources = spec["matchResources"]; !resources.is_null()) {
    binding.resources = MatchResources::Of(resources);
  }
  for (const json::Value& action : spec["validationActions"].items()) {
    binding.denies = binding.denies || action.StringOrEmpty() == "Deny";
    binding.warns = binding.warns || action.StringOrEmpty() == "Warn";
    binding.audits = binding.audits || action.StringOrEmpty() == "Audit";
  }
  binding.actions = spec["validationActions"];
  return std::make_shared<const PolicyBinding>(std::move(binding));
}

}  // namespace kinformer::apiserver

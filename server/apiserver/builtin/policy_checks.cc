#include "apiserver/builtin/policy_checks.h"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/builtin/match_checks.h"
#include "apiserver/errors/status.h"
#include "apiserver/expressions/admission_expression.h"
#include "apiserver/expressions/match_condition.h"
#include "apiserver/schema/name_rules.h"
#include "apiserver/schema/schema_validation.h"
#include "cel/type.h"

namespace kinformer::apiserver {
namespace {

using Causes = std::vector<StatusCause>;

constexpr std::size_t kMostAnnotations = 20;
constexpr std::size_t kLongestAnnotation = 5 * 1024;

std::string Item(std::string_view field, std::size_t index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

StatusCause Duplicate(std::string field, std::string_view value) {
  return {.reason = "FieldValueDuplicate",
          .message = "Duplicate value: " + GoQuoted(value),
          .field = std::move(field)};
}

void CheckFailurePolicy(const json::Value& spec, Causes& causes) {
  const std::string& policy = spec["failurePolicy"].StringOrEmpty();
  if (policy.empty() || policy == "Fail" || policy == "Ignore") return;
  causes.push_back(NotSupported("spec.failurePolicy", policy, R"("Fail", "Ignore")"));
}

void CheckApiVersion(const std::string& text, Causes& causes) {
  const std::string field = "spec.paramKind.apiVersion";
  const std::size_t slash = text.find('/');
  if (std::ranges::count(text, '/') > 1) {
    causes.push_back(
        InvalidValue(field, GoQuoted(text), "unexpected GroupVersion string: " + text));
    return;
  }
  const std::string group = slash == std::string::npos ? std::string() : text.substr(0, slash);
  std::string version = slash == std::string::npos ? text : text.substr(slash + 1);
  if (const std::string broken =
          group.empty() ? std::string() : BrokenRule(NameRule::kSubdomain, group);
      !broken.empty()) {
    causes.push_back(InvalidValue(field, GoQuoted(group), broken));
  }
  if (version.empty()) {
    causes.push_back(InvalidValue(field, GoQuoted(text), "version must be specified"));
  } else if (!IsDns1035Label(version)) {
    causes.push_back(InvalidValue(field, GoQuoted(version), kDns1035LabelText));
  }
}

void CheckParamKind(const json::Value& kind, Causes& causes) {
  if (kind.is_null()) return;
  const std::string& version = kind["apiVersion"].StringOrEmpty();
  const std::string& name = kind["kind"].StringOrEmpty();
  if (version.empty()) {
    causes.push_back(Required("spec.paramKind.apiVersion"));
  } else {
    CheckApiVersion(version, causes);
  }
  if (name.empty()) {
    causes.push_back(Required("spec.paramKind.kind"));
  } else if (!IsDns1035Label(LowerCase(name))) {
    causes.push_back(InvalidValue(
        "spec.paramKind.kind", GoQuoted(name),
        "may have mixed case, but should otherwise match: " + std::string(kDns1035LabelText)));
  }
}

void CheckParamRef(const json::Value& ref, Causes& causes) {
  if (ref.is_null()) return;
  const std::string field = "spec.paramRef";
  const std::string& name = ref["name"].StringOrEmpty();
  const json::Value& selector = ref["selector"];
  constexpr std::string_view kBoth = "name and selector are mutually exclusive";
  if (!name.empty()) {
    if (const std::string broken = BrokenRule(NameRule::kPathSegment, name); !broken.empty()) {
      causes.push_back(InvalidValue(field + ".name", GoQuoted(name), broken));
    }
    if (!selector.is_null()) causes.push_back(ForbiddenField(field + ".name", kBoth));
  }
  if (!selector.is_null()) {
    CheckLabelSelector(selector, field + ".selector", causes);
    if (!name.empty()) causes.push_back(ForbiddenField(field + ".selector", kBoth));
  } else if (name.empty()) {
    causes.push_back(Required(field, "one of name or selector must be specified"));
  }
  const std::string& action = ref["parameterNotFoundAction"].StringOrEmpty();
  if (action.empty()) {
    causes.push_back(Required(field + ".parameterNotFoundAction"));
  } else if (action != "Deny" && action != "Allow") {
    causes.push_back(
        NotSupported(field + ".parameterNotFoundAction", action, R"("Deny", "Allow")"));
  }
}

void CheckBindingSpec(const json::Value& spec, Causes& causes) {
  const std::string& policy = spec["policyName"].StringOrEmpty();
  if (const std::string broken =
          policy.empty() ? std::string() : BrokenRule(NameRule::kSubdomain, policy);
      !broken.empty()) {
    causes.push_back(InvalidValue("spec.policyName", GoQuoted(policy), broken));
  }
  CheckParamRef(spec["paramRef"], causes);
  CheckMatchResources(spec["matchResources"], "spec.matchResources", causes);
}

void CheckActions(const json::Value& actions, Causes& causes) {
  std::set<std::string, std::less<>> known;
  std::size_t index = 0;
  for (const json::Value& action : actions.items()) {
    if (AreEnough(causes)) return;
    const std::string at = Item("spec.validationActions", index++);
    const std::string& name = action.StringOrEmpty();
    if (name != "Deny" && name != "Warn" && name != "Audit") {
      causes.push_back(NotSupported(at, name, R"("Audit", "Deny", "Warn")"));
    }
    if (!known.insert(name).second) causes.push_back(Duplicate(at, name));
  }
  if (!known.contains("Deny") || !known.contains("Warn")) return;
  causes.push_back(InvalidValue(
      "spec.validationActions", actions.Dump(),
      "must not contain both Deny and Warn (repeating the same validation failure information in "
      "the API response and headers serves no purpose)"));
}

// The expressions of a policy.
class PolicyExpressions {
 public:
  PolicyExpressions(const json::Value& policy, Causes& causes)
      : name_(policy.At("/metadata/name").StringOrEmpty()),
        spec_(policy["spec"]),
        params_(!spec_["paramKind"].is_null()),
        scope_({.params = params_}),
        message_scope_({.params = params_, .authorizer = false}),
        patch_scope_({.params = params_, .patches = true}),
        causes_(causes) {}

  void CheckConditions() {
    CheckMatchConditions(spec_["matchConditions"], params_, "spec.matchConditions", causes_);
  }

  void CheckVariables() {
    const json::Value& variables = spec_["variables"];
    const std::vector<PolicyVariable> declared = scope_.Declare(variables);
    message_scope_.Declare(declared);
    patch_scope_.Declare(declared);
    for (std::size_t i = 0; i < declared.size() && !AreEnough(causes_); ++i) {
      const std::string at = Item("spec.variables", i);
      const auto& [name, expression] = declared[i];
      if (!name.empty() && Trimmed(name).empty()) {
        causes_.push_back(Required(at + ".name", "name is not specified"));
      } else if (!name.empty() && !internal::cel::IsIdentifier(name)) {
        causes_.push_back(
            InvalidValue(at + ".name", GoQuoted(name), "must be a valid CEL identifier"));
      }
      if (expression.text.empty()) continue;
      if (Trimmed(expression.text).empty()) {
        causes_.push_back(Required(at + ".expression", "expression is not specified"));
      } else {
        Note(expression, expression.text, at + ".expression");
      }
    }
  }

  void CheckValidations() {
    std::size_t index = 0;
    for (const json::Value& validation : spec_["validations"].items()) {
      if (AreEnough(causes_)) return;
      CheckValidation(validation, Item("spec.validations", index++));
    }
  }

  void CheckMutations() {
    std::size_t index = 0;
    for (const json::Value& mutation : spec_["mutations"].items()) {
      if (AreEnough(causes_)) return;
      CheckMutation(mutation, Item("spec.mutations", index++));
    }
  }

  void CheckAnnotations() {
    const json::Value& annotations = spec_["auditAnnotations"];
    const std::string field = "spec.auditAnnotations";
    if (annotations.size() > kMostAnnotations) {
      causes_.push_back(InvalidValue(
          field, annotations.Dump(),
          "must not have more than " + std::to_string(kMostAnnotations) + " auditAnnotations"));
    }
    std::set<std::string> keys;
    std::size_t index = 0;
    for (const json::Value& annotation : annotations.items()) {
      if (AreEnough(causes_)) return;
      const std::string at = Item(field, index++);
      CheckAnnotation(annotation, at);
      const std::string& key = annotation["key"].StringOrEmpty();
      if (!keys.insert(key).second) causes_.push_back(Duplicate(at + ".key", key));
    }
  }

 private:
  void Note(const AdmissionExpression& compiled, std::string_view shown, std::string field) {
    if (compiled.error.empty()) return;
    causes_.push_back(InvalidValue(std::move(field), GoQuoted(shown), compiled.error));
  }

  // Compiles an expression that is not missing.
  void Compile(const ExpressionScope& scope, const std::string& text, ExpressionResult result,
               std::string field) {
    Note(scope.Compile(text, result), text, std::move(field));
  }

  void CheckValidation(const json::Value& validation, const std::string& at) {
    const std::string& text = validation["expression"].StringOrEmpty();
    if (!Trimmed(text).empty()) {
      Compile(scope_, text, ExpressionResult::kBool, at + ".expression");
    } else if (!text.empty()) {
      causes_.push_back(Required(at + ".expression", "expression is not specified"));
    }
    constexpr std::string_view kEmpty = "must be non-empty if specified";
    const std::string& shown = validation["messageExpression"].StringOrEmpty();
    if (!Trimmed(shown).empty()) {
      Compile(message_scope_, shown, ExpressionResult::kText, at + ".messageExpression");
    } else if (!shown.empty()) {
      causes_.push_back(InvalidValue(at + ".messageExpression", GoQuoted(shown), kEmpty));
    }
    const std::string& message = validation["message"].StringOrEmpty();
    if (!message.empty() && Trimmed(message).empty()) {
      causes_.push_back(InvalidValue(at + ".message", GoQuoted(message), kEmpty));
    } else if (Trimmed(message).find_first_of("\n\r") != std::string_view::npos) {
      causes_.push_back(
          InvalidValue(at + ".message", GoQuoted(message), "must not contain line breaks"));
    }
    const json::Value& reason = validation["reason"];
    const std::string& name = reason.StringOrEmpty();
    if (reason.is_null() || name == "Forbidden" || name == "Invalid" ||
        name == "RequestEntityTooLarge") {
      return;
    }
    causes_.push_back(
        NotSupported(at + ".reason", name, R"("Forbidden", "Invalid", "RequestEntityTooLarge")"));
  }

  void CheckMutation(const json::Value& mutation, const std::string& at) {
    const std::string& type = mutation["patchType"].StringOrEmpty();
    if (type == "JSONPatch") {
      CheckPatch(mutation, at, "jsonPatch", "applyConfiguration", ExpressionResult::kJsonPatch);
    } else if (type == "ApplyConfiguration") {
      CheckPatch(mutation, at, "applyConfiguration", "jsonPatch",
                 ExpressionResult::kApplyConfiguration);
    } else if (!type.empty()) {
      causes_.push_back(
          NotSupported(at + ".patchType", type, R"("ApplyConfiguration", "JSONPatch")"));
    }
  }

  // `member` has the patch, and the other one must be missing.
  void CheckPatch(const json::Value& mutation, const std::string& at, const std::string& member,
                  const std::string& other, ExpressionResult result) {
    const std::string& type = mutation["patchType"].StringOrEmpty();
    const json::Value& patch = mutation[member];
    const std::string& text = patch["expression"].StringOrEmpty();
    const std::string field = at + "." + member + ".expression";
    if (const std::string_view trimmed = Trimmed(text); !trimmed.empty()) {
      Note(patch_scope_.Compile(trimmed, result), trimmed, field);
    } else if (!text.empty()) {
      causes_.push_back(Required(field));
    }
    if (mutation[other].is_null()) return;
    causes_.push_back(InvalidValue(at + "." + other, GoQuoted("{" + other + "}"),
                                   "must not be specified when patchType is " + type));
  }

  void CheckAnnotation(const json::Value& annotation, const std::string& at) {
    const std::string& key = annotation["key"].StringOrEmpty();
    if (const std::string name = name_ + "/" + key; !IsQualifiedName(name)) {
      causes_.push_back(InvalidValue(at + ".key", GoQuoted(name), kQualifiedNameText));
    }
    const std::string& text = annotation["valueExpression"].StringOrEmpty();
    const std::string_view trimmed = Trimmed(text);
    if (trimmed.empty()) {
      if (text.empty()) return;
      causes_.push_back(Required(at + ".valueExpression", "valueExpression is not specified"));
    } else if (trimmed.size() > kLongestAnnotation) {
      causes_.push_back(
          Required(at + ".valueExpression",
                   "must not exceed " + std::to_string(kLongestAnnotation) + " bytes in length"));
    } else {
      Note(scope_.Compile(trimmed, ExpressionResult::kTextOrNull), text, at + ".valueExpression");
    }
  }

  const std::string name_;
  const json::Value& spec_;
  const bool params_;
  ExpressionScope scope_;
  ExpressionScope message_scope_;
  ExpressionScope patch_scope_;
  Causes& causes_;
};

// Only creates and updates can be mutated.
void CheckMutable(const json::Value& resources, const std::string& field, Causes& causes) {
  for (const json::Value& rule : resources["resourceRules"].items()) {
    for (const json::Value& operation : rule["operations"].items()) {
      const std::string& name = operation.StringOrEmpty();
      if (AreEnough(causes)) return;
      if (name == "*" || name == "CREATE" || name == "UPDATE" || name == "CONNECT") continue;
      causes.push_back(NotSupported(field + ".resourceRules.operations", name,
                                    R"("*", "CONNECT", "CREATE", "UPDATE")"));
    }
  }
}

}  // namespace

Causes ValidateValidatingPolicy(const json::Value& policy) {
  Causes causes;
  const json::Value& spec = policy["spec"];
  CheckFailurePolicy(spec, causes);
  CheckParamKind(spec["paramKind"], causes);
  CheckMatchResources(spec["matchConstraints"], "spec.matchConstraints", causes);
  PolicyExpressions expressions(policy, causes);
  expressions.CheckConditions();
  expressions.CheckVariables();
  expressions.CheckValidations();
  expressions.CheckAnnotations();
  return causes;
}

Causes ValidateMutatingPolicy(const json::Value& policy) {
  Causes causes;
  const json::Value& spec = policy["spec"];
  CheckFailurePolicy(spec, causes);
  CheckParamKind(spec["paramKind"], causes);
  CheckMatchResources(spec["matchConstraints"], "spec.matchConstraints", causes);
  CheckMutable(spec["matchConstraints"], "spec.matchConstraints", causes);
  PolicyExpressions expressions(policy, causes);
  expressions.CheckConditions();
  expressions.CheckVariables();
  expressions.CheckMutations();
  const std::string& again = spec["reinvocationPolicy"].StringOrEmpty();
  if (!again.empty() && again != "Never" && again != "IfNeeded") {
    causes.push_back(NotSupported("spec.reinvocationPolicy", again, R"("IfNeeded", "Never")"));
  }
  return causes;
}

Causes ValidateMutatingBinding(const json::Value& binding) {
  Causes causes;
  const json::Value& spec = binding["spec"];
  CheckBindingSpec(spec, causes);
  CheckMutable(spec["matchResources"], "spec.matchResources", causes);
  return causes;
}

Causes ValidateValidatingBinding(const json::Value& binding) {
  Causes causes;
  const json::Value& spec = binding["spec"];
  CheckBindingSpec(spec, causes);
  CheckActions(spec["validationActions"], causes);
  return causes;
}

}  // namespace kinformer::apiserver

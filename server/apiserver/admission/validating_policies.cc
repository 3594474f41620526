#include "apiserver/admission/validating_policies.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/admission/policy_evaluation.h"
#include "apiserver/admission/policy_params.h"
#include "apiserver/admission/request_access.h"
#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

int CodeOf(std::string_view reason) {
  if (reason == "Forbidden") return 403;
  if (reason == "Unauthorized") return 401;
  return reason == "RequestEntityTooLarge" ? 413 : 422;
}

Error Refusal(const AdmissionAttributes& attributes, const AdmissionPolicy& policy,
              const PolicyBinding* binding, const PolicyDenial& denial) {
  std::string message = "ValidatingAdmissionPolicy '" + policy.name + "'";
  if (binding != nullptr) message += " with binding '" + binding->name + "'";
  message += " denied request: " + denial.message;
  const std::string reason = denial.reason.empty() ? "Invalid" : denial.reason;
  const Error forbidden =
      ForbiddenError(attributes.at.resource->Subject(NameShown(attributes)), message);
  StatusDetails details = forbidden.details();
  details.causes.push_back({.message = std::move(message)});
  return Error(ReasonFromName(reason), forbidden.message())
      .WithHttpStatus(CodeOf(reason))
      .WithDetails(std::move(details));
}

class ValidatingRun {
 public:
  ValidatingRun(const AdmissionParts& parts, std::shared_ptr<const AdmissionAttributes> attributes)
      : parts_(parts),
        attributes_(std::move(attributes)),
        objects_(parts, attributes_),
        access_(parts.state, *attributes_),
        namespace_(NamespaceShown(parts.state, *attributes_)) {}

  Task<AdmissionOutcome> All(std::vector<PolicyQuestion> questions) {
    for (const PolicyQuestion& question : questions) {
      const AdmissionPolicy& policy = *question.policy;
      if (policy.params && !FindKind(parts_.state, *policy.params)) {
        Misconfigured(policy, nullptr, UnknownParamKind(*policy.params));
        continue;
      }
      for (const PolicyBindingPtr& binding : question.bindings) co_await Apply(question, binding);
      Publish(policy);
    }
    objects_.Discard();
    if (refusal_) outcome_.allowed = *std::move(refusal_);
    co_return std::move(outcome_);
  }

 private:
  Task<bool> Apply(const PolicyQuestion& question, PolicyBindingPtr binding) {
    const AdmissionPolicy& policy = *question.policy;
    const Result<std::vector<json::Value>> params =
        co_await CollectParams(parts_, question.policy, binding, attributes_->namespace_);
    if (!params) co_return Misconfigured(policy, binding.get(), params.error().message());
    if (params->empty()) co_return true;
    const Result<void> shown = co_await objects_.Show(question.at);
    if (!shown) {
      co_return Misconfigured(policy, binding.get(),
                              "failed to convert object version: " + shown.error().message());
    }
    const json::Value request = RequestShown(*attributes_, question.at);
    const ShownObjects& objects = objects_.shown(question.at);
    for (const json::Value& param : *params) {
      const ExpressionInput input{.object = *objects.object,
                                  .old = *objects.old,
                                  .request = request,
                                  .namespace_object = namespace_,
                                  .params = param,
                                  .access = &access_,
                                  .resource = access_.Resource()};
      const auto evaluate = [&] { return EvaluatePolicy(policy, input); };
      PolicyDecisions decisions;
      if (policy.asks_authorizer()) {
        decisions = evaluate();
      } else {
        decisions = co_await parts_.off_loop.Do(attributes_->bytes, evaluate);
      }
      Take(policy, *binding, decisions);
    }
    co_return true;
  }

  void Take(const AdmissionPolicy& policy, const PolicyBinding& binding,
            const PolicyDecisions& decisions) {
    for (const PolicyDenial& denial : decisions.denials) {
      if (binding.denies) Refuse(policy, &binding, denial);
      if (binding.warns) {
        outcome_.warnings.push_back("Validation failed for ValidatingAdmissionPolicy '" +
                                    policy.name + "' with binding '" + binding.name +
                                    "': " + denial.message);
      }
      if (binding.audits && attributes_->audit != nullptr) Audit(binding, denial);
    }
    for (const PolicyDenial& failure : decisions.annotation_failures) {
      Refuse(policy, &binding, failure);
    }
    if (attributes_->audit == nullptr) return;
    for (const AnnotatedValue& said : decisions.annotations) {
      std::vector<std::string>& values = annotations_[said.key];
      if (std::ranges::find(values, said.value) == values.end()) values.push_back(said.value);
    }
  }

  // Tells the audit log of a failed validation.
  void Audit(const PolicyBinding& binding, const PolicyDenial& denial) {
    json::Value failure = json::Value::MakeObject({{"message", denial.message},
                                                   {"policy", binding.policy},
                                                   {"binding", binding.name},
                                                   {"expressionIndex", denial.index},
                                                   {"validationActions", binding.actions}});
    attributes_->audit->Annotate("validation.policy.admission.k8s.io/validation_failure",
                                 json::Value::MakeArray({std::move(failure)}).Dump());
  }

  // Writes the annotations of a policy, which its bindings may make several times, with other
  // parameters.
  void Publish(const AdmissionPolicy& policy) {
    for (const auto& [key, values] : std::exchange(annotations_, {})) {
      std::string text;
      for (const std::string& value : values) text += (text.empty() ? "" : ", ") + value;
      attributes_->audit->Annotate(policy.name + "/" + key, std::move(text));
    }
  }

  // Always returns false.
  bool Misconfigured(const AdmissionPolicy& policy, const PolicyBinding* binding,
                     const std::string& why) {
    if (!policy.ignores) {
      const std::string what = binding == nullptr ? "policy" : "binding";
      Refuse(policy, binding, {.message = "failed to configure " + what + ": " + why});
    }
    return false;
  }

  void Refuse(const AdmissionPolicy& policy, const PolicyBinding* binding,
              const PolicyDenial& denial) {
    if (!refusal_) refusal_ = Refusal(*attributes_, policy, binding, denial);
  }

  const AdmissionParts parts_;
  const std::shared_ptr<const AdmissionAttributes> attributes_;
  VersionedObjects objects_;
  const RequestAccess access_;
  const json::Value namespace_;
  std::optional<Error> refusal_{};
  AdmissionOutcome outcome_{};
  std::map<std::string, std::vector<std::string>> annotations_{};  // of one policy
};

}  // namespace

Task<AdmissionOutcome> ValidateByPolicies(AdmissionParts parts,
                                          std::shared_ptr<const AdmissionAttributes> attributes,
                                          std::vector<PolicyQuestion> questions) {
  ValidatingRun run(parts, std::move(attributes));
  co_return co_await run.All(std::move(questions));
}

}  // namespace kinformer::apiserver

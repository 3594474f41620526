#include "apiserver/admission/mutating_policies.h"

#include <algorithm>
#include <utility>

#include "apiserver/admission/added_limit.h"
#include "apiserver/admission/admission_call.h"
#include "apiserver/admission/policy_params.h"
#include "apiserver/admission/policy_patch.h"
#include "apiserver/errors/status.h"
#include "apiserver/expressions/match_condition.h"
#include "apiserver/registry/custom_object.h"
#include "wire/json_cost.h"

namespace kinformer::apiserver {

MutatingPolicies::MutatingPolicies(const AdmissionParts& parts,
                                   std::shared_ptr<AdmissionAttributes> attributes,
                                   std::vector<PolicyQuestion> questions)
    : parts_(parts),
      attributes_(std::move(attributes)),
      questions_(std::move(questions)),
      access_(parts.state, *attributes_),
      namespace_(NamespaceShown(parts.state, *attributes_)) {}

Task<Result<bool>> MutatingPolicies::Apply() {
  first_cost_ = json::CostOf(attributes_->object);
  co_await FindInvocations();
  co_return co_await Run(/*again=*/false);
}

Task<Result<bool>> MutatingPolicies::ApplyAgain() { co_return co_await Run(/*again=*/true); }

Task<bool> MutatingPolicies::FindInvocations() {
  for (const PolicyQuestion& question : questions_) {
    const AdmissionPolicy& policy = *question.policy;
    if (policy.params && !FindKind(parts_.state, *policy.params)) {
      Note(policy, nullptr, "failed to configure policy: " + UnknownParamKind(*policy.params),
           Reason::kForbidden);
      continue;
    }
    for (const PolicyBindingPtr& binding : question.bindings) {
      Result<std::vector<json::Value>> params =
          co_await CollectParams(parts_, question.policy, binding, attributes_->namespace_);
      if (!params) {
        Note(policy, binding.get(), "failed to configure binding: " + params.error().message(),
             Reason::kForbidden);
        continue;
      }
      for (json::Value& param : *params) {
        invocations_.push_back(
            {.question = &question, .binding = binding, .param = std::move(param)});
      }
    }
  }
  co_return true;
}

Task<Result<bool>> MutatingPolicies::Run(bool again) {
  VersionedObjects objects(parts_, attributes_);
  Result<void> done;
  for (Invocation& invocation : invocations_) {
    if (again && !(invocation.applied && invocation.question->policy->again)) continue;
    done = co_await Invoke(objects, invocation);
    if (!done.ok()) break;
  }
  bool changed = false;
  if (done.ok() && errors_.empty() && objects.replaced()) {
    Result<std::shared_ptr<const json::Value>> taken = co_await objects.Take();
    if (taken.ok()) {
      changed = true;
      json::Value copy = co_await parts_.off_loop.Do(attributes_->bytes, [&] { return **taken; });
      attributes_->object = std::move(copy);
    } else {
      done = InternalServerError("failed to convert object: " + taken.error().message());
    }
  }
  objects.Discard();
  if (!done.ok()) co_return done.error();
  if (!errors_.empty()) co_return Refusal();
  co_return changed;
}

ExpressionInput MutatingPolicies::InputOf(const ShownObjects& shown, const Invocation& invocation,
                                          const json::Value& request) const {
  return {.object = *shown.object,
          .old = *shown.old,
          .request = request,
          .namespace_object = namespace_,
          .params = invocation.param,
          .access = &access_,
          .resource = access_.Resource()};
}

Task<Result<void>> MutatingPolicies::Invoke(VersionedObjects& objects, Invocation& invocation) {
  const AdmissionPolicy& policy = *invocation.question->policy;
  const ResourceAt& at = invocation.question->at;
  const Result<void> shown = co_await objects.Show(at);
  if (!shown) {
    Note(policy, nullptr, "failed to configure policy: " + shown.error().message(),
         Reason::kForbidden);
    co_return {};
  }
  const json::Value request = RequestShown(*attributes_, at);
  const ShownObjects before = objects.shown(at);
  const ExpressionInput input = InputOf(before, invocation, request);
  const auto conditions = [&] { return AreMet(policy.conditions, input, policy.ignores); };
  ConditionsMet met;
  if (policy.asks_authorizer()) {
    met = conditions();
  } else {
    met = co_await parts_.off_loop.Do(attributes_->bytes, conditions);
  }
  if (!met.error.empty()) {
    Note(policy, invocation.binding.get(), met.error, Reason::kInvalid);
    co_return {};
  }
  if (!met.met || before.object->is_null()) co_return {};
  invocation.applied = true;
  for (const PolicyMutation& mutation : policy.mutations) {
    const Result<void> mutated = co_await Mutate(objects, invocation, mutation);
    if (!mutated.ok()) co_return mutated;
  }
  co_return {};
}

Task<Result<void>> MutatingPolicies::Mutate(VersionedObjects& objects, const Invocation& invocation,
                                            const PolicyMutation& mutation) {
  const AdmissionPolicy& policy = *invocation.question->policy;
  const ResourceAt& at = invocation.question->at;
  const json::Value request = RequestShown(*attributes_, at);
  const ShownObjects before = objects.shown(at);
  const ExpressionInput input = InputOf(before, invocation, request);
  const bool other_kind = attributes_->kind.has_value();
  Result<void> filled;
  bool changed = false;
  std::size_t cost = 0;
  const auto patch = [&] {
    Result<json::Value> patched = PatchByPolicy(mutation, policy.variables, input, at, other_kind);
    if (!patched.ok()) return patched;
    changed = !(*patched == *before.object);
    if (changed && !other_kind && at.version->schema != nullptr) {
      filled = FillDefaults(*at.version->schema, *patched);
    }
    cost = json::CostOf(*patched);
    return patched;
  };
  Result<json::Value> patched = json::Value();
  if (policy.asks_authorizer()) {
    patched = patch();
  } else {
    patched = co_await parts_.off_loop.Do(attributes_->bytes, patch);
  }
  if (!patched.ok()) {
    Note(policy, invocation.binding.get(), patched.error().message(), Reason::kInvalid);
    co_return {};
  }
  if (!filled.ok()) co_return filled;
  if (!changed) co_return {};
  if (cost > first_cost_ + kMostAdded) co_return TooMuchAdded("admission policies");
  objects.Replace(at, *std::move(patched));
  co_return co_await objects.Show(at);
}

void MutatingPolicies::Note(const AdmissionPolicy& policy, const PolicyBinding* binding,
                            const std::string& why, Reason reason) {
  if (policy.ignores) return;
  if (errors_.empty()) reason_ = reason;
  std::string message = "policy ";
  if (binding == nullptr) {
    message += JsonString(policy.name);
  } else {
    message += "'" + policy.name + "' with binding '" + binding->name + "'";
  }
  errors_.push_back(message + " denied request: " + why);
}

Error MutatingPolicies::Refusal() const {
  const Error forbidden =
      ForbiddenError(attributes_->at.resource->Subject(NameShown(*attributes_)), errors_.front());
  StatusDetails details = forbidden.details();
  for (const std::string& error : errors_) details.causes.push_back({.message = error});
  return Error(reason_, errors_.front()).WithHttpStatus(403).WithDetails(std::move(details));
}

}  // namespace kinformer::apiserver

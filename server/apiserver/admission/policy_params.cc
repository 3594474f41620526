#include "apiserver/admission/policy_params.h"

#include <utility>

#include "apiserver/registry/conversion.h"
#include "apiserver/registry/selection.h"

namespace kinformer::apiserver {
namespace {

Error Wrong(std::string why) { return Error(Reason::kInternalError, std::move(why)); }

std::vector<StoredObjectPtr> Selected(const ServerState& state, const ResourceAt& at,
                                      const ParamRef& ref, const std::string& namespace_) {
  std::vector<StoredObjectPtr> found;
  if (!ref.name.empty()) {
    StoredObjectPtr stored = at.resource->Find(namespace_, ref.name);
    if (stored != nullptr) found.push_back(std::move(stored));
    return found;
  }
  const std::string prefix = at.resource->namespaced ? namespace_ + "/" : std::string();
  at.resource->store->Walk(prefix, {}, state.resource_version, [&](const StoredObjectPtr& stored) {
    if (MatchesLabels(*ref.selector, *stored)) found.push_back(stored);
    return true;
  });
  return found;
}

}  // namespace

ResourceAt FindKind(const ServerState& state, const ParamKind& kind) {
  for (const auto& resource : state.resources.all()) {
    if (resource->group != kind.group) continue;
    for (const auto& version : resource->versions) {
      if (version->served && version->version == kind.version && version->kind == kind.kind) {
        return {.resource = resource, .version = version};
      }
    }
  }
  return {};
}

std::string UnknownParamKind(const ParamKind& kind) {
  return "failed to find resource referenced by paramKind: '" + kind.group + "/" + kind.version +
         ", Kind=" + kind.kind + "'";
}

Task<Result<std::vector<json::Value>>> CollectParams(AdmissionParts parts,
                                                     AdmissionPolicyPtr policy,
                                                     PolicyBindingPtr binding,
                                                     std::string namespace_) {
  if (!policy->params || !binding->params) {
    std::vector<json::Value> none(1);
    co_return none;
  }
  const ParamRef& ref = *binding->params;
  const ResourceAt at = FindKind(parts.state, *policy->params);
  if (!at) co_return Wrong(UnknownParamKind(*policy->params));
  if (at.resource->namespaced) {
    if (!ref.namespace_.empty()) namespace_ = ref.namespace_;
    if (namespace_.empty()) {
      co_return Wrong(
          "cannot use namespaced paramRef in policy binding that matches cluster-scoped "
          "resources");
    }
  } else if (!ref.namespace_.empty()) {
    co_return Wrong("paramRef.namespace must not be provided for a cluster-scoped `paramKind`");
  }
  if (ref.name.empty() && !ref.selector) {
    co_return Wrong("one of name or selector must be provided");
  }
  std::vector<json::Value> params;
  for (const StoredObjectPtr& stored : Selected(parts.state, at, ref, namespace_)) {
    const Result<StoredObjectPtr> shown = co_await parts.converter.Convert(at, stored);
    if (!shown) co_return shown.error();
    params.push_back(ObjectIn(at, **shown));
  }
  if (params.empty() && ref.denies_missing) {
    co_return Wrong("no params found for policy binding with `Deny` parameterNotFoundAction");
  }
  co_return params;
}

}  // namespace kinformer::apiserver

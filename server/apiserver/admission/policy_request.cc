#include "apiserver/admission/policy_request.h"

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/admission/request_match.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kGroup = "admissionregistration.k8s.io";

// Returns whether no policy may be about the resource: a policy that refuses everything could not
// be removed, and nobody could log in.
bool IsExempt(const ServedResource& resource) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kReviews = {{
      {"authentication.k8s.io", "selfsubjectreviews"},
      {"authentication.k8s.io", "tokenreviews"},
      {"authorization.k8s.io", "localsubjectaccessreviews"},
      {"authorization.k8s.io", "selfsubjectaccessreviews"},
      {"authorization.k8s.io", "selfsubjectrulesreviews"},
      {"authorization.k8s.io", "subjectaccessreviews"},
  }};
  if (resource.custom) return false;
  if (resource.group == kGroup) return true;
  for (const auto& [group, plural] : kReviews) {
    if (resource.Is(group, plural)) return true;
  }
  return false;
}

}  // namespace

PolicyStore::PolicyStore(ServerState& state, const char* policies, const char* bindings,
                         ParsedStore<AdmissionPolicy>::Parse parse)
    : state_(state),
      policies_(state, state.resources.FindGroupResource(kGroup, policies), parse),
      bindings_(state, state.resources.FindGroupResource(kGroup, bindings), PolicyBindingOf) {}

std::vector<PolicyQuestion> PolicyStore::Concerned(const AdmissionAttributes& attributes) {
  std::vector<PolicyQuestion> out;
  if (IsExempt(*attributes.at.resource)) return out;
  const RequestMatch match(state_, attributes);
  const auto& bindings = bindings_.All();
  for (const auto& [name, entry] : policies_.All()) {
    std::vector<PolicyBindingPtr> bound;
    for (const auto& [binding_name, binding] : bindings) {
      if (binding.parsed->policy == name) bound.push_back(binding.parsed);
    }
    if (bound.empty()) continue;
    ResourceAt at = match.PlaceFor(entry.parsed->constraints);
    if (!at) continue;
    std::erase_if(bound, [&](const PolicyBindingPtr& binding) {
      return binding->resources && !match.PlaceFor(*binding->resources);
    });
    out.push_back({.policy = entry.parsed, .at = std::move(at), .bindings = std::move(bound)});
  }
  return out;
}

std::string NameShown(const AdmissionAttributes& attributes) {
  if (!attributes.name.empty()) return attributes.name;
  const json::Value& metadata = attributes.object["metadata"];
  for (const char* member : {"name", "generateName"}) {
    if (const std::string& name = metadata[member].StringOrEmpty(); !name.empty()) return name;
  }
  return "Unknown";
}

json::Value NamespaceShown(const ServerState& state, const AdmissionAttributes& attributes) {
  if (attributes.namespace_.empty() || attributes.at.resource->Is("", "namespaces")) return {};
  const auto namespaces = state.resources.FindGroupResource("", "namespaces");
  const StoredObjectPtr stored = namespaces->Find("", attributes.namespace_);
  return stored == nullptr ? json::Value() : stored->Parse();
}

}  // namespace kinformer::apiserver

#include "apiserver/plugins/pod_security.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/plugins/pod_security_checks.h"

namespace kinformer::apiserver {
namespace {

// Most pods that are checked when a namespace changes.
constexpr std::size_t kMostPods = 3000;

struct Workload {
  std::string_view group;
  std::string_view plural;
  std::string_view template_path;
};
constexpr auto kWorkloads = std::to_array<Workload>({
    {"", "replicationcontrollers", "/spec/template"},
    {"", "podtemplates", "/template"},
    {"apps", "replicasets", "/spec/template"},
    {"apps", "deployments", "/spec/template"},
    {"apps", "statefulsets", "/spec/template"},
    {"apps", "daemonsets", "/spec/template"},
    {"batch", "jobs", "/spec/template"},
    {"batch", "cronjobs", "/spec/jobTemplate/spec/template"},
});

// Subresources of pods that do not change what runs.
constexpr auto kHarmless = std::to_array<std::string_view>(
    {"exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"});

std::vector<PodSecurityViolation> Check(const PodSecurityPolicy& policy, const json::Value& pod) {
  return CheckPodSecurity(policy, pod["metadata"], pod["spec"]);
}

// Adds "would violate ...", if it would.
void Warn(const PodSecurityPolicy& policy, const json::Value& pod,
          std::vector<std::string>& warnings) {
  const auto violations = Check(policy, pod);
  if (violations.empty()) return;
  warnings.push_back("would violate PodSecurity " + JsonString(policy.ToString()) + ": " +
                     DetailsOf(violations));
}

// Tells the audit log what the pod would violate.
void Audit(const PodSecurityPolicy& policy, const json::Value& pod, AuditTrail* audit) {
  if (audit == nullptr) return;
  const auto violations = Check(policy, pod);
  if (violations.empty()) return;
  audit->Annotate(
      "pod-security.kubernetes.io/audit-violations",
      "would violate PodSecurity " + JsonString(policy.ToString()) + ": " + DetailsOf(violations));
}

// Returns whether an update changes what runs: images, or ephemeral containers.
bool IsSignificant(const json::Value& pod, const json::Value& old) {
  for (const char* list : {"containers", "initContainers"}) {
    const json::Array& now = pod["spec"][list].items();
    const json::Array& before = old["spec"][list].items();
    const auto same_image = [](const json::Value& a, const json::Value& b) {
      return a["image"] == b["image"];
    };
    if (!std::equal(now.begin(), now.end(), before.begin(), before.end(), same_image)) return true;
  }
  const json::Array& before = old["spec"]["ephemeralContainers"].items();
  const json::Array& now = pod["spec"]["ephemeralContainers"].items();
  return std::any_of(now.begin(), now.end(), [&](const json::Value& container) {
    const auto same = [&](const json::Value& one) { return one["name"] == container["name"]; };
    const auto known = std::find_if(before.begin(), before.end(), same);
    return known == before.end() || !((*known)["image"] == container["image"]);
  });
}

// Returns the uid of the pod's controller, if it has one.
std::string ControllerOf(const json::Value& pod) {
  for (const json::Value& owner : pod.At("/metadata/ownerReferences").items()) {
    if (owner["controller"].AsBool().value_or(false)) return owner["uid"].StringOrEmpty();
  }
  return {};
}

// The pods that violate a policy for the same reasons.
struct Alike {
  std::string first{};
  std::size_t count = 0;
};

std::string TextOf(const std::string& reasons, const Alike& pods) {
  std::string others;
  if (pods.count == 2) others = " (and 1 other pod)";
  if (pods.count > 2) others = " (and " + std::to_string(pods.count - 1) + " other pods)";
  return pods.first + others + ": " + reasons;
}

PodSecurityPolicies PoliciesIn(const json::Value& object, std::vector<StatusCause>& problems) {
  const json::Value& labels = object["metadata"]["labels"];
  return PodSecurityPolicies::Of([&](std::string_view key) { return labels[key].AsString(); },
                                 problems);
}

bool SameProblems(const std::vector<StatusCause>& a, const std::vector<StatusCause>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const StatusCause& one, const StatusCause& other) {
                      return one.field == other.field && one.message == other.message;
                    });
}

}  // namespace

Result<void> PodSecurity::Validate(const PluginRequest& request) {
  const ServedResource& resource = request.resource;
  if (resource.Is("", "pods")) return ValidatePod(request);
  if (!request.subresource.empty()) return {};
  if (resource.Is("", "namespaces")) return ValidateNamespace(request);
  for (const Workload& workload : kWorkloads) {
    if (!resource.Is(workload.group, workload.plural)) continue;
    WarnOfTemplate(request, workload.template_path);
    break;
  }
  return {};
}

Result<void> PodSecurity::ValidateNamespace(const PluginRequest& request) const {
  const std::string& name = std::as_const(request.object).At("/metadata/name").StringOrEmpty();
  std::vector<StatusCause> problems;
  const PodSecurityPolicies now = PoliciesIn(request.object, problems);
  std::vector<StatusCause> old_problems;
  const PodSecurityPolicies old = PoliciesIn(request.old, old_problems);
  if (!problems.empty() && (request.creates || !SameProblems(problems, old_problems))) {
    return InvalidError(request.resource.KindSubject(name), std::move(problems));
  }
  if (request.creates || now.enforce == old.enforce) return {};
  if (now.enforce.level == PodSecurityLevel::kPrivileged) return {};
  if (now.enforce.minor == old.enforce.minor && now.enforce.level <= old.enforce.level) return {};
  WarnOfPods(name, now.enforce, request.warnings);
  return {};
}

void PodSecurity::WarnOfPods(std::string_view namespace_, const PodSecurityPolicy& policy,
                             std::vector<std::string>& warnings) const {
  const auto pods = state_.resources.FindGroupResource("", "pods");
  // The first pod of each controller is checked before the others.
  std::vector<json::Value> first;
  std::vector<json::Value> more;
  std::set<std::string> controllers;
  pods->store->Walk(
      NamespacePrefix(namespace_), {}, state_.resource_version, [&](const StoredObjectPtr& stored) {
        json::Value pod = stored->Parse();
        const std::string controller = ControllerOf(pod);
        const bool is_first = controller.empty() || controllers.insert(controller).second;
        (is_first ? first : more).push_back(std::move(pod));
        return first.size() + more.size() < kMostPods;
      });
  first.insert(first.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
  const std::size_t checked = std::min(first.size(), kMostPods);
  std::map<std::string, Alike> alike;
  for (std::size_t i = 0; i < checked; ++i) {
    const auto violations = Check(policy, first[i]);
    if (violations.empty()) continue;
    const std::string& name = std::as_const(first[i]).At("/metadata/name").StringOrEmpty();
    Alike& pod = alike[ReasonsOf(violations)];
    if (pod.count++ == 0 || name < pod.first) pod.first = name;
  }
  if (const std::size_t total = pods->store->size(namespace_); checked < total) {
    warnings.push_back("new PodSecurity enforce level only checked against the first " +
                       std::to_string(checked) + " of " + std::to_string(total) + " existing pods");
  }
  if (alike.empty()) return;
  warnings.push_back("existing pods in namespace " + JsonString(namespace_) +
                     " violate the new PodSecurity enforce level " + JsonString(policy.ToString()));
  std::vector<std::string> texts;
  for (const auto& [reasons, pod] : alike) texts.push_back(TextOf(reasons, pod));
  std::sort(texts.begin(), texts.end());
  warnings.insert(warnings.end(), texts.begin(), texts.end());
}

Result<void> PodSecurity::ValidatePod(const PluginRequest& request) const {
  if (std::find(kHarmless.begin(), kHarmless.end(), request.subresource) != kHarmless.end()) {
    return {};
  }
  const PodSecurityPolicies policies = PoliciesOf(request.namespace_);
  if (!request.creates && !IsSignificant(request.object, request.old)) return {};
  if (request.audit != nullptr) {
    request.audit->Annotate("pod-security.kubernetes.io/enforce-policy",
                            policies.enforce.ToString());
    Audit(policies.audit, request.object, request.audit);
  }
  const auto violations = Check(policies.enforce, request.object);
  if (!violations.empty()) {
    return request.Forbidden("violates PodSecurity " + JsonString(policies.enforce.ToString()) +
                             ": " + DetailsOf(violations));
  }
  Warn(policies.warn, request.object, request.warnings);
  return {};
}

void PodSecurity::WarnOfTemplate(const PluginRequest& request,
                                 std::string_view template_path) const {
  const json::Value& pods = std::as_const(request.object).At(template_path);
  if (pods.is_null()) return;
  const PodSecurityPolicies policies = PoliciesOf(request.namespace_);
  Audit(policies.audit, pods, request.audit);
  Warn(policies.warn, pods, request.warnings);
}

PodSecurityPolicies PodSecurity::PoliciesOf(std::string_view namespace_) const {
  const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
  const StoredObjectPtr stored = namespaces->store->Get(namespace_);
  if (stored == nullptr) return {};
  std::vector<StatusCause> ignored;
  return PodSecurityPolicies::Of([&](std::string_view key) { return stored->Label(key); }, ignored);
}

}  // namespace kinformer::apiserver

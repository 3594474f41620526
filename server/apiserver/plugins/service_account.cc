#include "apiserver/plugins/service_account.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/authorization/pod_references.h"
#include "apiserver/registry/object_rules.h"

namespace kinformer::apiserver {
namespace {

using json::Value;

constexpr const char* kTokenPath = "/var/run/secrets/kubernetes.io/serviceaccount";
constexpr std::string_view kVolume = "kube-api-access-";
// A little more than an hour tells kubelets to renew it in time.
constexpr int kTokenSeconds = 3607;

Value TokenVolume(const std::string& name) {
  const Value token = Value::MakeObject(
      {{"serviceAccountToken",
        Value::MakeObject({{"expirationSeconds", kTokenSeconds}, {"path", "token"}})}});
  const Value ca_item = Value::MakeObject({{"key", "ca.crt"}, {"path", "ca.crt"}});
  const Value ca = Value::MakeObject(
      {{"configMap", Value::MakeObject(
                         {{"name", "kube-root-ca.crt"}, {"items", Value::MakeArray({ca_item})}})}});
  const Value field =
      Value::MakeObject({{"apiVersion", "v1"}, {"fieldPath", "metadata.namespace"}});
  const Value file = Value::MakeObject({{"path", "namespace"}, {"fieldRef", field}});
  const Value names = Value::MakeObject(
      {{"downwardAPI", Value::MakeObject({{"items", Value::MakeArray({file})}})}});
  constexpr int kReadable = 0644;
  return Value::MakeObject(
      {{"name", name},
       {"projected", Value::MakeObject({{"sources", Value::MakeArray({token, ca, names})},
                                        {"defaultMode", kReadable}})}});
}

// Returns whether a token is to be mounted: the pod's choice, else the account's.
bool WantsToken(const Value& spec, const Value& account) {
  constexpr const char* kChoice = "automountServiceAccountToken";
  return spec[kChoice].AsBool().value_or(account[kChoice].AsBool().value_or(true));
}

bool RequestsToken(const Value& spec) {
  for (const Value& volume : spec["volumes"].items()) {
    for (const Value& source : volume["projected"]["sources"].items()) {
      if (!source["serviceAccountToken"].is_null()) return true;
    }
  }
  return false;
}

// Returns why a mirror pod is refused; empty: it is not.
std::string RefusalOfMirror(const Value& pod) {
  const Value& spec = pod["spec"];
  if (!spec["serviceAccountName"].StringOrEmpty().empty()) {
    return "a mirror pod may not reference service accounts";
  }
  if (!PodReferences::Of(pod).secrets.empty()) return "a mirror pod may not reference secrets";
  if (RequestsToken(spec)) return "a mirror pod may not use ServiceAccountToken volume projections";
  return {};
}

}  // namespace

Result<Value> ServiceAccountPlugin::AccountOf(const PluginRequest& request) const {
  const std::string& name =
      std::as_const(request.object).At("/spec/serviceAccountName").StringOrEmpty();
  const auto accounts = state_.resources.FindGroupResource("", "serviceaccounts");
  const StoredObjectPtr stored = accounts->Find(request.namespace_, name);
  if (stored != nullptr) return stored->Parse();
  return request.Forbidden("error looking up service account " + std::string(request.namespace_) +
                           "/" + name + ": serviceaccount \"" + name + "\" not found");
}

void ServiceAccountPlugin::MountToken(Value& spec) const {
  std::string name;
  for (const Value& volume : std::as_const(spec)["volumes"].items()) {
    const std::string& its = volume["name"].StringOrEmpty();
    if (!its.starts_with(kVolume)) continue;
    name = its;
    break;
  }
  const bool has_volume = !name.empty();
  if (!has_volume) name = GenerateName(state_.env, std::string(kVolume));
  bool used = false;
  for (const char* list : {"initContainers", "containers"}) {
    Value* const found = spec.Find(list);
    json::Array* const containers = found == nullptr ? nullptr : found->IfArray();
    if (containers == nullptr) continue;
    for (Value& container : *containers) {
      const json::Array& mounts = std::as_const(container)["volumeMounts"].items();
      const bool mounted = std::any_of(mounts.begin(), mounts.end(), [](const Value& mount) {
        return mount["mountPath"].StringOrEmpty() == kTokenPath;
      });
      if (mounted) continue;
      container.Ensure("volumeMounts")
          .Append(
              Value::MakeObject({{"name", name}, {"readOnly", true}, {"mountPath", kTokenPath}}));
      used = true;
    }
  }
  if (used && !has_volume) spec.Ensure("volumes").Append(TokenVolume(name));
}

Result<void> ServiceAccountPlugin::Mutate(PluginRequest& request) {
  if (!request.IsOf("", "pods")) return {};
  Value& spec = request.object.Ensure("spec");
  if (IsMirrorPod(request.object)) return Validate(request);
  if (std::as_const(spec)["serviceAccountName"].StringOrEmpty().empty()) {
    spec.Set("serviceAccountName", "default");
    spec.Set("serviceAccount", "default");
  }
  const Result<Value> account = AccountOf(request);
  if (!account.ok()) return account.error();
  if (WantsToken(spec, *account)) MountToken(spec);
  if (std::as_const(spec)["imagePullSecrets"].size() == 0) {
    for (const Value& secret : (*account)["imagePullSecrets"].items()) {
      spec.Ensure("imagePullSecrets").Append(Value::MakeObject({{"name", secret["name"]}}));
    }
  }
  return {};
}

Result<void> ServiceAccountPlugin::Validate(const PluginRequest& request) {
  if (!request.IsOf("", "pods") || !request.creates) return {};
  if (IsMirrorPod(request.object)) {
    const std::string why = RefusalOfMirror(request.object);
    if (!why.empty()) return request.Forbidden(why);
    return {};
  }
  const Value& metadata = std::as_const(request.object)["metadata"];
  if (std::as_const(request.object).At("/spec/serviceAccountName").StringOrEmpty().empty()) {
    return request.Forbidden("no service account specified for pod " +
                             std::string(request.namespace_) + "/" +
                             metadata["name"].StringOrEmpty());
  }
  const Result<Value> account = AccountOf(request);
  if (!account.ok()) return account.error();
  return {};
}

}  // namespace kinformer::apiserver

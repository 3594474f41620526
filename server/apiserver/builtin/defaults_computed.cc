#include "apiserver/builtin/defaults_computed.h"

#include <string>
#include <utility>

#include "object/values/text_forms.h"

namespace kinformer::apiserver {
namespace {

const json::Value& At(const json::Object& members, std::string_view name) {
  static const json::Value kNull;
  const json::Value* found = members.Find(name);
  return found == nullptr ? kNull : *found;
}

bool Empty(const json::Value& value) { return value.size() == 0; }

// Adds the entries of `from` that `to` lacks.
void AddMissing(json::Object& members, std::string_view to, std::string_view from) {
  const json::Value source = At(members, from);
  for (const auto& [name, value] : source.members()) {
    if (!At(members, to).contains(name)) members.Ensure(to).Set(name, value);
  }
}

// Copies the template's labels to the object, if it has none.
void LabelLikeTemplate(json::Object& members) {
  const json::Value labels = At(members, "spec").At("/template/metadata/labels");
  if (labels.is_object() && Empty(At(members, "metadata")["labels"])) {
    members.Ensure("metadata").Set("labels", labels);
  }
}

void ReplicationController(json::Object& members) {
  const json::Value labels = At(members, "spec").At("/template/metadata/labels");
  if (labels.is_object() && Empty(At(members, "spec")["selector"])) {
    members.Ensure("spec").Set("selector", labels);
  }
  LabelLikeTemplate(members);
}

void LimitRangeItem(json::Object& members) {
  if (At(members, "type").StringOrEmpty() != "Container") return;
  AddMissing(members, "default", "max");
  AddMissing(members, "defaultRequest", "default");
  AddMissing(members, "defaultRequest", "min");
}

// Keeps serviceAccount, the old name of serviceAccountName, equal to it.
void PodSpec(json::Object& members) {
  if (const std::string name = At(members, "serviceAccountName").StringOrEmpty(); !name.empty()) {
    members.Set("serviceAccount", name);
  }
}

// With host networking, a container's port is also its host port.
void PodSpecOfPod(json::Object& members) {
  PodSpec(members);
  if (!At(members, "hostNetwork").AsBool().value_or(false)) return;
  for (const char* list : {"containers", "initContainers"}) {
    json::Value* found = members.Find(list);
    json::Array* containers = found == nullptr ? nullptr : found->IfArray();
    if (containers == nullptr) continue;
    for (json::Value& container : *containers) {
      json::Value* ports = container.Find("ports");
      json::Array* items = ports == nullptr ? nullptr : ports->IfArray();
      if (items == nullptr) continue;
      for (json::Value& port : *items) {
        const json::Value& given = port;
        if (given["hostPort"].AsInt64().value_or(0) == 0 && given["containerPort"].is_number()) {
          port.Set("hostPort", json::Value(given["containerPort"]));
        }
      }
    }
  }
}

// Synchronizes a single address with the first of a list of addresses: podIP and podIPs.
void OneAndAll(json::Object& members, std::string_view one, std::string_view all,
               std::string_view key) {
  const auto first = [&]() -> const json::Value& {
    const json::Value& item = At(members, all)[0];
    return key.empty() ? item : item[key];
  };
  const std::string text = At(members, one).StringOrEmpty();
  if (text.empty()) {
    if (const std::string known = first().StringOrEmpty(); !known.empty()) members.Set(one, known);
    return;
  }
  if (first().StringOrEmpty() == text) return;
  json::Value item(text);
  if (!key.empty()) item = json::Value::MakeObject({{key, text}});
  members.Set(all, json::Value::MakeArray({std::move(item)}));
}

void PodStatus(json::Object& members) { OneAndAll(members, "podIP", "podIPs", "ip"); }
void NodeSpec(json::Object& members) { OneAndAll(members, "podCIDR", "podCIDRs", {}); }

void Secret(json::Object& members) {
  const json::Value text = At(members, "stringData");
  for (const auto& [name, value] : text.members()) {
    std::string encoded;
    internal::AppendBase64(value.StringOrEmpty(), encoded);
    members.Ensure("data").Set(name, std::move(encoded));
  }
  members.Erase("stringData");
}

void ServiceSpec(json::Object& members) {
  const std::string& affinity = At(members, "sessionAffinity").StringOrEmpty();
  if (affinity.empty() || affinity == "None") {
    members.Erase("sessionAffinityConfig");
    return;
  }
  const json::Value& config = At(members, "sessionAffinityConfig");
  if (affinity == "ClientIP" && config.is_object() &&
      config.At("/clientIP/timeoutSeconds").is_null()) {
    members.Erase("sessionAffinityConfig");
  }
}

// Sets the default ipMode of a load balancer's ingress addresses.
void Service(json::Object& members) {
  if (At(members, "spec")["type"].StringOrEmpty() != "LoadBalancer") return;
  json::Value* status = members.Find("status");
  json::Value* ingress = status == nullptr ? nullptr : status->FindPointer("/loadBalancer/ingress");
  json::Array* items = ingress == nullptr ? nullptr : ingress->IfArray();
  if (items == nullptr) return;
  for (json::Value& item : *items) {
    const json::Value& given = item;
    if (!given["ip"].StringOrEmpty().empty() && given["ipMode"].is_null())
      item.Set("ipMode", "VIP");
  }
}

struct Entry {
  std::string_view message;
  std::string_view kind;
  ComputedDefaults compute;
};

// Entries for a kind precede those for all kinds.
constexpr Entry kEntries[] = {
    {"k8s.io.api.batch.v1.Job", {}, LabelLikeTemplate},
    {"k8s.io.api.core.v1.LimitRangeItem", {}, LimitRangeItem},
    {"k8s.io.api.core.v1.NodeSpec", {}, NodeSpec},
    {"k8s.io.api.core.v1.PodSpec", "v1 Pod", PodSpecOfPod},
    {"k8s.io.api.core.v1.PodSpec", {}, PodSpec},
    {"k8s.io.api.core.v1.PodStatus", {}, PodStatus},
    {"k8s.io.api.core.v1.ReplicationController", {}, ReplicationController},
    {"k8s.io.api.core.v1.Secret", {}, Secret},
    {"k8s.io.api.core.v1.Service", {}, Service},
    {"k8s.io.api.core.v1.ServiceSpec", {}, ServiceSpec},
};

}  // namespace

ComputedDefaults ComputedDefaultsOf(std::string_view message, std::string_view kind) {
  for (const Entry& entry : kEntries) {
    if (entry.message == message && (entry.kind.empty() || entry.kind == kind)) {
      return entry.compute;
    }
  }
  return nullptr;
}

}  // namespace kinformer::apiserver

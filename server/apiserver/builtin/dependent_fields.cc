#include "apiserver/builtin/dependent_fields.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

using Causes = std::vector<StatusCause>;

std::string At(std::string_view list, std::size_t index) {
  return std::string(list) + "[" + std::to_string(index) + "]";
}

// Inserts before the first cause below the field `before`, or at the end.
void Insert(StatusCause cause, std::string_view before, Causes& causes) {
  const auto at = std::find_if(causes.begin(), causes.end(), [&](const StatusCause& other) {
    return other.field.starts_with(before);
  });
  causes.insert(at, std::move(cause));
}

// ---- Services and endpoints

// With several ports, each needs a name.
void CheckPortNames(const json::Value& ports, const std::string& list, Causes& causes) {
  if (ports.size() < 2) return;
  for (std::size_t i = 0; i < ports.items().size() && !AreEnough(causes); ++i) {
    if (ports.items()[i]["name"].StringOrEmpty().empty()) {
      causes.push_back(Required(At(list, i) + ".name"));
    }
  }
}

void CheckService(const json::Value& spec, Causes& causes) {
  const json::Value& ports = spec["ports"];
  if (ports.size() == 0 && spec["type"].StringOrEmpty() != "ExternalName" &&
      spec["clusterIP"].StringOrEmpty() != "None") {
    Insert(Required("spec.ports"), "spec", causes);
  }
  CheckPortNames(ports, "spec.ports", causes);
}

void CheckEndpoints(const json::Value& subsets, Causes& causes) {
  for (std::size_t i = 0; i < subsets.items().size(); ++i) {
    CheckPortNames(subsets.items()[i]["ports"], At("subsets", i) + ".ports", causes);
  }
}

// ---- Workloads

// Without a selector, the template's labels cannot match it.
void CheckNoSelector(const json::Value& spec, Causes& causes) {
  if (!spec["selector"].is_null()) return;
  Insert(InvalidValue("spec.template.metadata.labels", spec.At("/template/metadata/labels").Dump(),
                      "`selector` does not match template `labels`"),
         "spec.template", causes);
}

// Pods of a Job must end, so they must not be restarted for ever.
void CheckRestartPolicy(const json::Value& pod, const std::string& at, Causes& causes) {
  const std::string& policy = pod["restartPolicy"].StringOrEmpty();
  if (policy.empty() || policy == "Always") {
    causes.push_back(Required(at + ".restartPolicy", R"(valid values: "OnFailure", "Never")"));
  } else if (policy != "OnFailure" && policy != "Never") {
    causes.push_back(NotSupported(at + ".restartPolicy", policy, R"("OnFailure", "Never")"));
  }
}

void CheckDnsConfig(const json::Value& pod, Causes& causes) {
  if (pod["dnsPolicy"].StringOrEmpty() != "None") return;
  if (pod["dnsConfig"].is_null()) {
    causes.push_back(
        Required("spec.dnsConfig", "must provide `dnsConfig` when `dnsPolicy` is None"));
  } else if (pod.At("/dnsConfig/nameservers").size() == 0) {
    causes.push_back(Required("spec.dnsConfig.nameservers",
                              "must provide at least one DNS nameserver when `dnsPolicy` is None"));
  }
}

// ---- Other kinds

void CheckClusterRole(const json::Value& rules, Causes& causes) {
  for (std::size_t i = 0; i < rules.items().size() && !AreEnough(causes); ++i) {
    const json::Value& rule = rules.items()[i];
    if (rule["nonResourceURLs"].size() > 0) continue;
    for (const auto& [member, what] : {std::pair("apiGroups", "at least one api group"),
                                       std::pair("resources", "at least one resource")}) {
      if (rule[member].size() > 0) continue;
      causes.push_back(Required(At("rules", i) + "." + member,
                                std::string("resource rules must supply ") + what));
    }
  }
}

void CheckVolume(const json::Value& spec, Causes& causes) {
  if (spec["local"].is_null() || !spec["nodeAffinity"].is_null()) return;
  causes.push_back(Required("spec.nodeAffinity", "Local volume requires node affinity"));
}

struct SecretKeys {
  std::string_view type;
  std::array<std::string_view, 2> keys;
};

constexpr auto kSecretKeys = std::to_array<SecretKeys>({
    {"kubernetes.io/tls", {"tls.crt", "tls.key"}},
    {"kubernetes.io/dockerconfigjson", {".dockerconfigjson"}},
    {"kubernetes.io/dockercfg", {".dockercfg"}},
    {"kubernetes.io/ssh-auth", {"ssh-privatekey"}},
});

void CheckSecret(const json::Value& secret, Causes& causes) {
  const std::string& type = secret["type"].StringOrEmpty();
  const json::Value& data = secret["data"];
  const auto need = [&](std::string_view key) {
    causes.push_back(Required("data[" + std::string(key) + "]"));
  };
  for (const SecretKeys& keys : kSecretKeys) {
    if (keys.type != type) continue;
    for (const std::string_view key : keys.keys) {
      if (!key.empty() && !data.contains(key)) need(key);
    }
  }
  if (type == "kubernetes.io/basic-auth" && !data.contains("username") &&
      !data.contains("password")) {
    need("username");
    need("password");
  }
  constexpr std::string_view kAccount = "kubernetes.io/service-account.name";
  if (type == "kubernetes.io/service-account-token" &&
      secret.At("/metadata/annotations")[kAccount].StringOrEmpty().empty()) {
    causes.push_back(Required("metadata.annotations[" + std::string(kAccount) + "]"));
  }
}

}  // namespace

void ValidateDependent(const ServedResource& resource, const json::Value& object, Causes& causes) {
  const json::Value& spec = object["spec"];
  if (resource.Is("", "pods")) {
    CheckDnsConfig(spec, causes);
  } else if (resource.Is("", "services")) {
    CheckService(spec, causes);
  } else if (resource.Is("", "endpoints")) {
    CheckEndpoints(object["subsets"], causes);
  } else if (resource.Is("", "secrets")) {
    CheckSecret(object, causes);
  } else if (resource.Is("", "persistentvolumes")) {
    CheckVolume(spec, causes);
  } else if (resource.Is("", "replicationcontrollers")) {
    if (spec["selector"].size() == 0) Insert(Required("spec.selector"), "spec", causes);
  } else if (resource.group == "apps" && resource.plural != "controllerrevisions") {
    CheckNoSelector(spec, causes);
  } else if (resource.Is("batch", "jobs")) {
    CheckRestartPolicy(spec.At("/template/spec"), "spec.template.spec", causes);
  } else if (resource.Is("batch", "cronjobs")) {
    CheckRestartPolicy(spec.At("/jobTemplate/spec/template/spec"),
                       "spec.jobTemplate.spec.template.spec", causes);
  } else if (resource.Is("rbac.authorization.k8s.io", "clusterroles")) {
    CheckClusterRole(object["rules"], causes);
  }
}

}  // namespace kinformer::apiserver

#include "apiserver/builtin/pod_checks.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "kinformer/object/quantity.h"

#include "apiserver/errors/status.h"

namespace kinformer::apiserver {
namespace {

using Causes = std::vector<StatusCause>;
using Names = std::unordered_set<std::string_view>;

std::string At(const std::string& list, std::size_t index) {
  return list + "[" + std::to_string(index) + "]";
}

// Calls `check` for each item of the list `name` of the object at `at`, with the item's path, until
// there are enough causes.
template <class Check>
void ForEach(const json::Value& object, const std::string& at, std::string_view name,
             Causes& causes, Check check) {
  const json::Array& items = object[name].items();
  if (items.empty()) return;
  const std::string list = at + "." + std::string(name);
  for (std::size_t i = 0; i < items.size() && !AreEnough(causes); ++i) {
    check(items[i], At(list, i));
  }
}

// Adds a cause for each member but the first of those that exclude each other.
void OnlyOne(const json::Value& object, const std::string& at,
             std::initializer_list<std::string_view> members, std::string_view why,
             Causes& causes) {
  bool found = false;
  for (const std::string_view member : members) {
    if (object[member].is_null()) continue;
    if (found) causes.push_back(ForbiddenField(at + "." + std::string(member), why));
    found = true;
  }
}

// ---- Containers

void CheckHandler(const json::Value& parent, std::string_view member, const std::string& at,
                  Causes& causes) {
  const json::Value& handler = parent[member];
  if (handler.size() < 2) return;
  OnlyOne(handler, at + "." + std::string(member),
          {"exec", "httpGet", "tcpSocket", "grpc", "sleep"},
          "may not specify more than 1 handler type", causes);
}

void CheckEnv(const json::Value& variable, const std::string& at, Causes& causes) {
  const json::Value& from = variable["valueFrom"];
  if (from.is_null()) return;
  if (!variable["value"].StringOrEmpty().empty()) {
    causes.push_back(
        InvalidValue(at + ".valueFrom", R"("")", "may not be specified when `value` is not empty"));
  } else if (from.size() > 1) {
    causes.push_back(InvalidValue(at + ".valueFrom", R"("")",
                                  "may not have more than one field specified at a time"));
  }
}

void CheckMounts(const json::Value& container, const Names& volumes, const std::string& at,
                 Causes& causes) {
  const auto check = [&](std::string_view list, std::string_view path_member) {
    Names paths;
    ForEach(container, at, list, causes, [&](const json::Value& mount, const std::string& place) {
      const std::string& name = mount["name"].StringOrEmpty();
      if (!name.empty() && !volumes.contains(name)) {
        causes.push_back({.reason = "FieldValueNotFound",
                          .message = "Not found: " + json::Value(name).Dump(),
                          .field = place + ".name"});
      }
      const std::string& path = mount[path_member].StringOrEmpty();
      if (!path.empty() && !paths.insert(path).second) {
        causes.push_back(InvalidValue(place + "." + std::string(path_member),
                                      json::Value(path).Dump(), "must be unique"));
      }
    });
  };
  check("volumeMounts", "mountPath");
  check("volumeDevices", "devicePath");
}

void CheckResources(const json::Value& resources, const std::string& at, Causes& causes) {
  const json::Value& limits = resources["limits"];
  for (const auto& [name, request] : resources["requests"].members()) {
    const json::Value& limit = limits[name];
    if (limit.is_null() || AreEnough(causes)) continue;
    const auto asked = resource::Quantity::Parse(request.StringOrEmpty());
    const auto most = resource::Quantity::Parse(limit.StringOrEmpty());
    if (!asked || !most || *asked <= *most) continue;
    causes.push_back(InvalidValue(at + ".resources.requests", request.Dump(),
                                  "must be less than or equal to " + std::string(name) +
                                      " limit of " + limit.StringOrEmpty()));
  }
}

// Host ports that the containers of a pod have taken.
class HostPorts {
 public:
  explicit HostPorts(bool host_network) : host_network_(host_network) {}

  void Check(const json::Value& port, const std::string& at, Causes& causes) {
    const std::int64_t number = port["hostPort"].AsInt64().value_or(0);
    if (number == 0) return;
    const std::string& protocol = port["protocol"].StringOrEmpty();
    std::string key = (protocol.empty() ? "TCP" : protocol) + "/" + port["hostIP"].StringOrEmpty() +
                      "/" + std::to_string(number);
    if (host_network_ && port["containerPort"].AsInt64() != number) {
      causes.push_back(InvalidValue(at + ".hostPort", std::to_string(number),
                                    "must match `containerPort` when `hostNetwork` is true"));
    }
    if (!taken_.insert(key).second) {
      causes.push_back({.reason = "FieldValueDuplicate",
                        .message = "Duplicate value: " + json::Value(key).Dump(),
                        .field = at + ".hostPort"});
    }
  }

 private:
  const bool host_network_;
  std::set<std::string> taken_{};
};

void CheckContainer(const json::Value& container, const Names& volumes, const std::string& at,
                    Causes& causes) {
  const std::string& image = container["image"].StringOrEmpty();
  if (!image.empty() && (image.front() == ' ' || image.back() == ' ')) {
    causes.push_back(InvalidValue(at + ".image", json::Value(image).Dump(),
                                  "must not have leading or trailing whitespace"));
  }
  ForEach(container, at, "env", causes, [&](const json::Value& variable, const std::string& place) {
    CheckEnv(variable, place, causes);
  });
  CheckMounts(container, volumes, at, causes);
  for (const std::string_view probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    CheckHandler(container, probe, at, causes);
  }
  if (const json::Value& lifecycle = container["lifecycle"]; lifecycle.size() > 0) {
    CheckHandler(lifecycle, "postStart", at + ".lifecycle", causes);
    CheckHandler(lifecycle, "preStop", at + ".lifecycle", causes);
  }
  CheckResources(container["resources"], at, causes);
}

void CheckContainers(const json::Value& spec, const Names& volumes, const std::string& at,
                     Causes& causes) {
  HostPorts host_ports(spec["hostNetwork"].AsBool().value_or(false));
  Names names;
  for (const json::Value& container : spec["containers"].items()) {
    names.insert(container["name"].StringOrEmpty());
  }
  ForEach(spec, at, "containers", causes,
          [&](const json::Value& container, const std::string& place) {
            CheckContainer(container, volumes, place, causes);
            ForEach(container, place, "ports", causes,
                    [&](const json::Value& port, const std::string& port_place) {
                      host_ports.Check(port, port_place, causes);
                    });
          });
  ForEach(spec, at, "initContainers", causes,
          [&](const json::Value& container, const std::string& place) {
            CheckContainer(container, volumes, place, causes);
            const std::string& name = container["name"].StringOrEmpty();
            if (name.empty() || !names.contains(name)) return;
            causes.push_back({.reason = "FieldValueDuplicate",
                              .message = "Duplicate value: " + json::Value(name).Dump(),
                              .field = place + ".name"});
          });
}

// ---- The rest of a spec

void CheckVolumes(const json::Value& spec, const std::string& at, Causes& causes) {
  ForEach(spec, at, "volumes", causes, [&](const json::Value& volume, const std::string& place) {
    // The server looks for this one first.
    bool found = !volume["emptyDir"].is_null();
    for (const auto& [member, source] : volume.members()) {
      if (member == "name" || member == "emptyDir" || source.is_null()) continue;
      if (found) {
        causes.push_back(ForbiddenField(place + "." + std::string(member),
                                        "may not specify more than 1 volume type"));
      }
      found = true;
    }
  });
}

void CheckToleration(const json::Value& toleration, const std::string& at, Causes& causes) {
  const std::string& relation = toleration["operator"].StringOrEmpty();
  const std::string& value = toleration["value"].StringOrEmpty();
  if (!toleration["tolerationSeconds"].is_null() &&
      toleration["effect"].StringOrEmpty() != "NoExecute") {
    causes.push_back(InvalidValue(
        at + ".effect",
        toleration["effect"].is_string() ? toleration["effect"].Dump() : std::string(R"("")"),
        "effect must be 'NoExecute' when `tolerationSeconds` is set"));
  }
  if (toleration["key"].StringOrEmpty().empty() && relation != "Exists") {
    causes.push_back(InvalidValue(at + ".operator", json::Value(relation).Dump(),
                                  "operator must be Exists when `key` is empty, which means "
                                  "\"match all values and all keys\""));
  } else if (relation == "Exists" && !value.empty()) {
    causes.push_back(InvalidValue(at + ".operator", json::Value(value).Dump(),
                                  "value must be empty when `operator` is 'Exists'"));
  }
}

// `claims`: templates of claims, whose volumes the pods have, too.
void CheckSpec(const json::Value& spec, const json::Value& claims, const std::string& at,
               Causes& causes) {
  Names volumes;
  for (const json::Value& claim : claims.items()) {
    volumes.insert(claim.At("/metadata/name").StringOrEmpty());
  }
  for (const json::Value& volume : spec["volumes"].items()) {
    volumes.insert(volume["name"].StringOrEmpty());
  }
  CheckVolumes(spec, at, causes);
  CheckContainers(spec, volumes, at, causes);
  ForEach(spec, at, "tolerations", causes,
          [&](const json::Value& toleration, const std::string& place) {
            CheckToleration(toleration, place, causes);
          });
}

// ---- Where pods' specs stand

struct SpecPlace {
  std::string_view group;
  std::string_view plural;
  std::string_view pointer;  // of the spec
  std::string_view path;
  // Its pods run for ever: the kind that makes them. Empty: they may end.
  std::string_view keeper{};
};

constexpr std::string_view kTemplate = "/spec/template/spec";
constexpr std::string_view kTemplatePath = "spec.template.spec";
constexpr auto kPlaces = std::to_array<SpecPlace>({
    {"", "pods", "/spec", "spec"},
    {"", "podtemplates", "/template/spec", "template.spec"},
    {"", "replicationcontrollers", kTemplate, kTemplatePath, "ReplicationController"},
    {"apps", "deployments", kTemplate, kTemplatePath, "ReplicaSet"},
    {"apps", "replicasets", kTemplate, kTemplatePath, "ReplicaSet"},
    {"apps", "statefulsets", kTemplate, kTemplatePath, "StatefulSet"},
    {"apps", "daemonsets", kTemplate, kTemplatePath, "DaemonSet"},
    {"batch", "jobs", kTemplate, kTemplatePath},
    {"batch", "cronjobs", "/spec/jobTemplate/spec/template/spec",
     "spec.jobTemplate.spec.template.spec"},
});

}  // namespace

void ValidatePodSpec(const ServedResource& resource, const json::Value& object, Causes& causes) {
  for (const SpecPlace& place : kPlaces) {
    if (!resource.Is(place.group, place.plural)) continue;
    const json::Value& spec = object.At(place.pointer);
    if (spec.is_null()) return;
    const std::string path(place.path);
    CheckSpec(spec, object.At("/spec/volumeClaimTemplates"), path, causes);
    if (place.keeper.empty()) return;
    const std::string& policy = spec["restartPolicy"].StringOrEmpty();
    if (!policy.empty() && policy != "Always") {
      causes.push_back(NotSupported(path + ".restartPolicy", policy, R"("Always")"));
    }
    if (!spec["activeDeadlineSeconds"].is_null()) {
      causes.push_back(ForbiddenField(
          path + ".activeDeadlineSeconds",
          "activeDeadlineSeconds in " + std::string(place.keeper) + " is not Supported"));
    }
    return;
  }
}

}  // namespace kinformer::apiserver

// Descriptions of pods, and of the templates that workloads have of them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/object/quantity.h"

#include "cli/description.h"

namespace kinformer::cli {
namespace {

std::string Joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

void DescribePorts(Description& out, int level, const json::Value& container) {
  std::vector<std::string> ports;
  std::vector<std::string> host_ports;
  for (const json::Value& port : container["ports"].items()) {
    const std::string protocol = "/" + ScalarText(port["protocol"], "TCP");
    ports.push_back(ScalarText(port["containerPort"]) + protocol +
                    (port["name"].is_string() ? " (" + port["name"].StringOrEmpty() + ")" : ""));
    host_ports.push_back(ScalarText(port["hostPort"], "0") + protocol);
  }
  out.Field(level, ports.size() > 1 ? "Ports" : "Port", OrNone(Joined(ports)));
  out.Field(level, ports.size() > 1 ? "Host Ports" : "Host Port", OrNone(Joined(host_ports)));
}

void DescribeWords(Description& out, int level, const std::string& label,
                   const json::Value& words) {
  if (words.size() == 0) return;
  out.Title(level, label);
  for (const json::Value& word : words.items()) out.Text(level + 1, word.StringOrEmpty());
}

void DescribeState(Description& out, int level, const std::string& label,
                   const json::Value& state) {
  if (const json::Value& running = state["running"]; running.is_object()) {
    out.Field(level, label, "Running");
    out.Field(level + 1, "Started", TimeText(running["startedAt"].StringOrEmpty()));
  } else if (const json::Value& ended = state["terminated"]; ended.is_object()) {
    out.Field(level, label, "Terminated");
    out.FieldIfAny(level + 1, "Reason", ended["reason"].StringOrEmpty());
    out.FieldIfAny(level + 1, "Message", ended["message"].StringOrEmpty());
    out.Field(level + 1, "Exit Code", ScalarText(ended["exitCode"], "0"));
    out.FieldIfAny(level + 1, "Signal", ScalarText(ended["signal"]));
    out.Field(level + 1, "Started", TimeText(ended["startedAt"].StringOrEmpty()));
    out.Field(level + 1, "Finished", TimeText(ended["finishedAt"].StringOrEmpty()));
  } else {
    out.Field(level, label, "Waiting");
    out.FieldIfAny(level + 1, "Reason", state["waiting"]["reason"].StringOrEmpty());
    out.FieldIfAny(level + 1, "Message", state["waiting"]["message"].StringOrEmpty());
  }
}

std::string ProbeText(const json::Value& probe) {
  std::string text = "unknown";
  if (const json::Value& http = probe["httpGet"]; http.is_object()) {
    std::string scheme = ScalarText(http["scheme"], "HTTP");
    std::transform(scheme.begin(), scheme.end(), scheme.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    text = "http-get " + scheme + "://" + http["host"].StringOrEmpty() + ":" +
           ScalarText(http["port"]) + http["path"].StringOrEmpty();
  } else if (const json::Value& exec = probe["exec"]; exec.is_object()) {
    text = "exec [";
    for (std::size_t i = 0; i < exec["command"].size(); ++i) {
      text += (i == 0 ? "" : " ") + exec["command"][i].StringOrEmpty();
    }
    text += "]";
  } else if (const json::Value& tcp = probe["tcpSocket"]; tcp.is_object()) {
    text = "tcp-socket " + tcp["host"].StringOrEmpty() + ":" + ScalarText(tcp["port"]);
  } else if (const json::Value& grpc = probe["grpc"]; grpc.is_object()) {
    text = "grpc <pod>:" + ScalarText(grpc["port"]) + " " + grpc["service"].StringOrEmpty();
  }
  return text + " delay=" + ScalarText(probe["initialDelaySeconds"], "0") +
         "s timeout=" + ScalarText(probe["timeoutSeconds"], "1") +
         "s period=" + ScalarText(probe["periodSeconds"], "10") +
         "s #success=" + ScalarText(probe["successThreshold"], "1") +
         " #failure=" + ScalarText(probe["failureThreshold"], "3");
}

std::string OptionalText(const json::Value& reference) {
  return std::string("Optional: ") +
         (reference["optional"].AsBool().value_or(false) ? "true" : "false");
}

// Returns what a fieldRef of this pod's own environment stands for, if it is among the metadata.
std::string FieldText(const json::Value& pod, const std::string& path) {
  const json::Value& meta = pod["metadata"];
  for (const char* name : {"name", "namespace", "uid"}) {
    if (path == std::string("metadata.") + name) return meta[name].StringOrEmpty();
  }
  for (const char* name : {"labels", "annotations"}) {
    const std::string start = std::string("metadata.") + name + "['";
    if (!path.starts_with(start) || !path.ends_with("']")) continue;
    return meta[name][path.substr(start.size(), path.size() - start.size() - 2)].StringOrEmpty();
  }
  return {};
}

// Returns the amount that a resourceFieldRef stands for, in whole units of its divisor.
std::string AmountText(const json::Value& container, const json::Value& reference) {
  const std::string& path = reference["resource"].StringOrEmpty();
  const std::size_t dot = path.find('.');
  const std::string kind = path.substr(0, dot);
  const std::string name = dot == std::string::npos ? "" : path.substr(dot + 1);
  const auto amount =
      resource::Quantity::Parse(ScalarText(container["resources"][kind][name], "0"));
  const auto divisor = resource::Quantity::Parse(ScalarText(reference["divisor"], "1"));
  if (!amount || !divisor) return {};
  if (kind == "limits" && amount->IsZero() && (name == "cpu" || name == "memory")) {
    return "node allocatable";
  }
  const bool milli = name == "cpu";
  const std::int64_t units = milli ? amount->MilliValue() : amount->Value();
  const std::int64_t unit = milli ? divisor->MilliValue() : divisor->Value();
  return std::to_string(unit <= 0 ? units : units / unit + (units % unit == 0 ? 0 : 1));
}

void DescribeVariable(Description& out, int level, const json::Value& variable,
                      const json::Value& container, const json::Value& pod) {
  const std::string label = variable["name"].StringOrEmpty() + ":";
  const json::Value& from = variable["valueFrom"];
  if (const json::Value& secret = from["secretKeyRef"]; secret.is_object()) {
    out.Row(level, {label,
                    "<set to the key '" + secret["key"].StringOrEmpty() + "' in secret '" +
                        secret["name"].StringOrEmpty() + "'>",
                    OptionalText(secret)});
  } else if (const json::Value& map = from["configMapKeyRef"]; map.is_object()) {
    out.Row(level, {label,
                    "<set to the key '" + map["key"].StringOrEmpty() + "' of config map '" +
                        map["name"].StringOrEmpty() + "'>",
                    OptionalText(map)});
  } else if (const json::Value& field = from["fieldRef"]; field.is_object()) {
    const std::string& path = field["fieldPath"].StringOrEmpty();
    out.Row(level, {label, FieldText(pod, path) + " (" + ScalarText(field["apiVersion"], "v1") +
                               ":" + path + ")"});
  } else if (const json::Value& resource = from["resourceFieldRef"]; resource.is_object()) {
    out.Row(level, {label, AmountText(container, resource) + " (" +
                               resource["resource"].StringOrEmpty() + ")"});
  } else {
    out.Field(level, variable["name"].StringOrEmpty(), variable["value"].StringOrEmpty());
  }
}

void DescribeEnvironment(Description& out, int level, const json::Value& container,
                         const json::Value& pod) {
  if (container["envFrom"].size() != 0) {
    out.Title(level, "Environment Variables from");
    for (const json::Value& from : container["envFrom"].items()) {
      const bool map = from["configMapRef"].is_object();
      const json::Value& reference = map ? from["configMapRef"] : from["secretRef"];
      const std::string& prefix = from["prefix"].StringOrEmpty();
      out.Row(level + 1, {reference["name"].StringOrEmpty(),
                          (map ? "ConfigMap" : "Secret") +
                              (prefix.empty() ? "" : " with prefix '" + prefix + "'"),
                          OptionalText(reference)});
    }
  }
  if (container["env"].size() == 0) {
    out.Field(level, "Environment", "<none>");
    return;
  }
  out.Title(level, "Environment");
  for (const json::Value& variable : container["env"].items()) {
    DescribeVariable(out, level + 1, variable, container, pod);
  }
}

void DescribeMounts(Description& out, int level, const json::Value& container) {
  std::vector<std::string> mounts;
  for (const json::Value& mount : container["volumeMounts"].items()) {
    std::string flags = mount["readOnly"].AsBool().value_or(false) ? "ro" : "rw";
    const std::string& part = mount["subPath"].StringOrEmpty();
    if (!part.empty()) flags += ",path=\"" + part + "\"";
    mounts.push_back(mount["mountPath"].StringOrEmpty() + " from " + mount["name"].StringOrEmpty() +
                     " (" + flags + ")");
  }
  std::sort(mounts.begin(), mounts.end());
  if (mounts.empty()) {
    out.Field(level, "Mounts", "<none>");
    return;
  }
  out.Title(level, "Mounts");
  for (const std::string& mount : mounts) out.Text(level + 1, mount);
}

void DescribeStatus(Description& out, int level, const json::Value& status) {
  DescribeState(out, level, "State", status["state"]);
  if (status["lastState"].size() != 0) {
    DescribeState(out, level, "Last State", status["lastState"]);
  }
  out.Field(level, "Ready", TrueFalse(status["ready"].AsBool().value_or(false)));
  out.Field(level, "Restart Count", ScalarText(status["restartCount"], "0"));
}

// `statuses`: null in a template.
void DescribeContainer(Description& out, const json::Value& container, const json::Value* statuses,
                       const json::Value& pod) {
  const json::Value none;
  const json::Value* status = &none;
  if (statuses != nullptr) {
    for (const json::Value& one : statuses->items()) {
      if (one["name"] == container["name"]) status = &one;
    }
  }
  // As in kubectl, a template's containers stand deeper by one blank, and their fields do not.
  out.Title(1, (statuses == nullptr ? " " : "") + container["name"].StringOrEmpty());
  constexpr int kInner = 2;
  if (status->is_object()) out.Field(kInner, "Container ID", ScalarText((*status)["containerID"]));
  out.Field(kInner, "Image", container["image"].StringOrEmpty());
  if (status->is_object()) out.Field(kInner, "Image ID", ScalarText((*status)["imageID"]));
  DescribePorts(out, kInner, container);
  DescribeWords(out, kInner, "Command", container["command"]);
  DescribeWords(out, kInner, "Args", container["args"]);
  if (status->is_object()) DescribeStatus(out, kInner, *status);
  out.Map(kInner, "Limits", container["resources"]["limits"]);
  out.Map(kInner, "Requests", container["resources"]["requests"]);
  for (const auto& [label, name] :
       std::vector<std::pair<std::string, std::string>>{{"Liveness", "livenessProbe"},
                                                        {"Readiness", "readinessProbe"},
                                                        {"Startup", "startupProbe"}}) {
    if (container[name].is_object()) out.Field(kInner, label, ProbeText(container[name]));
  }
  DescribeEnvironment(out, kInner, container, pod);
  DescribeMounts(out, kInner, container);
}

// `pod`: null in a template.
void DescribeContainers(Description& out, int level, const json::Value& spec,
                        const json::Value& pod) {
  struct Group {
    const char* label;
    const char* name;
    const char* statuses;
  };
  for (const Group& group :
       {Group{"Init Containers", "initContainers", "initContainerStatuses"},
        Group{"Containers", "containers", "containerStatuses"},
        Group{"Ephemeral Containers", "ephemeralContainers", "ephemeralContainerStatuses"}}) {
    if (spec[group.name].size() == 0) continue;
    out.Title(level, group.label);
    for (const json::Value& container : spec[group.name].items()) {
      DescribeContainer(out, container, pod.is_null() ? nullptr : &pod["status"][group.statuses],
                        pod);
    }
  }
}

void DescribePlacement(Description& out, int level, const json::Value& spec) {
  out.Labels(level, "Node-Selectors", spec["nodeSelector"]);
  std::vector<std::string> tolerations;
  for (const json::Value& toleration : spec["tolerations"].items()) {
    std::string text = toleration["key"].StringOrEmpty();
    const std::string& value = toleration["value"].StringOrEmpty();
    if (!value.empty()) text += "=" + value;
    const std::string& effect = toleration["effect"].StringOrEmpty();
    if (!effect.empty()) text += ":" + effect;
    if (toleration["operator"].StringOrEmpty() == "Exists") text += " op=Exists";
    if (toleration["tolerationSeconds"].is_number()) {
      text += " for " + ScalarText(toleration["tolerationSeconds"]) + "s";
    }
    tolerations.push_back(std::move(text));
  }
  std::sort(tolerations.begin(), tolerations.end());
  std::string all;
  for (const std::string& one : tolerations) all += (all.empty() ? "" : "\n") + one;
  out.Field(level, "Tolerations", OrNone(all));
}

void DescribePodHead(Description& out, const json::Value& pod) {
  const json::Value& meta = pod["metadata"];
  const json::Value& spec = pod["spec"];
  const json::Value& status = pod["status"];
  DescribeHead(out, pod);
  out.FieldIfAny(0, "Priority", ScalarText(spec["priority"]));
  out.FieldIfAny(0, "Priority Class Name", ScalarText(spec["priorityClassName"]));
  out.FieldIfAny(0, "Service Account", ScalarText(spec["serviceAccountName"]));
  const std::string& node = spec["nodeName"].StringOrEmpty();
  const std::string& host = status["hostIP"].StringOrEmpty();
  out.Field(0, "Node", node.empty() ? "<none>" : node + "/" + host);
  if (status["startTime"].is_string()) {
    out.Field(0, "Start Time", TimeText(status["startTime"].StringOrEmpty()));
  }
  out.Labels(0, "Labels", meta["labels"]);
  out.Annotations(0, "Annotations", meta["annotations"]);
  if (meta["deletionTimestamp"].is_string()) {
    out.Field(0, "Status",
              "Terminating (since " + TimeText(meta["deletionTimestamp"].StringOrEmpty()) + ")");
    out.Field(0, "Termination Grace Period",
              ScalarText(meta["deletionGracePeriodSeconds"], "0") + "s");
  } else {
    out.Field(0, "Status", status["phase"].StringOrEmpty());
  }
  out.FieldIfAny(0, "Reason", status["reason"].StringOrEmpty());
  out.FieldIfAny(0, "Message", status["message"].StringOrEmpty());
  out.Field(0, "IP", status["podIP"].StringOrEmpty());
  if (status["podIPs"].size() == 0) {
    out.Field(0, "IPs", "<none>");
  } else {
    out.Title(0, "IPs");
    for (const json::Value& ip : status["podIPs"].items()) {
      out.Field(1, "IP", ip["ip"].StringOrEmpty());
    }
  }
  DescribeController(out, pod);
}

}  // namespace

void DescribePod(Description& out, const json::Value& pod) {
  const json::Value& spec = pod["spec"];
  const json::Value& status = pod["status"];
  DescribePodHead(out, pod);
  DescribeContainers(out, 0, spec, pod);
  if (status["conditions"].size() != 0) {
    out.Title(0, "Conditions");
    out.Row(1, {"Type", "Status", "Reason", "Message"});
    for (const json::Value& condition : status["conditions"].items()) {
      out.Row(1, {condition["type"].StringOrEmpty(), condition["status"].StringOrEmpty(),
                  condition["reason"].StringOrEmpty(), condition["message"].StringOrEmpty()});
    }
  }
  DescribeVolumes(out, 0, spec);
  out.FieldIfAny(0, "QoS Class", status["qosClass"].StringOrEmpty());
  DescribePlacement(out, 0, spec);
}

void DescribePodTemplate(Description& out, const json::Value& pod_template) {
  const json::Value& spec = pod_template["spec"];
  out.Title(0, "Pod Template");
  out.Labels(1, "Labels", pod_template["metadata"]["labels"]);
  if (pod_template["metadata"]["annotations"].size() != 0) {
    out.Annotations(1, "Annotations", pod_template["metadata"]["annotations"]);
  }
  out.FieldIfAny(1, "Service Account", ScalarText(spec["serviceAccountName"]));
  DescribeContainers(out, 1, spec, {});
  DescribeVolumes(out, 1, spec);
  out.FieldIfAny(1, "Priority Class Name", ScalarText(spec["priorityClassName"]));
  DescribePlacement(out, 1, spec);
}

}  // namespace kinformer::cli

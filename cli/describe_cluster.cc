// Descriptions of nodes, services, configuration, storage and ingresses.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "cli/description.h"
#include "table/age.h"
#include "table/table_cells.h"

namespace kinformer::cli {
namespace {

namespace cells = internal::table::cells;

void LabelsAndAnnotations(Description& out, const json::Value& object) {
  out.Labels(0, "Labels", object["metadata"]["labels"]);
  out.Annotations(0, "Annotations", object["metadata"]["annotations"]);
}

std::string RolesOf(const json::Value& node) {
  constexpr std::string_view kRole = "node-role.kubernetes.io/";
  std::string roles;
  for (const std::string& label : SortedNames(node["metadata"]["labels"])) {
    if (label.starts_with(kRole)) cells::Join(roles, label.substr(kRole.size()));
  }
  return OrNone(roles);
}

std::string TaintsOf(const json::Value& node) {
  std::string text;
  for (const json::Value& taint : node["spec"]["taints"].items()) {
    const std::string& value = taint["value"].StringOrEmpty();
    text += (text.empty() ? "" : "\n") + taint["key"].StringOrEmpty() +
            (value.empty() ? "" : "=" + value) + ":" + taint["effect"].StringOrEmpty();
  }
  return OrNone(text);
}

// Returns what a pod's containers ask for: "100m, 200m".
std::string SumOf(const json::Value& pod, const char* what, const char* resource) {
  std::string text;
  for (const json::Value& container : pod["spec"]["containers"].items()) {
    const std::string one = ScalarText(container["resources"][what][resource]);
    if (!one.empty()) text += (text.empty() ? "" : " + ") + one;
  }
  return text.empty() ? "0" : text;
}

void PodsOfNode(Description& out, const std::vector<json::Value>& pods, WallTime now) {
  out.Field(0, "Non-terminated Pods", "(" + std::to_string(pods.size()) + " in total)");
  if (pods.empty()) return;
  out.Row(1, {"Namespace", "Name", "CPU Requests", "CPU Limits", "Memory Requests", "Memory Limits",
              "Age"});
  out.Row(1, {"---------", "----", "------------", "----------", "---------------", "-------------",
              "---"});
  for (const json::Value& pod : pods) {
    const json::Value& meta = pod["metadata"];
    out.Row(1, {meta["namespace"].StringOrEmpty(), meta["name"].StringOrEmpty(),
                SumOf(pod, "requests", "cpu"), SumOf(pod, "limits", "cpu"),
                SumOf(pod, "requests", "memory"), SumOf(pod, "limits", "memory"),
                internal::table::AgeOf(meta["creationTimestamp"].StringOrEmpty(), now)});
  }
}

void SystemInfo(Description& out, const json::Value& info) {
  struct Part {
    const char* label;
    const char* field;
  };
  out.Title(0, "System Info");
  for (const Part& part : {Part{"Machine ID", "machineID"}, Part{"System UUID", "systemUUID"},
                           Part{"Boot ID", "bootID"}, Part{"Kernel Version", "kernelVersion"},
                           Part{"OS Image", "osImage"}, Part{"Operating System", "operatingSystem"},
                           Part{"Architecture", "architecture"},
                           Part{"Container Runtime Version", "containerRuntimeVersion"},
                           Part{"Kubelet Version", "kubeletVersion"}}) {
    out.Field(1, part.label, info[part.field].StringOrEmpty());
  }
}

void Node(Description& out, const json::Value& object, const Related& related, WallTime now) {
  const json::Value& status = object["status"];
  DescribeHead(out, object, /*namespaced=*/false);
  out.Field(0, "Roles", RolesOf(object));
  LabelsAndAnnotations(out, object);
  out.Field(0, "CreationTimestamp",
            TimeText(object["metadata"]["creationTimestamp"].StringOrEmpty()));
  out.Field(0, "Taints", TaintsOf(object));
  out.Field(0, "Unschedulable",
            object["spec"]["unschedulable"].AsBool().value_or(false) ? "true" : "false");
  DescribeConditions(
      out, status["conditions"],
      {"type", "status", "lastHeartbeatTime", "lastTransitionTime", "reason", "message"});
  if (status["addresses"].size() != 0) {
    out.Title(0, "Addresses");
    for (const json::Value& address : status["addresses"].items()) {
      out.Field(1, address["type"].StringOrEmpty(), address["address"].StringOrEmpty());
    }
  }
  out.Map(0, "Capacity", status["capacity"]);
  out.Map(0, "Allocatable", status["allocatable"]);
  SystemInfo(out, status["nodeInfo"]);
  out.FieldIfAny(0, "PodCIDR", object["spec"]["podCIDR"].StringOrEmpty());
  out.FieldIfAny(0, "PodCIDRs", cells::Joined(object["spec"]["podCIDRs"]));
  out.FieldIfAny(0, "ProviderID", object["spec"]["providerID"].StringOrEmpty());
  PodsOfNode(out, related.pods, now);
}

// Returns "10.1.0.3:80,10.1.0.4:80" for a port of a service.
std::string EndpointsOf(const std::vector<json::Value>& slices, const json::Value& port) {
  std::string text;
  for (const json::Value& slice : slices) {
    for (const json::Value& one : slice["ports"].items()) {
      if (ScalarText(one["name"]) != ScalarText(port["name"])) continue;
      for (const json::Value& endpoint : slice["endpoints"].items()) {
        if (!endpoint["conditions"]["ready"].AsBool().value_or(true)) continue;
        for (const json::Value& address : endpoint["addresses"].items()) {
          cells::Join(text, address.StringOrEmpty() + ":" + ScalarText(one["port"]));
        }
      }
    }
  }
  return text;
}

void ServicePorts(Description& out, const json::Value& service, const Related& related) {
  for (const json::Value& port : service["spec"]["ports"].items()) {
    const std::string protocol = "/" + ScalarText(port["protocol"], "TCP");
    const std::string name = ScalarText(port["name"], "<unset>");
    out.Row(0, {"Port:", name, ScalarText(port["port"]) + protocol});
    out.Field(0, "TargetPort", ScalarText(port["targetPort"]) + protocol);
    if (port["nodePort"].is_number()) {
      out.Row(0, {"NodePort:", name, ScalarText(port["nodePort"]) + protocol});
    }
    out.Field(0, "Endpoints", EndpointsOf(related.slices, port));
  }
}

void Service(Description& out, const json::Value& object, const Related& related) {
  const json::Value& spec = object["spec"];
  DescribeHead(out, object);
  LabelsAndAnnotations(out, object);
  out.Field(0, "Selector", cells::Labels(spec["selector"]));
  out.Field(0, "Type", spec["type"].StringOrEmpty());
  out.FieldIfAny(0, "IP Family Policy", ScalarText(spec["ipFamilyPolicy"]));
  out.FieldIfAny(0, "IP Families", cells::Joined(spec["ipFamilies"]));
  out.Field(0, "IP", spec["clusterIP"].StringOrEmpty());
  out.FieldIfAny(0, "IPs", cells::Joined(spec["clusterIPs"]));
  out.FieldIfAny(0, "External IPs", cells::Joined(spec["externalIPs"]));
  out.FieldIfAny(0, "Desired LoadBalancer IP", ScalarText(spec["loadBalancerIP"]));
  out.FieldIfAny(0, "External Name", ScalarText(spec["externalName"]));
  std::string ingress;
  for (const json::Value& one : object["status"]["loadBalancer"]["ingress"].items()) {
    const std::string ip = ScalarText(one["ip"]);
    cells::Join(ingress, ip.empty() ? ScalarText(one["hostname"]) : ip);
  }
  out.FieldIfAny(0, "LoadBalancer Ingress", ingress);
  ServicePorts(out, object, related);
  out.Field(0, "Session Affinity", ScalarText(spec["sessionAffinity"], "None"));
  out.FieldIfAny(0, "External Traffic Policy", ScalarText(spec["externalTrafficPolicy"]));
  out.FieldIfAny(0, "Internal Traffic Policy", ScalarText(spec["internalTrafficPolicy"]));
  out.FieldIfAny(0, "LoadBalancer Source Ranges", cells::Joined(spec["loadBalancerSourceRanges"]));
}

// Returns the number of bytes that base64 stands for.
std::size_t DecodedSize(const std::string& base64) {
  std::size_t digits = 0;
  for (const char c : base64) digits += c != '=' && c != '\n' && c != '\r';
  return digits * 3 / 4;
}

void ConfigMap(Description& out, const json::Value& object) {
  DescribeHead(out, object);
  LabelsAndAnnotations(out, object);
  out.Blank();
  out.Text(0, "Data\n====");
  for (const std::string& name : SortedNames(object["data"])) {
    out.Text(0, name + ":\n----\n" + object["data"][name].StringOrEmpty());
    out.Blank();
  }
  out.Blank();
  out.Text(0, "BinaryData\n====");
  for (const std::string& name : SortedNames(object["binaryData"])) {
    out.Text(0, name + ": " +
                    std::to_string(DecodedSize(object["binaryData"][name].StringOrEmpty())) +
                    " bytes");
  }
  out.Blank();
}

// Sizes only: what is secret is not printed.
void Secret(Description& out, const json::Value& object) {
  DescribeHead(out, object);
  LabelsAndAnnotations(out, object);
  out.Blank();
  out.Field(0, "Type", object["type"].StringOrEmpty());
  out.Blank();
  out.Text(0, "Data\n====");
  for (const std::string& name : SortedNames(object["data"])) {
    out.Field(0, name,
              std::to_string(DecodedSize(object["data"][name].StringOrEmpty())) + " bytes");
  }
}

void Namespace(Description& out, const json::Value& object, const Related& related) {
  DescribeHead(out, object, /*namespaced=*/false);
  LabelsAndAnnotations(out, object);
  out.Field(0, "Status", object["status"]["phase"].StringOrEmpty());
  DescribeConditions(out, object["status"]["conditions"], {"type", "status", "reason", "message"});
  out.Blank();
  if (related.quotas.empty()) out.Text(0, "No resource quota.");
  for (const json::Value& quota : related.quotas) {
    out.Text(0, "Resource Quotas");
    out.Field(1, "Name", quota["metadata"]["name"].StringOrEmpty());
    out.Row(1, {"Resource", "Used", "Hard"});
    out.Row(1, {"--------", "---", "---"});
    for (const std::string& name : SortedNames(quota["status"]["hard"])) {
      out.Row(1, {name, ScalarText(quota["status"]["used"][name], "0"),
                  ScalarText(quota["status"]["hard"][name])});
    }
  }
  out.Blank();
  if (related.limits.empty()) out.Text(0, "No LimitRange resource.");
  for (const json::Value& range : related.limits) {
    out.Text(0, "Resource Limits");
    out.Row(1, {"Type", "Min", "Max", "Default Request", "Default Limit"});
    out.Row(1, {"----", "---", "---", "---------------", "-------------"});
    for (const json::Value& limit : range["spec"]["limits"].items()) {
      out.Row(1, {limit["type"].StringOrEmpty(), cells::Labels(limit["min"]),
                  cells::Labels(limit["max"]), cells::Labels(limit["defaultRequest"]),
                  cells::Labels(limit["default"])});
    }
  }
}

void VolumeClaim(Description& out, const json::Value& object, const Related& related) {
  const json::Value& spec = object["spec"];
  DescribeHead(out, object);
  out.Field(0, "StorageClass", ScalarText(spec["storageClassName"]));
  out.Field(0, "Status", object["status"]["phase"].StringOrEmpty());
  out.Field(0, "Volume", ScalarText(spec["volumeName"]));
  LabelsAndAnnotations(out, object);
  out.Field(0, "Finalizers", "[" + cells::Joined(object["metadata"]["finalizers"]) + "]");
  out.Field(0, "Capacity", ScalarText(object["status"]["capacity"]["storage"]));
  out.Field(0, "Access Modes", cells::AccessModes(object["status"]["accessModes"]));
  out.Field(0, "VolumeMode", ScalarText(spec["volumeMode"]));
  std::string users;
  for (const json::Value& pod : related.pods) {
    users += (users.empty() ? "" : "\n") + pod["metadata"]["name"].StringOrEmpty();
  }
  out.Field(0, "Used By", OrNone(users));
}

void Volume(Description& out, const json::Value& object) {
  const json::Value& spec = object["spec"];
  DescribeHead(out, object, /*namespaced=*/false);
  LabelsAndAnnotations(out, object);
  out.Field(0, "Finalizers", "[" + cells::Joined(object["metadata"]["finalizers"]) + "]");
  out.Field(0, "StorageClass", ScalarText(spec["storageClassName"]));
  out.Field(0, "Status", object["status"]["phase"].StringOrEmpty());
  const json::Value& claim = spec["claimRef"];
  out.Field(0, "Claim",
            claim.is_object()
                ? claim["namespace"].StringOrEmpty() + "/" + claim["name"].StringOrEmpty()
                : "");
  out.Field(0, "Reclaim Policy", ScalarText(spec["persistentVolumeReclaimPolicy"]));
  out.Field(0, "Access Modes", cells::AccessModes(spec["accessModes"]));
  out.Field(0, "VolumeMode", ScalarText(spec["volumeMode"]));
  out.Field(0, "Capacity", ScalarText(spec["capacity"]["storage"]));
  const json::Value& terms = spec["nodeAffinity"]["required"]["nodeSelectorTerms"];
  for (const json::Value& term : terms.items()) {
    out.Field(0, "Node Affinity", cells::Selector(term));
  }
  out.Field(0, "Message", ScalarText(object["status"]["message"]));
  for (const auto& [name, source] : spec.members()) {
    const bool is_source =
        source.is_object() && name != "claimRef" && name != "capacity" && name != "nodeAffinity";
    if (!is_source) continue;
    out.Title(0, "Source");
    out.Field(1, "Type", name);
    for (const std::string& field : SortedNames(source)) {
      if (!source[field].is_object() && !source[field].is_array()) {
        out.Field(1, field, ScalarText(source[field]));
      }
    }
  }
}

std::string BackendText(const json::Value& backend) {
  const json::Value& service = backend["service"];
  if (!service.is_object()) {
    return backend["resource"]["kind"].StringOrEmpty() + "/" +
           backend["resource"]["name"].StringOrEmpty();
  }
  std::string port = ScalarText(service["port"]["name"]);
  if (port.empty()) port = ScalarText(service["port"]["number"]);
  return service["name"].StringOrEmpty() + ":" + port;
}

void Ingress(Description& out, const json::Value& object) {
  const json::Value& spec = object["spec"];
  DescribeHead(out, object, /*namespaced=*/false);
  out.Labels(0, "Labels", object["metadata"]["labels"]);
  out.Field(0, "Namespace", object["metadata"]["namespace"].StringOrEmpty());
  std::string addresses;
  for (const json::Value& one : object["status"]["loadBalancer"]["ingress"].items()) {
    const std::string ip = ScalarText(one["ip"]);
    cells::Join(addresses, ip.empty() ? ScalarText(one["hostname"]) : ip);
  }
  out.Field(0, "Address", addresses);
  out.Field(0, "Ingress Class", ScalarText(spec["ingressClassName"], "<none>"));
  const json::Value& backend = spec["defaultBackend"];
  out.Field(0, "Default backend", backend.is_object() ? BackendText(backend) : "<default>");
  if (spec["tls"].size() != 0) {
    out.Title(0, "TLS");
    for (const json::Value& tls : spec["tls"].items()) {
      out.Text(1, ScalarText(tls["secretName"], "SNI routes") + " terminates " +
                      cells::Joined(tls["hosts"]));
    }
  }
  out.Title(0, "Rules");
  out.Row(1, {"Host", "Path", "Backends"});
  out.Row(1, {"----", "----", "--------"});
  for (const json::Value& rule : spec["rules"].items()) {
    out.Row(1, {ScalarText(rule["host"], "*"), "", ""});
    for (const json::Value& path : rule["http"]["paths"].items()) {
      out.Row(1, {"", ScalarText(path["path"]), BackendText(path["backend"])});
    }
  }
  out.Annotations(0, "Annotations", object["metadata"]["annotations"]);
}

}  // namespace

bool DescribeClusterKind(Description& out, const json::Value& object, const Related& related,
                         WallTime now) {
  const std::string kind =
      object["apiVersion"].StringOrEmpty() + "/" + object["kind"].StringOrEmpty();
  if (kind == "v1/Node") {
    Node(out, object, related, now);
  } else if (kind == "v1/Service") {
    Service(out, object, related);
  } else if (kind == "v1/ConfigMap") {
    ConfigMap(out, object);
  } else if (kind == "v1/Secret") {
    Secret(out, object);
  } else if (kind == "v1/Namespace") {
    Namespace(out, object, related);
  } else if (kind == "v1/PersistentVolumeClaim") {
    VolumeClaim(out, object, related);
  } else if (kind == "v1/PersistentVolume") {
    Volume(out, object);
  } else if (kind == "networking.k8s.io/v1/Ingress") {
    Ingress(out, object);
  } else {
    return false;
  }
  return true;
}

}  // namespace kinformer::cli

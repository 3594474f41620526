// Descriptions of services, configuration, storage and ingresses.

#include <cstddef>
#include <string>
#include <vector>

#include "cli/description.h"
#include "table/table_cells.h"

namespace kinformer::cli {
namespace {

namespace cells = internal::table::cells;

void LabelsAndAnnotations(Description& out, const json::Value& object) {
  out.Labels(0, "Labels", object["metadata"]["labels"]);
  out.Annotations(0, "Annotations", object["metadata"]["annotations"]);
}

// Returns "10.1.0.3:80,10.1.0.4:80" for a port of a service, or "<none>" if it has no slices.
std::string EndpointsOf(const std::vector<json::Value>& slices, const std::string& port) {
  constexpr std::size_t kShown = 3;
  if (slices.empty()) return "<none>";
  std::string text;
  std::size_t count = 0;
  for (const json::Value& slice : slices) {
    for (const json::Value& one : slice["ports"].items()) {
      if (ScalarText(one["name"]) != port) continue;
      for (const json::Value& endpoint : slice["endpoints"].items()) {
        if (!endpoint["conditions"]["ready"].AsBool().value_or(true)) continue;
        for (const json::Value& address : endpoint["addresses"].items()) {
          if (++count > kShown) continue;
          cells::Join(text, address.StringOrEmpty() + ":" + ScalarText(one["port"]));
        }
      }
    }
  }
  if (count > kShown) text += " + " + std::to_string(count - kShown) + " more...";
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
    out.Field(0, "Endpoints", EndpointsOf(related.slices, ScalarText(port["name"])));
  }
}

void Service(Description& out, const json::Value& object, const Related& related) {
  const json::Value& spec = object["spec"];
  DescribeHead(out, object);
  LabelsAndAnnotations(out, object);
  out.Field(0, "Selector", cells::Labels(spec["selector"]));
  out.Field(0, "Type", spec["type"].StringOrEmpty());
  out.FieldIfAny(0, "IP Family Policy", ScalarText(spec["ipFamilyPolicy"]));
  out.Field(0, "IP Families", OrNone(cells::Joined(spec["ipFamilies"])));
  out.Field(0, "IP", spec["clusterIP"].StringOrEmpty());
  out.Field(0, "IPs", OrNone(cells::Joined(spec["clusterIPs"])));
  out.FieldIfAny(0, "External IPs", cells::Joined(spec["externalIPs"]));
  out.FieldIfAny(0, "Desired LoadBalancer IP", ScalarText(spec["loadBalancerIP"]));
  out.FieldIfAny(0, "External Name", ScalarText(spec["externalName"]));
  std::string ingress;
  for (const json::Value& one : object["status"]["loadBalancer"]["ingress"].items()) {
    std::string address = ScalarText(one["ip"]);
    if (address.empty()) address = ScalarText(one["hostname"]);
    const std::string mode = ScalarText(one["ipMode"]);
    if (!mode.empty()) address += " (" + mode + ")";
    ingress += (ingress.empty() ? "" : ", ") + address;
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
  DescribeConditions(out, object["status"]["conditions"], {"type", "status", "reason", "message"},
                     0);
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
  out.FieldIfAny(0, "VolumeMode", ScalarText(spec["volumeMode"]));
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
  out.FieldIfAny(0, "VolumeMode", ScalarText(spec["volumeMode"]));
  out.Field(0, "Capacity", ScalarText(spec["capacity"]["storage"]));
  std::string affinity;
  for (const json::Value& term : spec["nodeAffinity"]["required"]["nodeSelectorTerms"].items()) {
    affinity += (affinity.empty() ? "" : "\n") + cells::Selector(term);
  }
  out.Field(0, "Node Affinity", OrNone(affinity));
  out.Field(0, "Message", ScalarText(object["status"]["message"]));
  out.Title(0, "Source");
  for (const auto& [name, source] : spec.members()) {
    const bool is_source =
        source.is_object() && name != "claimRef" && name != "capacity" && name != "nodeAffinity";
    if (is_source) DescribeVolumeSource(out, 2, name, source);
  }
}

// Returns "web:http (10.1.0.3:80)".
std::string BackendText(const json::Value& backend, const Related& related) {
  const json::Value& service = backend["service"];
  if (!service.is_object()) {
    return backend["resource"]["kind"].StringOrEmpty() + "/" +
           backend["resource"]["name"].StringOrEmpty();
  }
  std::string port = ScalarText(service["port"]["name"]);
  if (port.empty()) port = ScalarText(service["port"]["number"]);
  const std::string& name = service["name"].StringOrEmpty();
  const auto found = related.backends.find(name);
  if (found == related.backends.end()) return name + ":" + port;
  const Backend& behind = found->second;
  if (!behind.error.empty()) return name + ":" + port + " (<error: " + behind.error + ">)";
  std::string port_name;
  for (const json::Value& one : behind.service["spec"]["ports"].items()) {
    if (ScalarText(one["name"]) == port || ScalarText(one["port"]) == port) {
      port_name = ScalarText(one["name"]);
    }
  }
  return name + ":" + port + " (" + EndpointsOf(behind.slices, port_name) + ")";
}

void Ingress(Description& out, const json::Value& object, const Related& related) {
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
  out.Field(0, "Default backend",
            backend.is_object() ? BackendText(backend, related) : "<default>");
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
    out.Row(1, {ScalarText(rule["host"], "*"), ""});
    for (const json::Value& path : rule["http"]["paths"].items()) {
      out.Row(1, {"", ScalarText(path["path"]) + " ", BackendText(path["backend"], related)});
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
    DescribeNode(out, object, related, now);
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
    Ingress(out, object, related);
  } else {
    return false;
  }
  return true;
}

}  // namespace kinformer::cli

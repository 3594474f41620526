// Columns of kinds for administrators: storage, access, policy, scaling.

#include <utility>

#include "table/columns.h"
#include "table/table_cells.h"

namespace kinformer::internal::table {
namespace {

using cells::AccessModes;
using cells::Age;
using cells::ContainerField;
using cells::Join;
using cells::Labels;
using cells::Name;
using cells::Number;
using cells::OrNone;
using cells::Scalar;
using cells::Selector;
using cells::TrueFalse;
using json::Value;
using Row = std::vector<std::string>;

// Returns a name, with a mark if an annotation makes it the default: "fast (default)".
std::string NameOfDefault(const Value& o, const char* annotation) {
  const bool is_default = o["metadata"]["annotations"][annotation].StringOrEmpty() == "true";
  return Name(o) + (is_default ? " (default)" : "");
}

Row ReplicationControllerRow(const Value& o, WallTime now) {
  return {Name(o),
          Number(o["spec"]["replicas"]),
          Number(o["status"]["replicas"]),
          Number(o["status"]["readyReplicas"]),
          Age(o, now),
          ContainerField(o["spec"]["template"]["spec"], "name"),
          ContainerField(o["spec"]["template"]["spec"], "image"),
          Labels(o["spec"]["selector"])};
}

Row EndpointsRow(const Value& o, WallTime now) {
  std::string all;
  std::size_t count = 0;
  constexpr std::size_t kShown = 3;
  for (const Value& subset : o["subsets"].items()) {
    const bool ports = subset["ports"].size() > 0;
    for (const Value& address : subset["addresses"].items()) {
      const std::string& ip = address["ip"].StringOrEmpty();
      if (!ports && ++count <= kShown) Join(all, ip);
      for (const Value& port : subset["ports"].items()) {
        const std::string host = ip.find(':') == std::string::npos ? ip : "[" + ip + "]";
        if (++count <= kShown) Join(all, host + ":" + Number(port["port"]));
      }
    }
  }
  if (count > kShown) all += " + " + std::to_string(count - kShown) + " more...";
  return {Name(o), OrNone(std::move(all)), Age(o, now)};
}

Row VolumeRow(const Value& o, WallTime now) {
  const Value& spec = o["spec"];
  const Value& claim = spec["claimRef"];
  std::string status = o["status"]["phase"].StringOrEmpty();
  if (!o["metadata"]["deletionTimestamp"].is_null()) status = "Terminating";
  return {Name(o),
          Scalar(spec["capacity"]["storage"]),
          AccessModes(spec["accessModes"]),
          spec["persistentVolumeReclaimPolicy"].StringOrEmpty(),
          std::move(status),
          claim.is_null()
              ? ""
              : claim["namespace"].StringOrEmpty() + "/" + claim["name"].StringOrEmpty(),
          spec["storageClassName"].StringOrEmpty(),
          OrNone(spec["volumeAttributesClassName"].StringOrEmpty(), "<unset>"),
          o["status"]["reason"].StringOrEmpty(),
          Age(o, now),
          OrNone(spec["volumeMode"].StringOrEmpty(), "<unset>")};
}

Row StorageClassRow(const Value& o, WallTime now) {
  return {NameOfDefault(o, "storageclass.kubernetes.io/is-default-class"),
          o["provisioner"].StringOrEmpty(),
          OrNone(o["reclaimPolicy"].StringOrEmpty(), "Delete"),
          OrNone(o["volumeBindingMode"].StringOrEmpty(), "Immediate"),
          TrueFalse(o["allowVolumeExpansion"]),
          Age(o, now)};
}

Row CreatedRow(const Value& o, WallTime) {
  return {Name(o), o["metadata"]["creationTimestamp"].StringOrEmpty()};
}

Row BindingRow(const Value& o, WallTime now) {
  std::string users;
  std::string groups;
  std::string accounts;
  for (const Value& subject : o["subjects"].items()) {
    const std::string& kind = subject["kind"].StringOrEmpty();
    const std::string& name = subject["name"].StringOrEmpty();
    if (kind == "User") Join(users, name);
    if (kind == "Group") Join(groups, name);
    if (kind == "ServiceAccount") Join(accounts, subject["namespace"].StringOrEmpty() + "/" + name);
  }
  const Value& role = o["roleRef"];
  return {Name(o),           role["kind"].StringOrEmpty() + "/" + role["name"].StringOrEmpty(),
          Age(o, now),       std::move(users),
          std::move(groups), std::move(accounts)};
}

Row QuotaRow(const Value& o, WallTime now) {
  std::string requests;
  std::string limits;
  for (const auto& [resource, hard] : o["status"]["hard"].members()) {
    std::string& list = resource.compare(0, 7, "limits.") == 0 ? limits : requests;
    if (!list.empty()) list += ", ";
    list += resource + ": " + Scalar(o["status"]["used"][resource]) + "/" + Scalar(hard);
  }
  return {Name(o), std::move(requests), std::move(limits), Age(o, now)};
}

Row DisruptionBudgetRow(const Value& o, WallTime now) {
  return {Name(o), OrNone(Scalar(o["spec"]["minAvailable"]), "N/A"),
          OrNone(Scalar(o["spec"]["maxUnavailable"]), "N/A"),
          Number(o["status"]["disruptionsAllowed"]), Age(o, now)};
}

Row NetworkPolicyRow(const Value& o, WallTime now) {
  return {Name(o), Selector(o["spec"]["podSelector"]), Age(o, now)};
}

Row IngressClassRow(const Value& o, WallTime now) {
  const Value& parameters = o["spec"]["parameters"];
  std::string text = parameters["kind"].StringOrEmpty();
  const std::string& group = parameters["apiGroup"].StringOrEmpty();
  if (!group.empty()) text += "." + group;
  if (!text.empty()) text += "/" + parameters["name"].StringOrEmpty();
  return {NameOfDefault(o, "ingressclass.kubernetes.io/is-default-class"),
          o["spec"]["controller"].StringOrEmpty(), OrNone(std::move(text)), Age(o, now)};
}

Row PriorityClassRow(const Value& o, WallTime now) {
  return {Name(o), Number(o["value"]), TrueFalse(o["globalDefault"]), Age(o, now),
          o["preemptionPolicy"].StringOrEmpty()};
}

Row RuntimeClassRow(const Value& o, WallTime now) {
  return {Name(o), o["handler"].StringOrEmpty(), Age(o, now)};
}

Row WebhooksRow(const Value& o, WallTime now) {
  return {Name(o), std::to_string(o["webhooks"].size()), Age(o, now)};
}

Row ApiServiceRow(const Value& o, WallTime now) {
  const Value& service = o["spec"]["service"];
  std::string available = "Unknown";
  for (const Value& condition : o["status"]["conditions"].items()) {
    if (condition["type"].StringOrEmpty() != "Available") continue;
    available = condition["status"].StringOrEmpty();
    if (available != "True") available += " (" + condition["reason"].StringOrEmpty() + ")";
  }
  return {Name(o),
          service.is_null()
              ? "Local"
              : service["namespace"].StringOrEmpty() + "/" + service["name"].StringOrEmpty(),
          std::move(available), Age(o, now)};
}

// Returns one metric of an autoscaler as "have/want": "cpu: 12%/80%".
std::string MetricTarget(const Value& spec, const Value& current) {
  const std::string& type = spec["type"].StringOrEmpty();
  std::string member = type;
  if (!member.empty()) member[0] = static_cast<char>(member[0] - 'A' + 'a');
  const Value& wanted = spec[member]["target"];
  const Value& have = current[member]["current"];
  const std::string name = type == "Resource" || type == "ContainerResource"
                               ? spec[member]["name"].StringOrEmpty() + ": "
                               : std::string();
  if (!wanted["averageUtilization"].is_null()) {
    const Value& now = have["averageUtilization"];
    return name + (now.is_null() ? "<unknown>" : Number(now) + "%") + "/" +
           Number(wanted["averageUtilization"]) + "%";
  }
  const bool average = !wanted["averageValue"].is_null();
  const char* const field = average ? "averageValue" : "value";
  return name + OrNone(Scalar(have[field]), "<unknown>") + "/" + Scalar(wanted[field]) +
         (average && type != "Resource" && type != "ContainerResource" ? " (avg)" : "");
}

Row AutoscalerRow(const Value& o, WallTime now) {
  const Value& target = o["spec"]["scaleTargetRef"];
  const Value& current = o["status"]["currentMetrics"];
  std::string targets;
  std::size_t i = 0;
  static const Value kNothing;
  for (const Value& metric : o["spec"]["metrics"].items()) {
    const Value& have = i < current.size() ? current[i] : kNothing;
    if (!targets.empty()) targets += ", ";
    targets += MetricTarget(metric, have);
    ++i;
  }
  return {Name(o),
          target["kind"].StringOrEmpty() + "/" + target["name"].StringOrEmpty(),
          OrNone(std::move(targets)),
          OrNone(Scalar(o["spec"]["minReplicas"]), "<unset>"),
          Number(o["spec"]["maxReplicas"]),
          Number(o["status"]["currentReplicas"]),
          Age(o, now)};
}

}  // namespace

void AddClusterTables(ColumnsByKind& tables) {
  const Columns created = {{{"Name"}, {"Created At", false, "date"}}, CreatedRow};
  const Columns binding = {
      {{"Name"}, {"Role"}, {"Age"}, {"Users", true}, {"Groups", true}, {"ServiceAccounts", true}},
      BindingRow};
  const Columns webhooks = {{{"Name"}, Integer("Webhooks"), {"Age"}}, WebhooksRow};
  tables.insert({
      {"ReplicationController.",
       {{{"Name"},
         Integer("Desired"),
         Integer("Current"),
         Integer("Ready"),
         {"Age"},
         {"Containers", true},
         {"Images", true},
         {"Selector", true}},
        ReplicationControllerRow}},
      {"Endpoints.", {{{"Name"}, {"Endpoints"}, {"Age"}}, EndpointsRow}},

      {"PersistentVolume.",
       {{{"Name"},
         {"Capacity"},
         {"Access Modes"},
         {"Reclaim Policy"},
         {"Status"},
         {"Claim"},
         {"StorageClass"},
         {"VolumeAttributesClass"},
         {"Reason"},
         {"Age"},
         {"VolumeMode", true}},
        VolumeRow}},
      {"StorageClass.storage.k8s.io",
       {{{"Name"},
         {"Provisioner"},
         {"ReclaimPolicy"},
         {"VolumeBindingMode"},
         Literal("AllowVolumeExpansion"),
         {"Age"}},
        StorageClassRow}},
      {"LimitRange.", created},
      {"Role.rbac.authorization.k8s.io", created},
      {"ClusterRole.rbac.authorization.k8s.io", created},
      {"RoleBinding.rbac.authorization.k8s.io", binding},
      {"ClusterRoleBinding.rbac.authorization.k8s.io", binding},
      {"ResourceQuota.", {{{"Name"}, {"Request"}, {"Limit"}, {"Age"}}, QuotaRow}},
      {"PodDisruptionBudget.policy",
       {{{"Name"}, {"Min Available"}, {"Max Unavailable"}, Integer("Allowed Disruptions"), {"Age"}},
        DisruptionBudgetRow}},
      {"NetworkPolicy.networking.k8s.io",
       {{{"Name"}, {"Pod-Selector"}, {"Age"}}, NetworkPolicyRow}},
      {"IngressClass.networking.k8s.io",
       {{{"Name"}, {"Controller"}, {"Parameters"}, {"Age"}}, IngressClassRow}},
      {"PriorityClass.scheduling.k8s.io",
       {{{"Name"}, Integer("Value"), Boolean("Global-Default"), {"Age"}, {"PreemptionPolicy"}},
        PriorityClassRow}},
      {"RuntimeClass.node.k8s.io", {{{"Name"}, {"Handler"}, {"Age"}}, RuntimeClassRow}},
      {"MutatingWebhookConfiguration.admissionregistration.k8s.io", webhooks},
      {"ValidatingWebhookConfiguration.admissionregistration.k8s.io", webhooks},
      {"APIService.apiregistration.k8s.io",
       {{{"Name"}, {"Service"}, {"Available"}, {"Age"}}, ApiServiceRow}},
      {"HorizontalPodAutoscaler.autoscaling",
       {{{"Name"},
         {"Reference"},
         {"Targets"},
         {"MinPods"},
         Literal("MaxPods"),
         Literal("Replicas"),
         {"Age"}},
        AutoscalerRow}},
  });
}

}  // namespace kinformer::internal::table

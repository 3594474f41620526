// Descriptions of accounts, roles, classes, quotas and disruption budgets.

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
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

std::string NamesOf(const json::Value& references) {
  std::string names;
  for (const json::Value& one : references.items()) {
    names += (names.empty() ? "" : "\n") + one["name"].StringOrEmpty();
  }
  return OrNone(names);
}

void ServiceAccount(Description& out, const json::Value& object) {
  DescribeHead(out, object);
  LabelsAndAnnotations(out, object);
  out.Field(0, "Image pull secrets", NamesOf(object["imagePullSecrets"]));
  out.Field(0, "Mountable secrets", NamesOf(object["secrets"]));
  // Tokens in secrets are of the past.
  out.Field(0, "Tokens", "<none>");
}

// One line for each resource of each rule, in the order of verbs, groups and resources.
void Role(Description& out, const json::Value& object) {
  DescribeHead(out, object, /*namespaced=*/false);
  LabelsAndAnnotations(out, object);
  out.Title(0, "PolicyRule");
  out.Row(1, {"Resources", "Non-Resource URLs", "Resource Names", "Verbs"});
  out.Row(1, {"---------", "-----------------", "--------------", "-----"});
  std::vector<std::pair<std::string, std::vector<std::string>>> rows;
  const auto add = [&](const json::Value& rule, const std::string& group, std::string resource,
                       const std::string& url) {
    const std::string verbs = InBrackets(rule["verbs"]);
    std::string order = verbs;
    order.append(1, '\0').append(group).append(1, '\0').append(resource);
    if (!group.empty()) resource += "." + group;
    const std::string names = url.empty() ? InBrackets(rule["resourceNames"]) : "[]";
    rows.emplace_back(std::move(order),
                      std::vector<std::string>{std::move(resource), "[" + url + "]", names, verbs});
  };
  for (const json::Value& rule : object["rules"].items()) {
    for (const json::Value& resource : rule["resources"].items()) {
      for (const json::Value& group : rule["apiGroups"].items()) {
        add(rule, group.StringOrEmpty(), resource.StringOrEmpty(), "");
      }
    }
    for (const json::Value& url : rule["nonResourceURLs"].items()) {
      add(rule, "", "", url.StringOrEmpty());
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [order, row] : rows) out.Row(1, std::move(row));
}

void RoleBinding(Description& out, const json::Value& object) {
  DescribeHead(out, object, /*namespaced=*/false);
  LabelsAndAnnotations(out, object);
  out.Title(0, "Role");
  out.Field(1, "Kind", object["roleRef"]["kind"].StringOrEmpty());
  out.Field(1, "Name", object["roleRef"]["name"].StringOrEmpty());
  out.Title(0, "Subjects");
  out.Row(1, {"Kind", "Name", "Namespace"});
  out.Row(1, {"----", "----", "---------"});
  for (const json::Value& subject : object["subjects"].items()) {
    out.Row(1, {subject["kind"].StringOrEmpty(), subject["name"].StringOrEmpty(),
                subject["namespace"].StringOrEmpty()});
  }
}

void StorageClass(Description& out, const json::Value& object) {
  const json::Value& meta = object["metadata"];
  constexpr std::string_view kDefault = "storageclass.kubernetes.io/is-default-class";
  DescribeHead(out, object, /*namespaced=*/false);
  out.Field(0, "IsDefaultClass",
            meta["annotations"][kDefault].StringOrEmpty() == "true" ? "Yes" : "No");
  out.Field(0, "Annotations", cells::Labels(meta["annotations"]));
  out.Field(0, "Provisioner", object["provisioner"].StringOrEmpty());
  out.Field(0, "Parameters", cells::Labels(object["parameters"]));
  const json::Value& grows = object["allowVolumeExpansion"];
  out.Field(0, "AllowVolumeExpansion",
            grows.is_null() ? "<unset>" : TrueFalse(grows.AsBool().value_or(false)));
  if (object["mountOptions"].size() == 0) {
    out.Field(0, "MountOptions", "<none>");
  } else {
    out.Title(0, "MountOptions");
    for (const json::Value& one : object["mountOptions"].items()) {
      out.Text(1, one.StringOrEmpty());
    }
  }
  out.FieldIfAny(0, "ReclaimPolicy", ScalarText(object["reclaimPolicy"]));
  out.FieldIfAny(0, "VolumeBindingMode", ScalarText(object["volumeBindingMode"]));
}

void DisruptionBudget(Description& out, const json::Value& object) {
  const json::Value& spec = object["spec"];
  const json::Value& status = object["status"];
  DescribeHead(out, object);
  out.FieldIfAny(0, "Min available", ScalarText(spec["minAvailable"]));
  out.FieldIfAny(0, "Max unavailable", ScalarText(spec["maxUnavailable"]));
  out.Field(0, "Selector",
            spec["selector"].is_object() ? cells::Selector(spec["selector"]) : "<unset>");
  out.Title(0, "Status");
  out.Field(2, "Allowed disruptions", ScalarText(status["disruptionsAllowed"], "0"));
  out.Field(2, "Current", ScalarText(status["currentHealthy"], "0"));
  out.Field(2, "Desired", ScalarText(status["desiredHealthy"], "0"));
  out.Field(2, "Total", ScalarText(status["expectedPods"], "0"));
}

void Quota(Description& out, const json::Value& object) {
  const json::Value& status = object["status"];
  out.Row(0, {"Name:", object["metadata"]["name"].StringOrEmpty()});
  out.Row(0, {"Namespace:", object["metadata"]["namespace"].StringOrEmpty()});
  if (object["spec"]["scopes"].size() != 0) {
    out.Field(0, "Scopes", cells::Joined(object["spec"]["scopes"]));
  }
  out.Row(0, {"Resource", "Used", "Hard"});
  out.Row(0, {"--------", "----", "----"});
  for (const std::string& name : SortedNames(status["hard"])) {
    out.Row(0, {name, ScalarText(status["used"][name], "0"), ScalarText(status["hard"][name])});
  }
}

void PriorityClass(Description& out, const json::Value& object) {
  DescribeHead(out, object, /*namespaced=*/false);
  out.Field(0, "Value", ScalarText(object["value"], "0"));
  out.Field(0, "PreemptionPolicy", ScalarText(object["preemptionPolicy"]));
  out.Field(0, "GlobalDefault", ScalarText(object["globalDefault"], "false"));
  out.Field(0, "Description", object["description"].StringOrEmpty());
  out.Field(0, "Annotations", cells::Labels(object["metadata"]["annotations"]));
}

}  // namespace

bool DescribePolicy(Description& out, const json::Value& object) {
  const std::string kind =
      object["apiVersion"].StringOrEmpty() + "/" + object["kind"].StringOrEmpty();
  const std::string rbac = "rbac.authorization.k8s.io/v1/";
  if (kind == "v1/ServiceAccount") {
    ServiceAccount(out, object);
  } else if (kind == rbac + "Role" || kind == rbac + "ClusterRole") {
    Role(out, object);
  } else if (kind == rbac + "RoleBinding" || kind == rbac + "ClusterRoleBinding") {
    RoleBinding(out, object);
  } else if (kind == "storage.k8s.io/v1/StorageClass") {
    StorageClass(out, object);
  } else if (kind == "policy/v1/PodDisruptionBudget") {
    DisruptionBudget(out, object);
  } else if (kind == "v1/ResourceQuota") {
    Quota(out, object);
  } else if (kind == "scheduling.k8s.io/v1/PriorityClass") {
    PriorityClass(out, object);
  } else {
    return false;
  }
  return true;
}

}  // namespace kinformer::cli

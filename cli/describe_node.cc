// Descriptions of nodes, with what their pods request.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/object/quantity.h"

#include "cli/description.h"
#include "table/age.h"
#include "table/table_cells.h"

namespace kinformer::cli {
namespace {

namespace cells = internal::table::cells;
using resource::Quantity;
using Amounts = std::map<std::string, Quantity>;

Quantity AmountOf(const json::Value& value) {
  const Result<Quantity> amount = Quantity::Parse(ScalarText(value, "0"));
  return amount ? *amount : Quantity();
}

Amounts AmountsOf(const json::Value& map) {
  Amounts amounts;
  for (const auto& [name, value] : map.members()) amounts[name] = AmountOf(value);
  return amounts;
}

void Add(Amounts& sum, const Amounts& other) {
  for (const auto& [name, amount] : other) sum[name] += amount;
}

void TakeLarger(Amounts& largest, const Amounts& other) {
  for (const auto& [name, amount] : other) {
    if (amount > largest[name]) largest[name] = amount;
  }
}

// Returns what a pod needs at most at a time: its containers together, or one of those that run
// before them. `what`: "requests" or "limits".
Amounts AmountsOfPod(const json::Value& pod, const char* what) {
  const json::Value& spec = pod["spec"];
  Amounts sum;
  for (const json::Value& container : spec["containers"].items()) {
    Add(sum, AmountsOf(container["resources"][what]));
  }
  Amounts sidecars;
  Amounts before;
  for (const json::Value& container : spec["initContainers"].items()) {
    Amounts own = AmountsOf(container["resources"][what]);
    if (container["restartPolicy"].StringOrEmpty() == "Always") {
      Add(sum, own);
      Add(sidecars, own);
      own = sidecars;
    } else {
      Add(own, sidecars);
    }
    TakeLarger(before, own);
  }
  TakeLarger(sum, before);
  for (const auto& [name, amount] : AmountsOf(pod["spec"]["resources"][what])) sum[name] = amount;
  for (const auto& [name, amount] : AmountsOf(spec["overhead"])) {
    if (std::string_view(what) == "requests" || sum.contains(name)) sum[name] += amount;
  }
  return sum;
}

// Returns "100m (2%)".
std::string Share(const Amounts& amounts, const std::string& name, const json::Value& all) {
  const auto found = amounts.find(name);
  const Quantity amount = found == amounts.end() ? Quantity() : found->second;
  const Quantity total = AmountOf(all[name]);
  const bool milli = name == "cpu";
  const std::int64_t part = milli ? amount.MilliValue() : amount.Value();
  const std::int64_t whole = milli ? total.MilliValue() : total.Value();
  const double percent =
      whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole) * 100;
  return amount.ToString() + " (" + std::to_string(static_cast<std::int64_t>(percent)) + "%)";
}

void PodsOfNode(Description& out, const json::Value& all, const std::vector<json::Value>& pods,
                WallTime now) {
  out.Field(0, "Non-terminated Pods", "(" + std::to_string(pods.size()) + " in total)");
  out.Row(1, {"Namespace", "Name", "", "CPU Requests", "CPU Limits", "Memory Requests",
              "Memory Limits", "Age"});
  out.Row(1, {"---------", "----", "", "------------", "----------", "---------------",
              "-------------", "---"});
  for (const json::Value& pod : pods) {
    const json::Value& meta = pod["metadata"];
    const Amounts requests = AmountsOfPod(pod, "requests");
    const Amounts limits = AmountsOfPod(pod, "limits");
    out.Row(1, {meta["namespace"].StringOrEmpty(), meta["name"].StringOrEmpty(), "",
                Share(requests, "cpu", all), Share(limits, "cpu", all),
                Share(requests, "memory", all), Share(limits, "memory", all),
                internal::table::AgeOf(meta["creationTimestamp"].StringOrEmpty(), now)});
  }
}

void AllocatedResources(Description& out, const json::Value& all,
                        const std::vector<json::Value>& pods) {
  Amounts requests;
  Amounts limits;
  for (const json::Value& pod : pods) {
    Add(requests, AmountsOfPod(pod, "requests"));
    Add(limits, AmountsOfPod(pod, "limits"));
  }
  out.Title(0, "Allocated resources");
  out.Text(1, "(Total limits may be over 100 percent, i.e., overcommitted.)");
  out.Row(1, {"Resource", "Requests", "Limits"});
  out.Row(1, {"--------", "--------", "------"});
  std::vector<std::string> shared{"cpu", "memory", "ephemeral-storage"};
  std::vector<std::string> counted;
  for (const std::string& name : SortedNames(all)) {
    if (name == "cpu" || name == "memory" || name == "ephemeral-storage" || name == "pods") {
      continue;
    }
    (name.starts_with("hugepages-") ? shared : counted).push_back(name);
  }
  for (const std::string& name : shared) {
    out.Row(1, {name, Share(requests, name, all), Share(limits, name, all)});
  }
  for (const std::string& name : counted) {
    out.Row(1, {name, requests[name].ToString(), limits[name].ToString()});
  }
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

void Lease(Description& out, const Related& related) {
  if (!related.lease_error.empty()) {
    out.Field(0, "Lease", "Failed to get lease: " + related.lease_error);
    return;
  }
  const json::Value& spec = related.lease["spec"];
  const auto time = [&](const char* name) {
    return spec[name].is_string() ? TimeText(spec[name].StringOrEmpty()) : "<unset>";
  };
  out.Title(0, "Lease");
  out.Field(1, "HolderIdentity", ScalarText(spec["holderIdentity"], "<unset>"));
  out.Field(1, "AcquireTime", time("acquireTime"));
  out.Field(1, "RenewTime", time("renewTime"));
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
                           Part{"Kubelet Version", "kubeletVersion"},
                           Part{"Kube-Proxy Version", "kubeProxyVersion"}}) {
    out.Field(1, part.label, info[part.field].StringOrEmpty());
  }
}

}  // namespace

void DescribeNode(Description& out, const json::Value& object, const Related& related,
                  WallTime now) {
  const json::Value& meta = object["metadata"];
  const json::Value& status = object["status"];
  DescribeHead(out, object, /*namespaced=*/false);
  out.Field(0, "Roles", RolesOf(object));
  out.Labels(0, "Labels", meta["labels"]);
  out.Annotations(0, "Annotations", meta["annotations"]);
  out.Field(0, "CreationTimestamp", TimeText(meta["creationTimestamp"].StringOrEmpty()));
  out.Field(0, "Taints", TaintsOf(object));
  out.Field(0, "Unschedulable",
            object["spec"]["unschedulable"].AsBool().value_or(false) ? "true" : "false");
  Lease(out, related);
  DescribeConditions(
      out, status["conditions"],
      {"type", "status", "lastHeartbeatTime", "lastTransitionTime", "reason", "message"}, 5);
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
  const json::Value& all = status[status["allocatable"].size() != 0 ? "allocatable" : "capacity"];
  PodsOfNode(out, all, related.pods, now);
  AllocatedResources(out, all, related.pods);
}

}  // namespace kinformer::cli

// The columns of the kinds that ask a controller for something or tell it what to do: certificates
// of pods, migrations of storage, taints of devices, groups of pods.

#include <utility>

#include "table/age.h"
#include "table/columns.h"
#include "table/table_cells.h"

namespace kinformer::internal::table {
namespace {

using cells::Age;
using cells::Labels;
using cells::Name;
using cells::OrNone;
using json::Value;
using Row = std::vector<std::string>;

Row TrustBundleRow(const Value& o, WallTime) {
  return {Name(o), OrNone(o["spec"]["signerName"].StringOrEmpty())};
}

Row PodCertificateRow(const Value& o, WallTime) {
  std::string state = "Pending";
  for (const Value& condition : o["status"]["conditions"].items()) {
    const std::string& type = condition["type"].StringOrEmpty();
    if (type == "Issued" || type == "Denied" || type == "Failed") state = type;
  }
  const Value& spec = o["spec"];
  return {Name(o),
          spec["podName"].StringOrEmpty(),
          spec["serviceAccountName"].StringOrEmpty(),
          spec["nodeName"].StringOrEmpty(),
          spec["signerName"].StringOrEmpty(),
          std::move(state),
          Labels(spec["unverifiedUserAnnotations"])};
}

Row MigrationRow(const Value& o, WallTime) {
  const Value& resource = o["spec"]["resource"];
  std::string what = resource["resource"].StringOrEmpty();
  const std::string& group = resource["group"].StringOrEmpty();
  if (!group.empty()) what += "." + group;
  std::string status = "Unknown";
  for (const Value& condition : o["status"]["conditions"].items()) {
    const std::string& type = condition["type"].StringOrEmpty();
    if (condition["status"].StringOrEmpty() != "True") continue;
    if (type == "Running" || type == "Failed" || type == "Succeeded") status = type;
  }
  return {Name(o), std::move(what), std::move(status)};
}

Row TaintRuleRow(const Value& o, WallTime now) {
  const Value& taint = o["spec"]["taint"];
  const std::string& added = taint["timeAdded"].StringOrEmpty();
  return {Name(o),
          taint["key"].StringOrEmpty(),
          taint["value"].StringOrEmpty(),
          taint["effect"].StringOrEmpty(),
          added.empty() ? std::string() : AgeOf(added, now),
          Age(o, now)};
}

// Returns the cells that both kinds of groups have: name, policy, workload.
Row GroupCells(const Value& o) {
  const Value& spec = o["spec"];
  const Value& workload = spec["workloadRef"];
  return {Name(o), spec["schedulingPolicy"]["gang"].is_null() ? "Basic" : "Gang",
          workload.is_null() ? "<none>" : workload["workloadName"].StringOrEmpty()};
}

Row PodGroupRow(const Value& o, WallTime now) {
  std::string status = "Pending";
  std::string disrupted;
  bool is_disrupted = false;
  for (const Value& condition : o["status"]["conditions"].items()) {
    const std::string& type = condition["type"].StringOrEmpty();
    if (type == "PodGroupInitiallyScheduled") {
      status = condition["status"].StringOrEmpty() == "True" ? "Scheduled" : "Unschedulable";
    }
    if (type == "DisruptionTarget") {
      is_disrupted = true;
      disrupted = condition["reason"].StringOrEmpty();
    }
  }
  Row row = GroupCells(o);
  row.push_back(is_disrupted ? std::move(disrupted) : std::move(status));
  row.push_back(Age(o, now));
  return row;
}

Row CompositeGroupRow(const Value& o, WallTime now) {
  Row row = GroupCells(o);
  row.push_back(Age(o, now));
  return row;
}

}  // namespace

void AddRequestTables(ColumnsByKind& tables) {
  tables.insert({
      {"ClusterTrustBundle.certificates.k8s.io", {{{"Name"}, {"SignerName"}}, TrustBundleRow}},
      {"PodCertificateRequest.certificates.k8s.io",
       {{{"Name"},
         {"PodName"},
         {"ServiceAccountName"},
         {"NodeName"},
         {"SignerName"},
         {"State"},
         {"UnverifiedUserAnnotations"}},
        PodCertificateRow}},
      {"StorageVersionMigration.storagemigration.k8s.io",
       {{{"Name"}, {"Resource"}, {"Status"}}, MigrationRow}},
      {"DeviceTaintRule.resource.k8s.io",
       {{{"Name"}, {"Key"}, {"Value"}, {"Effect"}, {"TimeAdded"}, {"Age"}}, TaintRuleRow}},
      {"PodGroup.scheduling.k8s.io",
       {{{"Name"}, {"Policy"}, {"Workload"}, {"Status"}, {"Age"}}, PodGroupRow}},
      {"CompositePodGroup.scheduling.k8s.io",
       {{{"Name"}, {"Policy"}, {"Workload"}, {"Age"}}, CompositeGroupRow}},
  });
}

}  // namespace kinformer::internal::table

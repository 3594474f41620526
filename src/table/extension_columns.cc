// The columns of the kinds that extend a cluster: admission, devices, drivers, flow control.

#include <utility>

#include "table/age.h"
#include "table/columns.h"
#include "table/table_cells.h"

namespace kinformer::internal::table {
namespace {

using cells::Age;
using cells::ContainerField;
using cells::Join;
using cells::Joined;
using cells::Labels;
using cells::Name;
using cells::Number;
using cells::OrNone;
using cells::Scalar;
using cells::TrueFalse;
using json::Value;
using Row = std::vector<std::string>;

// Returns the status of the condition with that type, or `otherwise` if it is absent.
std::string ConditionStatus(const Value& object, const char* type, const char* otherwise) {
  for (const Value& condition : object["status"]["conditions"].items()) {
    if (condition["type"].StringOrEmpty() == type) return condition["status"].StringOrEmpty();
  }
  return otherwise;
}

Row ComponentStatusRow(const Value& o, WallTime) {
  std::string status = "Unknown";
  std::string message;
  std::string error;
  for (const Value& condition : o["conditions"].items()) {
    if (condition["type"].StringOrEmpty() != "Healthy") continue;
    const std::string& healthy = condition["status"].StringOrEmpty();
    if (healthy == "True") status = "Healthy";
    if (healthy == "False") status = "Unhealthy";
    message = condition["message"].StringOrEmpty();
    error = condition["error"].StringOrEmpty();
    if (error == "nil") error.clear();
  }
  return {Name(o), std::move(status), std::move(message), std::move(error)};
}

Row PodTemplateRow(const Value& o, WallTime) {
  const Value& pod = o["template"]["spec"];
  return {Name(o), ContainerField(pod, "name"), ContainerField(pod, "image"),
          Labels(o["template"]["metadata"]["labels"])};
}

Row ControllerRevisionRow(const Value& o, WallTime now) {
  std::string controller;
  for (const Value& owner : o["metadata"]["ownerReferences"].items()) {
    if (!owner["controller"].AsBool().value_or(false)) continue;
    for (const char c : owner["kind"].StringOrEmpty()) {
      controller += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    }
    const std::string& api = owner["apiVersion"].StringOrEmpty();
    const std::size_t slash = api.find('/');
    if (slash != std::string::npos) controller += "." + api.substr(0, slash);
    controller += "/" + owner["name"].StringOrEmpty();
  }
  return {Name(o), OrNone(std::move(controller)), Number(o["revision"]), Age(o, now)};
}

Row SigningRequestRow(const Value& o, WallTime now) {
  const Value& spec = o["spec"];
  bool approved = false;
  bool denied = false;
  bool failed = false;
  for (const Value& condition : o["status"]["conditions"].items()) {
    const std::string& type = condition["type"].StringOrEmpty();
    approved = approved || type == "Approved";
    denied = denied || type == "Denied";
    failed = failed || type == "Failed";
  }
  std::string condition = denied ? "Denied" : approved ? "Approved" : "Pending";
  if (failed) condition += ",Failed";
  if (!o["status"]["certificate"].StringOrEmpty().empty()) condition += ",Issued";
  const auto seconds = spec["expirationSeconds"].AsInt64();
  return {Name(o),
          Age(o, now),
          OrNone(spec["signerName"].StringOrEmpty()),
          spec["username"].StringOrEmpty(),
          seconds ? HumanDuration(std::chrono::seconds(*seconds)) : "<none>",
          std::move(condition)};
}

Row IpAddressRow(const Value& o, WallTime) {
  const Value& parent = o["spec"]["parentRef"];
  std::string text;
  for (const char* const part : {"group", "resource", "namespace", "name"}) {
    const std::string& value = parent[part].StringOrEmpty();
    if (value.empty()) continue;
    if (!text.empty()) text += std::string_view(part) == "resource" ? "." : "/";
    text += value;
  }
  return {Name(o), OrNone(std::move(text))};
}

Row ServiceCidrRow(const Value& o, WallTime now) {
  return {Name(o), Joined(o["spec"]["cidrs"]), Age(o, now)};
}

Row DriverRow(const Value& o, WallTime now) {
  const Value& spec = o["spec"];
  std::string audiences;
  for (const Value& request : spec["tokenRequests"].items()) {
    Join(audiences, request["audience"].StringOrEmpty());
  }
  return {Name(o),
          spec["attachRequired"].AsBool().value_or(true) ? "true" : "false",
          TrueFalse(spec["podInfoOnMount"]),
          TrueFalse(spec["storageCapacity"]),
          OrNone(std::move(audiences), "<unset>"),
          TrueFalse(spec["requiresRepublish"]),
          OrNone(Joined(spec["volumeLifecycleModes"])),
          Age(o, now)};
}

Row DriverNodeRow(const Value& o, WallTime now) {
  return {Name(o), std::to_string(o["spec"]["drivers"].size()), Age(o, now)};
}

Row CreatedRow(const Value& o, WallTime) {
  return {Name(o), o["metadata"]["creationTimestamp"].StringOrEmpty()};
}

Row AttachmentRow(const Value& o, WallTime now) {
  const Value& spec = o["spec"];
  return {Name(o),
          spec["attacher"].StringOrEmpty(),
          spec["source"]["persistentVolumeName"].StringOrEmpty(),
          spec["nodeName"].StringOrEmpty(),
          TrueFalse(o["status"]["attached"]),
          Age(o, now)};
}

Row AttributesClassRow(const Value& o, WallTime now) {
  return {Name(o), o["driverName"].StringOrEmpty(), Age(o, now)};
}

Row PolicyRow(const Value& o, const char* rules, WallTime now) {
  const Value& kind = o["spec"]["paramKind"];
  return {Name(o), std::to_string(o["spec"][rules].size()),
          kind.is_null() ? "<unset>"
                         : kind["apiVersion"].StringOrEmpty() + "/" + kind["kind"].StringOrEmpty(),
          Age(o, now)};
}

// A selector is printed like Go prints the struct, as the real server does.
std::string ParameterOf(const Value& reference) {
  if (reference.is_null()) return "<unset>";
  const Value& selector = reference["selector"];
  if (selector.is_null()) {
    const std::string& name_space = reference["namespace"].StringOrEmpty();
    const std::string& name = reference["name"].StringOrEmpty();
    return name_space.empty() ? name : name_space + "/" + name;
  }
  std::string labels;
  for (const auto& [name, value] : selector["matchLabels"].members()) {
    labels += name + ": " + value.StringOrEmpty() + ",";
  }
  std::string expressions;
  for (const Value& expression : selector["matchExpressions"].items()) {
    std::string values;
    for (const Value& value : expression["values"].items()) {
      values += (values.empty() ? "" : " ") + value.StringOrEmpty();
    }
    expressions += "LabelSelectorRequirement{Key:" + expression["key"].StringOrEmpty() +
                   ",Operator:" + expression["operator"].StringOrEmpty() + ",Values:[" + values +
                   "],},";
  }
  return "&LabelSelector{MatchLabels:map[string]string{" + labels +
         "},MatchExpressions:[]LabelSelectorRequirement{" + expressions + "},}";
}

Row PolicyBindingRow(const Value& o, WallTime now) {
  return {Name(o), o["spec"]["policyName"].StringOrEmpty(), ParameterOf(o["spec"]["paramRef"]),
          Age(o, now)};
}

Row ClaimOfDevicesRow(const Value& o, WallTime now) {
  std::string state;
  if (!o["metadata"]["deletionTimestamp"].is_null()) Join(state, "deleted");
  if (o["status"]["allocation"].is_null()) {
    if (state.empty()) Join(state, "pending");
  } else {
    Join(state, "allocated");
    if (o["status"]["reservedFor"].size() > 0) Join(state, "reserved");
  }
  return {Name(o), std::move(state), Age(o, now)};
}

Row SliceOfDevicesRow(const Value& o, WallTime now) {
  const Value& spec = o["spec"];
  return {Name(o), spec["nodeName"].StringOrEmpty(), spec["driver"].StringOrEmpty(),
          spec["pool"]["name"].StringOrEmpty(), Age(o, now)};
}

Row FlowSchemaRow(const Value& o, WallTime now) {
  const Value& spec = o["spec"];
  return {Name(o),
          spec["priorityLevelConfiguration"]["name"].StringOrEmpty(),
          Number(spec["matchingPrecedence"]),
          OrNone(spec["distinguisherMethod"]["type"].StringOrEmpty()),
          Age(o, now),
          ConditionStatus(o, "Dangling", "?")};
}

Row PriorityLevelRow(const Value& o, WallTime now) {
  const Value& limited = o["spec"]["limited"];
  const Value& queuing = limited["limitResponse"]["queuing"];
  return {Name(o),
          o["spec"]["type"].StringOrEmpty(),
          OrNone(Scalar(limited["nominalConcurrencyShares"])),
          OrNone(Scalar(queuing["queues"])),
          OrNone(Scalar(queuing["handSize"])),
          OrNone(Scalar(queuing["queueLengthLimit"])),
          Age(o, now)};
}

}  // namespace

void AddExtensionTables(ColumnsByKind& tables) {
  const Columns binding = {{{"Name"}, {"PolicyName"}, {"ParamRef"}, {"Age"}}, PolicyBindingRow};
  const auto policy = [](const char* title, const char* rules) {
    return Columns{{{"Name"}, Integer(title), {"ParamKind"}, {"Age"}},
                   [rules](const Value& o, WallTime now) { return PolicyRow(o, rules, now); }};
  };
  tables.insert({
      {"ComponentStatus.", {{{"Name"}, {"Status"}, {"Message"}, {"Error"}}, ComponentStatusRow}},
      {"PodTemplate.", {{{"Name"}, {"Containers"}, {"Images"}, {"Pod Labels"}}, PodTemplateRow}},
      {"ControllerRevision.apps",
       {{{"Name"}, {"Controller"}, Literal("Revision"), {"Age"}}, ControllerRevisionRow}},
      {"CertificateSigningRequest.certificates.k8s.io",
       {{{"Name"}, {"Age"}, {"SignerName"}, {"Requestor"}, {"RequestedDuration"}, {"Condition"}},
        SigningRequestRow}},
      {"IPAddress.networking.k8s.io", {{{"Name"}, {"ParentRef"}}, IpAddressRow}},
      {"ServiceCIDR.networking.k8s.io", {{{"Name"}, {"CIDRs"}, {"Age"}}, ServiceCidrRow}},
      {"CSIDriver.storage.k8s.io",
       {{{"Name"},
         Boolean("AttachRequired"),
         Boolean("PodInfoOnMount"),
         Boolean("StorageCapacity"),
         {"TokenRequests"},
         Boolean("RequiresRepublish"),
         {"Modes"},
         {"Age"}},
        DriverRow}},
      {"CSINode.storage.k8s.io", {{{"Name"}, Integer("Drivers"), {"Age"}}, DriverNodeRow}},
      {"CSIStorageCapacity.storage.k8s.io",
       {{{"Name"}, {"Created At", false, "date"}}, CreatedRow}},
      {"VolumeAttachment.storage.k8s.io",
       {{{"Name"}, {"Attacher"}, {"PV"}, {"Node"}, Boolean("Attached"), {"Age"}}, AttachmentRow}},
      {"VolumeAttributesClass.storage.k8s.io",
       {{{"Name"}, {"DriverName"}, {"Age"}}, AttributesClassRow}},
      {"ValidatingAdmissionPolicy.admissionregistration.k8s.io",
       policy("Validations", "validations")},
      {"MutatingAdmissionPolicy.admissionregistration.k8s.io", policy("Mutations", "mutations")},
      {"ValidatingAdmissionPolicyBinding.admissionregistration.k8s.io", binding},
      {"MutatingAdmissionPolicyBinding.admissionregistration.k8s.io", binding},
      {"ResourceClaim.resource.k8s.io", {{{"Name"}, {"State"}, {"Age"}}, ClaimOfDevicesRow}},
      {"ResourceSlice.resource.k8s.io",
       {{{"Name"}, {"Node"}, {"Driver"}, {"Pool"}, {"Age"}}, SliceOfDevicesRow}},
      {"FlowSchema.flowcontrol.apiserver.k8s.io",
       {{{"Name"},
         {"PriorityLevel"},
         Literal("MatchingPrecedence"),
         {"DistinguisherMethod"},
         {"Age"},
         {"MissingPL"}},
        FlowSchemaRow}},
      {"PriorityLevelConfiguration.flowcontrol.apiserver.k8s.io",
       {{{"Name"},
         {"Type"},
         {"NominalConcurrencyShares"},
         {"Queues"},
         {"HandSize"},
         {"QueueLengthLimit"},
         {"Age"}},
        PriorityLevelRow}},
  });
}

}  // namespace kinformer::internal::table

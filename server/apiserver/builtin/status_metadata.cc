#include "apiserver/builtin/status_metadata.h"

#include <array>

namespace kinformer::apiserver {
namespace {

constexpr auto kAll =
    std::to_array<std::string_view>({"labels", "annotations", "finalizers", "ownerReferences"});
constexpr auto kLabels = std::to_array<std::string_view>({"labels"});
constexpr auto kOwners = std::to_array<std::string_view>({"ownerReferences"});

struct Rule {
  std::string_view group;
  std::string_view plural;
  std::span<const std::string_view> kept;
};

// The rules of kube-apiserver 1.37. SRV-STATUS in test/conformance/server_checks.txt checks them
// for each kind.
constexpr std::array kRules = {
    Rule{.group = "", .plural = "pods", .kept = kOwners},
    Rule{.group = "apps", .plural = "deployments", .kept = kLabels},
    Rule{.group = "admissionregistration.k8s.io",
         .plural = "validatingadmissionpolicies",
         .kept = kAll},
    Rule{.group = "apiregistration.k8s.io", .plural = "apiservices", .kept = kAll},
    Rule{.group = "certificates.k8s.io", .plural = "podcertificaterequests", .kept = kAll},
    Rule{.group = "flowcontrol.apiserver.k8s.io", .plural = "flowschemas", .kept = kAll},
    Rule{.group = "flowcontrol.apiserver.k8s.io",
         .plural = "prioritylevelconfigurations",
         .kept = kAll},
    Rule{.group = "internal.apiserver.k8s.io", .plural = "storageversions", .kept = kAll},
    Rule{.group = "lifecycle.k8s.io", .plural = "evictionrequests", .kept = kAll},
    Rule{.group = "lifecycle.k8s.io", .plural = "evictions", .kept = kAll},
    Rule{.group = "networking.k8s.io", .plural = "servicecidrs", .kept = kAll},
    Rule{.group = "resource.k8s.io", .plural = "devicetaintrules", .kept = kAll},
    Rule{.group = "resource.k8s.io", .plural = "resourceclaims", .kept = kAll},
    Rule{.group = "resource.k8s.io", .plural = "resourcepoolstatusrequests", .kept = kAll},
    Rule{.group = "scheduling.k8s.io", .plural = "compositepodgroups", .kept = kAll},
    Rule{.group = "scheduling.k8s.io", .plural = "podgroups", .kept = kAll},
    Rule{.group = "storage.k8s.io", .plural = "csinodes", .kept = kAll},
    Rule{.group = "storage.k8s.io", .plural = "volumeattachments", .kept = kAll},
    Rule{.group = "storagemigration.k8s.io", .plural = "storageversionmigrations", .kept = kAll},
};

}  // namespace

std::span<const std::string_view> MetadataKeptByStatus(const ServedResource& resource) {
  if (resource.custom) return kAll;
  for (const Rule& rule : kRules) {
    if (rule.group == resource.group && rule.plural == resource.plural) return rule.kept;
  }
  return {};
}

}  // namespace kinformer::apiserver

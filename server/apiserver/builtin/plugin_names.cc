#include "apiserver/builtin/plugin_names.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kinformer::apiserver {
namespace {

// In the order in which kube-apiserver 1.37 runs them.
constexpr auto kPlugins = std::to_array<std::pair<std::string_view, PluginKind>>({
    {"AlwaysAdmit", PluginKind::kMissing},
    {"NamespaceAutoProvision", PluginKind::kMissing},
    {"NamespaceLifecycle", PluginKind::kFixed},
    {"NamespaceExists", PluginKind::kFixed},
    {"LimitPodHardAntiAffinityTopology", PluginKind::kMissing},
    {"LimitRanger", PluginKind::kOptional},
    {"ServiceAccount", PluginKind::kOptional},
    {"NodeRestriction", PluginKind::kOptional},
    {"TaintNodesByCondition", PluginKind::kOptional},
    {"AlwaysPullImages", PluginKind::kMissing},
    {"ImagePolicyWebhook", PluginKind::kMissing},
    {"PodSecurity", PluginKind::kOptional},
    {"PodNodeSelector", PluginKind::kOptional},
    {"Priority", PluginKind::kUsual},
    {"DefaultTolerationSeconds", PluginKind::kUsual},
    {"PodTolerationRestriction", PluginKind::kMissing},
    {"EventRateLimit", PluginKind::kMissing},
    {"ExtendedResourceToleration", PluginKind::kMissing},
    {"DefaultStorageClass", PluginKind::kOptional},
    {"StorageObjectInUseProtection", PluginKind::kMissing},
    {"PodGroupProtection", PluginKind::kMissing},
    {"OwnerReferencesPermissionEnforcement", PluginKind::kMissing},
    {"PersistentVolumeClaimResize", PluginKind::kMissing},
    {"RuntimeClass", PluginKind::kUsual},
    {"CertificateApproval", PluginKind::kMissing},
    {"CertificateSigning", PluginKind::kMissing},
    {"ClusterTrustBundleAttest", PluginKind::kMissing},
    {"CertificateSubjectRestriction", PluginKind::kMissing},
    {"DefaultIngressClass", PluginKind::kMissing},
    {"DenyServiceExternalIPs", PluginKind::kMissing},
    {"PodTopologyLabels", PluginKind::kMissing},
    {"NodeDeclaredFeatureValidator", PluginKind::kMissing},
    {"PodResizeValidator", PluginKind::kFixed},
    {"MutatingAdmissionPolicy", PluginKind::kUsual},
    {"MutatingAdmissionWebhook", PluginKind::kFixed},
    {"ValidatingAdmissionPolicy", PluginKind::kUsual},
    {"ValidatingAdmissionWebhook", PluginKind::kFixed},
    {"ResourceQuota", PluginKind::kOptional},
    {"AlwaysDeny", PluginKind::kMissing},
});

bool Has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

PluginKind KindOfPlugin(std::string_view name) {
  const auto* const found = std::find_if(kPlugins.begin(), kPlugins.end(),
                                         [&](const auto& plugin) { return plugin.first == name; });
  return found == kPlugins.end() ? PluginKind::kUnknown : found->second;
}

bool IsPluginOn(const ApiServerOptions& options, std::string_view name) {
  const PluginKind kind = KindOfPlugin(name);
  if (kind == PluginKind::kFixed) return true;
  if (Has(options.disable_admission_plugins, name)) return false;
  return kind == PluginKind::kUsual ||
         (kind == PluginKind::kOptional && Has(options.enable_admission_plugins, name));
}

}  // namespace kinformer::apiserver

// apiserver/plugins/pod_security.h
//
// PodSecurity: enforces the Pod Security Standards in the namespaces whose labels ask for it, and
// warns about templates of pods, and about the pods in a namespace whose labels become stricter.

#ifndef KINFORMER_APISERVER_PLUGINS_POD_SECURITY_H_
#define KINFORMER_APISERVER_PLUGINS_POD_SECURITY_H_

#include <string_view>

#include "apiserver/plugins/plugin.h"
#include "apiserver/plugins/pod_security_policy.h"
#include "apiserver/registry/server_state.h"

namespace kinformer::apiserver {

// Loop-confined.
class PodSecurity final : public AdmissionPlugin {
 public:
  explicit PodSecurity(const ServerState& state) : state_(state) {}
  Result<void> Validate(const PluginRequest& request) override;

 private:
  Result<void> ValidateNamespace(const PluginRequest& request) const;
  Result<void> ValidatePod(const PluginRequest& request) const;
  // Warns about the pods that a workload would make.
  void WarnOfTemplate(const PluginRequest& request, std::string_view template_path) const;
  // Warns about the pods in a namespace that a new policy would not admit.
  void WarnOfPods(std::string_view namespace_, const PodSecurityPolicy& policy,
                  std::vector<std::string>& warnings) const;
  [[nodiscard]] PodSecurityPolicies PoliciesOf(std::string_view namespace_) const;

  const ServerState& state_;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_POD_SECURITY_H_

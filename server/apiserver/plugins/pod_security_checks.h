// apiserver/plugins/pod_security_checks.h
//
// CheckPodSecurity: the checks of the Pod Security Standards, of all versions up to that of
// Kubernetes 1.37. Counterpart: k8s.io/pod-security-admission/policy.

#ifndef KINFORMER_APISERVER_PLUGINS_POD_SECURITY_CHECKS_H_
#define KINFORMER_APISERVER_PLUGINS_POD_SECURITY_CHECKS_H_

#include <string>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/plugins/pod_security_policy.h"

namespace kinformer::apiserver {

struct PodSecurityViolation {
  std::string reason{};  // "hostPort"
  std::string detail{};  // `container "a" uses hostPort 80`
};

// Returns what a pod, or a template of pods, violates, in the order of a real server. `metadata`
// and `spec` are those of the pod.
[[nodiscard]] std::vector<PodSecurityViolation> CheckPodSecurity(const PodSecurityPolicy& policy,
                                                                 const json::Value& metadata,
                                                                 const json::Value& spec);
// Return "hostPort, privileged", and the same with the details in parentheses.
[[nodiscard]] std::string ReasonsOf(const std::vector<PodSecurityViolation>& violations);
[[nodiscard]] std::string DetailsOf(const std::vector<PodSecurityViolation>& violations);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_POD_SECURITY_CHECKS_H_

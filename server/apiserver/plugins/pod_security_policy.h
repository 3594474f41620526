// apiserver/plugins/pod_security_policy.h
//
// PodSecurityPolicies: the Pod Security Standards that a namespace asks for by its labels.
// Counterpart: k8s.io/pod-security-admission/api.

#ifndef KINFORMER_APISERVER_PLUGINS_POD_SECURITY_POLICY_H_
#define KINFORMER_APISERVER_PLUGINS_POD_SECURITY_POLICY_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/error.h"

namespace kinformer::apiserver {

// The less strict ones first.
enum class PodSecurityLevel : std::uint8_t { kPrivileged, kBaseline, kRestricted };

// A level as of a version of Kubernetes.
struct PodSecurityPolicy {
  // The version that stands for the latest one.
  static constexpr int kLatest = -1;

  friend bool operator==(const PodSecurityPolicy&, const PodSecurityPolicy&) = default;
  // Returns "restricted:latest", "baseline:v1.25".
  [[nodiscard]] std::string ToString() const;

  PodSecurityLevel level = PodSecurityLevel::kPrivileged;
  int minor = kLatest;  // of version 1
};

struct PodSecurityPolicies {
  // Reads the labels of a namespace: `label` returns the value of one, if there is one. Labels that
  // make no sense are reported in `problems`, and count as restricted, or as the latest version.
  static PodSecurityPolicies Of(
      const std::function<std::optional<std::string_view>(std::string_view key)>& label,
      std::vector<StatusCause>& problems);

  PodSecurityPolicy enforce{};
  PodSecurityPolicy audit{};
  PodSecurityPolicy warn{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_PLUGINS_POD_SECURITY_POLICY_H_

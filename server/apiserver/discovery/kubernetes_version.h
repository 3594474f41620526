// apiserver/discovery/kubernetes_version.h

#ifndef KINFORMER_APISERVER_DISCOVERY_KUBERNETES_VERSION_H_
#define KINFORMER_APISERVER_DISCOVERY_KUBERNETES_VERSION_H_

#include <string_view>

namespace kinformer::apiserver {

// The version of Kubernetes that the server says it is, which is that of its types.
inline constexpr std::string_view kKubernetesVersion = "v1.37.0";

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_DISCOVERY_KUBERNETES_VERSION_H_

// config/exec_cluster.h
//
// ExecCluster: the cluster for which a credential plugin runs.

#ifndef KINFORMER_CONFIG_EXEC_CLUSTER_H_
#define KINFORMER_CONFIG_EXEC_CLUSTER_H_

#include <string>

namespace kinformer::internal::config {

// Cluster information passed to the plugin.
struct ExecCluster {
  std::string server{};
  std::string tls_server_name{};
  bool insecure{false};
  std::string ca_data{};
  std::string proxy_url{};
  bool disable_compression{false};
  std::string config{};  // JSON; empty if there is none
};

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_EXEC_CLUSTER_H_

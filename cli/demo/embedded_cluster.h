// demo/embedded_cluster.h
//
// EmbeddedCluster: the embedded API server on a TLS socket, with a made-up cluster that lives in
// it.

#ifndef KINFORMER_CLI_DEMO_EMBEDDED_CLUSTER_H_
#define KINFORMER_CLI_DEMO_EMBEDDED_CLUSTER_H_

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/object_name.h"
#include "kinformer/result.h"

#include "demo/cluster_model.h"

namespace kinformer::demo {

// Has threads of its own: nothing of the server's work is on the client's loop. Thread-safe;
// everything blocks for a moment.
class EmbeddedCluster {
 public:
  // Starts the server and loads the cluster.
  static Result<std::unique_ptr<EmbeddedCluster>> Start(const ClusterSize& size);
  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::string Kubeconfig() const;

  // Lets the cluster live: a step every `interval`. 0 stops it.
  void Live(std::chrono::milliseconds interval);
  // What happened since the last call, a line each.
  [[nodiscard]] std::vector<std::string> TakeStory();
  // Cuts all connections in the middle of whatever they carry.
  void CutConnections();

  // "namespace/name" and resourceVersion of every object of a resource: what a cache must equal.
  [[nodiscard]] std::map<std::string, std::string> State(const GroupVersionResource& resource);
  [[nodiscard]] std::size_t objects();

 private:
  struct Impl;
  explicit EmbeddedCluster(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::demo

#endif  // KINFORMER_CLI_DEMO_EMBEDDED_CLUSTER_H_

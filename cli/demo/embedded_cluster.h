// demo/embedded_cluster.h
//
// EmbeddedCluster: the embedded API server on a TLS socket, with a simulated cluster that changes
// over time.

#ifndef KINFORMER_CLI_DEMO_EMBEDDED_CLUSTER_H_
#define KINFORMER_CLI_DEMO_EMBEDDED_CLUSTER_H_

#include <chrono>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/object/object_name.h"

#include "demo/cluster_model.h"

namespace kinformer::demo {

// Has its own threads, so the server's work is not on the client's loop. Thread-safe; all functions
// block briefly.
class EmbeddedCluster {
 public:
  // Starts the server and loads the cluster.
  static Result<std::unique_ptr<EmbeddedCluster>> Start(const ClusterSize& size);
  ~EmbeddedCluster();
  EmbeddedCluster(const EmbeddedCluster&) = delete;
  EmbeddedCluster& operator=(const EmbeddedCluster&) = delete;

  [[nodiscard]] std::string url() const;
  [[nodiscard]] std::string Kubeconfig() const;

  // Makes a step of the cluster every `interval`; 0 stops it.
  void Live(std::chrono::milliseconds interval);
  // Returns the events since the last call, one line each.
  [[nodiscard]] std::vector<std::string> TakeStory();
  // Cuts all connections at once, in the middle of their data.
  void CutConnections();

  // Returns "namespace/name" and resourceVersion of every object of a resource.
  [[nodiscard]] std::map<std::string, std::string> State(const GroupVersionResource& resource);
  [[nodiscard]] std::size_t objects();

 private:
  struct Impl;
  explicit EmbeddedCluster(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace kinformer::demo

#endif  // KINFORMER_CLI_DEMO_EMBEDDED_CLUSTER_H_

// demo/cluster_json.h
//
// The objects of the made-up cluster as JSON, as controllers and kubelets write them. Pure
// functions of a few facts; the text is what ClusterModel decides and nothing more.

#ifndef KINFORMER_CLI_DEMO_CLUSTER_JSON_H_
#define KINFORMER_CLI_DEMO_CLUSTER_JSON_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::demo {

std::string NodeName(std::size_t index);
// Ten characters like those of a pod template's hash.
std::string ReplicaSetHash(std::size_t deployment, int revision);

struct NodeFacts {
  std::size_t index{};
  bool unschedulable{};
};
std::string NodeJson(const NodeFacts& node);

std::string NamespaceJson(std::string_view name);

struct DeploymentFacts {
  std::string_view namespace_{};
  std::string_view name{};
  std::size_t replicas{};
  std::size_t updated{};
  std::size_t ready{};
  int revision{};
};
std::string DeploymentJson(const DeploymentFacts& deployment);

struct ReplicaSetFacts {
  std::string_view namespace_{};
  std::string_view name{};
  std::string hash{};
  std::size_t replicas{};
  int revision{};
};
std::string ReplicaSetJson(const ReplicaSetFacts& replica_set);

struct PodFacts {
  enum class State : std::uint8_t { kScheduled, kCreating, kRunning, kCrashLoop };
  std::string_view namespace_{};
  std::string_view name{};
  std::string_view application{};
  std::string hash{};
  std::size_t node{};
  std::uint64_t serial{};
  int revision{};
  int restarts{};
  State state{};
  bool managed_fields{};
};
std::string PodJson(const PodFacts& pod);

std::string ServiceJson(std::string_view namespace_, std::string_view name, std::size_t index);

struct Endpoint {
  std::string_view pod;
  std::size_t node;
  std::uint64_t serial;
  bool ready;
};
std::string EndpointSliceJson(std::string_view namespace_, std::string_view name,
                              const std::vector<Endpoint>& endpoints);

}  // namespace kinformer::demo

#endif  // KINFORMER_CLI_DEMO_CLUSTER_JSON_H_

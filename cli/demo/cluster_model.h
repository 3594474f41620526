// demo/cluster_model.h
//
// ClusterModel: a simulated, plausible cluster. It contains nodes, namespaces, deployments with
// their replica sets and pods, services, and endpoint slices, and changes them step by step:
// rollouts, failing pods, node drains. It does not use a server: it returns operations, which the
// demo and the benchmarks apply.

#ifndef KINFORMER_CLI_DEMO_CLUSTER_MODEL_H_
#define KINFORMER_CLI_DEMO_CLUSTER_MODEL_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::demo {

struct ClusterSize {
  std::size_t nodes{50};
  std::size_t namespaces{20};
  std::size_t pods{2000};
  // Pods per deployment, on average.
  std::size_t replicas{10};
  // Adds the managedFields of controllers and kubelets: a third of a real pod's bytes.
  bool managed_fields{true};
  std::uint64_t seed{1};
};

// One write. `json` is the whole object for creates and updates (without resourceVersion, so the
// last writer wins), and empty for deletes.
struct Operation {
  enum class Kind : std::uint8_t { kCreate, kUpdate, kDelete };
  Kind kind{};
  std::string_view group{};
  std::string_view version{};
  std::string_view resource{};
  std::string namespace_{};
  std::string name{};
  std::string json{};
};

// Thread-compatible. The same size and seed give the same objects and the same operations.
class ClusterModel {
 public:
  explicit ClusterModel(ClusterSize size);

  // Returns creates for all objects that exist at the start. Owners come before the objects they
  // own, so the creates can be applied in this order.
  [[nodiscard]] std::vector<Operation> Start();

  // Returns the next few operations. When a notable event begins (a rollout, a drain, a crash
  // loop), appends a line about it to `story`.
  [[nodiscard]] std::vector<Operation> Step(std::vector<std::string>* story = nullptr);

  [[nodiscard]] std::size_t pod_count() const { return pods_.size(); }

 private:
  struct Pod {
    std::string name;
    std::size_t deployment = 0;
    std::size_t node = 0;
    int revision = 1;
    int restarts = 0;
    enum class Phase : std::uint8_t {
      kPending,
      kStarting,
      kRunning,
      kCrashing,
      kTerminating
    } phase = Phase::kPending;
    std::uint64_t serial = 0;
  };
  struct Deployment {
    std::string name;
    std::size_t namespace_ = 0;
    std::size_t replicas = 0;
    int revision = 1;
    bool rolling = false;
    std::vector<std::uint64_t> pods;  // serials
  };

  std::uint64_t Next();
  std::size_t Below(std::size_t n) { return static_cast<std::size_t>(Next() % n); }
  std::string Suffix();

  std::uint64_t AddPod(std::size_t deployment);
  [[nodiscard]] std::size_t PlacePod();
  void Grow(Pod& pod, std::vector<Operation>& out);
  void Roll(Deployment& deployment, std::vector<Operation>& out);
  // Occasional events. Each returns a line for the story, or empty if it did not happen.
  std::string BeginRollout(std::vector<Operation>& out);
  std::string BeginCrash(std::vector<Operation>& out);
  std::string Drain(std::vector<Operation>& out);
  void Remove(std::uint64_t serial, std::vector<Operation>& out);

  [[nodiscard]] std::string NodeJson(std::size_t node) const;
  [[nodiscard]] std::string DeploymentJson(const Deployment& deployment) const;
  [[nodiscard]] std::string ReplicaSetJson(const Deployment& deployment) const;
  [[nodiscard]] std::string PodJson(const Pod& pod) const;
  [[nodiscard]] std::string ServiceJson(const Deployment& deployment) const;
  [[nodiscard]] std::string EndpointSliceJson(const Deployment& deployment) const;
  [[nodiscard]] Operation PodOperation(Operation::Kind kind, const Pod& pod) const;
  [[nodiscard]] Operation SliceOperation(Operation::Kind kind, const Deployment& deployment) const;

  ClusterSize size_;
  std::uint64_t random_;
  std::vector<std::string> namespaces_;
  std::vector<Deployment> deployments_;
  std::map<std::uint64_t, Pod> pods_;
  std::vector<std::uint64_t> changing_;  // pods that are not running yet
  std::set<std::size_t> cordoned_;
  std::uint64_t next_serial_ = 1;
  std::uint64_t steps_ = 0;
};

}  // namespace kinformer::demo

#endif  // KINFORMER_CLI_DEMO_CLUSTER_MODEL_H_

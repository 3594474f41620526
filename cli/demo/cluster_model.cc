#include "demo/cluster_model.h"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <utility>

#include "demo/cluster_json.h"

namespace kinformer::demo {
namespace {

constexpr std::array<std::string_view, 12> kApplications = {
    "checkout", "catalog", "search",  "payments", "ledger",  "frontend",
    "gateway",  "mailer",  "reports", "sessions", "pricing", "inventory"};
constexpr std::array<std::string_view, 8> kTeams = {"shop",  "core", "data",    "edge",
                                                    "infra", "ml",   "billing", "web"};

}  // namespace

ClusterModel::ClusterModel(ClusterSize size) : size_(size), random_(size.seed) {
  for (std::size_t i = 0; i < size_.namespaces; ++i) {
    namespaces_.push_back(fmt::format("{}-{}", kTeams[i % kTeams.size()], i));
  }
  std::size_t planned = 0;
  for (std::size_t i = 0; planned < size_.pods; ++i) {
    Deployment deployment;
    deployment.namespace_ = i % size_.namespaces;
    deployment.name =
        fmt::format("{}-{}", kApplications[Below(kApplications.size())], i / size_.namespaces);
    deployment.replicas = std::min(size_.pods - planned, 1 + Below(2 * size_.replicas - 1));
    planned += deployment.replicas;
    deployments_.push_back(std::move(deployment));
  }
  for (std::size_t i = 0; i < deployments_.size(); ++i) {
    for (std::size_t k = 0; k < deployments_[i].replicas; ++k) {
      pods_.at(AddPod(i)).phase = Pod::Phase::kRunning;
    }
  }
  changing_.clear();
}

std::uint64_t ClusterModel::Next() {
  std::uint64_t z = (random_ += 0x9e3779b97f4a7c15ULL);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

// Five characters out of those that Kubernetes uses for generated names.
std::string ClusterModel::Suffix() {
  constexpr std::string_view kAlphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string text;
  for (int i = 0; i < 5; ++i) text += kAlphabet[Below(kAlphabet.size())];
  return text;
}

std::size_t ClusterModel::PlacePod() {
  std::size_t node = Below(size_.nodes);
  while (cordoned_.contains(node)) node = (node + 1) % size_.nodes;
  return node;
}

std::uint64_t ClusterModel::AddPod(std::size_t deployment) {
  Pod pod;
  pod.serial = next_serial_++;
  pod.deployment = deployment;
  pod.revision = deployments_[deployment].revision;
  pod.node = PlacePod();
  pod.name = fmt::format("{}-{}-{}", deployments_[deployment].name,
                         ReplicaSetHash(deployment, pod.revision), Suffix());
  deployments_[deployment].pods.push_back(pod.serial);
  changing_.push_back(pod.serial);
  const std::uint64_t serial = pod.serial;
  pods_.emplace(serial, std::move(pod));
  return serial;
}

std::vector<Operation> ClusterModel::Start() {
  std::vector<Operation> out;
  for (std::size_t i = 0; i < size_.nodes; ++i) {
    out.push_back({Operation::Kind::kCreate, "", "v1", "nodes", "", NodeName(i), NodeJson(i)});
  }
  for (const std::string& name : namespaces_) {
    out.push_back(
        {Operation::Kind::kCreate, "", "v1", "namespaces", "", name, NamespaceJson(name)});
  }
  for (const Deployment& deployment : deployments_) {
    const std::string& ns = namespaces_[deployment.namespace_];
    out.push_back({Operation::Kind::kCreate, "apps", "v1", "deployments", ns, deployment.name,
                   DeploymentJson(deployment)});
    const std::size_t index = static_cast<std::size_t>(&deployment - deployments_.data());
    out.push_back(
        {Operation::Kind::kCreate, "apps", "v1", "replicasets", ns,
         fmt::format("{}-{}", deployment.name, ReplicaSetHash(index, deployment.revision)),
         ReplicaSetJson(deployment)});
    out.push_back({Operation::Kind::kCreate, "", "v1", "services", ns, deployment.name,
                   ServiceJson(deployment)});
    for (const std::uint64_t serial : deployment.pods) {
      out.push_back(PodOperation(Operation::Kind::kCreate, pods_.at(serial)));
    }
    out.push_back(SliceOperation(Operation::Kind::kCreate, deployment));
  }
  return out;
}

Operation ClusterModel::PodOperation(Operation::Kind kind, const Pod& pod) const {
  return {kind,
          "",
          "v1",
          "pods",
          namespaces_[deployments_[pod.deployment].namespace_],
          pod.name,
          kind == Operation::Kind::kDelete ? std::string() : PodJson(pod)};
}

Operation ClusterModel::SliceOperation(Operation::Kind kind, const Deployment& deployment) const {
  return {kind,
          "discovery.k8s.io",
          "v1",
          "endpointslices",
          namespaces_[deployment.namespace_],
          deployment.name + "-slice",
          EndpointSliceJson(deployment)};
}

void ClusterModel::Remove(std::uint64_t serial, std::vector<Operation>& out) {
  const auto it = pods_.find(serial);
  out.push_back(PodOperation(Operation::Kind::kDelete, it->second));
  std::erase(deployments_[it->second.deployment].pods, serial);
  std::erase(changing_, serial);
  pods_.erase(it);
}

// Advances one pod by a step on its way to Running.
void ClusterModel::Grow(Pod& pod, std::vector<Operation>& out) {
  switch (pod.phase) {
    case Pod::Phase::kPending:
      pod.phase = Pod::Phase::kStarting;
      break;
    case Pod::Phase::kStarting:
      pod.phase = Below(25) == 0 ? Pod::Phase::kCrashing : Pod::Phase::kRunning;
      break;
    case Pod::Phase::kCrashing:
      ++pod.restarts;
      if (pod.restarts > 4 && Below(3) == 0) pod.phase = Pod::Phase::kRunning;
      break;
    case Pod::Phase::kRunning:
    case Pod::Phase::kTerminating:
      break;
  }
  out.push_back(PodOperation(Operation::Kind::kUpdate, pod));
  if (pod.phase == Pod::Phase::kRunning) {
    out.push_back(SliceOperation(Operation::Kind::kUpdate, deployments_[pod.deployment]));
  }
}

// Replaces one pod of the old revision by one of the new.
void ClusterModel::Roll(Deployment& deployment, std::vector<Operation>& out) {
  const auto old =
      std::find_if(deployment.pods.begin(), deployment.pods.end(),
                   [&](std::uint64_t s) { return pods_.at(s).revision != deployment.revision; });
  if (old == deployment.pods.end()) {
    deployment.rolling = false;
    out.push_back({Operation::Kind::kUpdate, "apps", "v1", "deployments",
                   namespaces_[deployment.namespace_], deployment.name,
                   DeploymentJson(deployment)});
    return;
  }
  Remove(*old, out);
  const std::size_t index = static_cast<std::size_t>(&deployment - deployments_.data());
  out.push_back(PodOperation(Operation::Kind::kCreate, pods_.at(AddPod(index))));
  out.push_back(SliceOperation(Operation::Kind::kUpdate, deployment));
}

std::string ClusterModel::BeginRollout(std::vector<Operation>& out) {
  Deployment& deployment = deployments_[Below(deployments_.size())];
  if (deployment.rolling) return {};
  ++deployment.revision;
  deployment.rolling = true;
  const std::string& namespace_ = namespaces_[deployment.namespace_];
  const std::size_t index = static_cast<std::size_t>(&deployment - deployments_.data());
  out.push_back({Operation::Kind::kUpdate, "apps", "v1", "deployments", namespace_, deployment.name,
                 DeploymentJson(deployment)});
  out.push_back({Operation::Kind::kCreate, "apps", "v1", "replicasets", namespace_,
                 fmt::format("{}-{}", deployment.name, ReplicaSetHash(index, deployment.revision)),
                 ReplicaSetJson(deployment)});
  return fmt::format("rollout of {}/{} to revision {}", namespace_, deployment.name,
                     deployment.revision);
}

std::string ClusterModel::BeginCrash(std::vector<Operation>& out) {
  const Deployment& deployment = deployments_[Below(deployments_.size())];
  if (deployment.pods.empty()) return {};
  Pod& pod = pods_.at(deployment.pods[Below(deployment.pods.size())]);
  if (pod.phase != Pod::Phase::kRunning) return {};
  pod.phase = Pod::Phase::kCrashing;
  changing_.push_back(pod.serial);
  out.push_back(PodOperation(Operation::Kind::kUpdate, pod));
  return fmt::format("{}/{} begins to crash", namespaces_[deployment.namespace_], pod.name);
}

std::string ClusterModel::Drain(std::vector<Operation>& out) {
  const auto update = [&](std::size_t node) {
    out.push_back(
        {Operation::Kind::kUpdate, "", "v1", "nodes", "", NodeName(node), NodeJson(node)});
  };
  for (const std::size_t node : std::exchange(cordoned_, {})) update(node);
  const std::size_t node = Below(size_.nodes);
  cordoned_.insert(node);
  update(node);
  std::vector<std::uint64_t> evicted;
  for (const auto& [serial, pod] : pods_) {
    if (pod.node == node) evicted.push_back(serial);
  }
  for (const std::uint64_t serial : evicted) {
    const std::size_t deployment = pods_.at(serial).deployment;
    Remove(serial, out);
    out.push_back(PodOperation(Operation::Kind::kCreate, pods_.at(AddPod(deployment))));
  }
  return fmt::format("drain of {}: {} pods move", NodeName(node), evicted.size());
}

std::vector<Operation> ClusterModel::Step(std::vector<std::string>* story) {
  std::vector<Operation> out;
  const auto tell = [&](std::string line) {
    if (story != nullptr && !line.empty()) story->push_back(std::move(line));
  };
  ++steps_;

  const std::vector<std::uint64_t> changing = changing_;
  for (const std::uint64_t serial : changing) {
    Pod& pod = pods_.at(serial);
    if (Below(3) == 0) Grow(pod, out);
    if (pod.phase == Pod::Phase::kRunning) std::erase(changing_, serial);
  }
  for (Deployment& deployment : deployments_) {
    if (deployment.rolling) Roll(deployment, out);
  }
  if (steps_ % 20 == 5) tell(BeginRollout(out));
  if (steps_ % 15 == 9) tell(BeginCrash(out));
  if (steps_ % 60 == 30 && size_.nodes > 1) tell(Drain(out));
  return out;
}

std::string ClusterModel::NodeJson(std::size_t node) const {
  return demo::NodeJson({.index = node, .unschedulable = cordoned_.contains(node)});
}

std::string ClusterModel::DeploymentJson(const Deployment& deployment) const {
  std::size_t updated = 0;
  std::size_t ready = 0;
  for (const std::uint64_t serial : deployment.pods) {
    const Pod& pod = pods_.at(serial);
    updated += pod.revision == deployment.revision ? 1 : 0;
    ready += pod.phase == Pod::Phase::kRunning ? 1 : 0;
  }
  return demo::DeploymentJson({.namespace_ = namespaces_[deployment.namespace_],
                               .name = deployment.name,
                               .replicas = deployment.replicas,
                               .updated = updated,
                               .ready = ready,
                               .revision = deployment.revision});
}

std::string ClusterModel::ReplicaSetJson(const Deployment& deployment) const {
  const std::size_t index = static_cast<std::size_t>(&deployment - deployments_.data());
  return demo::ReplicaSetJson({.namespace_ = namespaces_[deployment.namespace_],
                               .name = deployment.name,
                               .hash = ReplicaSetHash(index, deployment.revision),
                               .replicas = deployment.replicas,
                               .revision = deployment.revision});
}

std::string ClusterModel::PodJson(const Pod& pod) const {
  const Deployment& deployment = deployments_[pod.deployment];
  PodFacts facts{.namespace_ = namespaces_[deployment.namespace_],
                 .name = pod.name,
                 .application = deployment.name,
                 .hash = ReplicaSetHash(pod.deployment, pod.revision),
                 .node = pod.node,
                 .serial = pod.serial,
                 .revision = pod.revision,
                 .restarts = pod.restarts,
                 .managed_fields = size_.managed_fields};
  switch (pod.phase) {
    case Pod::Phase::kPending:
      facts.state = PodFacts::State::kScheduled;
      break;
    case Pod::Phase::kStarting:
      facts.state = PodFacts::State::kCreating;
      break;
    case Pod::Phase::kCrashing:
      facts.state = PodFacts::State::kCrashLoop;
      break;
    case Pod::Phase::kRunning:
    case Pod::Phase::kTerminating:
      facts.state = PodFacts::State::kRunning;
      break;
  }
  return demo::PodJson(facts);
}

std::string ClusterModel::ServiceJson(const Deployment& deployment) const {
  const std::size_t index = static_cast<std::size_t>(&deployment - deployments_.data());
  return demo::ServiceJson(namespaces_[deployment.namespace_], deployment.name, index);
}

std::string ClusterModel::EndpointSliceJson(const Deployment& deployment) const {
  std::vector<Endpoint> endpoints;
  for (const std::uint64_t serial : deployment.pods) {
    const Pod& pod = pods_.at(serial);
    endpoints.push_back({pod.name, pod.node, pod.serial, pod.phase == Pod::Phase::kRunning});
  }
  return demo::EndpointSliceJson(namespaces_[deployment.namespace_], deployment.name, endpoints);
}

}  // namespace kinformer::demo

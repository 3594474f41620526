#include "cli/pod_target.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/pod_logs.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/object/unstructured.h"

#include "table/table_cells.h"

namespace kinformer::cli {
namespace {

namespace cells = internal::table::cells;

Error Invalid(std::string message) { return Error(Reason::kInvalidArgument, std::move(message)); }

// Reads an object by the name of its resource.
Result<json::Value> Read(const Client& client, const std::string& namespace_,
                         const std::string& resource, const std::string& name,
                         const CallOptions& call) {
  const Result<RestMapping> mapping = client.Discovery().MappingFor(resource, call);
  if (!mapping) return mapping.error();
  const Result<Ref<Unstructured>> object =
      client.Dynamic(*mapping, mapping->namespaced ? namespace_ : "").Get(name, {}, call);
  if (!object) return object.error();
  return json::Parse((*object)->ToJson());
}

bool IsReady(const corev1::Pod& pod) {
  for (const auto& condition : pod.status().conditions()) {
    if (condition.type() == "Ready") return condition.status() == "True";
  }
  return false;
}

int Restarts(const corev1::Pod& pod) {
  int restarts = 0;
  for (const auto& status : pod.status().containerStatuses()) restarts += status.restartCount();
  return restarts;
}

// As kubectl lists them: those that run, and then others with what they are.
std::string NamesOfContainers(const corev1::Pod& pod) {
  std::string names;
  const auto add = [&](std::string_view name, const char* kind) {
    names.append(names.empty() ? "" : ", ").append(name).append(kind);
  };
  for (const auto& container : pod.spec().containers()) add(container.name(), "");
  for (const auto& container : pod.spec().ephemeralContainers()) add(container.name(), " (ephem)");
  for (const auto& container : pod.spec().initContainers()) add(container.name(), " (init)");
  return names;
}

}  // namespace

bool ServesBetter(const corev1::Pod& a, const corev1::Pod& b) {
  const auto order = [](const corev1::Pod& pod) {
    const metav1::ObjectMeta meta = pod.metadata();
    return std::tuple(meta.deletionTimestamp().has_value(), pod.status().phase() != "Running",
                      !IsReady(pod), Restarts(pod), meta.creationTimestamp().seconds(),
                      std::string(meta.name()));
  };
  return order(a) < order(b);
}

Result<std::string> PodSelectorOf(const json::Value& object) {
  const json::Value& selector = object["spec"]["selector"];
  const bool plain = !selector.contains("matchLabels") && !selector.contains("matchExpressions");
  std::string text = plain ? cells::Labels(selector) : cells::Selector(selector);
  if (!selector.is_object() || text == "<none>") {
    return Invalid(object["kind"].StringOrEmpty() + " " +
                   object["metadata"]["name"].StringOrEmpty() + " selects no pods");
  }
  return text;
}

Result<std::string> FindPodSelector(const Client& client, const std::string& namespace_,
                                    const std::string& target, const CallOptions& call) {
  const std::size_t slash = target.find('/');
  if (slash == std::string::npos) return Invalid("\"" + target + "\" is not RESOURCE/NAME");
  const Result<json::Value> owner =
      Read(client, namespace_, target.substr(0, slash), target.substr(slash + 1), call);
  if (!owner) return owner.error();
  return PodSelectorOf(*owner);
}

Result<PodTarget> FindPod(const Client& client, const std::string& namespace_,
                          const std::string& target, const CallOptions& call) {
  const ResourceClient<corev1::Pod> pods = client.For<corev1::Pod>(namespace_);
  const std::size_t slash = target.find('/');
  const std::string resource = slash == std::string::npos ? "pod" : target.substr(0, slash);
  const std::string name = slash == std::string::npos ? target : target.substr(slash + 1);
  if (resource.empty() || name.empty() || name.find('/') != std::string::npos) {
    return Invalid("\"" + target + "\" is neither a pod's name nor RESOURCE/NAME");
  }
  PodTarget found;
  if (resource == "pod" || resource == "pods" || resource == "po") {
    Result<Ref<corev1::Pod>> pod = pods.Get(name, {}, call);
    if (!pod) return std::move(pod).error();
    found.pod = *std::move(pod);
    return found;
  }
  Result<json::Value> owner = Read(client, namespace_, resource, name, call);
  if (!owner) return std::move(owner).error();
  const Result<std::string> selector = PodSelectorOf(*owner);
  if (!selector) return selector.error();
  const Result<ObjectList<corev1::Pod>> listed = pods.List({.labelSelector = *selector}, call);
  if (!listed) return listed.error();
  if (listed->empty()) {
    return Error(Reason::kNotFound, target + " has no pods (" + *selector + ")");
  }
  std::size_t best = 0;
  for (std::size_t i = 1; i < listed->size(); ++i) {
    if (ServesBetter((*listed)[i], (*listed)[best])) best = i;
  }
  found.pod = listed->Retain(best);
  found.owner = *std::move(owner);
  if (listed->size() > 1) {
    found.note = "Found " + std::to_string(listed->size()) + " pods, using pod/" +
                 std::string(found.pod->metadata().name());
  }
  return found;
}

Result<ContainerChoice> ChooseContainer(const corev1::Pod& pod, const std::string& asked) {
  const std::vector<std::string> all = LogContainers(pod);
  const std::string names = NamesOfContainers(pod);
  if (!asked.empty()) {
    if (std::find(all.begin(), all.end(), asked) != all.end()) return ContainerChoice{asked, {}};
    return Invalid("container " + asked + " is not in pod " + std::string(pod.metadata().name()) +
                   "; it has " + names);
  }
  const metav1::ObjectMeta meta = pod.metadata();
  for (const auto& [key, value] : meta.annotations()) {
    if (key != "kubectl.kubernetes.io/default-container") continue;
    if (std::find(all.begin(), all.end(), value) != all.end()) {
      return ContainerChoice{std::string(value), {}};
    }
  }
  for (const auto& container : pod.spec().containers()) {
    ContainerChoice choice{std::string(container.name()), {}};
    if (all.size() > 1) {
      choice.note = "Defaulted container \"" + choice.name + "\" out of: " + names;
    }
    return choice;
  }
  return Invalid("pod " + std::string(meta.name()) + " has no containers");
}

}  // namespace kinformer::cli

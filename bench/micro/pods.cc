#include "micro/pods.h"

#include <cstdint>
#include <string_view>

#include "kinformer/json/json.h"

#include "demo/cluster_model.h"

namespace kinformer::bench {
namespace {

// Pseudo-random hexadecimal digits.
class Digits {
 public:
  explicit Digits(std::uint64_t seed) : state_(seed) {}
  std::string operator()(std::size_t count) {
    std::string text;
    while (text.size() < count) {
      state_ = state_ * 6364136223846793005U + 1442695040888963407U;
      text += "0123456789abcdef"[state_ >> 60];
    }
    return text;
  }
  std::string Uid() {
    Digits& hex = *this;
    return hex(8) + "-" + hex(4) + "-4" + hex(3) + "-a" + hex(3) + "-" + hex(12);
  }

 private:
  std::uint64_t state_;
};

// Returns a uid as in JSON, the same one for the same name.
std::string UidOf(std::string_view name) {
  std::uint64_t seed = 1469598103934665603U;
  for (const char c : name) seed = (seed ^ static_cast<unsigned char>(c)) * 1099511628211U;
  return Digits(seed).Uid();
}

// Adds the fields that servers add, and removes part of the spec to keep a realistic size.
std::string AsStored(const std::string& text, std::size_t index, Digits& digits) {
  json::Value pod = json::Parse(text).OrExit();
  json::Value& metadata = pod.Ensure("metadata");
  metadata.Ensure("uid") = digits.Uid();
  metadata.Ensure("resourceVersion") = std::to_string(100000 + index);
  metadata.Ensure("creationTimestamp") = "2026-11-02T08:14:58Z";
  if (json::Array* const owners = metadata.Ensure("ownerReferences").IfArray()) {
    for (json::Value& owner : *owners) owner.Ensure("uid") = UidOf(owner["name"].StringOrEmpty());
  }
  pod.Ensure("spec").Erase("tolerations");
  if (json::Array* const containers = pod.Ensure("spec", "containers").IfArray()) {
    for (json::Value& container : *containers) {
      container.Erase("env");
      container.Erase("livenessProbe");
      container.Erase("terminationMessagePath");
      container.Erase("terminationMessagePolicy");
    }
  }
  if (json::Array* const statuses = pod.Ensure("status", "containerStatuses").IfArray()) {
    for (json::Value& status : *statuses)
      status.Ensure("containerID") = "containerd://" + digits(64);
  }
  return pod.Dump();
}

}  // namespace

std::vector<std::string> MakePods() {
  std::vector<std::string> pods;
  Digits digits(1);
  demo::ClusterModel model({.nodes = kPods / 100, .namespaces = 100, .pods = kPods});
  for (const demo::Operation& operation : model.Start()) {
    if (operation.resource == "pods") {
      pods.push_back(AsStored(operation.json, pods.size(), digits));
    }
  }
  return pods;
}

}  // namespace kinformer::bench

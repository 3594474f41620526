#include "apiserver/builtin/runtime_class.h"

#include <string>
#include <unordered_set>
#include <utility>

namespace kinformer::apiserver {
namespace {

std::string ApplyOverhead(const json::Value& fixed, json::Value& spec) {
  if (fixed.size() == 0) return {};
  const json::Value& overhead = std::as_const(spec)["overhead"];
  if (overhead.size() > 0 && !(overhead == fixed)) {
    return "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead";
  }
  spec.Set("overhead", json::Value(fixed));
  return {};
}

std::string ApplyScheduling(const json::Value& scheduling, json::Value& spec) {
  for (const auto& [key, value] : scheduling["nodeSelector"].members()) {
    const json::Value* const own = std::as_const(spec)["nodeSelector"].Find(key);
    if (own != nullptr && !(*own == value)) {
      return "conflict: runtimeClass.scheduling.nodeSelector[" + key +
             "] = " + value.StringOrEmpty() + "; pod.spec.nodeSelector[" + key +
             "] = " + own->StringOrEmpty();
    }
    spec.Ensure("nodeSelector").Set(key, json::Value(value));
  }
  if (json::Object* const selector = spec.Ensure("nodeSelector").IfObject()) {
    selector->SortByName();
  } else {
    spec.Erase("nodeSelector");
  }
  std::unordered_set<std::string> own;
  for (const json::Value& toleration : std::as_const(spec)["tolerations"].items()) {
    own.insert(toleration.Dump({.sort_keys = true}));
  }
  for (const json::Value& toleration : scheduling["tolerations"].items()) {
    if (own.insert(toleration.Dump({.sort_keys = true})).second) {
      spec.Ensure("tolerations").Append(toleration);
    }
  }
  return {};
}

}  // namespace

std::string ApplyRuntimeClass(const ServerState& state, json::Value& spec) {
  const std::string name = std::as_const(spec)["runtimeClassName"].StringOrEmpty();
  if (name.empty()) return {};
  const auto classes = state.resources.FindGroupResource("node.k8s.io", "runtimeclasses");
  const StoredObjectPtr stored = classes == nullptr ? nullptr : classes->Find({}, name);
  if (stored == nullptr) return "pod rejected: RuntimeClass \"" + name + "\" not found";
  const json::Value runtime_class = stored->Parse();
  std::string why = ApplyOverhead(runtime_class.At("/overhead/podFixed"), spec);
  if (why.empty()) why = ApplyScheduling(runtime_class["scheduling"], spec);
  return why;
}

bool HasStrayOverhead(const ServerState& state, const json::Value& spec) {
  if (spec["overhead"].size() == 0) return false;
  const std::string& name = spec["runtimeClassName"].StringOrEmpty();
  const auto classes = state.resources.FindGroupResource("node.k8s.io", "runtimeclasses");
  const StoredObjectPtr stored =
      name.empty() || classes == nullptr ? nullptr : classes->Find({}, name);
  return stored == nullptr || stored->Parse().At("/overhead/podFixed").size() == 0;
}

}  // namespace kinformer::apiserver

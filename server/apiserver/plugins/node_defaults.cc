#include "apiserver/plugins/node_defaults.h"

#include <string>
#include <string_view>
#include <utility>

namespace kinformer::apiserver {
namespace {

constexpr const char* kNotReady = "node.kubernetes.io/not-ready";
constexpr const char* kSelector = "scheduler.alpha.kubernetes.io/node-selector";

std::string_view Trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t") - begin + 1);
}

// Parses "env=test,zone=a" into an object. Parts without `=` are ignored.
json::Value LabelsIn(std::string_view text) {
  json::Value labels = json::Value::MakeObject();
  while (!text.empty()) {
    const std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(part.size() == text.size() ? part.size() : part.size() + 1);
    const std::size_t equals = part.find('=');
    if (equals == std::string_view::npos) continue;
    labels.Set(Trimmed(part.substr(0, equals)), Trimmed(part.substr(equals + 1)));
  }
  return labels;
}

}  // namespace

Result<void> TaintNodesByCondition::Mutate(PluginRequest& request) {
  if (!request.IsOf("", "nodes")) return {};
  for (const json::Value& taint : std::as_const(request.object).At("/spec/taints").items()) {
    if (taint["key"].StringOrEmpty() == kNotReady &&
        taint["effect"].StringOrEmpty() == "NoSchedule") {
      return {};
    }
  }
  request.object.Ensure("spec", "taints")
      .Append(json::Value::MakeObject({{"key", kNotReady}, {"effect", "NoSchedule"}}));
  return {};
}

Result<void> PodNodeSelector::Mutate(PluginRequest& request) {
  if (!request.IsOf("", "pods")) return {};
  const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
  const StoredObjectPtr stored = namespaces->store->Get(request.namespace_);
  if (stored == nullptr) return {};
  const json::Value object = stored->Parse();
  const std::string& text = object.At("/metadata/annotations")[kSelector].StringOrEmpty();
  if (text.empty()) return {};
  const json::Value labels = LabelsIn(text);
  json::Value& selector = request.object.Ensure("spec", "nodeSelector");
  for (const auto& [key, value] : labels.members()) {
    const json::Value* const own = std::as_const(selector).Find(key);
    if (own != nullptr && !(*own == value)) {
      return request.Forbidden(
          "pod node label selector conflicts with its namespace node label selector");
    }
  }
  for (const auto& [key, value] : labels.members()) selector.Set(key, value);
  selector.EnsureObject().SortByName();
  return {};
}

}  // namespace kinformer::apiserver

#include "client/manifests/definitions.h"

#include <chrono>
#include <optional>
#include <utility>

#include "kinformer/base/wait.h"
#include "kinformer/client/discovery.h"
#include "kinformer/json/json.h"

#include "client/manifests/definition_state.h"

namespace kinformer::internal::manifests {
namespace {

constexpr std::chrono::milliseconds kInterval{200};

bool IsDefinition(const Manifest& manifest) {
  const GroupVersionKind kind = manifest.kind();
  return kind.group == "apiextensions.k8s.io" && kind.kind == "CustomResourceDefinition";
}

GroupKind KindOf(const json::Value& definition) {
  return {.group = definition["spec"]["group"].StringOrEmpty(),
          .kind = definition["spec"]["names"]["kind"].StringOrEmpty()};
}

}  // namespace

Definitions::Definitions(const std::vector<Manifest>& manifests) {
  for (const Manifest& manifest : manifests) {
    if (IsDefinition(manifest)) names_[KindOf(manifest.object)] = manifest.name();
  }
}

void Definitions::Applied(const Manifest& manifest) {
  if (IsDefinition(manifest)) pending_[KindOf(manifest.object)] = manifest.name();
}

Result<void> Definitions::Await(const ObjectRequests& requests, const GroupVersionKind& kind,
                                TimeSpan timeout) {
  const auto pending = pending_.find({kind.group, kind.kind});
  if (pending == pending_.end()) return {};
  const Result<CallOptions> left = requests.Left();
  if (!left) return left.error();
  Target target{.mapping = {}, .namespace_ = "", .name = pending->second};
  Result<RestMapping> mapping = requests.client().Discovery().MappingFor(
      GroupVersionKind{"apiextensions.k8s.io", "v1", "CustomResourceDefinition"}, *left);
  if (!mapping) return std::move(mapping).error();
  target.mapping = *std::move(mapping);
  std::string lacking = "the server does not serve the kind yet";
  bool established = false;
  const Duration limit =
      left->timeout > Duration(0) && left->timeout < timeout ? Duration(left->timeout) : timeout;
  Result<void> served =
      wait::PollUntilTimeout(requests.env(), left->stop, kInterval, limit, [&]() -> Result<bool> {
        if (!established) {
          Result<std::optional<json::Value>> definition = requests.Get(target);
          if (!definition) return std::move(definition).error();
          lacking = *definition ? LacksToBeEstablished(**definition) : "it is gone";
          established = lacking.empty();
          if (!established) return false;
          lacking = "the server does not serve the kind yet";
          // The answers from before lack new versions of the kind.
          requests.client().Discovery().Invalidate();
        }
        const Result<CallOptions> rest = requests.Left();
        if (!rest) return rest.error();
        const Result<RestMapping> found = requests.client().Discovery().MappingFor(kind, *rest);
        if (!found && !IsNotFound(found)) return found.error();
        return found.ok();
      });
  if (!served) {
    Error error(served.error().reason(), served.error().message() + ": " + lacking);
    return At("definition " + pending->second, std::move(error));
  }
  pending_.erase(pending);
  return {};
}

}  // namespace kinformer::internal::manifests

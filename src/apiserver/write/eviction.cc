#include "apiserver/write/eviction.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kinformer/label_selector.h"

#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/selection.h"
#include "apiserver/write/request_body.h"

namespace kinformer::apiserver {
namespace {

constexpr std::size_t kMaxDisruptedPods = 2000;

Error Refused(const std::string& why, bool soon) {
  Error error(Reason::kTooManyRequests,
              "Cannot evict pod as it would violate the pod's disruption budget.");
  error.WithHttpStatus(429).WithDetails(
      {.causes = {{.reason = "DisruptionBudget", .message = why, .field = ""}}});
  if (soon) error.WithRetryAfter(std::chrono::seconds(10));
  return error;
}

bool Ready(const json::Value& pod) {
  for (const json::Value& condition : pod.At("/status/conditions").items()) {
    if (condition["type"].StringOrEmpty() == "Ready") {
      return condition["status"].StringOrEmpty() == "True";
    }
  }
  return false;
}

// Pods that no budget protects: those that do not run, or not for long.
bool Unprotected(const json::Value& pod) {
  const std::string& phase = pod.At("/status/phase").StringOrEmpty();
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         !pod.At("/metadata/deletionTimestamp").is_null();
}

std::vector<StoredObjectPtr> BudgetsOf(const ServerState& state, const ServedResource& budgets,
                                       const StoredObject& pod) {
  std::vector<StoredObjectPtr> found;
  budgets.store->Walk(NamespacePrefix(pod.namespace_()), {}, state.resource_version,
                      [&](const StoredObjectPtr& stored) {
                        const json::Value budget = stored->Parse();
                        const json::Value& selector = budget.At("/spec/selector");
                        if (selector.is_null()) return true;
                        const auto labels = LabelSelector::Parse(SelectorText(selector));
                        if (labels && MatchesLabels(*labels, pod)) found.push_back(stored);
                        return true;
                      });
  return found;
}

// The budget's status with one disruption fewer.
Result<void> TakeDisruption(json::Value& budget, std::string_view pod, std::string_view now) {
  const std::string name = budget.At("/metadata/name").StringOrEmpty();
  const std::int64_t generation = budget.At("/metadata/generation").AsInt64().value_or(0);
  const auto number = [&](std::string_view field) {
    return std::as_const(budget)["status"][field].AsInt64().value_or(0);
  };
  if (number("observedGeneration") < generation) {
    return Refused("The disruption budget " + name + " is still being processed by the server.",
                   /*soon=*/true);
  }
  const std::int64_t allowed = number("disruptionsAllowed");
  if (allowed <= 0) {
    return Refused("The disruption budget " + name + " needs " +
                       std::to_string(number("desiredHealthy")) + " healthy pods and has " +
                       std::to_string(number("currentHealthy")) + " currently",
                   /*soon=*/false);
  }
  if (budget.At("/status/disruptedPods").size() >= kMaxDisruptedPods) {
    return ForbiddenError({.group = "policy", .resource = "poddisruptionbudgets", .name = name},
                          "DisruptedPods map too big - too many evictions not confirmed by PDB "
                          "controller");
  }
  json::Value& status = budget["status"];
  status.Set("disruptionsAllowed", allowed - 1);
  status["disruptedPods"].Set(pod, now);
  if (allowed > 1) return {};
  json::Array& conditions = status["conditions"].EnsureArray();
  std::erase_if(conditions, [](const json::Value& condition) {
    return condition["type"].StringOrEmpty() == "DisruptionAllowed";
  });
  conditions.push_back(json::Value::MakeObject({{"type", "DisruptionAllowed"},
                                                {"status", "False"},
                                                {"observedGeneration", generation},
                                                {"lastTransitionTime", now},
                                                {"reason", "InsufficientPods"},
                                                {"message", ""}}));
  return {};
}

Result<void> AskBudgets(ServerState& state, ObjectWriter& writer, const WriteTarget& target,
                        const StoredObjectPtr& stored, const json::Value& pod) {
  const ResourceAt budgets = state.resources.Find("policy", "v1", "poddisruptionbudgets");
  if (!budgets) return {};
  const std::vector<StoredObjectPtr> found = BudgetsOf(state, *budgets.resource, *stored);
  if (found.empty()) return {};
  if (found.size() > 1) {
    return Error(Reason::kUnknown,
                 "This pod has more than one PodDisruptionBudget, which the eviction subresource "
                 "does not support.")
        .WithHttpStatus(500);
  }
  const json::Value budget = found[0]->Parse();
  if (!Ready(pod)) {
    const std::int64_t desired = budget.At("/status/desiredHealthy").AsInt64().value_or(0);
    const bool healthy =
        desired > 0 && budget.At("/status/currentHealthy").AsInt64().value_or(0) >= desired;
    if (healthy || budget.At("/spec/unhealthyPodEvictionPolicy").StringOrEmpty() == "AlwaysAllow") {
      return {};
    }
  }
  const auto taken =
      writer.Modify({.at = budgets,
                     .namespace_ = target.namespace_,
                     .name = std::string(found[0]->name()),
                     .subresource = "status",
                     .dry_run = target.dry_run},
                    [&](json::Value& object) {
                      return TakeDisruption(object, target.name, FormatTime(state.env.WallNow()));
                    });
  if (!taken) return taken.error();
  return {};
}

// Says in the pod's status why it goes.
Result<void> MarkDisrupted(const ServerState& state, ObjectWriter& writer, WriteTarget target) {
  target.subresource = "status";
  const auto marked = writer.Modify(target, [&state](json::Value& pod) -> Result<void> {
    json::Value& conditions = pod["status"]["conditions"];
    json::Array& list = conditions.EnsureArray();
    list.erase(std::remove_if(list.begin(), list.end(),
                              [](const json::Value& condition) {
                                return condition["type"].StringOrEmpty() == "DisruptionTarget";
                              }),
               list.end());
    list.push_back(json::Value::MakeObject({{"type", "DisruptionTarget"},
                                            {"status", "True"},
                                            {"lastProbeTime", json::Value()},
                                            {"lastTransitionTime", FormatTime(state.WallNow())},
                                            {"reason", "EvictionByEvictionAPI"},
                                            {"message", "Eviction API: evicting"}}));
    return {};
  });
  if (!marked) return marked.error();
  return {};
}

}  // namespace

Result<void> Evict(ServerState& state, ObjectWriter& writer, WriteTarget target,
                   const json::Value& eviction) {
  const std::string& name = eviction.At("/metadata/name").StringOrEmpty();
  if (name != target.name) {
    return BadRequestError("name in URL does not match name in Eviction object");
  }
  const auto options = DeleteOptionsOf(eviction["deleteOptions"]);
  if (!options) return options.error();
  target.dry_run = target.dry_run || options->dry_run;
  target.subresource.clear();
  const ServedResource& resource = *target.at.resource;
  const StoredObjectPtr stored = resource.Find(target.namespace_, target.name);
  if (stored == nullptr) return NotFoundError(resource.Subject(target.name));
  if (options->request.uid && *options->request.uid != stored->uid()) {
    return ConflictError({.resource = "Pod", .name = target.name},
                         UidConflict(*options->request.uid, stored->uid()));
  }
  const json::Value pod = stored->Parse();
  if (!Unprotected(pod)) {
    if (Result<void> asked = AskBudgets(state, writer, target, stored, pod); !asked) return asked;
  }
  if (!target.dry_run) {
    if (Result<void> marked = MarkDisrupted(state, writer, target); !marked) return marked;
  }
  const auto deleted = writer.Delete(target, options->request);
  if (!deleted) return deleted.error();
  return {};
}

}  // namespace kinformer::apiserver

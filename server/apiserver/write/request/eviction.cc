#include "apiserver/write/request/eviction.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/json/json.h"
#include "kinformer/object/label_selector.h"

#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/selection.h"
#include "apiserver/request/bulky.h"
#include "apiserver/write/request/admitted.h"
#include "apiserver/write/request/node_limits.h"
#include "apiserver/write/request/request_body.h"
#include "apiserver/write/request/unstored_answer.h"

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

// Returns whether budgets do not apply: the pod does not run, or is being deleted.
bool Unprotected(const json::Value& pod) {
  const std::string& phase = pod.At("/status/phase").StringOrEmpty();
  return phase == "Succeeded" || phase == "Failed" || phase == "Pending" ||
         !pod.At("/metadata/deletionTimestamp").is_null();
}

// Subtracts one disruption from the budget's status.
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
  if (budget.At("/status/disruptedPods").size() > kMaxDisruptedPods) {
    return ForbiddenError({.group = "policy", .resource = "poddisruptionbudget", .name = name},
                          "DisruptedPods map too big - too many evictions not confirmed by PDB "
                          "controller");
  }
  const std::int64_t allowed = number("disruptionsAllowed");
  if (allowed <= 0) {
    return Refused("The disruption budget " + name + " needs " +
                       std::to_string(number("desiredHealthy")) + " healthy pods and has " +
                       std::to_string(number("currentHealthy")) + " currently",
                   /*soon=*/false);
  }
  json::Value& status = budget.Ensure("status");
  status.Set("disruptionsAllowed", allowed - 1);
  status.Ensure("disruptedPods").Set(pod, now);
  if (allowed > 1) return {};
  json::Array& conditions = status.Ensure("conditions").EnsureArray();
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

// Adds the reason of the deletion to the pod's status.
void AddDisruptionTarget(std::string_view now, json::Value& pod) {
  json::Array& conditions = pod.Ensure("status", "conditions").EnsureArray();
  std::erase_if(conditions, [](const json::Value& condition) {
    return condition["type"].StringOrEmpty() == "DisruptionTarget";
  });
  conditions.push_back(json::Value::MakeObject({{"type", "DisruptionTarget"},
                                                {"status", "True"},
                                                {"lastProbeTime", json::Value()},
                                                {"lastTransitionTime", now},
                                                {"reason", "EvictionByEvictionAPI"},
                                                {"message", "Eviction API: evicting"}}));
}

// Returns the user of the server's own requests.
UserInfoPtr Itself() {
  static const auto user = std::make_shared<const UserInfo>(
      UserInfo{.name = "system:apiserver", .groups = {"system:masters", "system:authenticated"}});
  return user;
}

Error OtherPod(const std::string& name, std::string_view asked, std::string_view is) {
  return ConflictError({.resource = "Pod", .name = name}, UidConflict(asked, is));
}

// Properties of a pod that decide about its eviction.
struct PodState {
  bool is_protected = true;
  bool ready = false;
};

PodState StateOf(const StoredObject& pod) {
  const json::Value object = pod.Parse();
  return {.is_protected = !Unprotected(object), .ready = Ready(object)};
}

// The budgets that select a pod.
struct Selecting {
  std::vector<StoredObjectPtr> budgets{};
  bool lets_unhealthy_go = false;  // policy of the last one
};

Selecting SelectingOf(const std::vector<StoredObjectPtr>& budgets, const StoredObject& pod) {
  Selecting found;
  for (const StoredObjectPtr& stored : budgets) {
    const json::Value budget = stored->Parse();
    const json::Value& selector = budget.At("/spec/selector");
    if (selector.is_null()) continue;
    const auto labels = LabelSelector::Parse(SelectorText(selector));
    if (!labels || !MatchesLabels(*labels, pod)) continue;
    found.budgets.push_back(stored);
    const std::int64_t desired = budget.At("/status/desiredHealthy").AsInt64().value_or(0);
    const bool healthy =
        desired > 0 && budget.At("/status/currentHealthy").AsInt64().value_or(0) >= desired;
    found.lets_unhealthy_go =
        healthy || budget.At("/spec/unhealthyPodEvictionPolicy").StringOrEmpty() == "AlwaysAllow";
  }
  return found;
}

}  // namespace

ResourceRequest Evictions::Admitted::RequestFor(const WriteTarget& changed) const {
  ResourceRequest out = request;
  out.at = changed.at;
  out.info.name = changed.name;
  out.info.subresource = changed.subresource;
  out.info.query = Query();
  return out;
}

Task<ResponsePtr> Evictions::Evict(ResourceRequest request, bool dry_run) {
  const std::size_t cost = DecodingCost(request.content_type, request.body);
  Result<json::Value> sent =
      co_await off_loop_.Do(cost, [&] { return DecodeBody(request.content_type, request.body); });
  if (!sent) co_return ErrorResponse(sent.error(), request.accept);
  Bulky<UnstoredCreate> create(
      state_, cost,
      UnstoredCreate{
          .request = std::move(request), .dry_run = dry_run, .object = *std::move(sent)});
  const std::string name = create->request.info.name;
  DecodedDelete options;
  const auto check = [&](const json::Value& eviction) -> Result<void> {
    if (eviction.At("/metadata/name").StringOrEmpty() != name) {
      return BadRequestError("name in URL does not match name in Eviction object");
    }
    Result<DecodedDelete> read = DeleteOptionsOf(eviction["deleteOptions"]);
    if (!read) return std::move(read).error();
    options = *std::move(read);
    return {};
  };
  if (const Result<void> may = CheckNodesCreate(bodies_.plugins(), *create); !may) {
    co_return create->Fail(may.error());
  }
  const Result<void> admitted = co_await AdmitCreation(admission_, *create, check);
  if (!admitted) co_return create->Fail(admitted.error());
  Admitted eviction{.request = std::move(create->request), .options = std::move(options.request)};
  eviction.target = {.at = eviction.request.at,
                     .namespace_ = eviction.request.info.namespace_,
                     .name = name,
                     .dry_run = dry_run || options.dry_run,
                     .user = eviction.request.user};
  ResponsePtr answer = co_await EvictAdmitted(std::move(eviction));
  co_return Warned(std::move(answer), create->warnings);
}

Task<ResponsePtr> Evictions::EvictAdmitted(Admitted eviction) {
  const WriteTarget& target = eviction.target;
  const std::string& accept = eviction.request.accept;
  const ServedResource& resource = *target.at.resource;
  const StoredObjectPtr pod = resource.Find(target.namespace_, target.name);
  if (pod == nullptr) co_return ErrorResponse(NotFoundError(resource.Subject(target.name)), accept);
  const std::string uid(pod->uid());
  if (const auto& asked = eviction.options.uid; asked && *asked != uid) {
    co_return ErrorResponse(OtherPod(target.name, *asked, uid), accept);
  }
  const Result<StoredObjectPtr> budget = co_await FindBudget(pod);
  if (!budget) co_return ErrorResponse(budget.error(), accept);
  if (*budget != nullptr) {
    ResponsePtr failed = co_await TakeDisruption(eviction, **budget);
    if (failed != nullptr) co_return failed;
  }
  if (!target.dry_run) {
    ResponsePtr failed = co_await MarkDisrupted(eviction, uid);
    if (failed != nullptr) co_return failed;
  }
  eviction.options.uid = uid;  // deletes only the pod that was reviewed
  ResponsePtr failed =
      co_await bodies_.DeleteFirst(eviction.RequestFor(target), target, eviction.options);
  if (failed != nullptr) co_return failed;
  co_return SuccessAnswer(eviction.request.format.pretty);
}

Task<Result<StoredObjectPtr>> Evictions::FindBudget(StoredObjectPtr pod) {
  const PodState state = co_await off_loop_.Do(pod->body().size(), [&] { return StateOf(*pod); });
  if (!state.is_protected) co_return nullptr;
  const ResourceStore& store =
      *state_.resources.FindGroupResource("policy", "poddisruptionbudgets")->store;
  std::vector<StoredObjectPtr> budgets;
  std::size_t bytes = 0;
  store.Walk(NamespacePrefix(pod->namespace_()), {}, state_.resource_version,
             [&](const StoredObjectPtr& stored) {
               bytes += stored->body().size();
               budgets.push_back(stored);
               return true;
             });
  const Selecting found = co_await off_loop_.Do(bytes, [&] { return SelectingOf(budgets, *pod); });
  if (found.budgets.size() > 1) {
    co_return Error(Reason::kUnknown,
                    "This pod has more than one PodDisruptionBudget, which the eviction "
                    "subresource does not support.")
        .WithHttpStatus(500);
  }
  if (found.budgets.empty() || (!state.ready && found.lets_unhealthy_go)) co_return nullptr;
  co_return found.budgets.front();
}

Task<ResponsePtr> Evictions::TakeDisruption(const Admitted& eviction, const StoredObject& budget) {
  const WriteTarget& target = eviction.target;
  ObjectChange change{
      .target = {.at = state_.resources.Find("policy", "v1", "poddisruptionbudgets"),
                 .namespace_ = target.namespace_,
                 .name = std::string(budget.name()),
                 .subresource = "status",
                 .dry_run = target.dry_run,
                 .user = Itself()},
      .asks = !target.dry_run};
  change.apply = [pod = target.name, now = FormatTime(state_.env.WallNow())](json::Value& object) {
    return apiserver::TakeDisruption(object, pod, now);
  };
  ResourceRequest request = eviction.RequestFor(change.target);
  return bodies_.ChangeFirst(std::move(request), std::move(change));
}

Task<ResponsePtr> Evictions::MarkDisrupted(const Admitted& eviction, std::string uid) {
  ObjectChange change{.target = eviction.target};
  change.target.subresource = "status";
  change.apply = [uid = std::move(uid), name = eviction.target.name,
                  now = FormatTime(state_.WallNow())](json::Value& pod) -> Result<void> {
    const std::string& is = std::as_const(pod).At("/metadata/uid").StringOrEmpty();
    if (is != uid) return OtherPod(name, uid, is);
    AddDisruptionTarget(now, pod);
    return {};
  };
  ResourceRequest request = eviction.RequestFor(change.target);
  return bodies_.ChangeFirst(std::move(request), std::move(change));
}

}  // namespace kinformer::apiserver

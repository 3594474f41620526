#include "apiserver/write/eviction.h"

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
#include "apiserver/write/admitted.h"
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

}  // namespace

struct Evictions::Job {
  ResourceRequest request{};
  WriteTarget target{};
  std::function<ResponsePtr()> done{};

  Result<json::Value> eviction = json::Value();
  DecodedDelete options{};  // options in the Eviction

  StoredObjectPtr pod{};
  bool is_protected = true;
  bool ready = false;

  // Budgets in the pod's namespace, and those of them which select the pod.
  std::vector<StoredObjectPtr> budgets{};
  std::vector<StoredObjectPtr> found{};
  // Policy of the budget that selects the pod.
  bool lets_unhealthy_go = false;

  // ---- On any thread.
  void Decode() { eviction = DecodeBody(request.content_type, request.body); }

  void LookAtPod() {
    const json::Value object = pod->Parse();
    is_protected = !Unprotected(object);
    ready = Ready(object);
  }

  void LookAtBudgets() {
    for (const StoredObjectPtr& stored : budgets) {
      const json::Value budget = stored->Parse();
      const json::Value& selector = budget.At("/spec/selector");
      if (selector.is_null()) continue;
      const auto labels = LabelSelector::Parse(SelectorText(selector));
      if (!labels || !MatchesLabels(*labels, *pod)) continue;
      found.push_back(stored);
      const std::int64_t desired = budget.At("/status/desiredHealthy").AsInt64().value_or(0);
      const bool healthy =
          desired > 0 && budget.At("/status/currentHealthy").AsInt64().value_or(0) >= desired;
      lets_unhealthy_go =
          healthy || budget.At("/spec/unhealthyPodEvictionPolicy").StringOrEmpty() == "AlwaysAllow";
    }
  }

  // Returns a request to change an object as a part of this eviction.
  [[nodiscard]] ResourceRequest RequestFor(const WriteTarget& changed) const {
    ResourceRequest out = request;
    out.at = changed.at;
    out.info.name = changed.name;
    out.info.subresource = changed.subresource;
    out.info.query = Query();
    return out;
  }

  [[nodiscard]] ResponsePtr Fail(const Error& error) const {
    return ErrorResponse(error, request.accept);
  }
};

ResponsePtr Evictions::Evict(ResourceRequest request, bool dry_run,
                             std::function<ResponsePtr()> done) {
  const std::size_t cost = DecodingCost(request.content_type, request.body);
  const auto job = std::make_shared<Job>();
  job->target = {.at = request.at,
                 .namespace_ = request.info.namespace_,
                 .name = request.info.name,
                 .dry_run = dry_run,
                 .user = request.user};
  job->request = std::move(request);
  job->done = std::move(done);
  return off_loop_.Run(cost, [job] { job->Decode(); }, [this, job] { return Admit(job); });
}

ResponsePtr Evictions::Admit(const JobPtr& job) {
  if (!job->eviction) return job->Fail(job->eviction.error());
  UnstoredCreate create{
      .request = job->request, .dry_run = job->target.dry_run, .object = *std::move(job->eviction)};
  create.check = [job](const json::Value& eviction) -> Result<void> {
    if (eviction.At("/metadata/name").StringOrEmpty() != job->target.name) {
      return BadRequestError("name in URL does not match name in Eviction object");
    }
    Result<DecodedDelete> options = DeleteOptionsOf(eviction["deleteOptions"]);
    if (!options) return std::move(options).error();
    job->options = *std::move(options);
    return {};
  };
  create.then = [this, job](const ResourceRequest&, const json::Value&) { return FindPod(job); };
  return WhenCreationAdmitted(admission_, std::move(create));
}

ResponsePtr Evictions::FindPod(const JobPtr& job) {
  WriteTarget& target = job->target;
  target.dry_run = target.dry_run || job->options.dry_run;
  const ServedResource& resource = *target.at.resource;
  job->pod = resource.Find(target.namespace_, target.name);
  if (job->pod == nullptr) return job->Fail(NotFoundError(resource.Subject(target.name)));
  if (const auto& uid = job->options.request.uid; uid && *uid != job->pod->uid()) {
    return job->Fail(OtherPod(target.name, *uid, job->pod->uid()));
  }
  return off_loop_.Run(
      job->pod->body().size(), [job] { job->LookAtPod(); },
      [this, job] { return FindBudgets(job); });
}

ResponsePtr Evictions::FindBudgets(const JobPtr& job) {
  if (!job->is_protected) return MarkDisrupted(job);
  const ResourceStore& store =
      *state_.resources.FindGroupResource("policy", "poddisruptionbudgets")->store;
  std::size_t bytes = 0;
  store.Walk(NamespacePrefix(job->pod->namespace_()), {}, state_.resource_version,
             [&](const StoredObjectPtr& stored) {
               bytes += stored->body().size();
               job->budgets.push_back(stored);
               return true;
             });
  return off_loop_.Run(
      bytes, [job] { job->LookAtBudgets(); }, [this, job] { return TakeDisruption(job); });
}

ResponsePtr Evictions::TakeDisruption(const JobPtr& job) {
  if (job->found.size() > 1) {
    return job->Fail(
        Error(Reason::kUnknown,
              "This pod has more than one PodDisruptionBudget, which the eviction subresource "
              "does not support.")
            .WithHttpStatus(500));
  }
  if (job->found.empty() || (!job->ready && job->lets_unhealthy_go)) return MarkDisrupted(job);
  ObjectChange change{
      .target = {.at = state_.resources.Find("policy", "v1", "poddisruptionbudgets"),
                 .namespace_ = job->target.namespace_,
                 .name = std::string(job->found.front()->name()),
                 .subresource = "status",
                 .dry_run = job->target.dry_run,
                 .user = Itself()},
      .asks = !job->target.dry_run};
  change.apply = [pod = job->target.name, now = FormatTime(state_.env.WallNow())](
                     json::Value& budget) { return apiserver::TakeDisruption(budget, pod, now); };
  change.then = [this, job](const WriteOutcome&) { return MarkDisrupted(job); };
  ResourceRequest request = job->RequestFor(change.target);
  return bodies_.Change(std::move(request), std::move(change));
}

ResponsePtr Evictions::MarkDisrupted(const JobPtr& job) {
  if (job->target.dry_run) return DeletePod(job);
  ObjectChange change{.target = job->target};
  change.target.subresource = "status";
  change.apply = [uid = std::string(job->pod->uid()), name = job->target.name,
                  now = FormatTime(state_.WallNow())](json::Value& pod) -> Result<void> {
    const std::string& is = std::as_const(pod).At("/metadata/uid").StringOrEmpty();
    if (is != uid) return OtherPod(name, uid, is);
    AddDisruptionTarget(now, pod);
    return {};
  };
  change.then = [this, job](const WriteOutcome&) { return DeletePod(job); };
  ResourceRequest request = job->RequestFor(change.target);
  return bodies_.Change(std::move(request), std::move(change));
}

ResponsePtr Evictions::DeletePod(const JobPtr& job) {
  ObjectDeletion deletion{.target = job->target, .request = job->options.request};
  // Deletes only the pod that was reviewed.
  deletion.request.uid = std::string(job->pod->uid());
  deletion.then = [job](const WriteOutcome&) { return job->done(); };
  return bodies_.Delete(job->RequestFor(job->target), std::move(deletion));
}

}  // namespace kinformer::apiserver

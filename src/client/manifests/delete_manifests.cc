#include "kinformer/client/delete_manifests.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "kinformer/client/dynamic_client.h"
#include "kinformer/client/list_options.h"

#include "client/manifests/manifest_order.h"
#include "client/manifests/object_requests.h"

namespace kinformer {
namespace internal::manifests {
namespace {

constexpr std::chrono::seconds kPause{1};

// Whether a watch failed, and was not ended by the caller's limits.
bool IsTrouble(const Result<void>& watched) {
  return !watched && watched.error().reason() != Reason::kDeadlineExceeded &&
         watched.error().reason() != Reason::kCanceled;
}

// One call of DeleteObjects.
class DeleteRun {
 public:
  DeleteRun(const Client& client, const DeleteManifestsOptions& options, const CallOptions& call)
      : options_(options), requests_(client, call, "the delete") {}

  // Returns the uid of an object that is still there, to be waited for; empty: there is none.
  std::string Delete(DeleteResult& result) {
    const Target target{.mapping = result.target.mapping,
                        .namespace_ = result.target.namespace_,
                        .name = result.target.name};
    std::string waits_for;
    DeleteOptions options{.gracePeriodSeconds = options_.gracePeriodSeconds,
                          .propagationPolicy = options_.propagationPolicy};
    if (options_.dry_run) options.dryRun = {"All"};
    const Result<CallOptions> left = requests_.Left();
    auto done = left ? Things(target).DeleteForAnswer(target.name, options, *left)
                     : Result<Deletion<Unstructured>>(left.error());
    if (done) {
      result.deleted = true;
      if (done->pending && !options_.dry_run) waits_for = done->uid;
    } else if (IsNotFound(done) && options_.ignore_not_found) {
      result.absent = true;
    } else {
      result.error = At(result.target.place, At(target.ToString(), std::move(done).error()));
    }
    return waits_for;
  }

  // Waits until the object with this uid is gone.
  void Await(DeleteResult& result, const std::string& uid, const SteadyTime& end) {
    const Target target{.mapping = result.target.mapping,
                        .namespace_ = result.target.namespace_,
                        .name = result.target.name};
    if (Result<void> gone = Gone(target, uid, end); !gone) {
      result.error = At(result.target.place, At(target.ToString(), std::move(gone).error()));
    }
  }

 private:
  DynamicResourceClient Things(const Target& target) const {
    return requests_.client().Dynamic(target.mapping, target.namespace_);
  }

  // Watches between two reads; after a failed watch pauses.
  Result<void> Gone(const Target& target, const std::string& uid, const SteadyTime& end) {
    while (true) {
      Result<CallOptions> left = requests_.Left();
      if (!left) return left.error();
      if (options_.wait_timeout > Duration(0)) {
        const Duration rest = end - requests_.env().Now();
        if (rest <= Duration(0)) {
          return Error(Reason::kDeadlineExceeded,
                       "it was not gone in time; its finalizers or grace period are not over");
        }
        if (left->timeout <= Duration(0) || left->timeout > rest) left->timeout = rest;
      }
      const Result<std::optional<json::Value>> now = requests_.Get(target);
      if (!now) return now.error();
      if (!*now || (**now)["metadata"]["uid"].StringOrEmpty() != uid) return {};
      ListOptions options;
      options.fieldSelector = "metadata.name=" + target.name;
      options.resourceVersion = (**now)["metadata"]["resourceVersion"].StringOrEmpty();
      const Result<void> watched = Things(target).Watch(
          options,
          [](const ResourceWatchEvent<Unstructured>& event) {
            return event.type != WatchEventType::kDeleted;
          },
          *left);
      if (IsTrouble(watched)) requests_.env().SleepFor(kPause);
    }
  }

  const DeleteManifestsOptions& options_;
  const ObjectRequests requests_;
};

}  // namespace
}  // namespace internal::manifests

std::vector<DeleteResult> DeleteObjects(const Client& client,
                                        const std::vector<DeleteTarget>& targets,
                                        const DeleteManifestsOptions& options,
                                        const CallOptions& call) {
  internal::manifests::DeleteRun run(client, options, call);
  std::vector<DeleteResult> results;
  std::vector<std::pair<std::size_t, std::string>> waiting;  // index and uid
  for (const DeleteTarget& target : targets) {
    DeleteResult result{.target = target};
    const std::string uid = run.Delete(result);
    if (options.on_result) options.on_result(result);
    if (!uid.empty()) waiting.emplace_back(results.size(), uid);
    results.push_back(std::move(result));
  }
  if (!options.wait) return results;
  const SteadyTime end = client.env().Now() + options.wait_timeout;
  for (const auto& [index, uid] : waiting) {
    run.Await(results[index], uid, end);
    if (results[index].error && options.on_result) options.on_result(results[index]);
  }
  return results;
}

std::vector<DeleteResult> DeleteManifests(const Client& client,
                                          const std::vector<Manifest>& manifests,
                                          const DeleteManifestsOptions& options,
                                          const CallOptions& call) {
  using internal::manifests::At;
  using internal::manifests::ObjectRequests;
  const ObjectRequests requests(client, call, "the delete");
  std::vector<DeleteTarget> targets;
  std::vector<DeleteResult> unresolved;
  std::vector<std::size_t> order = internal::manifests::OrderOf(manifests, options.order);
  std::reverse(order.begin(), order.end());
  for (const std::size_t index : order) {
    const Manifest* const manifest = &manifests[index];
    auto target = requests.Resolve(*manifest, {options.namespace_, options.enforce_namespace});
    if (target) {
      targets.push_back({.mapping = std::move(target->mapping),
                         .namespace_ = std::move(target->namespace_),
                         .name = std::move(target->name),
                         .place = manifest->place()});
      continue;
    }
    DeleteResult result;
    result.target.mapping.kind = manifest->kind();
    result.target.namespace_ = manifest->namespace_();
    result.target.name = manifest->name();
    result.target.place = manifest->place();
    if (IsNotFound(target) && options.ignore_not_found) {
      result.absent = true;
    } else {
      result.error = At(result.target.place, std::move(target).error());
    }
    if (options.on_result) options.on_result(result);
    unresolved.push_back(std::move(result));
  }
  std::vector<DeleteResult> results = DeleteObjects(client, targets, options, call);
  results.insert(results.begin(), std::make_move_iterator(unresolved.begin()),
                 std::make_move_iterator(unresolved.end()));
  return results;
}

}  // namespace kinformer

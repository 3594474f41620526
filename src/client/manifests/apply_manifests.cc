#include "kinformer/client/apply_manifests.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "kinformer/client/discovery.h"
#include "kinformer/client/rest_mapper.h"
#include "kinformer/object/label_selector.h"

#include "client/manifests/apply_set.h"
#include "client/manifests/definitions.h"
#include "client/manifests/manifest_order.h"
#include "client/manifests/object_requests.h"
#include "client/manifests/prune.h"

namespace kinformer {
namespace internal::manifests {
namespace {

// Whether the server's answer differs from the object before. A dry run has the version of before.
bool IsSame(json::Value before, json::Value after) {
  for (json::Value* object : {&before, &after}) {
    object->Ensure("metadata").Erase("resourceVersion");
  }
  return before == after;
}

// One call of ApplyManifests.
class ApplyRun {
 public:
  ApplyRun(const Client& client, const std::vector<Manifest>& manifests,
           const ApplyManifestsOptions& options, const CallOptions& call)
      : manifests_(manifests),
        options_(options),
        requests_(client, call, "the apply"),
        definitions_(manifests) {}

  ApplyReport Run() {
    if (Result<void> ready = Prepare(); !ready) {
      report_.errors.push_back(std::move(ready).error());
      return std::move(report_);
    }
    for (const std::size_t index : OrderOf(manifests_, options_.order)) ApplyOne(index);
    if (!report_.ok()) return std::move(report_);
    if (options_.prune) PruneLabelled(*options_.prune);
    if (parent_) PruneSet();
    return std::move(report_);
  }

 private:
  // Reads the selector and the apply set.
  Result<void> Prepare() {
    if (options_.prune && options_.apply_set) {
      return Error(Reason::kInvalidArgument,
                   "an apply set prunes by itself: give it, or a selector, but not both");
    }
    if (options_.prune) {
      const auto selector = LabelSelector::Parse(options_.prune->label_selector);
      if (!selector) return selector.error();
    }
    if (!options_.apply_set) return {};
    Result<ApplySetParent> parent = ApplySetParent::Read(requests_, *options_.apply_set);
    if (!parent) return At("apply set", std::move(parent).error());
    parent_ = *std::move(parent);
    before_ = parent_->before();
    for (const Manifest& manifest : manifests_) {
      const GroupVersionKind kind = manifest.kind();
      before_.kinds.insert({kind.group, kind.kind});
      const std::string named = manifest.namespace_();
      before_.namespaces.insert(named.empty() ? options_.namespace_ : named);
    }
    if (options_.dry_run) return {};
    // Names what will be there before it is, so that a run that breaks off leaves nothing behind
    // that the parent does not know.
    return parent_->Write(requests_, before_, options_.fieldManager);
  }

  void Add(ApplyResult result) {
    if (options_.on_result) options_.on_result(result);
    report_.results.push_back(std::move(result));
  }

  void ApplyOne(std::size_t index) {
    const Manifest& manifest = manifests_[index];
    ApplyResult result{.manifest = index,
                       .outcome = ApplyOutcome::kFailed,
                       .namespace_ = manifest.namespace_(),
                       .name = manifest.name()};
    if (Result<void> done = Try(manifest, result); !done) {
      result.conflicts = ConflictsOf(done.error());
      result.error = At(manifest.place(), std::move(done).error());
    } else if (!options_.dry_run) {
      definitions_.Applied(manifest);
    }
    Add(std::move(result));
  }

  Result<void> Try(const Manifest& manifest, ApplyResult& result) {
    if (Result<void> served =
            definitions_.Await(requests_, manifest.kind(), options_.definition_timeout);
        !served) {
      return served;
    }
    Result<Target> target =
        requests_.Resolve(manifest, {options_.namespace_, options_.enforce_namespace});
    if (!target) return Unresolved(manifest, std::move(target).error());
    result.mapping = target->mapping;
    result.namespace_ = target->namespace_;
    Result<void> done = Send(manifest, *target, result);
    if (!done) return At(target->ToString(), std::move(done).error());
    return done;
  }

  Result<void> Send(const Manifest& manifest, const Target& target, ApplyResult& result) {
    json::Value object = manifest.object;
    if (!target.namespace_.empty()) object.Ensure("metadata", "namespace") = target.namespace_;
    if (parent_) {
      if (Result<void> labelled = parent_->Label(object); !labelled) return labelled;
    }
    std::optional<json::Value> live;
    if (options_.compare || parent_) {
      Result<std::optional<json::Value>> before = requests_.Get(target);
      if (!before) return std::move(before).error();
      live = *std::move(before);
    }
    if (parent_ && live) {
      if (Result<void> member = parent_->CheckMember(*live); !member) return member;
    }
    Result<Applied> applied = requests_.Apply(target, object, PatchOptionsOf());
    if (!applied) return std::move(applied).error();
    result.outcome = applied->created    ? ApplyOutcome::kCreated
                     : !options_.compare ? ApplyOutcome::kApplied
                     : live && IsSame(*std::move(live), applied->object)
                         ? ApplyOutcome::kUnchanged
                         : ApplyOutcome::kConfigured;
    result.object = std::move(applied->object);
    uids_.insert(std::as_const(result.object)["metadata"]["uid"].StringOrEmpty());
    if (!target.namespace_.empty()) now_.namespaces.insert(target.namespace_);
    now_.kinds.insert({target.mapping.kind.group, target.mapping.kind.kind});
    return {};
  }

  // Explains an unknown kind.
  Error Unresolved(const Manifest& manifest, Error error) const {
    if (!IsNotFound(error)) return error;
    const char* const why =
        !definitions_.Has(manifest.kind()) ? "; its CustomResourceDefinition must be there first"
        : options_.dry_run
            ? "; its definition is among the manifests, but a dry run does not create it"
            : "; its definition is among the manifests, but failed or comes later: choose the "
              "order of installation";
    return {error.reason(), error.message() + why};
  }

  [[nodiscard]] PatchOptions PatchOptionsOf() const {
    PatchOptions options{.dryRun = {},
                         .force = options_.force_conflicts,
                         .fieldManager = options_.fieldManager,
                         .fieldValidation = options_.fieldValidation};
    if (options_.dry_run) options.dryRun = {"All"};
    return options;
  }

  // Returns the resources of the kinds; a kind that the server does not know has no objects.
  template <class Kinds, class Find>
  std::vector<RestMapping> MappingsOf(const Kinds& kinds, const Find& find) {
    std::vector<RestMapping> mappings;
    const Result<CallOptions> left = requests_.Left();
    for (const auto& kind : kinds) {
      Result<RestMapping> mapping = left ? find(kind, *left) : Result<RestMapping>(left.error());
      if (mapping) {
        mappings.push_back(*std::move(mapping));
      } else if (!IsNotFound(mapping)) {
        report_.errors.push_back(At("prune of " + kind.kind, std::move(mapping).error()));
      }
    }
    return mappings;
  }

  void PruneLabelled(const PruneByLabel& prune) {
    const DiscoveryClient discovery = requests_.client().Discovery();
    const PruneScope scope{
        .mappings = MappingsOf(prune.allow_list.empty() ? DefaultAllowList() : prune.allow_list,
                               [&](const GroupVersionKind& kind, const CallOptions& call) {
                                 return discovery.MappingFor(kind, call);
                               }),
        .namespaces = now_.namespaces,
        .label_selector = prune.label_selector};
    Pruned pruned = Prune(
        requests_, scope, uids_, options_.dry_run,
        [&](const json::Value& object) { return WasApplied(object, options_.fieldManager); },
        [&](ApplyResult result) { Add(std::move(result)); });
    std::move(pruned.errors.begin(), pruned.errors.end(), std::back_inserter(report_.errors));
  }

  void PruneSet() {
    const DeferredDiscoveryRESTMapper mapper(requests_.client().Discovery());
    const PruneScope scope{
        .mappings = MappingsOf(before_.kinds,
                               [&](const GroupKind& kind, const CallOptions& call) {
                                 return mapper.RESTMapping(kind, {}, call);
                               }),
        .namespaces = before_.namespaces,
        .label_selector = kPartOf + ("=" + parent_->id())};
    Pruned pruned = Prune(
        requests_, scope, uids_, options_.dry_run, [](const json::Value&) { return true; },
        [&](ApplyResult result) { Add(std::move(result)); });
    std::move(pruned.errors.begin(), pruned.errors.end(), std::back_inserter(report_.errors));
    if (!report_.ok() || options_.dry_run) return;
    if (Result<void> written = parent_->Write(requests_, now_, options_.fieldManager); !written) {
      report_.errors.push_back(std::move(written).error());
    }
  }

  const std::vector<Manifest>& manifests_;
  const ApplyManifestsOptions& options_;
  const ObjectRequests requests_;
  Definitions definitions_;
  std::optional<ApplySetParent> parent_;
  Members before_;  // of the set before, and what the manifests add
  Members now_;     // of what was applied
  std::set<std::string> uids_;
  ApplyReport report_;
};

}  // namespace
}  // namespace internal::manifests

bool ApplyReport::ok() const {
  return errors.empty() && std::none_of(results.begin(), results.end(), [](const auto& result) {
           return result.outcome == ApplyOutcome::kFailed;
         });
}

ApplyReport ApplyManifests(const Client& client, const std::vector<Manifest>& manifests,
                           const ApplyManifestsOptions& options, const CallOptions& call) {
  return internal::manifests::ApplyRun(client, manifests, options, call).Run();
}

}  // namespace kinformer

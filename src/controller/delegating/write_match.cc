#include "controller/delegating/write_match.h"

#include <optional>
#include <utility>
#include <vector>

#include "kinformer/internal/indexer_core.h"
#include "kinformer/json/json.h"
#include "kinformer/object/object.h"

#include "cache/store/store_core.h"
#include "controller/delegating/placement.h"
#include "controller/matching/applied.h"
#include "controller/matching/patched.h"
#include "controller/matching/updated.h"
#include "object/transcode/block_text.h"

namespace kinformer::internal::delegating {
namespace {

using matching::AppliedBy;
using Fingerprint = matching::KnownMatches::Fingerprint;

// Subresources that are the whole object.
bool IsWhole(std::string_view subresource) {
  return subresource.empty() || subresource == "status";
}

bool SameKind(const KindInfo& a, const KindInfo& b) {
  return &a == &b || (a.kind == b.kind && a.version == b.version && a.group == b.group);
}

std::string_view ManagerOf(const DelegatingState& state, std::string_view manager) {
  return manager.empty() ? std::string_view(state.options.field_owner) : manager;
}

// Returns the epoch of the cache for which a fingerprint is learned.
std::optional<std::uint64_t> EpochOf(DelegatingState& state, const KindInfo& type) {
  const std::optional<ReadSource> source = state.CachedSource(type);
  if (!source) return std::nullopt;
  return source->informer->Epochs();
}

// Whether a write of these bounds is to be compared.
bool Compares(const DelegatingState& state, const CallBounds& bounds) {
  return state.options.match_before_write && !state.options.dry_run && !bounds.compared;
}

Fingerprint PrintOf(const DelegatingState& state, const KindInfo& type, const Block& object,
                    std::uint64_t epoch, std::string_view what, std::string_view subresource,
                    std::string_view manager, bool force, std::string_view body) {
  const std::string_view epoch_bytes(reinterpret_cast<const char*>(&epoch), sizeof(epoch));
  return state.matches.Of({type.group, type.version, type.kind, object.uid(),
                           object.resourceVersion(), epoch_bytes, what, subresource, manager,
                           force ? "force" : "", body});
}

Fingerprint PrintOfPatch(const DelegatingState& state, const KindInfo& type, const Block& object,
                         std::uint64_t epoch, const kinformer::Patch& patch,
                         std::string_view subresource, const PatchOptions& options) {
  return PrintOf(state, type, object, epoch, PatchContentType(patch.type), subresource,
                 ManagerOf(state, options.fieldManager), options.force.value_or(false), patch.body);
}

bool IsAppliedTo(DelegatingState& state, const KindInfo& type, const json::Value& object,
                 const kinformer::Patch& patch, const AppliedBy& by) {
  if (by.manager.empty()) return false;
  const Result<json::Value> body = json::Parse(patch.body);
  if (!body) return false;  // YAML
  std::vector<std::string> wholes;
  return matching::IsApplied(type, object, *body, by, wholes) &&
         state.matches.AreAtomic(type, wholes);
}

// Does as Matchable, but the object may be being deleted. `name`: as the cache has it.
MatchableObject WholeObjectAt(DelegatingState& state, const KindInfo& type,
                              const ObjectName& name) {
  const std::optional<ReadSource> source = state.CachedSource(type);
  if (!source || !state.IsReady(*source, type, name)) return {};
  const InformerCore& informer = *source->informer;
  const std::uint64_t epoch = informer.Epochs();
  if (informer.PositionOf(name.namespace_).epoch != epoch || informer.Transforms()) return {};
  const ObjectRef cached = informer.indexer().Get(name.namespace_, name.name);
  if (!cached || !SameKind(cached->type(), type)) return {};
  MatchableObject found{Unpacked(cached), epoch};
  if (found.object->partial() || found.object->resourceVersion().empty()) return {};
  return found;
}

MatchableObject WholeObject(DelegatingState& state, const KindInfo& type, const ObjectName& name,
                            const CallBounds& bounds) {
  if (!state.Waits()) return {};
  // Most names are complete.
  if (bounds.namespace_.empty() && !name.name.empty() &&
      type.namespaced == !name.namespace_.empty()) {
    return WholeObjectAt(state, type, name);
  }
  const Result<ObjectName> placed = PlacedRead(type, name, bounds.namespace_);
  return placed ? WholeObjectAt(state, type, *placed) : MatchableObject();
}

}  // namespace

MatchableObject Matchable(DelegatingState& state, const KindInfo& type, const ObjectName& name,
                          const CallBounds& bounds) {
  MatchableObject found = WholeObject(state, type, name, bounds);
  if (found.object && Object(found.object.get()).metadata().deletionTimestamp()) return {};
  return found;
}

ObjectRef MatchedUpdate(DelegatingState& state, const KindInfo& type, const RequestObject& object,
                        std::string_view subresource, const UpdateOptions& options,
                        const CallBounds& bounds) {
  if (!Compares(state, bounds) || !options.dryRun.empty() || !IsWhole(subresource)) return {};
  MatchableObject cached = Matchable(state, type, {object.namespace_, object.name}, bounds);
  if (!cached.object || !matching::UpdateChangesNothing(*cached.object, object)) return {};
  state.matched.updates->Add();
  return std::move(cached.object);
}

ObjectRef MatchedUpdate(DelegatingState& state, const KindInfo& type, const WrittenStruct& object,
                        std::string_view subresource, const UpdateOptions& options,
                        const CallBounds& bounds) {
  if (!Compares(state, bounds) || !options.dryRun.empty() || !IsWhole(subresource)) return {};
  // The bytes of an object that is put into another namespace differ.
  if (object.is_partial || (object.namespace_.empty() && !object.home.empty())) return {};
  // With the same bytes, the cached object is being deleted if the struct says so.
  if (object.is_being_deleted) return {};
  MatchableObject cached = WholeObject(state, type, {object.namespace_, object.name}, bounds);
  if (!cached.object || !matching::HasBytesOf(*cached.object, object)) return {};
  state.matched.updates->Add();
  return std::move(cached.object);
}

ObjectRef MatchedPatch(DelegatingState& state, const KindInfo& type, const ObjectName& name,
                       const kinformer::Patch& patch, std::string_view subresource,
                       const PatchOptions& options, const CallBounds& bounds) {
  if (!Compares(state, bounds) || !options.dryRun.empty() || !IsWhole(subresource)) return {};
  MatchableObject cached = Matchable(state, type, name, bounds);
  if (!cached.object) return {};
  const Fingerprint print =
      PrintOfPatch(state, type, *cached.object, cached.epoch, patch, subresource, options);
  const bool applies = patch.type == PatchType::kApply;
  if (!state.matches.Knows(print)) {
    const Result<json::Value> object = json::Parse(BlockToJson(*cached.object));
    if (!object) return {};
    const bool same = applies ? IsAppliedTo(state, type, *object, patch,
                                            {ManagerOf(state, options.fieldManager), subresource})
                              : matching::PatchChangesNothing(type, *object, patch);
    if (!same) return {};
    state.matches.Learn(print);
  }
  (applies ? state.matched.applies : state.matched.patches)->Add();
  return std::move(cached.object);
}

void LearnFromPatch(DelegatingState& state, const KindInfo& type, const kinformer::Patch& patch,
                    std::string_view subresource, const PatchOptions& options,
                    const Block& answer) {
  if (!state.options.match_before_write || patch.type != PatchType::kApply ||
      !IsWhole(subresource) || answer.partial() || !SameKind(answer.type(), type)) {
    return;
  }
  const std::optional<std::uint64_t> epoch = EpochOf(state, type);
  if (!epoch) return;
  state.matches.Learn(PrintOfPatch(state, type, answer, *epoch, patch, subresource, options));
  const Result<json::Value> object = json::Parse(BlockToJson(answer));
  const Result<json::Value> body = json::Parse(patch.body);
  if (!object || !body) return;
  std::vector<std::string> wholes;
  const AppliedBy by{ManagerOf(state, options.fieldManager), subresource};
  if (matching::IsApplied(type, *object, *body, by, wholes)) {
    state.matches.LearnAtomic(type, wholes);
  }
}

AppliedObject::AppliedObject(const KindInfo& type, const ObjectName& name,
                             std::string_view subresource, const RequestObject& object,
                             const ApplyOptions& options)
    : type_(type),
      name_(name),
      subresource_(subresource),
      manager_(options.fieldManager),
      force_(options.force),
      dry_run_(!options.dryRun.empty()),
      body_(object.protobuf) {
  if (!body_.empty() || !object.json) return;
  json_ = object.json();
  body_ = json_;
}

Fingerprint AppliedObject::PrintOf(DelegatingState& state, const Block& object,
                                   std::uint64_t epoch) const {
  return delegating::PrintOf(state, type_, object, epoch, "object", subresource_,
                             ManagerOf(state, manager_), force_, body_);
}

ObjectRef AppliedObject::Known(DelegatingState& state, const CallBounds& bounds) const {
  if (!Compares(state, bounds) || dry_run_ || !IsWhole(subresource_)) return {};
  MatchableObject cached = Matchable(state, type_, name_, bounds);
  if (!cached.object || !state.matches.Knows(PrintOf(state, *cached.object, cached.epoch))) {
    return {};
  }
  state.matched.applies->Add();
  return std::move(cached.object);
}

void AppliedObject::Learn(DelegatingState& state, const Block& answer) const {
  if (!state.options.match_before_write || dry_run_ || state.options.dry_run ||
      !IsWhole(subresource_) || answer.partial() || !SameKind(answer.type(), type_)) {
    return;
  }
  if (const std::optional<std::uint64_t> epoch = EpochOf(state, type_)) {
    state.matches.Learn(PrintOf(state, answer, *epoch));
  }
}

std::string PatchedVersion(const Block& before, const Block& answer,
                           const kinformer::Patch& patch) {
  if (patch.type == PatchType::kJsonPatch || before.uid() != answer.uid()) return {};
  Result<json::Value> was = json::Parse(BlockToJson(before));
  Result<json::Value> is = json::Parse(BlockToJson(answer));
  const Result<json::Value> body = json::Parse(patch.body);
  if (!was || !is || !body) return {};
  // Each change changes these.
  for (json::Value* const object : {&*was, &*is}) {
    for (const char* member : {"managedFields", "resourceVersion", "generation"}) {
      object->Ensure("metadata").Erase(member);
    }
  }
  return matching::OnlyPatched(*was, *is, *body) ? std::string(before.resourceVersion())
                                                 : std::string();
}

}  // namespace kinformer::internal::delegating

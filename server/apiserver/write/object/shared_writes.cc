// Writes with a shared storage: other servers write the same objects.

#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/custom_resource_definition.h"
#include "apiserver/registry/defined_resource.h"
#include "apiserver/registry/shared_commits.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/write/object/deletion_mark.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {
namespace {

// Returns the version in which objects of a store are told to observers.
ResourceAt ToldAt(const std::shared_ptr<ServedResource>& resource) {
  auto version = resource->custom ? resource->StorageVersion() : nullptr;
  return {.resource = resource,
          .version = version == nullptr ? resource->versions.front() : std::move(version)};
}

}  // namespace

std::optional<SharedChange> ObjectWriter::ChangeOf(const Draft& draft) {
  if (draft.target.dry_run || (!draft.creates && draft.unchanged)) return std::nullopt;
  // Commit refuses these.
  if (draft.creates &&
      (!draft.sent_version.empty() ||
       draft.target.at.resource->Find(draft.target.namespace_, draft.target.name) != nullptr)) {
    return std::nullopt;
  }
  const ResourceAt at = StoredAt(draft.target.at);
  const bool goes = !draft.creates && MayGo(*at.resource, draft.old, draft.object);
  return SharedChange{.resource = at.resource,
                      .made = goes ? nullptr : draft.stored,
                      .over = draft.creates ? nullptr : draft.over};
}

std::optional<SharedChange> ObjectWriter::MarkOf(const WriteTarget& target,
                                                 const Deletion& deletion) {
  if (target.dry_run || deletion.marked == nullptr) return std::nullopt;
  return SharedChange{
      .resource = StoredAt(target.at).resource, .made = deletion.marked, .over = deletion.over};
}

std::optional<SharedChange> ObjectWriter::RemovalOf(const WriteTarget& target,
                                                    const Deletion& deletion) {
  if (target.dry_run || !deletion.removes) return std::nullopt;
  StoredObjectPtr over = deletion.over;
  if (deletion.committed_mark) {
    over = deletion.marked->AtResourceVersion(*deletion.committed_mark, /*tombstone=*/false);
  }
  return SharedChange{.resource = StoredAt(target.at).resource, .over = std::move(over)};
}

Result<WriteOutcome> ObjectWriter::StoreShared(const WriteTarget& target,
                                               const StoredObjectPtr& old,
                                               const StoredObjectPtr& made,
                                               std::optional<std::int64_t> committed) {
  if (!committed) {
    const ServedResource& resource = *target.at.resource;
    SharedCommits::Committed answer = state_.shared->CommitNow(
        {.resource = StoredAt(target.at).resource, .made = made, .over = old});
    if (!answer.ok()) return std::move(answer).error();
    if (!answer->has_value()) {
      const StoredObjectPtr there =
          old == nullptr ? resource.Find(target.namespace_, target.name) : nullptr;
      if (there == nullptr) return ModifiedConflictError(resource.Subject(target.name));
      return AlreadyExistsError(resource.Subject(target.name), there->terminating());
    }
    committed = *answer;
  }
  if (made == nullptr) {
    return WriteOutcome{.stored = old->AtResourceVersion(*committed, /*tombstone=*/true),
                        .removed = true};
  }
  return WriteOutcome{.stored = made->AtResourceVersion(*committed, /*tombstone=*/false)};
}

ObjectWriter::Applied ObjectWriter::Apply(const std::shared_ptr<ServedResource>& resource,
                                          const StoredObjectPtr& stored, json::Value object) {
  ++state_.writes;
  if (resource->custom && !resource->mixed_forms) {
    resource->mixed_forms =
        MustAskToConvert({.resource = resource, .version = resource->StorageVersion()}, *stored);
  }
  Applied applied{.resource = resource,
                  .old = resource->store->Get(stored->key()),
                  .stored = stored,
                  .object = std::move(object)};
  resource->store->Put(stored, state_.env.Now());
  resource->watchers->Notify(stored->namespace_(), stored->key());
  return applied;
}

std::optional<ObjectWriter::Applied> ObjectWriter::ApplyRemoval(
    const std::shared_ptr<ServedResource>& resource, const std::string& key, std::int64_t version) {
  const StoredObjectPtr old = resource->store->Get(key);
  if (old == nullptr) return std::nullopt;
  ++state_.writes;
  const StoredObjectPtr tombstone = old->AtResourceVersion(version, /*tombstone=*/true);
  resource->store->Delete(tombstone, state_.env.Now());
  resource->watchers->Notify(tombstone->namespace_(), tombstone->key());
  return Applied{.resource = resource, .old = old};
}

void ObjectWriter::Tell(const Applied& applied) {
  const ResourceAt at = ToldAt(applied.resource);
  if (applied.stored == nullptr) {
    strategy_.Removed(*applied.resource, *applied.old);
    for (WriteObserver* observer : observers_) observer->AfterRemove(at, applied.old);
    return;
  }
  strategy_.Stored(*applied.resource, *applied.stored, applied.object);
  ObjectPut put{.at = at, .old = applied.old, .stored = applied.stored, .object = applied.object};
  if (IsDefinition(*applied.resource)) {
    const json::Value& spec = applied.object["spec"];
    if (applied.old == nullptr || applied.old->Parse()["spec"] != spec) {
      put.defined = DefinedResource::Make(spec);
    }
  }
  Tell(put);
}

}  // namespace kinformer::apiserver

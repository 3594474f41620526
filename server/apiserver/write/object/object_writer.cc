#include "apiserver/write/object/object_writer.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "kinformer/object/time.h"

#include "apiserver/builtin/field_rules.h"
#include "apiserver/builtin/object_checks.h"
#include "apiserver/ownership/value_shape.h"
#include "apiserver/registry/built_in_conversion.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/custom_object.h"
#include "apiserver/registry/custom_resource_definition.h"
#include "apiserver/registry/defined_resource.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/off_loop.h"
#include "apiserver/schema/metadata_rules.h"
#include "apiserver/write/object/deletion_mark.h"
#include "apiserver/write/object/generated_name.h"
#include "apiserver/write/object/object_update.h"
#include "apiserver/write/object/preconditions.h"
#include "apiserver/write/object/propagation.h"
#include "apiserver/write/object/reset_fields.h"
#include "apiserver/write/object/sent_metadata.h"
#include "apiserver/write/object/spec_checks.h"
#include "apiserver/write/object/stored_size.h"
#include "base/text/number_in.h"
#include "base/text/uuid.h"
#include "object/transcode/transcode.h"
#include "wire/json_nulls.h"

namespace kinformer::apiserver {
namespace {

template <class T>
void Append(std::vector<T> more, std::vector<T>& all) {
  all.insert(all.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Sets the owners of what the draft changes. An apply has set them itself.
void TrackOwners(Draft& draft, const json::Value& before) {
  const WriteTarget& target = draft.target;
  if (!target.manager.tracks || target.manager.applies) return;
  TrackUpdate(ValueShape::Of(*target.at.version), target.manager, before, draft.chosen,
              draft.object);
}

// Returns whether the write would change nothing. `form`: version of the object.
bool IsUnchanged(const Draft& draft, std::uint32_t form) {
  if (draft.creates) return false;
  const bool converted = draft.converts || draft.shown != nullptr;
  if (!converted) return SameObject(draft.old, draft.object);
  return draft.over->form() == form && SameObject(draft.over->Parse(), draft.object);
}

}  // namespace

ObjectWriter::ObjectWriter(ServerState& state) : state_(state), strategy_(state) {}

void ObjectWriter::StateReplaced() {
  strategy_.StateReplaced();
  for (WriteObserver* observer : observers_) observer->AfterReplace();
}

Result<void> ObjectWriter::CheckNamespace(const WriteTarget& target) {
  if (!target.at.resource->namespaced) return {};
  const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
  const StoredObjectPtr stored = namespaces->store->Get(target.namespace_);
  if (stored == nullptr) return NotFoundError(namespaces->Subject(target.namespace_));
  if (stored->terminating()) {
    Error error = ForbiddenError(target.at.resource->Subject(target.name),
                                 "unable to create new content in namespace " + target.namespace_ +
                                     " because it is being terminated");
    StatusDetails details = error.details();
    details.causes.push_back({.reason = "NamespaceTerminating",
                              .message = "namespace " + target.namespace_ + " is being terminated",
                              .field = "metadata.namespace"});
    error.WithDetails(std::move(details));
    return error;
  }
  return {};
}

Result<void> ObjectWriter::CheckSent(const Draft& draft) {
  const WriteTarget& target = draft.target;
  const ServedVersion& version = *target.at.version;
  if (target.checked || version.message == nullptr || Fits(version, draft.object)) {
    return {};
  }
  const auto typed = internal::JsonToProtobuf(*version.message, draft.object.Dump());
  if (!typed) return version.NotHandled(typed.error().message());
  return {};
}

void ObjectWriter::Convert(Draft& draft) {
  WriteTarget& target = draft.target;
  const std::shared_ptr<const ServedVersion> version = target.at.version;
  draft.sent_as = version->conversion;
  draft.object = version->conversion->to_stored(draft.object);
  target.at.version = StoredAt(target.at).version;
}

Result<void> ObjectWriter::ToStoredForm(Draft& draft) {
  const ServedResource& resource = *draft.target.at.resource;
  const bool converts = draft.target.at.version->conversion != nullptr;
  // With defaulting, nulls are handled by field type.
  if (converts || (!resource.custom && !state_.options.defaulting)) json::DropNulls(draft.object);
  if (Result<void> fits = CheckSent(draft); !fits) return fits;
  if (converts) Convert(draft);
  FoldFields(resource, draft.object);
  return {};
}

bool ObjectWriter::Fits(const ServedVersion& version, const json::Value& object) {
  return defaults_.Fits(*version.message, version.api_version + " " + version.kind, object);
}

Result<void> ObjectWriter::ApplyTypes(const WriteTarget& target, json::Value& object) {
  const ServedVersion& version = *target.at.version;
  if (version.message == nullptr || !state_.options.defaulting) return {};
  Result<void> typed =
      defaults_.Apply(*version.message, version.api_version + " " + version.kind, object);
  // Its types were checked as they were sent.
  if (!typed && typed.error().reason() == Reason::kRequestEntityTooLarge) return typed;
  return {};
}

Result<void> ObjectWriter::CheckMayCreate(const WriteTarget& target) {
  if (Result<void> exists = CheckNamespace(target); !exists) return exists;
  const ServedResource& resource = *target.at.resource;
  if (!resource.terminating) return {};
  return ForbiddenError(resource.Subject(target.name),
                        "create not allowed while custom resource definition is terminating");
}

Result<void> ObjectWriter::NormalizeNew(Draft& draft) {
  const bool applies = draft.target.manager.applies;
  if (Result<void> ready = PrepareCustomObject(draft.target.at, draft.object, applies); !ready) {
    return ready;
  }
  Result<std::string> sent_version = PlaceNew(draft.target, draft.object.Ensure("metadata"));
  if (!sent_version) return sent_version.error();
  draft.sent_version = *std::move(sent_version);
  if (draft.target.at.HasStatus() && !draft.target.keep_status) draft.object.Erase("status");
  return {};
}

Result<void> ObjectWriter::Normalize(Draft& draft) {
  if (Result<void> ready = ToStoredForm(draft); !ready) return ready;
  if (draft.creates) {
    if (Result<void> ready = NormalizeNew(draft); !ready) return ready;
  } else {
    FieldManager& manager = draft.target.manager;
    manager.forgets =
        manager.forgets ||
        (manager.tracks && ForgetsOwners(draft.object, draft.target.at.resource->custom));
    TidyMetadata(draft.object.Ensure("metadata"));
    const json::Value& metadata = std::as_const(draft.object)["metadata"];
    if (Result<void> sent = CheckSentMetadata(draft.target, metadata); !sent) return sent;
  }
  return ApplyTypes(draft.target, draft.object);
}

Result<void> ObjectWriter::BeginNew(Draft& draft) {
  const ServedResource& resource = *draft.target.at.resource;
  json::Value& metadata = draft.object.Ensure("metadata");
  draft.generated = GenerateNameOf(state_.env, resource, metadata);
  draft.target.name = std::as_const(metadata)["name"].StringOrEmpty();
  if (Result<void> allowed = CheckMayCreate(draft.target); !allowed) return allowed;
  if (resource.custom || resource.generation != GenerationRule::kNone) {
    metadata.Set("generation", 1);
  }
  metadata.Set("uid", internal::base::NewUuid(state_.env));
  if (!state_.options.defaulting || resource.custom) return {};
  const FieldManager& manager = draft.target.manager;
  if (manager.tracks && !manager.applies && resource.Is("", "services")) {
    draft.chosen.filled_in = FieldsToAssign(draft.object);
  }
  const UserInfo* const user = draft.target.user.get();
  if (Result<void> made = strategy_.Create(resource, user, draft.object); !made) return made;
  draft.forbidden = strategy_.RefusalOfValid(resource, user, draft.object);
  return {};
}

// Handles an update of an absent object: some resources create it.
Result<void> ObjectWriter::TurnIntoCreate(Draft& draft) {
  const ServedResource& resource = *draft.target.at.resource;
  const ErrorSubject subject = resource.Subject(draft.target.name);
  if (!resource.create_on_update || !draft.target.subresource.empty()) {
    return NotFoundError(subject);
  }
  if (const std::string& uid = std::as_const(draft.object)["metadata"]["uid"].StringOrEmpty();
      !uid.empty()) {
    return UidPreconditionError(subject, uid, {});
  }
  if (!draft.target.dry_run) draft.object.Ensure("metadata").Erase("resourceVersion");
  draft.creates = true;
  return {};
}

Result<bool> ObjectWriter::Begin(Draft& draft) {
  if (draft.creates) {
    if (Result<void> begun = BeginNew(draft); !begun) return begun.error();
    return true;
  }
  const ServedResource& resource = *draft.target.at.resource;
  draft.over = resource.Find(draft.target.namespace_, draft.target.name);
  if (draft.over == nullptr) {
    if (Result<void> turned = TurnIntoCreate(draft); !turned) return turned.error();
    return false;
  }
  const json::Value& metadata = std::as_const(draft.object)["metadata"];
  if (Result<void> met = CheckMayUpdate(resource, draft.target.name, metadata, draft.over); !met) {
    return met.error();
  }
  return true;
}

bool ObjectWriter::MustAssign(const Draft& draft) const {
  return !draft.creates && state_.options.defaulting && draft.target.subresource.empty() &&
         draft.target.at.resource->Is("", "services");
}

void ObjectWriter::Load(Draft& draft) {
  draft.old = (draft.shown == nullptr ? draft.over : draft.shown)->Parse();
}

Result<void> ObjectWriter::Assign(Draft& draft) {
  const ServedResource& resource = *draft.target.at.resource;
  const bool tracks = draft.target.manager.tracks && !draft.target.manager.applies;
  const json::Value sent = tracks ? draft.object : json::Value();
  std::vector<StatusCause> refused = strategy_.Assign(resource, draft.old, draft.object);
  if (tracks) {
    const ValueShape shape = ValueShape::Of(*draft.target.at.version);
    draft.chosen = {.filled_in = FieldsToAssign(sent),
                    .dropped = FieldsRemoved(shape, sent, draft.object)};
  }
  if (refused.empty()) return {};
  std::vector<StatusCause> causes = ValidateAddedFinalizers(draft.old, draft.object);
  Append(std::move(refused), causes);
  return InvalidError(resource.KindSubject(draft.target.name), std::move(causes));
}

Result<void> ObjectWriter::CompleteNew(Draft& draft) const {
  const ServedResource& resource = *draft.target.at.resource;
  json::Value& object = draft.object;
  if (state_.options.defaulting && !resource.custom) {
    BuiltinStrategy::Created(resource, draft.now, object);
  }
  if (Result<void> ready = PrepareDefinition(resource, object, nullptr); !ready) return ready;
  auto causes = ValidateMetadata(resource.metadata_rules(), std::as_const(object)["metadata"]);
  if (!draft.target.keep_status) {
    Append(CheckSpec(draft.target.at, object, nullptr, state_.options.validation), causes);
  }
  Append(ValidateCustomObject(draft.target.at, /*status=*/false, object, nullptr, draft.warnings),
         causes);
  if (!causes.empty()) {
    return InvalidError(resource.KindSubject(draft.target.name), std::move(causes));
  }
  if (!draft.forbidden.empty()) {
    return ForbiddenError(resource.Subject(draft.target.name), draft.forbidden);
  }
  object.Ensure("metadata").Set("creationTimestamp", FormatTime(draft.now));
  TrackOwners(draft, json::Value());
  return {};
}

Result<void> ObjectWriter::CompleteUpdate(Draft& draft) {
  if (draft.old.is_null()) Load(draft);
  std::vector<StatusCause> causes;
  if (Result<void> ready = Merge(draft, causes); !ready) return ready;
  TrackOwners(draft, draft.old);
  return ValidateUpdate(draft, std::move(causes));
}

Result<void> ObjectWriter::Complete(Draft& draft) {
  draft.warnings.clear();
  if (Result<void> complete = draft.creates ? CompleteNew(draft) : CompleteUpdate(draft);
      !complete) {
    return complete;
  }
  draft.converts = MustConvertToStore(draft.target.at);
  if (draft.converts) {
    // The webhook needs them, and the stored object has neither.
    draft.object.Set("apiVersion", draft.target.at.version->api_version);
    draft.object.Set("kind", draft.target.at.version->kind);
    return {};
  }
  if (auto ready = ToStorageVersion(draft.target.at, draft.object); !ready) return ready;
  return CompleteStored(draft);
}

Result<void> ObjectWriter::CompleteConverted(Draft& draft) {
  const StructuralSchema& schema = *draft.target.at.resource->StorageVersion()->schema;
  if (Result<void> ready = ApplySchema(schema, draft.object); !ready) return ready;
  return CompleteStored(draft);
}

Result<void> ObjectWriter::CompleteStored(Draft& draft) {
  const ServedResource& resource = *draft.target.at.resource;
  if (resource.custom) Append(FinalizerWarnings(draft.old, draft.object), draft.warnings);
  if (IsDefinition(resource)) CompleteDefinition(draft);
  const auto storage = resource.custom ? resource.StorageVersion() : nullptr;
  const std::uint32_t form = storage == nullptr ? 0 : resource.FormOf(storage->version);
  draft.unchanged = IsUnchanged(draft, form);
  if (draft.unchanged) return {};
  // The final version is not known yet. Dry runs never get one; the response to a dry run of a
  // create repeats the version that was sent.
  std::int64_t version = 1;
  if (draft.target.dry_run) {
    version = draft.creates ? internal::base::NumberIn(draft.sent_version).value_or(0)
                            : draft.over->resource_version();
  }
  draft.stored = StoredObject::Make(draft.object, version, resource.fields, form);
  if (draft.target.dry_run) return {};
  return CheckStoredSize(StoredAt(draft.target.at), *draft.stored, draft.object,
                         state_.options.max_object_bytes);
}

void ObjectWriter::CompleteDefinition(Draft& draft) {
  // Status is the last member, as on a real server.
  if (json::Value* status = draft.object.Find("status")) {
    json::Value last = std::move(*status);
    draft.object.Erase("status");
    draft.object.Set("status", std::move(last));
  }
  const json::Value& spec = std::as_const(draft.object)["spec"];
  if (draft.creates) Append(DefinitionWarnings(draft.object), draft.warnings);
  if (draft.creates || spec != std::as_const(draft.old)["spec"]) {
    draft.defined = DefinedResource::Make(spec);
  }
}

std::shared_ptr<ReshapedObjects> ObjectWriter::Reshape(const Draft& draft) const {
  if (draft.target.dry_run || draft.creates || draft.defined == nullptr) return nullptr;
  const DefinedResource& defined = *draft.defined;
  const auto resource = state_.resources.FindGroupResource(defined.group, defined.plural);
  if (resource == nullptr || !resource->custom || !OffLoop::IsMuch(resource->store->bytes())) {
    return nullptr;
  }
  return std::make_shared<ReshapedObjects>(draft.defined, *resource, state_.resources.limits(),
                                           state_.env.Now());
}

bool ObjectWriter::IsCurrent(const Draft& draft) {
  return draft.creates ||
         draft.over == draft.target.at.resource->Find(draft.target.namespace_, draft.target.name);
}

Result<WriteOutcome> ObjectWriter::CommitNew(Draft& draft) {
  const WriteTarget& target = draft.target;
  const ServedResource& resource = *target.at.resource;
  // The storage layer rejects it, so it comes after validation, and dry runs do not report it.
  if (!draft.sent_version.empty() && !target.dry_run) {
    return Error(Reason::kUnknown, "resourceVersion should not be set on objects to be created")
        .WithHttpStatus(500);
  }
  if (const StoredObjectPtr there = resource.Find(target.namespace_, target.name);
      there != nullptr && !draft.committed) {
    return NameTaken(resource, target.name, there->terminating(), draft.generated);
  }
  Result<WriteOutcome> stored = Store(draft);
  if (!stored) return stored;
  WriteOutcome outcome = *std::move(stored);
  outcome.created = true;
  outcome.warnings = std::move(draft.warnings);
  if (!target.dry_run) {
    draft.object.Ensure("metadata")
        .Set("resourceVersion", std::to_string(outcome.stored->resource_version()));
    outcome.document = std::move(draft.object);
  }
  return outcome;
}

Result<WriteOutcome> ObjectWriter::Commit(Draft& draft) {
  if (draft.creates) return CommitNew(draft);
  std::vector<std::string> warnings = std::move(draft.warnings);
  if (draft.unchanged) {
    return WriteOutcome{.stored = draft.over, .warnings = std::move(warnings)};
  }
  const WriteTarget& target = draft.target;
  if (MayGo(*target.at.resource, draft.old, draft.object)) {
    Result<WriteOutcome> removed = draft.committed
                                       ? StoreShared(target, draft.over, nullptr, draft.committed)
                                       : Remove(target, draft.over);
    if (!removed) return removed;
    WriteOutcome outcome = *std::move(removed);
    // The response shows the object as sent; the event shows the stored object.
    outcome.stored = draft.stored->AtResourceVersion(draft.over->resource_version(), false);
    outcome.warnings = std::move(warnings);
    return outcome;
  }
  Result<WriteOutcome> stored = Store(draft);
  if (!stored) return stored;
  WriteOutcome outcome = *std::move(stored);
  outcome.warnings = std::move(warnings);
  return outcome;
}

// Merges the draft with the stored object. `causes`: receives problems of the object as sent.
Result<void> ObjectWriter::Merge(Draft& draft, std::vector<StatusCause>& causes) const {
  const WriteTarget& target = draft.target;
  const ServedResource& resource = *target.at.resource;
  const json::Value& old = draft.old;
  const bool applies = target.manager.applies;
  // Fields that an apply has brought count as a change, even if the schema does not know them.
  const bool drops = applies && resource.custom && target.subresource.empty() &&
                     HasUnknownFields(target.at, draft.object);
  if (Result<void> ready = PrepareCustomObject(target.at, draft.object, applies); !ready) {
    return ready;
  }
  if (!target.keep_status && target.subresource.empty()) {
    causes = ValidateDeletion(old["metadata"], std::as_const(draft.object)["metadata"]);
  }
  const bool builtin = state_.options.defaulting && !resource.custom;
  if (builtin && target.subresource.empty()) {
    strategy_.Update(resource, old, draft.object);
  }
  draft.object = MergeForUpdate(
      {.at = target.at, .subresource = target.subresource, .keep_status = target.keep_status}, old,
      std::move(draft.object));
  if (drops) {
    draft.object.Ensure("metadata")
        .Set("generation", old.At("/metadata/generation").AsInt64().value_or(0) + 1);
  }
  if (builtin) {
    BuiltinStrategy::Merged(resource, target.subresource, draft.now, old, draft.object);
  }
  if (!target.subresource.empty()) return {};
  return PrepareDefinition(resource, draft.object, &old);
}

Result<void> ObjectWriter::ValidateUpdate(Draft& draft, std::vector<StatusCause> causes) const {
  const WriteTarget& target = draft.target;
  const json::Value& old = draft.old;
  const json::Value& merged = draft.object;
  const ServedResource& resource = *target.at.resource;
  std::vector<StatusCause> added = ValidateAddedFinalizers(old, merged);
  causes.insert(causes.begin(), added.begin(), added.end());
  Append(ValidateMetadata(resource.metadata_rules(), merged["metadata"]), causes);
  if (!target.keep_status) {
    Append(target.subresource == "status"
               ? ValidateStatus(resource, merged)
               : CheckSpec(target.at, merged, &old, state_.options.validation),
           causes);
    const auto fixed = ValidateChange(resource, target.subresource, old, merged);
    // Names that a binding lacks come after all else.
    const bool binds = resource.Is("rbac.authorization.k8s.io", "rolebindings");
    const auto at = std::find_if(causes.begin(), causes.end(), [&](const StatusCause& cause) {
      return binds && cause.reason == "FieldValueRequired" && cause.field.ends_with(".name");
    });
    causes.insert(at, fixed.begin(), fixed.end());
    if (draft.sent_as != nullptr && draft.sent_as->validate_change != nullptr) {
      Append(draft.sent_as->validate_change(old, merged), causes);
    }
  }
  Append(
      ValidateCustomObject(target.at, target.subresource == "status", merged, &old, draft.warnings),
      causes);
  if (target.subresource == "resize") DropRepeated(causes);
  if (causes.empty()) return {};
  return InvalidError(resource.KindSubject(target.name), std::move(causes));
}

Result<void> ObjectWriter::BeginDelete(const WriteTarget& target, Deletion& deletion) const {
  const ServedResource& resource = *target.at.resource;
  deletion.now = state_.env.WallNow();
  deletion.over = resource.Find(target.namespace_, target.name);
  if (deletion.over == nullptr) return NotFoundError(resource.Subject(target.name));
  return CheckMayDelete(resource, target.name, deletion.request, deletion.over);
}

void ObjectWriter::CompleteDelete(const WriteTarget& target, Deletion& deletion) const {
  const ServedResource& resource = *target.at.resource;
  const bool graceful =
      (state_.options.pod_grace || state_.options.simulate_workloads != nullptr) &&
      resource.Is("", "pods");
  const json::Value before = deletion.over->Outline();
  json::Value object = before;
  const bool terminating = Terminating(object);
  // Later deletes of a namespace do not change its propagation.
  const bool heard = terminating && resource.Is("", "namespaces");
  const bool regathered =
      !heard && SetPropagationFinalizers(resource, deletion.request.propagation, object);
  const std::int64_t grace = graceful ? GraceOf(object, deletion.request.grace_period_seconds) : 0;
  if (IsDefinition(resource) && !terminating) PrepareDeletion(object, FormatTime(deletion.now));
  const bool finalizers = HasFinalizers(resource, object);
  deletion.removes = grace == 0 && !finalizers;
  if (!graceful && !finalizers) return;

  if (!terminating) {
    MarkDeleted(resource, deletion.now, grace, object);
  } else if (!ShortenGracePeriod(deletion.now, grace, object) && !regathered) {
    return;
  }
  deletion.marked = deletion.over->WithOutline(before, object, resource.fields);
  deletion.object = std::move(object);
}

bool ObjectWriter::IsCurrent(const WriteTarget& target, const Deletion& deletion) {
  return deletion.over == target.at.resource->Find(target.namespace_, target.name);
}

Result<WriteOutcome> ObjectWriter::CommitDelete(const WriteTarget& target, Deletion& deletion) {
  const auto remove = [&](const StoredObjectPtr& old) {
    return deletion.committed_removal
               ? StoreShared(target, old, nullptr, deletion.committed_removal)
               : Remove(target, old);
  };
  if (deletion.marked == nullptr) {
    if (deletion.removes) return remove(deletion.over);
    return WriteOutcome{.stored = deletion.over};
  }
  Result<WriteOutcome> outcome =
      deletion.committed_mark
          ? StoreShared(target, deletion.over, deletion.marked, deletion.committed_mark)
          : StoreOutline(target, deletion.over, deletion.marked, deletion.object);
  if (!outcome) return outcome;
  // A pod that can be removed at once is shown as deleted first, as watchers expect.
  return deletion.removes ? remove(outcome->stored) : outcome;
}

Result<WriteOutcome> ObjectWriter::Store(Draft& draft) {
  const WriteTarget& target = draft.target;
  if (target.dry_run) return WriteOutcome{.stored = draft.stored};
  if (state_.shared != nullptr) {
    return StoreShared(target, draft.over, draft.stored, draft.committed);
  }
  StoredObjectPtr stored = Put(target, *draft.stored);
  strategy_.Stored(*target.at.resource, *stored, draft.object);
  Tell({.at = StoredAt(target.at),
        .old = draft.over,
        .stored = stored,
        .object = draft.object,
        .defined = draft.defined,
        .reshaped = draft.reshaped});
  return WriteOutcome{.stored = std::move(stored)};
}

Result<WriteOutcome> ObjectWriter::StoreOutline(const WriteTarget& target,
                                                const StoredObjectPtr& old,
                                                const StoredObjectPtr& made,
                                                const json::Value& outline) {
  if (target.dry_run) return WriteOutcome{.stored = made};
  if (state_.shared != nullptr) return StoreShared(target, old, made, std::nullopt);
  StoredObjectPtr stored = Put(target, *made);
  Tell({.at = StoredAt(target.at), .old = old, .stored = stored, .object = outline});
  return WriteOutcome{.stored = std::move(stored)};
}

StoredObjectPtr ObjectWriter::Put(const WriteTarget& target, const StoredObject& made) {
  ServedResource& resource = *target.at.resource;
  StoredObjectPtr stored = made.AtResourceVersion(++state_.resource_version, false);
  ++state_.writes;
  // The definition may have changed during the write.
  if (resource.custom && !resource.mixed_forms) {
    resource.mixed_forms = MustAskToConvert(
        {.resource = target.at.resource, .version = resource.StorageVersion()}, *stored);
  }
  if (state_.keeper != nullptr) {
    const StoredObjectPtr previous = resource.store->Get(stored->key());
    state_.keeper->Put(*StoredAt(target.at).resource, stored, previous.get());
  }
  resource.store->Put(stored, state_.env.Now());
  resource.watchers->Notify(stored->namespace_(), stored->key());
  state_.VersionReached();
  return stored;
}

void ObjectWriter::Tell(const ObjectPut& put) {
  for (WriteObserver* observer : observers_) observer->AfterPut(put);
}

Result<WriteOutcome> ObjectWriter::Remove(const WriteTarget& target, const StoredObjectPtr& old) {
  ServedResource& resource = *target.at.resource;
  if (target.dry_run) return WriteOutcome{.stored = old, .removed = true};
  if (state_.shared != nullptr) return StoreShared(target, old, nullptr, std::nullopt);
  StoredObjectPtr tombstone = old->AtResourceVersion(++state_.resource_version, /*tombstone=*/true);
  ++state_.writes;
  if (state_.keeper != nullptr) {
    state_.keeper->Put(*StoredAt(target.at).resource, tombstone, old.get());
  }
  resource.store->Delete(tombstone, state_.env.Now());
  resource.watchers->Notify(tombstone->namespace_(), tombstone->key());
  state_.VersionReached();
  strategy_.Removed(resource, *old);
  const ResourceAt at = StoredAt(target.at);
  for (WriteObserver* observer : observers_) observer->AfterRemove(at, old);
  return WriteOutcome{.stored = std::move(tombstone), .removed = true};
}

}  // namespace kinformer::apiserver

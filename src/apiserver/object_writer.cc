#include "apiserver/object_writer.h"

#include <algorithm>
#include <charconv>
#include <initializer_list>
#include <utility>

#include "kinformer/time.h"

#include "apiserver/conversion.h"
#include "apiserver/custom_object.h"
#include "apiserver/definition.h"
#include "apiserver/field_rules.h"
#include "apiserver/garbage_collector.h"
#include "apiserver/object_rules.h"
#include "object/transcode.h"

namespace kinformer::apiserver {
namespace {

constexpr int kNameAttempts = 8;

std::string VersionText(const RecordPtr& record) {
  return std::to_string(record->resource_version());
}

bool IsPod(const ServedResource& resource) {
  return resource.group.empty() && resource.plural == "pods";
}
bool IsNamespace(const ServedResource& resource) {
  return resource.group.empty() && resource.plural == "namespaces";
}

bool Terminating(const json::Value& object) {
  return !object.At("/metadata/deletionTimestamp").is_null();
}

// 0 where it is none.
std::int64_t NumberIn(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : 0;
}

bool HasFinalizers(const ServedResource& resource, const json::Value& object) {
  if (object.At("/metadata/finalizers").size() > 0) return true;
  return IsNamespace(resource) && object.At("/spec/finalizers").size() > 0;
}

// Takes the named metadata from `from`, or takes it away where `from` has none.
void Restore(json::Value& metadata, const json::Value& from,
             std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const json::Value* value = from.Find(name)) {
      metadata.Set(name, *value);
    } else {
      metadata.Erase(name);
    }
  }
}

// How long a pod gets. One that no node has, or that has ended, gets no time.
std::int64_t GraceOf(const json::Value& pod, const DeleteRequest& request) {
  const std::string& phase = pod.At("/status/phase").StringOrEmpty();
  if (pod.At("/spec/nodeName").StringOrEmpty().empty() || phase == "Succeeded" ||
      phase == "Failed") {
    return 0;
  }
  const std::int64_t grace = request.grace_period_seconds.value_or(
      pod.At("/spec/terminationGracePeriodSeconds").AsInt64().value_or(30));
  return grace < 0 ? 1 : grace;
}

// Equal but for the resourceVersion: writing it would change nothing.
bool SameObject(json::Value a, json::Value b) {
  for (json::Value* object : {&a, &b}) {
    (*object)["metadata"].Erase("resourceVersion");
    object->Erase("kind");
    object->Erase("apiVersion");
    // Absent and null are the same.
    for (const char* name : {"creationTimestamp", "deletionTimestamp", "managedFields"}) {
      if ((*object)["metadata"][name].is_null()) (*object)["metadata"].Erase(name);
    }
  }
  return a == b;
}

}  // namespace

ObjectWriter::ObjectWriter(ServerState& state)
    : state_(state), preparation_(state), lifecycle_(state, *this) {}

Result<void> ObjectWriter::CheckNamespace(const WriteTarget& target) {
  if (!target.at.resource->namespaced || !state_.options.namespace_must_exist) return {};
  const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
  if (namespaces == nullptr) return {};
  const RecordPtr record = namespaces->store->Get(target.namespace_);
  if (record == nullptr) return NotFoundError(namespaces->Subject(target.namespace_));
  if (record->terminating()) {
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

Result<void> ObjectWriter::Convert(WriteTarget& target, json::Value& object) {
  const std::shared_ptr<const ServedVersion> version = target.at.version;
  if (version->conversion == nullptr) return {};
  DropNulls(object);
  if (state_.options.check_types && !target.checked) {
    const auto typed = internal::JsonToProtobuf(*version->message, object.Dump());
    if (!typed) return version->NotHandled(typed.error().message());
  }
  object = version->conversion->to_stored(object);
  target.at.version = StoredAt(target.at).version;
  target.checked = true;
  return {};
}

bool ObjectWriter::Fits(const ServedVersion& version, const json::Value& object) {
  return defaults_.Fits(*version.message, version.api_version + " " + version.kind, object);
}

Result<void> ObjectWriter::ApplyTypes(const WriteTarget& target, json::Value& object) {
  const ServedVersion& version = *target.at.version;
  if (version.message == nullptr) return {};
  const bool check = state_.options.check_types && !target.checked;
  Result<void> typed;
  if (state_.options.defaulting) {
    typed = defaults_.Apply(*version.message, version.api_version + " " + version.kind, object);
  } else if (check) {
    if (const auto message = internal::JsonToProtobuf(*version.message, object.Dump()); !message) {
      typed = message.error();
    }
  }
  if (typed || !check) return {};
  return version.NotHandled(typed.error().message());
}

Result<WriteOutcome> ObjectWriter::Create(const WriteTarget& given, json::Value object) {
  WriteTarget target = given;
  ServedResource& resource = *target.at.resource;
  if (!resource.custom && !state_.options.defaulting) DropNulls(object);  // else by type
  if (Result<void> converted = Convert(target, object); !converted) return converted.error();
  FoldFields(resource, object);
  if (Result<void> ready = PrepareCustomObject(target.at, object); !ready) return ready.error();
  json::Value& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = json::Value::MakeObject();
  TidyMetadata(metadata);

  if (resource.namespaced) {
    if (Result<void> placed = CheckSentNamespace(metadata, target.namespace_); !placed) {
      return placed.error();
    }
    metadata.Set("namespace", target.namespace_);
  } else {
    metadata.Erase("namespace");
  }
  const std::string sent_version = metadata["resourceVersion"].StringOrEmpty();
  for (const char* name : {"uid", "creationTimestamp", "deletionTimestamp",
                           "deletionGracePeriodSeconds", "selfLink", "resourceVersion"}) {
    metadata.Erase(name);
  }
  if (!target.name.empty() && metadata["name"].StringOrEmpty().empty())
    metadata.Set("name", target.name);

  const std::string prefix = metadata["generateName"].StringOrEmpty();
  const bool generated = metadata["name"].StringOrEmpty().empty() && !prefix.empty();
  for (int attempt = 0; generated && attempt < kNameAttempts; ++attempt) {
    metadata.Set("name", GenerateName(state_.env, prefix));
    const std::string key =
        StorageKey(metadata["namespace"].StringOrEmpty(), metadata["name"].StringOrEmpty());
    if (resource.store->Get(key) == nullptr) break;
  }
  target.name = metadata["name"].StringOrEmpty();
  if (Result<void> exists = CheckNamespace(target); !exists) return exists.error();
  if (resource.terminating) {
    return ForbiddenError(resource.Subject(target.name),
                          "create not allowed while custom resource definition is terminating");
  }

  if (target.at.HasStatus() && !target.keep_status) object.Erase("status");
  if (Result<void> typed = ApplyTypes(target, object); !typed) return typed.error();
  if (resource.custom || resource.generation != GenerationRule::kNone) {
    object["metadata"].Set("generation", 1);
  }
  object["metadata"].Set("uid", NewUid(state_.env));
  if (state_.options.defaulting && !resource.custom) {
    if (Result<void> ready = preparation_.Create(resource, object); !ready) return ready.error();
  }
  if (Result<void> ready = PrepareDefinition(resource, object, nullptr); !ready) {
    return ready.error();
  }
  auto causes = ValidateMetadata(resource, std::as_const(object)["metadata"]);
  for (StatusCause& cause : ValidateCustomObject(target.at, object, nullptr)) {
    causes.push_back(std::move(cause));
  }
  if (!causes.empty()) return InvalidError(resource.KindSubject(target.name), std::move(causes));

  // Storage refuses it, so it comes after the checks, and a dry run does not find out.
  if (!sent_version.empty() && !target.dry_run) {
    return Error(Reason::kUnknown, "resourceVersion should not be set on objects to be created")
        .WithHttpStatus(500);
  }
  const std::string key = StorageKey(resource.namespaced ? target.namespace_ : "", target.name);
  if (const RecordPtr there = resource.store->Get(key)) {
    if (!generated) {
      return AlreadyExistsError(resource.Subject(target.name), there->terminating());
    }
    Error error(Reason::kAlreadyExists,
                AlreadyExistsError(resource.Subject(target.name), false).message() +
                    ", the server was not able to generate a unique name for the "
                    "object");
    error.WithHttpStatus(409).WithDetails(
        {.name = target.name, .group = resource.group, .kind = resource.plural});
    error.WithRetryAfter(std::chrono::seconds(1));
    return error;
  }
  object["metadata"].Set("creationTimestamp", FormatTime(state_.WallNow()));
  ToStorageVersion(target.at, object);
  WriteOutcome outcome = Store(target, nullptr, object);
  outcome.created = true;
  // What is not stored gets no version, and the answer repeats the one that was sent.
  if (const std::int64_t sent = target.dry_run ? NumberIn(sent_version) : 0; sent > 0) {
    outcome.record = Record::Make(object, sent, resource.fields);
  }
  if (IsDefinition(resource)) outcome.warnings = DefinitionWarnings(object);
  if (!target.dry_run) {
    object["metadata"].Set("resourceVersion", VersionText(outcome.record));
    outcome.document = std::move(object);
  }
  return outcome;
}

json::Value ObjectWriter::MergeForUpdate(const WriteTarget& target, const json::Value& old,
                                         json::Value object) const {
  const ServedResource& resource = *target.at.resource;
  const bool status = target.subresource == "status";
  if (status) {
    json::Value merged = old;
    if (const json::Value* sent = object.Find("status")) {
      merged.Set("status", *sent);
    } else {
      merged.Erase("status");
    }
    // These take labels and annotations from whoever reports their status.
    if (!resource.custom && (IsPod(resource) || resource.plural == "nodes" ||
                             resource.plural == "horizontalpodautoscalers")) {
      Restore(merged["metadata"], object["metadata"], {"labels", "annotations"});
    }
    if (object["metadata"].contains("managedFields")) {
      Restore(merged["metadata"], object["metadata"], {"managedFields"});
    }
    return merged;
  }
  if (target.subresource == "finalize") {
    json::Value merged = old;
    const json::Value& left = std::as_const(object).At("/spec/finalizers");
    merged["spec"].Set("finalizers", left.is_array() ? left : json::Value::MakeArray());
    return merged;
  }
  Restore(object["metadata"], old["metadata"],
          {"uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds",
           "generation", "name", "namespace", "selfLink"});
  if (target.at.HasStatus() && !target.keep_status) {
    if (const json::Value* kept = old.Find("status")) {
      object.Set("status", *kept);
    } else {
      object.Erase("status");
    }
  }
  if (IsNamespace(resource)) {
    object["spec"].Set("finalizers", old.At("/spec/finalizers"));
    SetNamespaceLabel(object);
  }
  // A binding is no change of what the pod's owner wants.
  const std::int64_t generation = target.subresource == "binding"
                                      ? old.At("/metadata/generation").AsInt64().value_or(0)
                                      : NextGeneration(resource, old, object);
  if (generation > 0) {
    object["metadata"].Set("generation", generation);
  }
  return object;
}

Result<WriteOutcome> ObjectWriter::Update(const WriteTarget& given, json::Value object) {
  WriteTarget target = given;
  ServedResource& resource = *target.at.resource;
  const ErrorSubject subject = resource.Subject(target.name);
  if (!resource.custom && !state_.options.defaulting) DropNulls(object);  // else by type
  if (Result<void> converted = Convert(target, object); !converted) return converted.error();
  FoldFields(resource, object);
  TidyMetadata(object["metadata"]);
  const json::Value& metadata = std::as_const(object)["metadata"];
  if (Result<void> named = CheckSentName(metadata, target.name); !named) return named.error();
  if (resource.namespaced) {
    if (Result<void> placed = CheckSentNamespace(metadata, target.namespace_); !placed) {
      return placed.error();
    }
  }
  const std::string sent_version = metadata["resourceVersion"].StringOrEmpty();
  if (sent_version.find_first_not_of("0123456789") != std::string::npos) {
    return BadRequestError("invalid metadata.resourceVersion " + JsonString(sent_version) +
                           ": it must be a decimal number");
  }
  const RecordPtr record =
      resource.store->Get(StorageKey(resource.namespaced ? target.namespace_ : "", target.name));
  if (record == nullptr) {
    if (!resource.create_on_update || !target.subresource.empty()) return NotFoundError(subject);
    if (const std::string& uid = metadata["uid"].StringOrEmpty(); !uid.empty()) {
      return ConflictError(
          subject, "Precondition failed: UID in precondition: " + uid + ", UID in object meta: ");
    }
    if (!target.dry_run) object["metadata"].Erase("resourceVersion");
    return Create(target, std::move(object));
  }
  const json::Value old = record->Parse();
  if (const std::string& uid = metadata["uid"].StringOrEmpty();
      !uid.empty() && uid != record->uid()) {
    return ConflictError(subject, "Precondition failed: UID in precondition: " + uid +
                                      ", UID in object meta: " + std::string(record->uid()));
  }
  if (sent_version.empty() || sent_version == "0") {
    if (!resource.unconditional_update) {
      return InvalidError(subject, {InvalidValue("metadata.resourceVersion", "0",
                                                 "must be specified for an update")});
    }
  } else if (sent_version != VersionText(record)) {
    return ModifiedConflictError(subject);
  }

  if (Result<void> typed = ApplyTypes(target, object); !typed) return typed.error();
  if (Result<void> ready = PrepareCustomObject(target.at, object); !ready) return ready.error();
  std::vector<StatusCause> causes;
  if (!target.keep_status && target.subresource.empty()) {
    causes = ValidateDeletion(old["metadata"], std::as_const(object)["metadata"]);
  }
  const bool prepared = state_.options.defaulting && !resource.custom;
  if (prepared && target.subresource.empty()) {
    if (auto ready = preparation_.Update(resource, old, object); !ready) return ready.error();
  }
  json::Value merged = MergeForUpdate(target, old, std::move(object));
  if (prepared) {
    const bool status = target.subresource == "status";
    if (auto ready = preparation_.Merged(resource, merged, status); !ready) return ready.error();
  }
  if (target.subresource.empty()) {
    if (Result<void> ready = PrepareDefinition(resource, merged, &old); !ready) {
      return ready.error();
    }
  }
  for (StatusCause& cause : ValidateMetadata(resource, std::as_const(merged)["metadata"])) {
    causes.push_back(std::move(cause));
  }
  if (!target.keep_status) {
    for (StatusCause& cause : ValidateChange(resource, old, merged)) {
      causes.push_back(std::move(cause));
    }
    const Conversion* conversion = given.at.version->conversion;
    if (conversion != nullptr && conversion->validate_change != nullptr) {
      for (StatusCause& cause : conversion->validate_change(old, merged)) {
        causes.push_back(std::move(cause));
      }
    }
  }
  for (StatusCause& cause : ValidateCustomObject(target.at, merged, &old)) {
    causes.push_back(std::move(cause));
  }
  if (!causes.empty()) return InvalidError(resource.KindSubject(target.name), std::move(causes));
  if (Terminating(old)) {
    const json::Array& before = old.At("/metadata/finalizers").items();
    std::string added;
    for (const json::Value& finalizer : merged.At("/metadata/finalizers").items()) {
      if (std::find(before.begin(), before.end(), finalizer) != before.end()) continue;
      added += (added.empty() ? "" : ", ") + finalizer.Dump();
    }
    if (!added.empty()) {
      return InvalidError(
          resource.KindSubject(target.name),
          {ForbiddenField(
              "metadata.finalizers",
              "no new finalizers can be added if the object is being deleted, found new "
              "finalizers []string{" +
                  added + "}")});
    }
  }
  ToStorageVersion(target.at, merged);
  if (SameObject(old, merged)) return WriteOutcome{.record = record};

  const bool grace_over =
      merged.At("/metadata/deletionGracePeriodSeconds").AsInt64().value_or(0) == 0;
  if (Terminating(old) && grace_over && !HasFinalizers(resource, merged)) {
    WriteOutcome outcome = Remove(target, record);
    // The answer shows the object as it was sent; the event shows what was stored.
    outcome.record = Record::Make(merged, record->resource_version(), resource.fields);
    return outcome;
  }
  return Store(target, record, merged);
}

Result<WriteOutcome> ObjectWriter::Modify(const WriteTarget& target, const Change& change) {
  ServedResource& resource = *target.at.resource;
  const RecordPtr record =
      resource.store->Get(StorageKey(resource.namespaced ? target.namespace_ : "", target.name));
  if (record == nullptr) return NotFoundError(resource.Subject(target.name));
  json::Value object = ObjectIn(target.at, *record);
  if (Result<void> changed = change(object); !changed) return changed.error();
  return Update(target, std::move(object));
}

Result<WriteOutcome> ObjectWriter::Delete(const WriteTarget& target, const DeleteRequest& request) {
  ServedResource& resource = *target.at.resource;
  const RecordPtr record =
      resource.store->Get(StorageKey(resource.namespaced ? target.namespace_ : "", target.name));
  if (record == nullptr) return NotFoundError(resource.Subject(target.name));
  const ErrorSubject kind = resource.KindSubject(target.name);
  if (request.uid && *request.uid != record->uid()) {
    return ConflictError(kind, UidConflict(*request.uid, record->uid()));
  }
  if (request.resource_version && *request.resource_version != VersionText(record)) {
    return ConflictError(kind, VersionConflict(*request.resource_version, VersionText(record)));
  }
  if (IsNamespace(resource) &&
      (target.name == "default" || target.name == "kube-public" || target.name == "kube-system")) {
    return ForbiddenError(resource.Subject(target.name), "this namespace may not be deleted");
  }
  json::Value object = record->Parse();
  const bool terminating = Terminating(object);
  const bool regathered =
      state_.options.garbage_collection && SetCollectorFinalizers(request.propagation, object);
  const bool graceful = state_.options.pod_grace && IsPod(resource);
  const std::int64_t grace = graceful ? GraceOf(object, request) : 0;
  if (IsDefinition(resource) && !terminating) {
    PrepareDeletion(object, FormatTime(state_.env.WallNow()));
  }
  const bool finalizers = HasFinalizers(resource, object);
  if (!graceful && !finalizers) return Remove(target, record);

  json::Value& metadata = object["metadata"];
  const std::int64_t old_grace =
      std::as_const(metadata)["deletionGracePeriodSeconds"].AsInt64().value_or(0);
  if (!terminating) {
    metadata.Set("deletionTimestamp",
                 FormatTime(state_.env.WallNow() + std::chrono::seconds(grace)));
    if (!IsDefinition(resource)) metadata.Set("deletionGracePeriodSeconds", grace);
    const std::int64_t generation = std::as_const(metadata)["generation"].AsInt64().value_or(0);
    if (generation > 0 && !IsDefinition(resource)) metadata.Set("generation", generation + 1);
    if (IsNamespace(resource)) object["status"].Set("phase", "Terminating");
  } else if (grace < old_grace) {
    // A later delete can only shorten the grace period.
    const auto until =
        metav1::Time::Parse(std::as_const(metadata)["deletionTimestamp"].StringOrEmpty());
    const WallTime start =
        until ? WallTime(std::chrono::seconds(until->seconds() - old_grace)) : state_.env.WallNow();
    metadata.Set("deletionTimestamp", FormatTime(start + std::chrono::seconds(grace)));
    metadata.Set("deletionGracePeriodSeconds", grace);
  } else if (!regathered) {
    if (grace == 0 && !finalizers) return Remove(target, record);
    return WriteOutcome{.record = record};
  }
  WriteOutcome outcome = Store(target, record, object);
  // What nothing holds back is shown on its way out first, as watchers of pods are used to.
  if (grace == 0 && !finalizers) return Remove(target, outcome.record);
  return outcome;
}

WriteOutcome ObjectWriter::Store(const WriteTarget& target, const RecordPtr& old,
                                 const json::Value& object) {
  ServedResource& resource = *target.at.resource;
  if (target.dry_run) {
    return {.record = Record::Make(object, old ? old->resource_version() : 0, resource.fields)};
  }
  RecordPtr record = Record::Make(object, ++state_.resource_version, resource.fields);
  ++state_.writes;
  resource.store->Put(record, state_.env.Now());
  resource.watchers->Notify(record->namespace_(), record->key());
  state_.VersionReached();
  preparation_.Stored(resource, old, object);
  lifecycle_.AfterPut(StoredAt(target.at), old, record, object);
  return {.record = std::move(record)};
}

WriteOutcome ObjectWriter::Remove(const WriteTarget& target, const RecordPtr& old) {
  ServedResource& resource = *target.at.resource;
  if (target.dry_run) return {.record = old, .removed = true};
  RecordPtr tombstone = old->AtResourceVersion(++state_.resource_version, /*tombstone=*/true);
  ++state_.writes;
  resource.store->Delete(tombstone, state_.env.Now());
  resource.watchers->Notify(tombstone->namespace_(), tombstone->key());
  state_.VersionReached();
  preparation_.Removed(resource, old);
  lifecycle_.AfterRemove(StoredAt(target.at), old);
  return {.record = std::move(tombstone), .removed = true};
}

}  // namespace kinformer::apiserver

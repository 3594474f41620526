#include "apiserver/write/request/body_writer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/ownership/field_manager.h"
#include "apiserver/ownership/value_shape.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/bulky.h"
#include "apiserver/request/negotiation.h"
#include "apiserver/write/object/reset_fields.h"
#include "apiserver/write/request/admitted.h"
#include "apiserver/write/request/apply_patch.h"
#include "apiserver/write/request/body_fields.h"
#include "apiserver/write/request/reshape_in_turns.h"
#include "apiserver/write/request/rights_of_write.h"
#include "apiserver/write/request/scale.h"
#include "apiserver/write/request/shared_storing.h"
#include "apiserver/write/request/write_answer.h"

namespace kinformer::apiserver {
namespace {

// Most attempts at a write while others change its object.
constexpr int kAttempts = 5;

StoredObjectPtr Find(const WriteTarget& target) {
  return target.at.resource->Find(target.namespace_, target.name);
}

// Decodes and checks the object of a body. Thread-safe.
Result<json::Value> Decode(ObjectWriter& writer, const ResourceRequest& request,
                           const WriteQuery& query, std::vector<std::string>& warnings) {
  std::vector<std::string> duplicates;
  Result<json::Value> object =
      DecodeObject(request.at, request.content_type, request.body, &duplicates);
  if (!object) return object;
  auto problems = ValidateFields(writer, request, query.field_validation, *object, duplicates);
  if (!problems) return request.at.version->NotHandled(problems.error().message());
  warnings = *std::move(problems);
  return object;
}

FieldManager ManagerOf(const ServerState& state, const ResourceRequest& request, WallTime now) {
  if (!state.options.field_owners) return {};
  return {.tracks = true,
          .applies = IsMediaType(request.content_type, "application/apply-patch+yaml"),
          .name = ManagerName(request.info.query.Get("fieldManager"), request.user_agent),
          .api_version = request.at.version->api_version,
          .subresource = request.info.subresource,
          .now = FormatTime(now),
          .reset = ResetFields(request.at, request.info.subresource)};
}

// Attributes of a review, whose objects may be large.
using Review = Bulky<std::shared_ptr<AdmissionAttributes>>;

}  // namespace

// Used by one step at a time, on any thread.
struct BodyWriter::Sent {
  Sent(const ServerState& state, ResourceRequest sent)
      : request(std::move(sent)),
        live(request.at),
        now(state.WallNow()),
        manager(ManagerOf(state, request, now)),
        bytes(DecodingCost(request.content_type, request.body)) {
    request.at = Unchanging(std::move(request.at));
  }

  // Returns the target that the request names.
  [[nodiscard]] WriteTarget Target(bool dry_run) const {
    return {.at = live,
            .namespace_ = request.info.namespace_,
            .name = request.info.name,
            .subresource = request.info.subresource,
            .dry_run = dry_run,
            .checked = true,
            .user = request.user,
            .manager = manager};
  }
  // Returns the attributes of the draft for webhooks, without the objects.
  [[nodiscard]] std::shared_ptr<AdmissionAttributes> Attributes(const Draft& draft) const {
    auto attributes = AttributesOf(request, draft.target, draft.creates ? "CREATE" : "UPDATE");
    attributes->bytes = bytes;
    return attributes;
  }
  [[nodiscard]] ResponsePtr Fail(const Error& error) const {
    return Warned(ErrorResponse(error, request.accept), warnings);
  }

  ResourceRequest request;  // its `at` is a constant copy
  const ResourceAt live;    // the resource itself
  const WallTime now;       // a fault may skew the clock for this request only
  FieldManager manager;     // of the fields that it writes
  std::size_t bytes;        // estimates the cost of work on the request
  std::vector<std::string> warnings{};
};

template <class Try>
Task<Result<WriteOutcome>> BodyWriter::Repeat(Sent& sent, Try attempt) {
  for (int made = 0; made < kAttempts; ++made) {
    Attempt written = co_await attempt();
    if (written) co_return *std::move(written);
    sent.warnings.clear();
  }
  co_return ModifiedConflictError(sent.live.resource->Subject(sent.request.info.name));
}

template <class Work>
Task<std::invoke_result_t<Work&>> BodyWriter::Do(Sent& sent, WriteTarget& target, Work work) {
  struct ConstantCopy {
    ConstantCopy(const Sent& from, ResourceAt& to) : live(from.live), at(to) {
      at.resource = from.request.at.resource;
    }
    ~ConstantCopy() { at.resource = live.resource; }
    const ResourceAt& live;
    ResourceAt& at;
  };
  const ConstantCopy copy(sent, target.at);
  co_return co_await off_loop_.Do(sent.bytes, std::move(work));
}

// ---- Requests

Task<ResponsePtr> BodyWriter::WriteBody(ResourceRequest request, std::string_view options_kind,
                                        bool creates) {
  const auto query = DecodeWriteQuery(request.info.query, options_kind);
  if (!query) co_return ErrorResponse(query.error(), request.accept);
  Sent sent(state_, std::move(request));
  Result<WriteOutcome> written =
      co_await Repeat(sent, [&] { return TryBody(sent, *query, creates); });
  co_return co_await Answer(sent, std::move(written), nullptr);
}

Task<Result<void>> BodyWriter::CreateReviewed(ResourceRequest request, json::Value object) {
  Sent sent(state_, std::move(request));
  Bulky<Draft> draft(state_, sent.bytes,
                     Draft{.target = sent.Target(/*dry_run=*/false),
                           .object = std::move(object),
                           .creates = true,
                           .now = sent.now});
  draft->target.keep_status = true;
  draft->target.checked = false;
  Attempt written = co_await Write(sent, *draft, nullptr, nullptr);
  if (!written) co_return ModifiedConflictError(sent.live.resource->Subject({}));
  if (!written->ok()) co_return written->error();
  co_return {};
}

Task<ResponsePtr> BodyWriter::Patch(ResourceRequest request) {
  Result<SentPatch> kind = KindOfPatch(request);
  if (!kind) co_return ErrorResponse(kind.error(), request.accept);
  Sent sent(state_, std::move(request));
  Bulky<SentPatch> patch(state_, sent.bytes, *std::move(kind));
  const Result<void> decoded =
      co_await off_loop_.Do(sent.bytes, [&] { return DecodePatch(sent.request, *patch); });
  if (!decoded) co_return sent.Fail(decoded.error());
  Result<WriteOutcome> written = co_await Repeat(sent, [&] { return TryPatch(sent, *patch); });
  co_return co_await Answer(sent, std::move(written), nullptr);
}

Task<ResponsePtr> BodyWriter::Change(ResourceRequest request, ObjectChange change) {
  request.body.clear();
  Sent sent(state_, std::move(request));
  Result<WriteOutcome> written = co_await Repeat(sent, [&] { return TryChange(sent, change); });
  co_return co_await Answer(sent, std::move(written), std::move(change.answer));
}

Task<ResponsePtr> BodyWriter::ChangeFirst(ResourceRequest request, ObjectChange change) {
  request.body.clear();
  Sent sent(state_, std::move(request));
  const Result<WriteOutcome> written =
      co_await Repeat(sent, [&] { return TryChange(sent, change); });
  if (!written) co_return sent.Fail(written.error());
  co_return nullptr;
}

Task<ResponsePtr> BodyWriter::Delete(ResourceRequest request) {
  Sent sent(state_, std::move(request));
  const ServedResource& resource = *sent.live.resource;
  Result<DecodedDelete> options = co_await off_loop_.Do(sent.bytes, [&] {
    const ResourceRequest& from = sent.request;
    return DecodeDelete(from.info.query, from.content_type, from.body);
  });
  if (!options) co_return sent.Fail(options.error());
  // For namespaces, `orphanDependents: false` has always meant foreground deletion.
  if (options->cascades && resource.Is("", "namespaces")) {
    options->request.propagation = "Foreground";
  }
  const WriteTarget target = sent.Target(options->dry_run);
  Result<WriteOutcome> written = co_await Repeat(
      sent, [&] { return TryDelete(sent, target, options->request, /*asks=*/true); });
  if (written) {
    written->accepted = !written->removed && options->cascades;
    if (written->removed && !resource.delete_returns_object) {
      co_return Warned(DeletedAnswer(sent.request, *written), sent.warnings);
    }
  }
  co_return co_await Answer(sent, std::move(written), nullptr);
}

Task<ResponsePtr> BodyWriter::DeleteFirst(ResourceRequest request, WriteTarget target,
                                          DeleteRequest options) {
  request.body.clear();
  Sent sent(state_, std::move(request));
  target.at = sent.live;
  const Result<WriteOutcome> written =
      co_await Repeat(sent, [&] { return TryDelete(sent, target, options, /*asks=*/false); });
  if (!written) co_return sent.Fail(written.error());
  co_return nullptr;
}

// ---- Attempts

Task<BodyWriter::Attempt> BodyWriter::TryBody(Sent& sent, const WriteQuery& query, bool creates) {
  Bulky<Draft> draft(
      state_, sent.bytes,
      Draft{.target = sent.Target(query.dry_run), .creates = creates, .now = sent.now});
  Result<json::Value> object = co_await off_loop_.Do(
      sent.bytes, [&] { return Decode(writer_, sent.request, query, sent.warnings); });
  if (!object) co_return object.error();
  draft->object = *std::move(object);
  co_return co_await Write(sent, *draft, nullptr, nullptr);
}

Task<BodyWriter::Attempt> BodyWriter::TryPatch(Sent& sent, SentPatch& patch) {
  Bulky<Draft> draft(state_, sent.bytes,
                     Draft{.target = sent.Target(patch.query.dry_run), .now = sent.now});
  sent.warnings = patch.warnings;
  const WriteTarget& target = draft->target;
  const StoredObjectPtr base = Find(target);
  if (base == nullptr) {
    if (!patch.server_side || !target.subresource.empty()) {
      co_return NotFoundError(target.at.resource->Subject(target.name));
    }
    json::Value merged = json::Value::MakeObject();
    const auto distinct = MergeApplied(target.at, patch.patch, merged);
    if (!distinct) co_return distinct.error();
    const auto fit = CheckAppliedCreate(target.at, patch.patch, target.namespace_, target.name);
    if (!fit) co_return fit.error();
    // A resourceVersion implies that the object exists; nevertheless the real server treats it as a
    // new object.
    patch.patch.Ensure("metadata").Erase("resourceVersion");
    draft->object = std::move(patch.patch);  // a create is attempted once
    draft->creates = true;
    if (sent.manager.tracks) {
      const json::Value declared = draft->object;
      const auto owned = TrackApply(ValueShape::Of(*target.at.version), sent.manager, json::Value(),
                                    declared, /*force=*/false, draft->object);
      if (!owned) co_return owned.error();
    }
    co_return co_await Write(sent, *draft, nullptr, nullptr);
  }
  const Result<void> shown = co_await Show(sent, base, *draft);
  if (!shown) co_return shown.error();
  const StoredObjectPtr from = draft->shown == nullptr ? base : draft->shown;
  Result<json::Value> object = co_await off_loop_.Do(sent.bytes, [&] {
    return Patched(writer_, sent.request, patch, sent.manager, *from, sent.warnings);
  });
  if (!object) co_return object.error();
  draft->object = *std::move(object);
  co_return co_await Write(sent, *draft, base, nullptr);
}

Task<BodyWriter::Attempt> BodyWriter::TryChange(Sent& sent, const ObjectChange& change) {
  Bulky<Draft> draft(state_, sent.bytes, Draft{.target = change.target, .now = sent.now});
  WriteTarget& target = draft->target;
  target.at = sent.live;
  // A binding or an eviction is a write of the server, and changes no owners.
  if (sent.request.info.subresource == "scale") target.manager = sent.manager;
  const StoredObjectPtr base = Find(target);
  if (base == nullptr) co_return NotFoundError(target.at.resource->Subject(target.name));
  const Result<void> shown = co_await Show(sent, base, *draft);
  if (!shown) co_return shown.error();
  const StoredObjectPtr from = draft->shown == nullptr ? base : draft->shown;
  if (change.part != nullptr) {
    const Result<void> changed = co_await ChangePart(sent, *draft, *change.part, *from);
    if (!changed) co_return changed.error();
    if (target.manager.tracks) {
      const bool force = sent.request.info.query.GetBool("force").value_or(false);
      const auto owned = OwnScale(sent.request.at, target.manager, ObjectIn(sent.request.at, *from),
                                  force, draft->object);
      if (!owned) co_return owned.error();
      target.manager.tracks = false;
    }
  } else {
    const Result<void> changed = co_await off_loop_.Do(sent.bytes, [&] {
      draft->object = ObjectIn(sent.request.at, *from);
      return change.apply(draft->object);
    });
    if (!changed) co_return changed.error();
  }
  co_return co_await Write(sent, *draft, base, &change);
}

Task<BodyWriter::Attempt> BodyWriter::TryDelete(Sent& sent, WriteTarget target,
                                                const DeleteRequest& options, bool asks) {
  Deletion deletion{.request = options};
  if (Result<void> begun = writer_.BeginDelete(target, deletion); !begun) co_return begun.error();
  sent.bytes = std::max(sent.bytes, deletion.over->body().size());
  const Result<StoredObjectPtr> shown = co_await converter_.Convert(sent.request.at, deletion.over);
  if (!shown) co_return shown.error();
  if (asks &&
      (admission_.Any(AdmissionPhase::kMutate) || admission_.Any(AdmissionPhase::kValidate))) {
    Review review(state_, sent.bytes, AttributesOfDelete(sent.request, target, options));
    (*review)->bytes = sent.bytes;
    co_await off_loop_.Do(sent.bytes, [&] { (*review)->old = (*shown)->Parse(); });
    const Result<bool> mutated =
        co_await Admit(admission_, AdmissionPhase::kMutate, *review, sent.warnings);
    if (!mutated.ok()) co_return mutated.error();
    const Result<bool> validated =
        co_await Admit(admission_, AdmissionPhase::kValidate, *review, sent.warnings);
    if (!validated.ok()) co_return validated.error();
  }
  co_await Do(sent, target, [&] { writer_.CompleteDelete(target, deletion); });
  if (!ObjectWriter::IsCurrent(target, deletion)) co_return std::nullopt;
  if (state_.shared != nullptr) {
    const Result<bool> stored = co_await StoreShared(state_, target, deletion);
    if (!stored.ok()) co_return stored.error();
    if (!*stored) co_return std::nullopt;
  }
  co_return writer_.CommitDelete(target, deletion);
}

Task<BodyWriter::Attempt> BodyWriter::Write(Sent& sent, Draft& draft, StoredObjectPtr base,
                                            const ObjectChange* change) {
  const ChangedPart* const part = change == nullptr ? nullptr : change->part.get();
  const bool asks = change == nullptr || change->asks;
  const Result<bool> begun = co_await Begin(sent, draft, std::move(base), asks);
  if (!begun.ok()) co_return begun.error();
  if (!*begun) co_return std::nullopt;
  if (draft.over != nullptr) {
    const Result<void> shown = co_await Show(sent, draft.over, draft);
    if (!shown) co_return shown.error();
  }
  if (writer_.MustAssign(draft)) {
    co_await Do(sent, draft.target, [&] { ObjectWriter::Load(draft); });
    if (!ObjectWriter::IsCurrent(draft)) co_return std::nullopt;
    if (Result<void> assigned = writer_.Assign(draft); !assigned) co_return assigned.error();
  }
  if (state_.authorizer != nullptr && change == nullptr) {
    Result<void> may = CheckMayGive(*state_.authorizer, sent.request, draft);
    if (!may) co_return may.error();
  }
  const Result<void> complete =
      co_await Do(sent, draft.target, [&] { return writer_.Complete(draft); });
  if (!complete) co_return complete.error();
  if (!ObjectWriter::IsCurrent(draft)) co_return std::nullopt;
  if (Result<void> allowed = CheckAllowed(sent, draft, change); !allowed) {
    co_return allowed.error();
  }
  if ((asks || part != nullptr) && admission_.Any(AdmissionPhase::kValidate)) {
    const Result<void> valid = co_await Validate(sent, draft, part);
    if (!valid) co_return valid.error();
    if (!ObjectWriter::IsCurrent(draft)) co_return std::nullopt;
  }
  if (draft.converts) {
    const Result<void> stored_form = co_await ConvertToStore(sent, draft);
    if (!stored_form) co_return stored_form.error();
    if (!ObjectWriter::IsCurrent(draft)) co_return std::nullopt;
  }
  draft.reshaped = writer_.Reshape(draft);
  if (draft.reshaped != nullptr) {
    co_await ReshapeInTurns(state_, off_loop_, draft.reshaped);
    if (!ObjectWriter::IsCurrent(draft)) co_return std::nullopt;
  }
  if (asks && plugins_.HasQuota() && !draft.unchanged) {
    if (Result<void> charged = Charge(sent, draft); !charged) co_return std::move(charged).error();
  }
  if (state_.shared != nullptr) co_return co_await CommitShared(draft);
  co_return writer_.Commit(draft);
}

Task<BodyWriter::Attempt> BodyWriter::CommitShared(Draft& draft) {
  const Result<bool> stored = co_await StoreShared(state_, draft);
  if (!stored.ok()) co_return stored.error();
  if (!*stored) co_return std::nullopt;
  co_return writer_.Commit(draft);
}

// ---- Steps

Task<Result<bool>> BodyWriter::Begin(Sent& sent, Draft& draft, StoredObjectPtr base, bool asks) {
  bool filled_in = false;
  bool mutated = false;
  for (bool begun = false; !begun;) {
    const Result<void> normal =
        co_await Do(sent, draft.target, [&] { return writer_.Normalize(draft); });
    if (!normal) co_return normal.error();
    if (asks && !filled_in && draft.creates && plugins_.Any()) {
      if (Result<void> filled = FillIn(sent, draft); !filled) co_return std::move(filled).error();
      filled_in = true;
    }
    if (asks && !mutated && admission_.Any(AdmissionPhase::kMutate)) {
      const Result<bool> asked = co_await Mutate(sent, draft);
      if (!asked.ok()) co_return asked.error();
      mutated = *asked;
    }
    if (base != nullptr && Find(draft.target) != base) co_return false;
    const Result<bool> found = writer_.Begin(draft);
    if (!found.ok()) co_return found.error();
    begun = *found;  // false: the update has become a create
  }
  co_return true;
}

Task<Result<void>> BodyWriter::Show(Sent& sent, StoredObjectPtr stored, Draft& draft) {
  sent.bytes = std::max(sent.bytes, stored->body().size());
  draft.shown = nullptr;
  if (!MustConvert(sent.request.at, *stored)) co_return {};
  Result<StoredObjectPtr> shown = co_await converter_.Convert(sent.request.at, std::move(stored));
  if (!shown) co_return shown.error();
  draft.shown = *std::move(shown);
  co_return {};
}

Task<Result<void>> BodyWriter::ConvertToStore(Sent& sent, Draft& draft) {
  ResourceAt to = sent.request.at;
  to.version = to.resource->StorageVersion();
  Result<json::Value> made =
      co_await converter_.ConvertDocument(to, sent.bytes, std::move(draft.object));
  if (!made) co_return made.error();
  draft.object = *std::move(made);
  co_return co_await Do(sent, draft.target, [&] { return writer_.CompleteConverted(draft); });
}

Task<Result<void>> BodyWriter::ChangePart(Sent& sent, Draft& draft, const ChangedPart& part,
                                          const StoredObject& stored) {
  const bool asks = admission_.Any(AdmissionPhase::kMutate);
  const auto attributes = sent.Attributes(draft);
  const Result<void> made = co_await off_loop_.Do(sent.bytes, [&]() -> Result<void> {
    draft.object = ObjectIn(sent.request.at, stored);
    Result<json::Value> before = part.of(draft.object);
    if (!before) return before.error();
    Result<json::Value> after = part.make(draft.object);
    if (!after) return after.error();
    if (!asks) return part.put(*after, draft.object);
    attributes->old = *std::move(before);
    attributes->object = *std::move(after);
    return {};
  });
  if (!made || !asks) co_return made;
  const Result<bool> admitted =
      co_await Admit(admission_, AdmissionPhase::kMutate, attributes, sent.warnings);
  if (!admitted.ok()) co_return admitted.error();
  co_return co_await off_loop_.Do(sent.bytes,
                                  [&] { return part.put(attributes->object, draft.object); });
}

Result<void> BodyWriter::CheckAllowed(Sent& sent, Draft& draft, const ObjectChange* change) {
  if (state_.authorizer != nullptr && change == nullptr) {
    Result<void> may = CheckMayMake(*state_.authorizer, sent.request, draft);
    if (!may) return may;
  }
  const bool asks = change == nullptr || change->asks;
  return asks && plugins_.Any() ? plugins_.Validate(PluginRequestOf(sent, draft)) : Result<void>();
}

PluginRequest BodyWriter::PluginRequestOf(Sent& sent, Draft& draft) {
  const WriteTarget& target = draft.target;
  return {.resource = *target.at.resource,
          .subresource = target.subresource,
          .creates = draft.creates,
          .dry_run = target.dry_run,
          .namespace_ = target.at.resource->namespaced ? target.namespace_ : std::string_view(),
          .user = target.user.get(),
          .object = draft.object,
          .old = draft.old,
          .warnings = sent.warnings};
}

Result<void> BodyWriter::FillIn(Sent& sent, Draft& draft) {
  const WriteTarget& target = draft.target;
  if (target.at.resource->namespaced) {
    // Without its namespace the object is refused later.
    const auto namespaces = state_.resources.FindGroupResource("", "namespaces");
    const StoredObjectPtr stored = namespaces->store->Get(target.namespace_);
    if (stored == nullptr || stored->terminating()) return {};
  }
  PluginRequest request = PluginRequestOf(sent, draft);
  return plugins_.Mutate(request);
}

Result<void> BodyWriter::Charge(Sent& sent, Draft& draft) {
  Result<std::vector<json::Value>> charged = plugins_.Charge(PluginRequestOf(sent, draft));
  if (!charged.ok()) return std::move(charged).error();
  for (json::Value& quota : *charged) {
    const WriteTarget target{.at = state_.resources.Find("", "v1", "resourcequotas"),
                             .namespace_ = draft.target.namespace_,
                             .name = std::as_const(quota).At("/metadata/name").StringOrEmpty(),
                             .subresource = "status",
                             .keep_status = true};
    if (auto written = writer_.Update(target, std::move(quota)); !written) return written.error();
  }
  return {};
}

Task<Result<bool>> BodyWriter::Mutate(Sent& sent, Draft& draft) {
  if (!draft.creates) {
    draft.over = Find(draft.target);
    if (draft.over == nullptr) co_return false;
    const Result<void> shown = co_await Show(sent, draft.over, draft);
    if (!shown) co_return shown.error();
    co_await Do(sent, draft.target, [&] { ObjectWriter::Load(draft); });
  }
  Review review(state_, sent.bytes, sent.Attributes(draft));
  (*review)->object = std::move(draft.object);
  (*review)->old = std::exchange(draft.old, json::Value());
  if (draft.creates) {
    // Known before the object is checked.
    (*review)->name = std::as_const((*review)->object).At("/metadata/name").StringOrEmpty();
  }
  const Result<bool> changed =
      co_await Admit(admission_, AdmissionPhase::kMutate, *review, sent.warnings);
  if (!changed.ok()) co_return changed.error();
  draft.object = std::move((*review)->object);
  if (!*changed) co_return true;
  // Patches of webhooks have not been checked for types, and the resourceVersion that the client
  // sent was already extracted.
  draft.target.checked = false;
  std::string sent_version = std::move(draft.sent_version);
  const Result<void> normal =
      co_await Do(sent, draft.target, [&] { return writer_.Normalize(draft); });
  draft.sent_version = std::move(sent_version);
  if (!normal) co_return normal.error();
  co_return true;
}

Task<Result<void>> BodyWriter::Validate(Sent& sent, Draft& draft, const ChangedPart* part) {
  Review review(state_, sent.bytes, sent.Attributes(draft));
  AdmissionAttributes& attributes = **review;
  if (part != nullptr) {
    Result<json::Value> object = part->of(draft.object);
    if (!object) co_return object.error();
    Result<json::Value> old = part->of(draft.old);
    if (!old) co_return old.error();
    attributes.object = *std::move(object);
    attributes.old = *std::move(old);
  } else {
    attributes.object = std::move(draft.object);
    attributes.old = std::move(draft.old);
  }
  const Result<bool> admitted =
      co_await Admit(admission_, AdmissionPhase::kValidate, *review, sent.warnings);
  if (!admitted.ok()) co_return admitted.error();
  if (part == nullptr) {
    draft.object = std::move(attributes.object);
    draft.old = std::move(attributes.old);
  }
  co_return {};
}

Task<ResponsePtr> BodyWriter::Answer(Sent& sent, Result<WriteOutcome> written,
                                     std::function<ResponsePtr(const WriteOutcome&)> answer) {
  if (!written) co_return sent.Fail(written.error());
  const ResourceRequest& request = sent.request;
  Bulky<WriteOutcome> outcome(state_, sent.bytes, *std::move(written));
  if (MustConvert(request.at, *outcome->stored)) {
    Result<StoredObjectPtr> shown = co_await converter_.Convert(request.at, outcome->stored);
    if (!shown) co_return sent.Fail(shown.error());
    outcome->stored = *std::move(shown);
    outcome->document = json::Value();  // in the stored version
  }
  const auto respond = [&] {
    return answer != nullptr ? Warned(answer(*outcome), sent.warnings)
                             : WriteAnswer(state_, request, *outcome, sent.warnings);
  };
  // Forms other than the stored text are encoded off the loop, from a copy of the shared object.
  const bool text = answer == nullptr && IsStoredText(request.at, request.format);
  if (text || !OffLoop::IsMuch(sent.bytes)) co_return respond();
  outcome->stored = outcome->stored->Copy();
  co_return co_await off_loop_.Do(respond);
}

}  // namespace kinformer::apiserver

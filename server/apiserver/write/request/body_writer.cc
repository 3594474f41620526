#include "apiserver/write/request/body_writer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/ownership/value_shape.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/request/bulky.h"
#include "apiserver/write/request/admitted.h"
#include "apiserver/write/request/apply_patch.h"
#include "apiserver/write/request/body_fields.h"
#include "apiserver/write/request/node_limits.h"
#include "apiserver/write/request/reshape_in_turns.h"
#include "apiserver/write/request/rights_of_write.h"
#include "apiserver/write/request/scale.h"
#include "apiserver/write/request/sent_write.h"
#include "apiserver/write/request/shared_storing.h"
#include "apiserver/write/request/write_answer.h"

namespace kinformer::apiserver {
namespace {

// Most attempts at a write while others change its object.
constexpr int kAttempts = 5;

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

}  // namespace

template <class Try>
Task<Result<WriteOutcome>> BodyWriter::Repeat(Sent& sent, Try attempt) {
  for (int made = 0; made < kAttempts; ++made) {
    Attempt written = co_await attempt();
    if (written) co_return *std::move(written);
    sent.warnings.clear();
  }
  co_return ModifiedConflictError(sent.live.resource->Subject(sent.request.info.name));
}

Result<void> BodyWriter::OutcomeOf(const Sent& sent, const Attempt& attempt) {
  if (!attempt) return ModifiedConflictError(sent.live.resource->Subject(sent.request.info.name));
  return attempt->ok() ? Result<void>() : attempt->error();
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

Task<Result<void>> BodyWriter::WriteReviewed(ResourceRequest request, json::Value object,
                                             bool creates) {
  Sent sent(state_, std::move(request));
  Bulky<Draft> draft(state_, sent.bytes,
                     Draft{.target = sent.Target(/*dry_run=*/false),
                           .object = std::move(object),
                           .creates = creates,
                           .now = sent.now});
  draft->target.keep_status = true;
  draft->target.checked = false;
  const Attempt written = co_await Write(sent, *draft, nullptr, nullptr);
  co_return OutcomeOf(sent, written);
}

Task<Result<void>> BodyWriter::ChangeReviewed(ResourceRequest request, ObjectChange change) {
  Sent sent(state_, std::move(request));
  const Attempt written = co_await TryChange(sent, change);
  co_return OutcomeOf(sent, written);
}

Task<Result<void>> BodyWriter::DeleteReviewed(ResourceRequest request, DeleteRequest options) {
  Sent sent(state_, std::move(request));
  const WriteTarget target = sent.Target(/*dry_run=*/false);
  const Attempt deleted = co_await TryDelete(sent, target, options, /*asks=*/true);
  co_return OutcomeOf(sent, deleted);
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
  const StoredObjectPtr base = StoredAt(target);
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
  const StoredObjectPtr base = StoredAt(target);
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
  if (asks) {
    const Result<void> may = CheckNodesDelete(plugins_, target, **shown);
    if (!may) co_return may.error();
  }
  if (asks &&
      (admission_.Any(AdmissionPhase::kMutate) || admission_.Any(AdmissionPhase::kValidate))) {
    BulkyReview review(state_, sent.bytes, AttributesOfDelete(sent.request, target, options));
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

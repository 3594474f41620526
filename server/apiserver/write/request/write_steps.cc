#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "apiserver/registry/conversion.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/write/request/admitted.h"
#include "apiserver/write/request/body_writer.h"
#include "apiserver/write/request/rights_of_write.h"

namespace kinformer::apiserver {

Task<Result<bool>> BodyWriter::Begin(Sent& sent, Draft& draft, StoredObjectPtr base, bool asks) {
  bool filled_in = false;
  bool mutated = false;
  bool restricted = false;
  for (bool begun = false; !begun;) {
    const Result<void> normal =
        co_await Do(sent, draft.target, [&] { return writer_.Normalize(draft); });
    if (!normal) co_return normal.error();
    if (asks && !filled_in && draft.creates && plugins_.Any()) {
      if (Result<void> filled = FillIn(sent, draft); !filled) co_return std::move(filled).error();
      filled_in = true;
    }
    if (asks && !restricted && plugins_.Restricts(draft.target.user.get())) {
      const Result<bool> asked = co_await Restrict(sent, draft);
      if (!asked.ok()) co_return asked.error();
      restricted = *asked;
    }
    if (asks && !mutated && admission_.Any(AdmissionPhase::kMutate)) {
      const Result<bool> asked = co_await Mutate(sent, draft);
      if (!asked.ok()) co_return asked.error();
      mutated = *asked;
    }
    if (base != nullptr && StoredAt(draft.target) != base) co_return false;
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
          .name = draft.creates ? std::string_view() : std::string_view(target.name),
          .user = target.user.get(),
          .audit = sent.request.info.audit.get(),
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

Task<Result<bool>> BodyWriter::LoadBefore(Sent& sent, Draft& draft) {
  draft.over = StoredAt(draft.target);
  if (draft.over == nullptr) co_return false;
  const Result<void> shown = co_await Show(sent, draft.over, draft);
  if (!shown) co_return shown.error();
  co_await Do(sent, draft.target, [&] { ObjectWriter::Load(draft); });
  co_return true;
}

Task<Result<bool>> BodyWriter::Restrict(Sent& sent, Draft& draft) {
  if (!draft.creates) {
    Result<bool> loaded = co_await LoadBefore(sent, draft);
    if (!loaded.ok() || !*loaded) co_return loaded;
  }
  const Result<void> may = plugins_.Restrict(PluginRequestOf(sent, draft));
  draft.old = json::Value();
  if (!may) co_return may.error();
  co_return true;
}

Task<Result<bool>> BodyWriter::Mutate(Sent& sent, Draft& draft) {
  if (!draft.creates) {
    Result<bool> loaded = co_await LoadBefore(sent, draft);
    if (!loaded.ok() || !*loaded) co_return loaded;
  }
  BulkyReview review(state_, sent.bytes, sent.Attributes(draft));
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
  BulkyReview review(state_, sent.bytes, sent.Attributes(draft));
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

}  // namespace kinformer::apiserver

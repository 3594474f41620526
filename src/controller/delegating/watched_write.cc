#include "controller/delegating/watched_write.h"

#include <utility>

#include "client/applied_fields.h"
#include "controller/delegating/write_match.h"
#include "controller/fights/fight_scope.h"

namespace kinformer::internal::delegating {

using Form = fights::SentWrite::Form;

WatchedWrite::WatchedWrite(DelegatingState& state, const KindInfo& type, const ObjectName& name,
                           std::string_view subresource, const CallBounds& bounds, bool dry_run)
    : type_(type), subresource_(subresource) {
  FightScope* const scope = FightScope::Current();
  const bool whole = subresource.empty() || subresource == "status";
  if (scope == nullptr || !whole || dry_run || state.options.dry_run) return;
  watched_ = true;
  if (name.name.empty()) return;
  before_ = Matchable(state, type, name, bounds).object;
  if (!before_) before_ = scope->LastAnswer(type, name);
  suspected_ = before_ && scope->Suspects(*before_);
}

void WatchedWrite::Update(const RequestObject& object) {
  if (!suspected_) return;
  sent_ = {subresource_.empty() ? Form::kWhole : Form::kStatus, object.json()};
}

void WatchedWrite::Apply(const KindInfo& part, const RequestObject& object) {
  if (!suspected_) return;
  if (Result<std::string> fields = client::AppliedFields(part, object.json())) {
    sent_ = {Form::kFields, *std::move(fields)};
  }
}

void WatchedWrite::Patch(const kinformer::Patch& patch) {
  if (!suspected_) return;
  const Form form = patch.type == PatchType::kJsonPatch    ? Form::kJsonPatch
                    : patch.type == PatchType::kMergePatch ? Form::kMerge
                                                           : Form::kFields;
  sent_ = {form, patch.body};
}

Result<ObjectRef> WatchedWrite::Answered(Result<ObjectRef> answer) const {
  FightScope* const scope = FightScope::Current();
  if (!watched_ || scope == nullptr || !answer || !*answer || (*answer)->partial()) return answer;
  scope->Wrote(type_, before_, Unpacked(*answer), sent_ ? &*sent_ : nullptr);
  return answer;
}

}  // namespace kinformer::internal::delegating

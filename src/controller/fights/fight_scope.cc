#include "controller/fights/fight_scope.h"

#include <algorithm>
#include <cstddef>

#include "kinformer/json/json.h"

#include "controller/causes/changed_fields.h"
#include "controller/fights/field_owner.h"

namespace kinformer::internal {
namespace {

thread_local FightScope* t_current = nullptr;

bool IsSecret(const KindInfo& kind) { return kind.kind == "Secret"; }

}  // namespace

FightScope::FightScope(FightBook& book, const std::string& request, const CauseNote& causes)
    : book_(book), request_(request), causes_(causes), outer_(t_current) {
  t_current = this;
}
FightScope::~FightScope() { t_current = outer_; }

FightScope* FightScope::Current() { return t_current; }

FightBook::Causes FightScope::OfCauses() {
  if (of_causes_) return *of_causes_;
  FightBook::Causes of;
  bool others = causes_.left_out() > 0;
  for (std::size_t i = 0; i < causes_.size(); ++i) {
    const RawCause& cause = causes_[i];
    switch (cause.type) {
      case CauseType::kAdded:
      case CauseType::kUpdated:
        if (IsOwn(cause)) {
          of.only_own_writes = true;
        } else {
          others = true;
        }
        break;
      case CauseType::kRetry:
      case CauseType::kRequeue:
      case CauseType::kTimer:
      case CauseType::kUnparked:
        break;
      default:
        others = true;
    }
  }
  of.nothing_of_others = !others;
  if (others) of.only_own_writes = false;
  of_causes_ = of;
  return of;
}

bool FightScope::IsOwn(const RawCause& cause) const {
  if (cause.now == 0 || !book_.Wrote(std::to_string(cause.now))) return false;
  // An event may show what others have done before.
  return cause.type == CauseType::kAdded ||
         (cause.before != 0 && book_.Wrote(std::to_string(cause.before)));
}

ObjectRef FightScope::LastAnswer(const KindInfo& kind, const ObjectName& name) const {
  if (answers_ == nullptr) return {};
  for (const ObjectRef& answer : *answers_) {
    const KindInfo& type = answer->type();
    if (type.kind != kind.kind || type.group != kind.group || answer->name() != name.name) continue;
    if (name.namespace_.empty() || answer->namespace_() == name.namespace_) return answer;
  }
  return {};
}

bool FightScope::Suspects(const Block& before) { return book_.Suspects(before, OfCauses()); }

void FightScope::Wrote(const KindInfo& kind, const ObjectRef& before, const ObjectRef& now,
                       const fights::SentWrite* sent) {
  FightBook::Write write{
      .kind = &kind, .request = &request_, .before = before.get(), .now = now.get()};
  if (before && sent != nullptr && before->uid() == now->uid()) {
    write.causes = OfCauses();
    const json::Value was = JsonOfObject(before);
    const json::Value is = JsonOfObject(now);
    write.fields = fights::FieldsOf(was, is, *sent, IsSecret(kind), book_.seed());
    if (!write.fields.empty()) write.manager = fights::OwnerOf(is, write.fields[0].steps, {});
    for (const fights::WrittenField& field : write.fields) {
      write.others.push_back(fights::OwnerOf(was, field.steps, write.manager));
    }
  }
  if (const std::optional<SteadyTime> until = book_.Note(write)) {
    if (holds_ == nullptr) holds_ = std::make_unique<std::vector<RequestHold>>();
    holds_->push_back({.until = *until,
                       .kind = &kind,
                       .object = {std::string(now->namespace_()), std::string(now->name())},
                       .uid = std::string(now->uid())});
  }
  if (answers_ == nullptr) answers_ = std::make_unique<std::vector<ObjectRef>>();
  std::erase_if(*answers_, [&](const ObjectRef& one) { return one->uid() == now->uid(); });
  if (answers_->size() == kMostAnswers) answers_->erase(answers_->begin());
  answers_->push_back(now);
}

}  // namespace kinformer::internal

// Writes of the server itself, and of this process, in one step.

#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/registry/conversion.h"
#include "apiserver/registry/object_rules.h"
#include "apiserver/registry/webhook_conversion.h"
#include "apiserver/write/object/deletion_mark.h"
#include "apiserver/write/object/object_writer.h"

namespace kinformer::apiserver {

Result<WriteOutcome> ObjectWriter::Write(Draft draft) {
  for (;;) {
    if (Result<void> ready = Normalize(draft); !ready) return ready.error();
    const Result<bool> begun = Begin(draft);
    if (!begun.ok()) return begun.error();
    if (*begun) break;
  }
  const ResourceAt& at = draft.target.at;
  if (MustConvertToStore(at) || (draft.over != nullptr && MustAskToConvert(at, *draft.over))) {
    return ConversionTakesTime(at);
  }
  if (draft.over != nullptr && IsPruned(at)) draft.shown = PrunedTo(at, *draft.over);
  if (MustAssign(draft)) {
    Load(draft);
    if (Result<void> assigned = Assign(draft); !assigned) return assigned.error();
  }
  if (Result<void> complete = Complete(draft); !complete) return complete.error();
  return Commit(draft);
}

Result<WriteOutcome> ObjectWriter::Create(const WriteTarget& target, json::Value object) {
  return Write(
      {.target = target, .object = std::move(object), .creates = true, .now = state_.WallNow()});
}

Result<WriteOutcome> ObjectWriter::Update(const WriteTarget& target, json::Value object) {
  return Write({.target = target, .object = std::move(object), .now = state_.WallNow()});
}

template <class Try>
Result<WriteOutcome> ObjectWriter::Repeated(Try attempt) {
  constexpr int kMostAttempts = 8;
  for (int made = 1;; ++made) {
    Result<WriteOutcome> written = attempt();
    const bool again = state_.shared != nullptr && made < kMostAttempts && !written.ok() &&
                       written.error().reason() == Reason::kConflict;
    if (!again) return written;
  }
}

Result<WriteOutcome> ObjectWriter::Modify(const WriteTarget& target, const Change& change) {
  return Repeated([&]() -> Result<WriteOutcome> {
    const ServedResource& resource = *target.at.resource;
    const StoredObjectPtr stored = resource.Find(target.namespace_, target.name);
    if (stored == nullptr) return NotFoundError(resource.Subject(target.name));
    if (MustAskToConvert(target.at, *stored)) return ConversionTakesTime(target.at);
    json::Value object = ObjectIn(target.at, *stored);
    if (Result<void> changed = change(object); !changed) return changed.error();
    return Update(target, std::move(object));
  });
}

Result<WriteOutcome> ObjectWriter::Delete(const WriteTarget& target, const DeleteRequest& request) {
  return Repeated([&]() -> Result<WriteOutcome> {
    Deletion deletion{.request = request};
    if (Result<void> begun = BeginDelete(target, deletion); !begun) return begun.error();
    CompleteDelete(target, deletion);
    return CommitDelete(target, deletion);
  });
}

Result<WriteOutcome> ObjectWriter::ModifyOutline(const WriteTarget& target,
                                                 const OutlineChange& change,
                                                 std::span<const OutlineMember> members) {
  return Repeated([&] { return TryOutline(target, change, members); });
}

Result<WriteOutcome> ObjectWriter::TryOutline(const WriteTarget& target,
                                              const OutlineChange& change,
                                              std::span<const OutlineMember> members) {
  const ServedResource& resource = *target.at.resource;
  const StoredObjectPtr over = resource.Find(target.namespace_, target.name);
  if (over == nullptr) return NotFoundError(resource.Subject(target.name));
  const json::Value before = over->Outline(members);
  json::Value after = before;
  change(after);
  TidyMetadata(after.Ensure("metadata"));
  if (after == before) return WriteOutcome{.stored = over};
  if (MayGo(resource, before, after)) return Remove(target, over);
  return StoreOutline(target, over, over->WithOutline(before, after, resource.fields), after);
}

}  // namespace kinformer::apiserver

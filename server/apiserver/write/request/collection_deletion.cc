#include "apiserver/write/request/collection_deletion.h"

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/read/list_stream.h"
#include "apiserver/request/bulky.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/write/object/object_sweep.h"
#include "apiserver/write/request/admitted.h"
#include "apiserver/write/request/node_limits.h"
#include "apiserver/write/request/shared_storing.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {
namespace {

using internal::base::WorkSlice;

class CollectionDeletion {
 public:
  CollectionDeletion(ServerState& state, ObjectWriter& writer, OffLoop& off_loop,
                     Admission& admission, const CollectionDeletionPlan& plan)
      : state_(state),
        writer_(writer),
        off_loop_(off_loop),
        admission_(admission),
        asks_(admission.Any(AdmissionPhase::kMutate) || admission.Any(AdmissionPhase::kValidate)),
        plan_(plan),
        unchanging_(Unchanging(plan.request.at)),
        store_(plan.listed.resource->store),
        pin_(store_, plan.resource_version),
        sweep_(plan.selection.prefix()) {}

  Task<ResponsePtr> Run() {
    ResponsePtr answer = Listed();
    for (;;) {
      const bool all = DeleteInTurn();
      while (gone_ && !slow_.empty()) {
        WriteTarget target = std::move(slow_.back());
        slow_.pop_back();
        Result<void> gone = co_await DeleteSlow(std::move(target));
        gone_ = std::move(gone);
      }
      if (!gone_) {
        co_return Warned(ErrorResponse(gone_.error(), plan_.request.accept), warnings_);
      }
      if (all) co_return Warned(std::move(answer), warnings_);
      co_await NextTurn(state_);
    }
  }

 private:
  // The list pins its version while objects are deleted.
  ResponsePtr Listed() {
    const std::size_t all = store_->size(plan_.request.info.namespace_);
    return NewListStream(state_.env, off_loop_,
                         ObjectEncoder(plan_.listed, plan_.request.format, state_.env.WallNow()),
                         {.selection = plan_.selection,
                          .resource_version = pin_.resource_version(),
                          .limit = plan_.limit,
                          .remaining = static_cast<std::int64_t>(all)});
  }

  // Deletes objects until the turn is over, and gathers those that take longer in `slow_`. Returns
  // true at the end of the collection.
  bool DeleteInTurn() {
    const WorkSlice turn(state_.env);
    const Selection& selection = plan_.selection;
    return sweep_.Run(
        *store_, pin_.resource_version(), turn,
        [&](const StoredObject& stored) {
          return selection.InScope(stored) && selection.Matches(stored);
        },
        [this](const StoredObject& stored) {
          Delete(stored);
          return gone_.ok() && (plan_.limit <= 0 || ++count_ < plan_.limit);
        });
  }

  void Delete(const StoredObject& stored) {
    WriteTarget target{.at = plan_.request.at,
                       .namespace_ = std::string(stored.namespace_()),
                       .name = std::string(stored.name()),
                       .dry_run = plan_.dry_run,
                       .user = plan_.request.user};
    if (Result<void> may = CheckNodesDelete(plan_.plugins, target, stored); !may) {
      gone_ = std::move(may);
    } else if (asks_ || state_.shared != nullptr || OffLoop::IsMuch(stored.body().size())) {
      slow_.push_back(std::move(target));
    } else if (const auto deleted = writer_.Delete(target, plan_.each); !deleted) {
      gone_ = Unless404(deleted.error());
    }
  }

  static Result<void> Unless404(const Error& error) {
    if (IsNotFound(error)) return {};
    return error;
  }

  // Deletes an object as webhooks allow, off the loop, and again after concurrent writes.
  Task<Result<void>> DeleteSlow(WriteTarget target) {
    for (;;) {
      Deletion deletion{.request = plan_.each};
      const Result<void> begun = writer_.BeginDelete(target, deletion);
      if (!begun) co_return Unless404(begun.error());
      if (asks_) {
        const Result<void> allowed = co_await Ask(target, *deletion.over);
        if (!allowed) co_return allowed;
      }
      WriteTarget constant = target;
      constant.at = Unchanging(target.at);
      co_await off_loop_.Do([&] { writer_.CompleteDelete(constant, deletion); });
      if (ObjectWriter::IsCurrent(target, deletion)) {
        const Result<bool> stored = co_await StoreShared(state_, target, deletion);
        if (!stored.ok()) co_return stored.error();
        if (!*stored) continue;
        (void)writer_.CommitDelete(target, deletion).ok();  // fails only with a shared storage
        co_return {};
      }
    }
  }

  Task<Result<void>> Ask(const WriteTarget& target, const StoredObject& over) {
    // The object in the request's version.
    const StoredObjectPtr listed = store_->Get(over.key());
    const StoredObject& shown = listed == nullptr ? over : *listed;
    const std::size_t bytes = shown.body().size();
    Bulky<std::shared_ptr<AdmissionAttributes>> attributes(
        state_, bytes, AttributesOfDelete(plan_.request, target, plan_.each));
    (*attributes)->at = unchanging_;
    (*attributes)->name.clear();  // a request for a collection has no name
    (*attributes)->bytes = bytes;
    (*attributes)->old = shown.Parse();
    const Result<bool> mutated =
        co_await Admit(admission_, AdmissionPhase::kMutate, *attributes, warnings_);
    if (!mutated.ok()) co_return mutated.error();
    const Result<bool> validated =
        co_await Admit(admission_, AdmissionPhase::kValidate, *attributes, warnings_);
    if (!validated.ok()) co_return validated.error();
    co_return {};
  }

  ServerState& state_;
  ObjectWriter& writer_;
  OffLoop& off_loop_;
  Admission& admission_;
  const bool asks_;  // whether webhooks are called
  const CollectionDeletionPlan& plan_;
  const ResourceAt unchanging_;
  const std::shared_ptr<ResourceStore> store_;
  const ResourceStore::Pin pin_;
  ObjectSweep sweep_;
  std::vector<WriteTarget> slow_{};  // found in this turn, not yet deleted
  Result<void> gone_{};
  std::vector<std::string> warnings_{};  // from webhooks
  std::int64_t count_ = 0;
};

}  // namespace

Task<ResponsePtr> DeleteCollectionInTurns(ServerState& state, ObjectWriter& writer,
                                          OffLoop& off_loop, Admission& admission,
                                          CollectionDeletionPlan plan) {
  CollectionDeletion deletion(state, writer, off_loop, admission, plan);
  co_return co_await deletion.Run();
}

}  // namespace kinformer::apiserver

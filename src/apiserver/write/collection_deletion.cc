#include "apiserver/write/collection_deletion.h"

#include <memory>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/read/list_stream.h"
#include "apiserver/request/object_encoder.h"
#include "base/work_slice.h"

namespace kinformer::apiserver {
namespace {

using internal::base::WorkSlice;

// Objects that are found before they are deleted, and those that one turn looks at where the clock
// does not say when it is over.
constexpr std::size_t kBatch = 16;
constexpr std::size_t kMostVisits = 512;

class CollectionDeletion final : public Deferred {
 public:
  CollectionDeletion(ServerState& state, ObjectWriter& writer, CollectionDeletionPlan plan)
      : state_(state),
        writer_(writer),
        plan_(std::move(plan)),
        store_(plan_.request.at.resource->store),
        pin_(store_, state.resource_version),
        answer_(Listed()) {
    Turn();
  }

 private:
  // It holds its version while the objects go.
  ResponsePtr Listed() {
    const std::size_t all = store_->size(plan_.request.info.namespace_);
    return NewListStream(
        state_.env, ObjectEncoder(plan_.request.at, plan_.request.format, state_.env.WallNow()),
        {.selection = plan_.selection,
         .resource_version = pin_.resource_version(),
         .limit = plan_.limit,
         .remaining = static_cast<std::int64_t>(all)});
  }

  void Turn() {
    const WorkSlice turn(state_.env);
    visits_ = 0;
    while (!walked_ || !found_.empty()) {
      if (found_.empty()) Find(turn);
      for (const StoredObjectPtr& stored : std::exchange(found_, {})) {
        if (const Result<void> gone = Delete(*stored); !gone) {
          return Begin(ErrorResponse(gone.error(), plan_.request.accept));
        }
      }
      if (walked_ || (!turn.over() && visits_ < kMostVisits)) continue;
      state_.Post([this, alive = std::weak_ptr<int>(alive_)] {
        if (!alive.expired()) Turn();
      });
      return;
    }
    Begin(std::move(answer_));
  }

  // Deleting changes what is walked over, so some are found first.
  void Find(const WorkSlice& turn) {
    const Selection& selection = plan_.selection;
    walked_ = true;
    store_->Walk(selection.prefix(), next_, pin_.resource_version(),
                 [&](const StoredObjectPtr& stored) {
                   const bool pause =
                       found_.size() == kBatch || visits_ == kMostVisits ||
                       (visits_ > 0 && visits_ % kBatch == 0 && found_.empty() && turn.over());
                   if (pause) {
                     next_ = stored->key();
                     walked_ = false;
                     return false;
                   }
                   ++visits_;
                   if (!selection.InScope(*stored) || !selection.Matches(*stored)) return true;
                   found_.push_back(stored);
                   ++count_;
                   return plan_.limit <= 0 || count_ < plan_.limit;
                 });
  }

  Result<void> Delete(const StoredObject& stored) {
    const auto outcome = writer_.Delete({.at = plan_.request.at,
                                         .namespace_ = std::string(stored.namespace_()),
                                         .name = std::string(stored.name()),
                                         .dry_run = plan_.dry_run},
                                        plan_.each);
    if (outcome || IsNotFound(outcome.error())) return {};
    return outcome.error();
  }

  ServerState& state_;
  ObjectWriter& writer_;
  const CollectionDeletionPlan plan_;
  const std::shared_ptr<ResourceStore> store_;
  const ResourceStore::Pin pin_;
  ResponsePtr answer_;
  std::string next_{};
  std::vector<StoredObjectPtr> found_{};
  std::size_t visits_ = 0;  // of this turn
  std::int64_t count_ = 0;  // of all
  bool walked_ = false;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace

ResponsePtr DeleteCollectionInTurns(ServerState& state, ObjectWriter& writer,
                                    CollectionDeletionPlan plan) {
  return std::make_unique<CollectionDeletion>(state, writer, std::move(plan));
}

}  // namespace kinformer::apiserver

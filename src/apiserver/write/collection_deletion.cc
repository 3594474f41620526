#include "apiserver/write/collection_deletion.h"

#include <memory>
#include <utility>

#include "apiserver/errors/status.h"
#include "apiserver/read/list_stream.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/write/object_sweep.h"
#include "base/work_slice.h"

namespace kinformer::apiserver {
namespace {

using internal::base::WorkSlice;

class CollectionDeletion final : public Deferred {
 public:
  CollectionDeletion(ServerState& state, ObjectWriter& writer, OffLoop& off_loop,
                     CollectionDeletionPlan plan)
      : state_(state),
        writer_(writer),
        off_loop_(off_loop),
        plan_(std::move(plan)),
        store_(plan_.request.at.resource->store),
        pin_(store_, state.resource_version),
        answer_(Listed()),
        sweep_(plan_.selection.prefix()) {
    Turn();
  }

 private:
  // It holds its version while the objects go.
  ResponsePtr Listed() {
    const std::size_t all = store_->size(plan_.request.info.namespace_);
    return NewListStream(
        state_.env, off_loop_,
        ObjectEncoder(plan_.request.at, plan_.request.format, state_.env.WallNow()),
        {.selection = plan_.selection,
         .resource_version = pin_.resource_version(),
         .limit = plan_.limit,
         .remaining = static_cast<std::int64_t>(all)});
  }

  void Turn() {
    const WorkSlice turn(state_.env);
    const Selection& selection = plan_.selection;
    const bool all = sweep_.Run(
        *store_, pin_.resource_version(), turn,
        [&](const StoredObject& stored) {
          return selection.InScope(stored) && selection.Matches(stored);
        },
        [this](const StoredObject& stored) {
          gone_ = Delete(stored);
          return gone_.ok() && (plan_.limit <= 0 || ++count_ < plan_.limit);
        });
    if (!gone_) return Begin(ErrorResponse(gone_.error(), plan_.request.accept));
    if (all) return Begin(std::move(answer_));
    state_.Post([this, alive = std::weak_ptr<int>(alive_)] {
      if (!alive.expired()) Turn();
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
  OffLoop& off_loop_;
  const CollectionDeletionPlan plan_;
  const std::shared_ptr<ResourceStore> store_;
  const ResourceStore::Pin pin_;
  ResponsePtr answer_;
  ObjectSweep sweep_;
  Result<void> gone_{};
  std::int64_t count_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace

ResponsePtr DeleteCollectionInTurns(ServerState& state, ObjectWriter& writer, OffLoop& off_loop,
                                    CollectionDeletionPlan plan) {
  return std::make_unique<CollectionDeletion>(state, writer, off_loop, std::move(plan));
}

}  // namespace kinformer::apiserver

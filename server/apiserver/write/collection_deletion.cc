#include "apiserver/write/collection_deletion.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/errors/status.h"
#include "apiserver/read/list_stream.h"
#include "apiserver/request/object_encoder.h"
#include "apiserver/write/admitted.h"
#include "apiserver/write/object_sweep.h"
#include "base/core/work_slice.h"

namespace kinformer::apiserver {
namespace {

using internal::base::WorkSlice;

class CollectionDeletion final : public Deferred {
 public:
  CollectionDeletion(ServerState& state, ObjectWriter& writer, OffLoop& off_loop,
                     AdmissionWebhooks& admission, CollectionDeletionPlan plan)
      : state_(state),
        writer_(writer),
        off_loop_(off_loop),
        admission_(admission),
        asks_(admission.Any(AdmissionPhase::kMutate) || admission.Any(AdmissionPhase::kValidate)),
        plan_(std::move(plan)),
        unchanging_(Unchanging(plan_.request.at)),
        store_(plan_.listed.resource->store),
        pin_(store_, plan_.resource_version),
        answer_(Listed()),
        sweep_(plan_.selection.prefix()) {
    Turn();
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

  void Turn() {
    const WorkSlice turn(state_.env);
    const Selection& selection = plan_.selection;
    all_ = sweep_.Run(
        *store_, pin_.resource_version(), turn,
        [&](const StoredObject& stored) {
          return selection.InScope(stored) && selection.Matches(stored);
        },
        [this](const StoredObject& stored) {
          Delete(stored);
          return gone_.ok() && (plan_.limit <= 0 || ++count_ < plan_.limit);
        });
    Next();
  }

  void Next() {
    if (!gone_) {
      return Begin(Warned(ErrorResponse(gone_.error(), plan_.request.accept), warnings_));
    }
    if (!slow_.empty()) return DeleteSlow();
    if (all_) return Begin(Warned(std::move(answer_), warnings_));
    state_.Post([this, alive = std::weak_ptr<int>(alive_)] {
      if (!alive.expired()) Turn();
    });
  }

  void Delete(const StoredObject& stored) {
    WriteTarget target{.at = plan_.request.at,
                       .namespace_ = std::string(stored.namespace_()),
                       .name = std::string(stored.name()),
                       .dry_run = plan_.dry_run,
                       .user = plan_.request.user};
    if (asks_ || OffLoop::IsMuch(stored.body().size())) {
      slow_.push_back(std::move(target));
    } else {
      Note(writer_.Delete(target, plan_.each));
    }
  }

  void Note(const Result<WriteOutcome>& outcome) {
    if (!outcome && !IsNotFound(outcome.error())) gone_ = outcome.error();
  }

  struct Job {
    WriteTarget target{};  // with the constant copy of the resource
    Deletion deletion{};
  };
  using JobPtr = std::shared_ptr<Job>;

  // Deletes the objects one after the other: calls webhooks, and works off the loop.
  void DeleteSlow() {
    const auto job = std::make_shared<Job>(
        Job{.target = std::move(slow_.back()), .deletion = {.request = plan_.each}});
    slow_.pop_back();
    if (Result<void> begun = writer_.BeginDelete(job->target, job->deletion); !begun) {
      Note(begun.error());
      return Next();
    }
    if (!asks_) return DeleteOffLoop(job);
    const auto attributes = AttributesOfDelete(plan_.request, job->target, plan_.each);
    attributes->at = unchanging_;
    attributes->name.clear();  // a request for a collection has no name
    const StoredObject& shown = Shown(*job);
    attributes->bytes = shown.body().size();
    attributes->old = shown.Parse();
    Ask(AdmissionPhase::kMutate, attributes, [this, job, attributes] {
      Ask(AdmissionPhase::kValidate, attributes, [this, job] { DeleteOffLoop(job); });
    });
  }

  // Returns the object to delete in the request's version.
  [[nodiscard]] const StoredObject& Shown(const Job& job) const {
    const StoredObjectPtr listed = store_->Get(job.deletion.over->key());
    return listed == nullptr ? *job.deletion.over : *listed;
  }

  // Calls `then` if webhooks allow the delete, else ends.
  void Ask(AdmissionPhase phase, const std::shared_ptr<AdmissionAttributes>& attributes,
           std::function<void()> then) {
    std::vector<AdmissionQuestionFor> questions = admission_.Concerned(phase, *attributes);
    if (questions.empty()) return then();
    under_way_ = admission_.Ask(phase, attributes, std::move(questions),
                                [this, then = std::move(then)](AdmissionOutcome outcome) {
                                  for (std::string& warning : outcome.warnings) {
                                    warnings_.push_back(std::move(warning));
                                  }
                                  if (outcome.allowed) return then();
                                  gone_ = std::move(outcome.allowed);
                                  Next();
                                });
  }

  void DeleteOffLoop(const JobPtr& job) {
    job->target.at = Unchanging(job->target.at);
    under_way_ = off_loop_.Start(
        [&writer = writer_, job] { writer.CompleteDelete(job->target, job->deletion); },
        [this, job] {
          WriteTarget target = job->target;
          target.at = plan_.request.at;
          if (!ObjectWriter::IsCurrent(target, job->deletion)) {
            slow_.push_back(std::move(target));  // a concurrent write; tries again
          } else {
            (void)writer_.CommitDelete(target, job->deletion);
          }
          Next();
        });
  }

  ServerState& state_;
  ObjectWriter& writer_;
  OffLoop& off_loop_;
  AdmissionWebhooks& admission_;
  const bool asks_;  // whether webhooks are called
  const CollectionDeletionPlan plan_;
  const ResourceAt unchanging_;
  const std::shared_ptr<ResourceStore> store_;
  const ResourceStore::Pin pin_;
  ResponsePtr answer_;
  ObjectSweep sweep_;
  bool all_ = false;
  std::vector<WriteTarget> slow_{};  // found in this turn, not yet deleted
  std::shared_ptr<void> under_way_{};
  Result<void> gone_{};
  std::vector<std::string> warnings_{};  // from webhooks
  std::int64_t count_ = 0;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace

ResponsePtr DeleteCollectionInTurns(ServerState& state, ObjectWriter& writer, OffLoop& off_loop,
                                    AdmissionWebhooks& admission, CollectionDeletionPlan plan) {
  return std::make_unique<CollectionDeletion>(state, writer, off_loop, admission, std::move(plan));
}

}  // namespace kinformer::apiserver

// cache/informer/informer_part.h
//
// InformerPart: reflector, queue and controller of one part of an informer: its whole collection,
// one namespace of it, or all namespaces except some.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_PART_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_PART_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/client/lister_watcher.h"

#include "cache/apply/informer_controller.h"
#include "cache/apply/parted_store.h"
#include "cache/check/consistency_checker.h"
#include "cache/check/current_question.h"
#include "cache/informer/informer_context.h"
#include "cache/store/store_part.h"
#include "cache/watch/reflector.h"
#include "cache/watch/reflector_status.h"
#include "client/contained_list_watch.h"

namespace kinformer::internal::cache {

// Confined to the loop. The informer and `store` must outlive it.
class InformerPart final : private ReflectorObserver {
 public:
  // Receives the notifications that concern the whole informer. May destroy the part later only.
  class Owner {
   public:
    virtual ~Owner() = default;
    // The completeness of the part has changed: see InformerControllerOptions.
    virtual void OnPartChanged() = 0;
    virtual void OnPartListed() = 0;
    // The server went back in time.
    virtual void OnPartEpoch(InformerPart* part) = 0;
    // A list is forbidden (403), and none has succeeded before.
    virtual void OnPartForbidden() = 0;
  };

  // `part`: its part of the store. `parts`: number of parts that share the budget of the queues.
  InformerPart(const InformerContext& informer, Owner& owner, PartedStore& store,
               std::unique_ptr<ListerWatcher> lister_watcher, StorePart part, std::size_t parts);

  ~InformerPart() override;

  // Starts to list and watch.
  void Start();
  // Another part has found that the server went back in time.
  void JoinEpoch() { reflector_.JoinEpoch(); }
  // Asks the server what it has; `answered` is called when the store has all of it, or this is
  // destroyed, and `failed` as CurrentQuestionOptions say.
  void AskWhetherCurrent(std::function<void()> answered,
                         std::function<void(const Error& error, bool for_good)> failed);
  // The store has changed, while questions are open.
  void Committed();
  [[nodiscard]] InformerController& controller() { return controller_; }
  // Returns the scope of the part, as readers see it in errors.
  [[nodiscard]] const Scope& scope() const { return scope_; }

 private:
  // ReflectorObserver
  void OnListing() override { status_.OnListing(); }
  void OnListed(InitialList kind) override;
  void OnWatching() override { status_.OnWatching(); }
  void OnWatchStarted() override { status_.OnWatchStarted(); }
  void OnWatchBroken() override { status_.OnWatchBroken(); }
  void OnPaused() override { status_.OnPaused(); }
  void OnWaiting(SteadyTime until) override { status_.OnWaiting(until); }
  void OnProgress(SteadyTime when) override;
  void OnWatchError(const Error& error) override;
  void OnEpochChanged() override;

  [[nodiscard]] std::string RemedyIfForbidden() const;
  [[nodiscard]] InformerControllerOptions ControllerOptions(std::size_t parts);
  [[nodiscard]] ReflectorOptions ReflectorOptionsOfInformer() const;
  void ArmRelist(Duration period);
  // Returns the part's version in the store; empty: nothing of the server's present state.
  [[nodiscard]] std::string CurrentVersion() const;
  [[nodiscard]] std::shared_ptr<Gauge> NewProgressGauge() const;
  // The server has answered that it does not have the resource.
  void ResourceAbsent();

  const InformerContext& informer_;
  Owner& owner_;
  const StorePart part_;
  const std::string describe_;
  ReflectorStatus& status_;
  bool listed_ = false;
  // True while the resource is absent; absent_since_ is when such answers began.
  bool absent_ = false;
  bool cleared_ = false;
  std::optional<SteadyTime> absent_since_;
  const std::unique_ptr<ListerWatcher> lister_watcher_;
  client::ContainedListWatch contained_;
  const Scope scope_;
  InformerController controller_;
  ConsistencyChecker checker_;
  std::vector<std::unique_ptr<CurrentQuestion>> questions_;
  // Destroyed first, as it feeds the controller.
  Reflector reflector_;
  Timer relist_timer_;
  // Time of the last progress; null without a metrics sink, or for a part that is not a namespace
  // named in the options, as there may be many others.
  const std::shared_ptr<Gauge> progress_gauge_;
};

// Returns the options that all controllers of an informer have in common.
[[nodiscard]] InformerControllerOptions CommonControllerOptions(const InformerContext& informer);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_PART_H_

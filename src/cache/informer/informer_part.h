// cache/informer/informer_part.h
//
// InformerPart: reflector, queue and controller of one place of an informer: its whole collection,
// one namespace of it, or all namespaces except some.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_PART_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_PART_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/client/lister_watcher.h"

#include "cache/apply/informer_controller.h"
#include "cache/apply/store_limit.h"
#include "cache/check/consistency_checker.h"
#include "cache/informer/informer_context.h"
#include "cache/store/store_part.h"
#include "cache/watch/reflector.h"
#include "cache/watch/reflector_status.h"
#include "client/contained_list_watch.h"

namespace kinformer::internal::cache {

// State shared by the parts of one store; see InformerControllerOptions.
struct InformerCompany {
  CoverageWriter* coverage = nullptr;
  NamespaceVersions* versions = nullptr;
  StoreTurn* turn = nullptr;
  StoreLimit* limit = nullptr;  // null: the store is not limited
  std::size_t parts = 1;        // number of parts that share the budget of the queues
};

// Confined to the loop. The informer and the members of `company` must outlive it.
class InformerPart final : private ReflectorObserver {
 public:
  // Receives the notifications that concern the whole informer. May destroy the part later only.
  class Owner {
   public:
    virtual ~Owner() = default;
    // The first list is in the store.
    virtual void OnPartSynced() = 0;
    // More is left out than the policy permits.
    virtual void OnPartUnsynced() = 0;
    virtual void OnPartListed() {}
    // The server went back in time.
    virtual void OnPartEpoch(InformerPart* /*part*/) {}
    // A list is forbidden (403), and none has succeeded before.
    virtual void OnPartForbidden() {}
  };

  // `part`: its part of the store; all of the store if `company` is empty.
  InformerPart(const InformerContext& informer, Owner& owner,
               std::unique_ptr<ListerWatcher> lister_watcher, StorePart part,
               const InformerCompany& company);

  ~InformerPart() override;

  // Starts to list and watch.
  void Start();
  // Another part has found that the server went back in time.
  void JoinEpoch() { reflector_.JoinEpoch(); }
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
  [[nodiscard]] InformerControllerOptions ControllerOptions(const InformerCompany& company);
  [[nodiscard]] ReflectorOptions ReflectorOptionsOfInformer() const;
  void ArmRelist(Duration period);
  [[nodiscard]] std::shared_ptr<Gauge> NewProgressGauge() const;
  // The server has answered that it does not have the resource.
  void ResourceAbsent();

  const InformerContext& informer_;
  Owner& owner_;
  const StorePart part_;
  const std::string describe_;
  const bool alone_;
  ReflectorStatus& status_;
  bool listed_ = false;
  // True while the resource is absent; absent_since_ is when such answers began.
  bool absent_ = false;
  bool cleared_ = false;
  std::optional<SteadyTime> absent_since_;
  const std::unique_ptr<ListerWatcher> lister_watcher_;
  client::ContainedListWatch contained_;
  const Scope scope_;
  const std::unique_ptr<StoreLimit> limit_;  // null if there is no limit or it is shared
  InformerController controller_;
  ConsistencyChecker checker_;
  // Destroyed first, as it feeds the controller.
  Reflector reflector_;
  Timer relist_timer_;
  // Time of the last progress; null without a metrics sink, or for a namespace not named in the
  // options, of which there may be many.
  const std::shared_ptr<Gauge> progress_gauge_;
};

// Returns the limit of the informer's store; `name` is for messages. Null: no limit.
[[nodiscard]] std::unique_ptr<StoreLimit> LimitOf(const InformerContext& informer,
                                                  const std::string& name);

// Returns the options that all controllers of an informer have in common.
[[nodiscard]] InformerControllerOptions CommonControllerOptions(const InformerContext& informer);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_PART_H_

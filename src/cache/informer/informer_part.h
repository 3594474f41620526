// cache/informer/informer_part.h
//
// InformerPart: reflector, queue and controller of one place that an informer looks at: the whole
// of its collection, one namespace of it, or all namespaces but some.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_PART_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_PART_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/internal/informer_core.h"
#include "kinformer/list_watch.h"

#include "cache/apply/informer_controller.h"
#include "cache/apply/store_limit.h"
#include "cache/check/consistency_checker.h"
#include "cache/store/store_part.h"
#include "cache/watch/contained_list_watch.h"
#include "cache/watch/reflector.h"
#include "cache/watch/reflector_status.h"

namespace kinformer::internal::cache {

// Of the parts that share a store; see InformerControllerOptions.
struct InformerCompany {
  CoverageWriter* coverage = nullptr;
  NamespaceVersions* versions = nullptr;
  StoreTurn* turn = nullptr;
  StoreLimit* limit = nullptr;  // null: the store may grow as it likes
  std::size_t parts = 1;        // as many share the budget of the queues
};

// Confined to the loop. The informer outlives it, and so do the others.
class InformerPart final : private ReflectorObserver {
 public:
  // Hears what concerns the whole informer. May destroy the part later, not inside.
  class Owner {
   public:
    virtual ~Owner() = default;
    // The first list is in the store.
    virtual void OnPartSynced() = 0;
    // Too much is left out.
    virtual void OnPartUnsynced() = 0;
    virtual void OnPartListed() {}
    // The server went back in time.
    virtual void OnPartEpoch(InformerPart* /*part*/) {}
    // It may not be listed (403), and has not been before.
    virtual void OnPartForbidden() {}
  };

  // `part`: of the store, which it has alone where `company` is empty.
  InformerPart(InformerCore::Impl& informer, Owner& owner,
               std::unique_ptr<ListerWatcher> lister_watcher, StorePart part,
               const InformerCompany& company);

  ~InformerPart() override;

  // Lists and watches from now on.
  void Start();
  // Another part has found that the server went back in time.
  void JoinEpoch() { reflector_.JoinEpoch(); }
  [[nodiscard]] InformerController& controller() { return controller_; }
  // What it looks at, as readers are told.
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
  // The server has said that it does not have the resource.
  void ResourceAbsent();

  InformerCore::Impl& informer_;
  Owner& owner_;
  const StorePart part_;
  const std::string describe_;
  const bool alone_;
  ReflectorStatus& status_;
  bool listed_ = false;
  // The server does not have the resource: since when it has said nothing else.
  bool absent_ = false;
  bool cleared_ = false;
  std::optional<SteadyTime> absent_since_;
  const std::unique_ptr<ListerWatcher> lister_watcher_;
  ContainedListWatch contained_;
  const Scope scope_;
  const std::unique_ptr<StoreLimit> limit_;  // null: there is none, or it is shared
  InformerController controller_;
  ConsistencyChecker checker_;
  // Goes first: it feeds the controller.
  Reflector reflector_;
  Timer relist_timer_;
  // How old its news are; null: nobody listens, or its namespace is not one that the options name,
  // of which there may be many.
  const std::shared_ptr<Gauge> progress_gauge_;
};

// The limit of the informer's store, under that name; null: it has none.
[[nodiscard]] std::unique_ptr<StoreLimit> LimitOf(InformerCore::Impl& informer,
                                                  const std::string& name);

// What all controllers of an informer are made with.
[[nodiscard]] InformerControllerOptions CommonControllerOptions(InformerCore::Impl& informer);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_PART_H_

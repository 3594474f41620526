// cache/informer/namespace_parts.h
//
// NamespaceParts: the parts of an informer that lists several namespaces separately.

#ifndef KINFORMER_CACHE_INFORMER_NAMESPACE_PARTS_H_
#define KINFORMER_CACHE_INFORMER_NAMESPACE_PARTS_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/lister_watcher.h"

#include "cache/apply/coverage_writer.h"
#include "cache/apply/informer_controller.h"
#include "cache/apply/namespace_versions.h"
#include "cache/apply/store_limit.h"
#include "cache/apply/store_turn.h"
#include "cache/informer/informer_context.h"
#include "cache/informer/informer_part.h"
#include "cache/informer/namespace_watch.h"

namespace kinformer::internal::cache {

// One store, one version and one set of handlers, but a reflector, a queue and a controller for
// each namespace, and for the rest (kOtherNamespaces) if the informer covers it. The controllers
// write to the store in turns, each to its own part.
//
// Confined to the loop. The informer must outlive it.
class NamespaceParts final : private InformerPart::Owner, private NamespaceWatch::Owner {
 public:
  using Names = std::set<std::string, std::less<>>;

  // Starts to list and watch these namespaces.
  NamespaceParts(const InformerContext& informer, const Names& names);
  // Starts to list and watch every existing namespace, as reported by `namespaces`.
  NamespaceParts(const InformerContext& informer, std::unique_ptr<ListerWatcher> namespaces);
  ~NamespaceParts() override;

  // Processes the queues.
  void Process();

 private:
  // A namespace that is no longer covered, until its objects have left the store.
  struct Leaving {
    std::unique_ptr<InformerController> controller;
    bool done = false;
  };

  // InformerPart::Owner
  void OnPartSynced() override { ReportSynced(); }
  void OnPartUnsynced() override { ReportSynced(); }
  void OnPartListed() override { ArmResync(); }
  void OnPartEpoch(InformerPart* part) override;
  // NamespaceWatch::Owner
  void OnNamespaces(const Names& names) override { Set(names, true); }
  void OnNamespacesVersion(std::string_view resourceVersion) override;
  void OnNamespacesEpoch() override;

  void Set(const Names& names, bool known);
  void Open(const std::string& name, const Names& names);
  // Removes objects of other namespaces, which an earlier life has left in the store.
  void LeaveOthers(const Names& names);
  void Leave(const std::string& name);
  void SweepLeft();
  // Calls `visit` for every controller that may have work to do.
  void ForEachController(const std::function<void(InformerController&)>& visit);
  void TurnGivenBack();
  // Commits changes of the coverage, now or when the store is free.
  void Publish();
  void ReportSynced();
  void ArmResync();

  const InformerContext& informer_;
  const bool all_;
  bool ending_ = false;
  bool listed_ = false;  // true once all known namespaces were listed
  bool reported_synced_ = false;
  bool unpublished_ = false;
  StoreTurn turn_;
  CoverageWriter coverage_;
  const std::unique_ptr<StoreLimit> limit_;  // null: there is no limit
  PositionWriter namespaces_position_;       // position in the collection of Namespaces
  std::map<std::string, std::unique_ptr<InformerPart>, std::less<>> parts_;
  std::map<std::string, Leaving, std::less<>> leaving_;
  std::unique_ptr<NamespaceWatch> watch_;
  Timer resync_timer_;
  // Held weakly by the posted sweep.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_NAMESPACE_PARTS_H_

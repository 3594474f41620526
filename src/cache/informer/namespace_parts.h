// cache/informer/namespace_parts.h
//
// NamespaceParts: the parts of an informer that looks at several namespaces.

#ifndef KINFORMER_CACHE_INFORMER_NAMESPACE_PARTS_H_
#define KINFORMER_CACHE_INFORMER_NAMESPACE_PARTS_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "kinformer/internal/informer_core.h"

#include "cache/apply/coverage_writer.h"
#include "cache/apply/informer_controller.h"
#include "cache/apply/namespace_versions.h"
#include "cache/apply/store_limit.h"
#include "cache/apply/store_turn.h"
#include "cache/informer/informer_part.h"
#include "cache/informer/namespace_watch.h"

namespace kinformer::internal::cache {

// One store, one version, one set of handlers; a reflector, a queue and a controller for each
// namespace, and for all others together where the informer looks at these, too (kOtherNamespaces).
// The controllers write the store in turns, each its own part.
//
// Confined to the loop. The informer outlives it.
class NamespaceParts final : private InformerPart::Owner, private NamespaceWatch::Owner {
 public:
  using Names = std::set<std::string, std::less<>>;

  // Lists and watches these from now on.
  NamespaceParts(InformerCore::Impl& informer, const Names& names);
  // Each that exists, as `namespaces` tells.
  NamespaceParts(InformerCore::Impl& informer, std::unique_ptr<ListerWatcher> namespaces);
  ~NamespaceParts() override;

  // Works off what waits in the queues.
  void Process();

 private:
  // What looks at no namespace any more, until its objects have left the store.
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
  // The store has objects of other namespaces, from an earlier life.
  void LeaveOthers(const Names& names);
  void Leave(const std::string& name);
  void SweepLeft();
  // The controllers that may have something to do.
  void ForEachController(const std::function<void(InformerController&)>& visit);
  void TurnGivenBack();
  // Makes what is to be told of namespaces a version, now or when the store is free.
  void Publish();
  void ReportSynced();
  void ArmResync();

  InformerCore::Impl& informer_;
  const bool all_;
  bool ending_ = false;
  bool listed_ = false;  // all of those that were known, once
  bool reported_synced_ = false;
  bool unpublished_ = false;
  StoreTurn turn_;
  CoverageWriter coverage_;
  const std::unique_ptr<StoreLimit> limit_;  // null: there is none
  PositionWriter namespaces_position_;       // of the collection of Namespaces
  std::map<std::string, std::unique_ptr<InformerPart>, std::less<>> parts_;
  std::map<std::string, Leaving, std::less<>> leaving_;
  std::unique_ptr<NamespaceWatch> watch_;
  Timer resync_timer_;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_NAMESPACE_PARTS_H_

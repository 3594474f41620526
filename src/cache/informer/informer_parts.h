// cache/informer/informer_parts.h
//
// InformerParts: lists and watches for an informer, from a Start to the next Stop, in one part or
// several.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_PARTS_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_PARTS_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/client/lister_watcher.h"

#include "base/core/own_calls.h"
#include "cache/apply/informer_controller.h"
#include "cache/apply/part_positions.h"
#include "cache/apply/parted_store.h"
#include "cache/apply/store_cleanup.h"
#include "cache/informer/current_answers.h"
#include "cache/informer/informer_context.h"
#include "cache/informer/informer_part.h"
#include "cache/informer/namespace_watch.h"

namespace kinformer::internal::cache {

// One store, one version and one set of handlers; and for each part of the collection a reflector,
// a queue and a controller. Most informers have one part: all that their ListerWatcher lists, under
// the key "". Others have one for each namespace, and one for the rest (kOtherNamespaces) if they
// cover it. The controllers write to the store in turns, each to its own part.
//
// Confined to the loop. The informer must outlive it.
class InformerParts final : private InformerPart::Owner, private NamespaceWatch::Owner {
 public:
  using Keys = std::set<std::string, std::less<>>;

  // Starts to list and watch.
  explicit InformerParts(const InformerContext& informer);
  ~InformerParts() override;

  // Processes the queues.
  void Process();
  // Called after each commit of the store.
  void Committed();
  // Asks the server for each part what it has; see CurrentQuestion.
  void AskWhetherCurrent(const std::shared_ptr<CurrentAnswers>& answers);

 private:
  // A part that is no longer covered, until its objects have left the store.
  struct Leaving {
    std::unique_ptr<InformerController> controller;
    bool done = false;
  };

  // InformerPart::Owner
  void OnPartChanged() override { ReportSynced(); }
  void OnPartListed() override { ArmResync(); }
  void OnPartEpoch(InformerPart* part) override;
  void OnPartForbidden() override;
  // NamespaceWatch::Owner
  void OnNamespaces(const Keys& names) override { Set(names, true); }
  void OnNamespacesVersion(std::string_view resourceVersion) override;
  void OnNamespacesEpoch() override;

  // Listing everything is forbidden: lists single namespaces instead.
  void FallBack();
  // Makes every existing namespace a part, as reported by `namespaces`.
  void Follow(std::unique_ptr<ListerWatcher> namespaces);
  // Makes these the parts. `known`: false if more may follow.
  void Set(const Keys& keys, bool known);
  // Returns null if there is nothing to list it with.
  [[nodiscard]] std::unique_ptr<InformerPart> NewPart(const std::string& key, const Keys& keys);
  // Removes objects that no part covers, which an earlier life has left in the store.
  void LeaveOthers(const Keys& keys);
  void Leave(const std::string& namespace_);
  void SweepLeft();
  // Calls `visit` for every controller that may have work to do.
  void ForEachController(const std::function<void(InformerController&)>& visit);
  void TurnGivenBack();
  // Commits changes of the coverage, now or when the store is free.
  void Publish();
  void ReportSynced();
  void ArmResync();

  const InformerContext& informer_;
  StoreCleanup cleanup_;
  bool ending_ = false;
  bool falling_back_ = false;
  bool listed_ = false;  // true once all known parts were listed
  bool reported_synced_ = false;
  bool unpublished_ = false;
  PartedStore store_;
  std::map<std::string, std::unique_ptr<InformerPart>, std::less<>> parts_;
  std::map<std::string, Leaving, std::less<>> leaving_;
  // Both are null unless the parts are the namespaces that exist.
  std::unique_ptr<NamespaceWatch> watch_;
  std::shared_ptr<PartPosition> namespaces_position_;  // in the collection of Namespaces
  int questions_ = 0;  // of AskWhetherCurrent, that are not answered
  Timer resync_timer_;
  const base::OwnCalls own_calls_{};
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_PARTS_H_

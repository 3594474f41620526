// cache/informer/informer_life.h
//
// InformerLife: lists and watches for an informer, from a Start to the next Stop.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_LIFE_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_LIFE_H_

#include <memory>

#include "kinformer/base/env.h"

#include "cache/apply/store_cleanup.h"
#include "cache/informer/informer_context.h"
#include "cache/informer/informer_part.h"
#include "cache/informer/namespace_parts.h"

namespace kinformer::internal::cache {

// Confined to the loop. The informer must outlive it.
class InformerLife final : private InformerPart::Owner {
 public:
  // Starts to list and watch. Returns null if there is no ListerWatcher.
  static std::unique_ptr<InformerLife> Begin(const InformerContext& informer);

  explicit InformerLife(const InformerContext& informer);

  // Processes the queues.
  void Process();
  // Called after each commit of the store.
  void Committed() { cleanup_.Committed(); }

 private:
  using Owner = InformerPart::Owner;
  // Owner
  void OnPartSynced() override;
  void OnPartUnsynced() override;
  void OnPartForbidden() override;

  bool Begin();
  void FallBack();

  const InformerContext& informer_;
  StoreCleanup cleanup_;
  // Exactly one of these two is set.
  std::unique_ptr<InformerPart> whole_;
  std::unique_ptr<NamespaceParts> namespaces_;
  bool falling_back_ = false;
  // Held weakly by the posted fall back.
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_LIFE_H_

// cache/informer/informer_life.h
//
// InformerLife: what lists and watches for an informer, from a Start to the next Stop.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_LIFE_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_LIFE_H_

#include <memory>

#include "kinformer/internal/informer_core.h"

#include "cache/apply/store_cleanup.h"
#include "cache/informer/informer_part.h"
#include "cache/informer/namespace_parts.h"

namespace kinformer::internal::cache {

// Confined to the loop. The informer outlives it.
class InformerLife final : private InformerPart::Owner {
 public:
  // Lists and watches from now on. Null where there is nothing to do that with.
  static std::unique_ptr<InformerLife> Begin(InformerCore::Impl& informer);

  explicit InformerLife(InformerCore::Impl& informer);

  // Works off what waits in the queues.
  void Process();
  // The store has a new version.
  void Committed() { cleanup_.Committed(); }

 private:
  using Owner = InformerPart::Owner;
  // Owner
  void OnPartSynced() override;
  void OnPartUnsynced() override;
  void OnPartForbidden() override;

  bool Begin();
  void FallBack();

  InformerCore::Impl& informer_;
  StoreCleanup cleanup_;
  // One of the two.
  std::unique_ptr<InformerPart> whole_;
  std::unique_ptr<NamespaceParts> namespaces_;
  bool falling_back_ = false;
  const std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_LIFE_H_

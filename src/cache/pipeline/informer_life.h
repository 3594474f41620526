// cache/pipeline/informer_life.h
//
// InformerLife: reflector, queue and controller of an informer, from a Start to the next Stop.

#ifndef KINFORMER_CACHE_PIPELINE_INFORMER_LIFE_H_
#define KINFORMER_CACHE_PIPELINE_INFORMER_LIFE_H_

#include <memory>

#include "kinformer/internal/informer_core.h"
#include "kinformer/list_watch.h"

#include "cache/pipeline/consistency_checker.h"
#include "cache/pipeline/contained_list_watch.h"
#include "cache/pipeline/informer_controller.h"
#include "cache/pipeline/reflector.h"

namespace kinformer::internal::cache {

// Confined to the loop. The informer outlives it.
class InformerLife {
 public:
  // Lists and watches from now on.
  InformerLife(InformerCore::Impl& informer, std::unique_ptr<ListerWatcher> lister_watcher);

  [[nodiscard]] InformerController& controller() { return controller_; }

 private:
  void ArmRelist(Env& env, Duration period);

  const std::unique_ptr<ListerWatcher> lister_watcher_;
  ContainedListWatch contained_;
  InformerController controller_;
  ConsistencyChecker checker_;
  // Goes first: it feeds the controller.
  Reflector reflector_;
  Timer relist_timer_;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_PIPELINE_INFORMER_LIFE_H_

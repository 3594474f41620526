// cache/check/data_consistency_detector.h

#ifndef KINFORMER_CACHE_CHECK_DATA_CONSISTENCY_DETECTOR_H_
#define KINFORMER_CACHE_CHECK_DATA_CONSISTENCY_DETECTOR_H_

#include <memory>

#include "kinformer/env.h"
#include "kinformer/list_watch.h"

namespace kinformer::internal::cache {

// Wraps `lister_watcher` in a detector if the environment asks for one, else returns it.
std::unique_ptr<ListerWatcher> DetectingIfAsked(Env& env,
                                                std::unique_ptr<ListerWatcher> lister_watcher);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_CHECK_DATA_CONSISTENCY_DETECTOR_H_

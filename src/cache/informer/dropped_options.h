// cache/informer/dropped_options.h

#ifndef KINFORMER_CACHE_INFORMER_DROPPED_OPTIONS_H_
#define KINFORMER_CACHE_INFORMER_DROPPED_OPTIONS_H_

#include <string_view>
#include <vector>

#include "kinformer/cache/informer_options.h"

namespace kinformer::internal::cache {

// Returns the names of options that a caller has set and the informer given to it does not have.
// Excludes options that select the objects or how much of them is kept, since these choose the
// informer. An option with its default value counts as not set.
[[nodiscard]] std::vector<std::string_view> DroppedOptions(const InformerSettings& asked,
                                                           const InformerSettings& given);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_DROPPED_OPTIONS_H_

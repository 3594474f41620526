// cache/informer/dropped_options.h

#ifndef KINFORMER_CACHE_INFORMER_DROPPED_OPTIONS_H_
#define KINFORMER_CACHE_INFORMER_DROPPED_OPTIONS_H_

#include <string_view>
#include <vector>

#include "kinformer/informer_options.h"

namespace kinformer::internal::cache {

// The names of those options that somebody has set who asks for an informer, and that the one which
// he is given does not have. Not those that say which objects, or how much of them: they choose
// the informer. An option at its default is not set.
[[nodiscard]] std::vector<std::string_view> DroppedOptions(const InformerSettings& asked,
                                                           const InformerSettings& given);

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_DROPPED_OPTIONS_H_

// controller/delegating/cached_list.h
//
// Lists objects of a cache, by namespace, labels and indexed fields.

#ifndef KINFORMER_CONTROLLER_DELEGATING_CACHED_LIST_H_
#define KINFORMER_CONTROLLER_DELEGATING_CACHED_LIST_H_

#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/result.h"
#include "kinformer/controller/delegating_client_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/indexer_core.h"

namespace kinformer::internal::delegating {

// Returns the name of the index by which objects with a given field value are found. Counterpart:
// "field:" + name in controller-runtime.
[[nodiscard]] std::string IndexOfField(std::string_view field);

// Returns all matching objects, or the first options.limit, from one version of the cache; or the
// reason why some may be missing. kInvalidArgument: a field has no index.
[[nodiscard]] Result<std::vector<ObjectRef>> ListCached(const IndexerCore& cache,
                                                        std::string_view resource,
                                                        const ReadOptions& options);

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_CACHED_LIST_H_

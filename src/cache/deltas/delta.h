// cache/deltas/delta.h
//
// Delta: one change on its way from the reflector to the store. Counterpart: cache.Delta.

#ifndef KINFORMER_CACHE_DELTAS_DELTA_H_
#define KINFORMER_CACHE_DELTAS_DELTA_H_

#include <string>
#include <string_view>

#include "kinformer/cache/delta.h"
#include "kinformer/internal/block.h"
#include "kinformer/internal/raw_delta.h"

namespace kinformer::internal::cache {

// Returns the name of a type in traces.
inline std::string_view DeltaTypeName(DeltaType type) {
  switch (type) {
    case DeltaType::kAdded:
      return "ADDED";
    case DeltaType::kUpdated:
      return "MODIFIED";
    case DeltaType::kDeleted:
      return "DELETED";
    case DeltaType::kReplaced:
    case DeltaType::kReplacedAll:
      return "REPLACED";
    case DeltaType::kSync:
    case DeltaType::kSyncAll:
      return "SYNC";
    case DeltaType::kBookmark:
      return "BOOKMARK";
    case DeltaType::kUnreadable:
      return "UNREADABLE";
  }
  return "";
}

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_DELTAS_DELTA_H_

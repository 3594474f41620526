#include "cache/informer/informer_context.h"

#include <optional>
#include <utility>

namespace kinformer::internal::cache {

StorePosition InformerContext::PositionOf(std::string_view namespace_) const {
  if (!namespace_.empty()) {
    if (std::optional<StorePosition> position = positions.Read(namespace_)) {
      return *std::move(position);
    }
  }
  return store.Position();
}

}  // namespace kinformer::internal::cache

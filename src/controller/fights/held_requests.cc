#include "kinformer/internal/held_requests.h"

namespace kinformer::internal {

bool RequestHold::EndsWith(const HandledEvent& event) const {
  const Block& now = *event.now();
  if (now.name() != object.name || now.namespace_() != object.namespace_) return false;
  if (now.type().kind != kind->kind || now.type().group != kind->group) return false;
  return (now.uid() == uid) == (event.type() == CauseType::kDeleted);
}

}  // namespace kinformer::internal

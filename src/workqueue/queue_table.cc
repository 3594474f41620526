#include "kinformer/internal/queue_table.h"

#include "base/text/hash_bytes.h"

namespace kinformer::internal {

std::size_t HashOfName(std::uint64_t seed, const ObjectName& name) {
  return base::HashBytes(base::HashBytes(seed, name.namespace_), name.name);
}

}  // namespace kinformer::internal

// client/manifests/manifest_order.h

#ifndef KINFORMER_CLIENT_MANIFESTS_MANIFEST_ORDER_H_
#define KINFORMER_CLIENT_MANIFESTS_MANIFEST_ORDER_H_

#include <cstddef>
#include <vector>

#include "kinformer/client/manifests.h"

namespace kinformer::internal::manifests {

// Returns the indexes of the manifests in this order of creation.
std::vector<std::size_t> OrderOf(const std::vector<Manifest>& manifests, ManifestOrder order);

}  // namespace kinformer::internal::manifests

#endif  // KINFORMER_CLIENT_MANIFESTS_MANIFEST_ORDER_H_

// apiserver/store/metadata_order.h
//
// The order in which the members of metadata are stored.

#ifndef KINFORMER_APISERVER_STORE_METADATA_ORDER_H_
#define KINFORMER_APISERVER_STORE_METADATA_ORDER_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace kinformer::apiserver {

// resourceVersion and uid come before everything that could hold members of the same name, so the
// first occurrence in the text is theirs.
inline constexpr std::array<std::string_view, 14> kMetadataOrder = {"name",
                                                                    "generateName",
                                                                    "namespace",
                                                                    "uid",
                                                                    "resourceVersion",
                                                                    "generation",
                                                                    "creationTimestamp",
                                                                    "deletionTimestamp",
                                                                    "deletionGracePeriodSeconds",
                                                                    "labels",
                                                                    "annotations",
                                                                    "ownerReferences",
                                                                    "finalizers",
                                                                    "managedFields"};

inline constexpr std::size_t kUidRank = 3;
inline constexpr std::size_t kVersionRank = 4;

// The place of a member of metadata; the number of places if it has none.
inline std::size_t MetadataRank(std::string_view name) {
  return static_cast<std::size_t>(std::find(kMetadataOrder.begin(), kMetadataOrder.end(), name) -
                                  kMetadataOrder.begin());
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_METADATA_ORDER_H_

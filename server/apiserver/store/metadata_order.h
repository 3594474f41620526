// apiserver/store/metadata_order.h
//
// Order in which the members of metadata are stored.

#ifndef KINFORMER_APISERVER_STORE_METADATA_ORDER_H_
#define KINFORMER_APISERVER_STORE_METADATA_ORDER_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace kinformer::apiserver {

// resourceVersion and uid precede all members that may contain members of the same name, so that
// their first occurrence in the text is the right one.
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

// Returns the position of a member of metadata; the number of positions for others.
inline std::size_t MetadataRank(std::string_view name) {
  return static_cast<std::size_t>(std::find(kMetadataOrder.begin(), kMetadataOrder.end(), name) -
                                  kMetadataOrder.begin());
}

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_METADATA_ORDER_H_

// client/features.h
//
// client-go's feature switches in the environment: KUBE_FEATURE_<Name>=true|false, read once per
// process.

#ifndef KINFORMER_CLIENT_FEATURES_H_
#define KINFORMER_CLIENT_FEATURES_H_

#include <string_view>

namespace kinformer::internal::client {

// What a switch says; anything but a boolean leaves the default.
bool ParseFeature(const char* text, bool fallback);

// Streaming the first list through a watch. Default on, as in client-go since 1.35.
bool WatchListClientEnabled();

// KUBE_WATCHLIST_INCONSISTENCY_DETECTOR=true|false, which has no prefix in client-go, either: each
// watch-list is compared with a list. Default off.
bool WatchListInconsistencyDetectorEnabled();

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_FEATURES_H_

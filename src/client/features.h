// client/features.h
//
// client-go's feature gates in the environment: KUBE_FEATURE_<Name>=true|false, read once per
// process.

#ifndef KINFORMER_CLIENT_FEATURES_H_
#define KINFORMER_CLIENT_FEATURES_H_

#include <string_view>

namespace kinformer::internal::client {

// Returns a gate's value; `fallback` if `text` is no boolean.
bool ParseFeature(const char* text, bool fallback);

// Streaming the first list through a watch. Default on, as in client-go since 1.35.
bool WatchListClientEnabled();

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_FEATURES_H_

#include "client/features.h"

#include <cstdlib>

#include "base/text/bool_in.h"

namespace kinformer::internal::client {

bool ParseFeature(const char* text, bool fallback) {
  return text == nullptr ? fallback : base::BoolIn(text).value_or(fallback);
}

bool WatchListClientEnabled() {
  static const bool kEnabled = ParseFeature(std::getenv("KUBE_FEATURE_WatchListClient"), true);
  return kEnabled;
}

}  // namespace kinformer::internal::client

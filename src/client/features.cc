#include "client/features.h"

#include <cstdlib>

namespace kinformer::internal::client {

bool ParseFeature(const char* text, bool fallback) {
  if (text == nullptr) return fallback;
  const std::string_view value(text);
  // The spellings of Go's strconv.ParseBool.
  for (const std::string_view yes : {"1", "t", "T", "true", "TRUE", "True"}) {
    if (value == yes) return true;
  }
  for (const std::string_view no : {"0", "f", "F", "false", "FALSE", "False"}) {
    if (value == no) return false;
  }
  return fallback;
}

bool WatchListClientEnabled() {
  static const bool kEnabled = ParseFeature(std::getenv("KUBE_FEATURE_WatchListClient"), true);
  return kEnabled;
}

}  // namespace kinformer::internal::client

// cache/store/resource_version.h
//
// The order of resourceVersions. Counterpart: apimachinery's util/resourceversion.

#ifndef KINFORMER_CACHE_STORE_RESOURCE_VERSION_H_
#define KINFORMER_CACHE_STORE_RESOURCE_VERSION_H_

#include <compare>
#include <optional>
#include <string_view>

namespace kinformer::internal::cache {

// Returns whether it has digits only, is not empty and does not start with 0. Any length.
inline bool IsWellFormedResourceVersion(std::string_view rv) {
  if (rv.empty() || rv.front() == '0') return false;
  for (const char c : rv) {
    if (c < '0' || c > '9') return false;
  }
  return true;
}

// Returns nullopt if either is malformed: those versions can only be compared for equality.
inline std::optional<std::strong_ordering> CompareResourceVersion(std::string_view a,
                                                                  std::string_view b) {
  if (!IsWellFormedResourceVersion(a) || !IsWellFormedResourceVersion(b)) return std::nullopt;
  if (a.size() != b.size()) return a.size() <=> b.size();
  return a.compare(b) <=> 0;
}

// Returns false also if the order of the two is unknown.
inline bool IsOlderResourceVersion(std::string_view a, std::string_view b) {
  const auto order = CompareResourceVersion(a, b);
  return order && *order == std::strong_ordering::less;
}

// Returns whether `rv` may come after `last`: a malformed one never follows a number.
inline bool MayFollow(std::string_view rv, std::string_view last) {
  const bool numbers = IsWellFormedResourceVersion(last);
  return !numbers || (IsWellFormedResourceVersion(rv) && !IsOlderResourceVersion(rv, last));
}

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_STORE_RESOURCE_VERSION_H_

// object/values/api_version.h
//
// Group of an apiVersion.

#ifndef KINFORMER_OBJECT_VALUES_API_VERSION_H_
#define KINFORMER_OBJECT_VALUES_API_VERSION_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace kinformer::internal {

// Returns "apps" for "apps/v1", and empty for "v1", which is in the core group. nullopt if the text
// has more than one slash, so is no apiVersion. Counterpart: schema.ParseGroupVersion.
inline std::optional<std::string_view> GroupOfApiVersion(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return std::string_view();
  if (api_version.find('/', slash + 1) != std::string_view::npos) return std::nullopt;
  return api_version.substr(0, slash);
}

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_VALUES_API_VERSION_H_

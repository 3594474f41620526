// object/values/api_version.h
//
// The group in an object's apiVersion.

#ifndef KINFORMER_OBJECT_VALUES_API_VERSION_H_
#define KINFORMER_OBJECT_VALUES_API_VERSION_H_

#include <cstddef>
#include <optional>
#include <string_view>

namespace kinformer::internal {

// "apps" of "apps/v1", nothing of "v1", which is the core group's. None: it is no apiVersion, since
// it has more than one slash. Counterpart: schema.ParseGroupVersion.
inline std::optional<std::string_view> GroupOfApiVersion(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  if (slash == std::string_view::npos) return std::string_view();
  if (api_version.find('/', slash + 1) != std::string_view::npos) return std::nullopt;
  return api_version.substr(0, slash);
}

}  // namespace kinformer::internal

#endif  // KINFORMER_OBJECT_VALUES_API_VERSION_H_

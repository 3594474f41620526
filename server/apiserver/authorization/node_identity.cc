#include "apiserver/authorization/node_identity.h"

#include <algorithm>

namespace kinformer::apiserver {

std::optional<std::string_view> NodeOf(const UserInfo& user) {
  static constexpr std::string_view kPrefix = "system:node:";
  if (!user.name.starts_with(kPrefix)) return std::nullopt;
  if (std::find(user.groups.begin(), user.groups.end(), "system:nodes") == user.groups.end()) {
    return std::nullopt;
  }
  return std::string_view(user.name).substr(kPrefix.size());
}

}  // namespace kinformer::apiserver

// apiserver/registry/user_info.h
//
// UserInfo: the sender of a request.

#ifndef KINFORMER_APISERVER_REGISTRY_USER_INFO_H_
#define KINFORMER_APISERVER_REGISTRY_USER_INFO_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::apiserver {

// Counterpart: authentication/v1 UserInfo.
struct UserInfo {
  std::string name{};
  std::string uid{};
  std::vector<std::string> groups{};
  std::map<std::string, std::vector<std::string>> extra{};
};

// Immutable; shared by the parts of a request.
using UserInfoPtr = std::shared_ptr<const UserInfo>;

// Returns {"username": ..., "uid": ..., "groups": [...], "extra": {...}}, without empty members.
[[nodiscard]] json::Value ToJson(const UserInfo& user);

// Its members may do everything.
inline constexpr char kPrivilegedGroup[] = "system:masters";

// Header in which a front end names a group of HttpRequest::user, once for each group. It removes
// those that clients send.
inline constexpr char kGroupHeader[] = "X-Remote-Group";

// Return "system:serviceaccount:default:builder", and the groups of all service accounts of a
// namespace.
[[nodiscard]] std::string ServiceAccountName(std::string_view namespace_, std::string_view account);
[[nodiscard]] std::vector<std::string> ServiceAccountGroups(std::string_view namespace_);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_REGISTRY_USER_INFO_H_

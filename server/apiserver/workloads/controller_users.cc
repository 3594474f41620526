#include "apiserver/workloads/controller_users.h"

#include <memory>
#include <utility>
#include <vector>

namespace kinformer::apiserver::workloads {
namespace {

constexpr const char* kAuthenticated = "system:authenticated";

UserInfoPtr User(std::string name, std::vector<std::string> groups) {
  groups.emplace_back(kAuthenticated);
  return std::make_shared<const UserInfo>(
      UserInfo{.name = std::move(name), .groups = std::move(groups)});
}

}  // namespace

UserInfoPtr ControllerUser(std::string_view account) {
  constexpr std::string_view kNamespace = "kube-system";
  return User(ServiceAccountName(kNamespace, account), ServiceAccountGroups(kNamespace));
}

UserInfoPtr KubeletUser(std::string_view node) {
  return User("system:node:" + std::string(node), {"system:nodes"});
}

UserInfoPtr SchedulerUser() { return User("system:kube-scheduler", {}); }

}  // namespace kinformer::apiserver::workloads

// apiserver/workloads/controller_users.h
//
// The users that write for the simulated workloads, as admission sees them.

#ifndef KINFORMER_APISERVER_WORKLOADS_CONTROLLER_USERS_H_
#define KINFORMER_APISERVER_WORKLOADS_CONTROLLER_USERS_H_

#include <string>
#include <string_view>

#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver::workloads {

// The service account of a controller in kube-controller-manager: "replicaset-controller".
[[nodiscard]] UserInfoPtr ControllerUser(std::string_view account);
// The kubelet of a node.
[[nodiscard]] UserInfoPtr KubeletUser(std::string_view node);
[[nodiscard]] UserInfoPtr SchedulerUser();

}  // namespace kinformer::apiserver::workloads

#endif  // KINFORMER_APISERVER_WORKLOADS_CONTROLLER_USERS_H_

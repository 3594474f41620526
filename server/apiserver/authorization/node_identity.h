// apiserver/authorization/node_identity.h
//
// NodeOf: which node a user is the kubelet of.

#ifndef KINFORMER_APISERVER_AUTHORIZATION_NODE_IDENTITY_H_
#define KINFORMER_APISERVER_AUTHORIZATION_NODE_IDENTITY_H_

#include <optional>
#include <string_view>

#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// Returns the name behind "system:node:", which may be empty, of a member of system:nodes; nothing
// for all other users. The view is that of the user.
// Counterpart: nodeidentifier.NodeIdentity.
[[nodiscard]] std::optional<std::string_view> NodeOf(const UserInfo& user);

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_NODE_IDENTITY_H_

// apiserver/authorization/node_authorizer.h
//
// NodeAuthorizer: lets kubelets read what the pods on their node need, and write what is theirs.

#ifndef KINFORMER_APISERVER_AUTHORIZATION_NODE_AUTHORIZER_H_
#define KINFORMER_APISERVER_AUTHORIZATION_NODE_AUTHORIZER_H_

#include <string>
#include <string_view>

#include "apiserver/authorization/node_relations.h"
#include "apiserver/authorization/policy_rule.h"
#include "apiserver/registry/user_info.h"

namespace kinformer::apiserver {

// Loop-confined. Has no opinion about users who are no kubelets.
// Counterpart: the Node authorizer of kube-apiserver 1.37.
class NodeAuthorizer {
 public:
  NodeAuthorizer();

  [[nodiscard]] NodeRelations& relations() { return relations_; }

  struct Answer {
    bool allowed = false;
    std::string why{};  // it is not allowed; may be empty
  };
  [[nodiscard]] Answer Decide(const UserInfo& user, const AccessAttributes& attributes) const;

 private:
  [[nodiscard]] Answer DecideResource(std::string_view node,
                                      const AccessAttributes& attributes) const;
  [[nodiscard]] Answer Related(std::string_view node, NodeNeed need,
                               const AccessAttributes& attributes) const;
  [[nodiscard]] Answer Get(std::string_view node, NodeNeed need,
                           const AccessAttributes& attributes) const;
  // Also lists and watches of one object.
  [[nodiscard]] Answer Read(std::string_view node, NodeNeed need,
                            const AccessAttributes& attributes) const;
  [[nodiscard]] Answer VolumeClaim(std::string_view node, const AccessAttributes& attributes) const;
  [[nodiscard]] Answer ServiceAccount(std::string_view node,
                                      const AccessAttributes& attributes) const;
  [[nodiscard]] Answer Pod(std::string_view node, const AccessAttributes& attributes) const;
  [[nodiscard]] Answer ResourceSlice(std::string_view node,
                                     const AccessAttributes& attributes) const;
  [[nodiscard]] Answer PodCertificateRequest(std::string_view node,
                                             const AccessAttributes& attributes) const;

  NodeRelations relations_;
  PolicyRules rules_;  // of system:node, for what is not about single objects
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_AUTHORIZATION_NODE_AUTHORIZER_H_

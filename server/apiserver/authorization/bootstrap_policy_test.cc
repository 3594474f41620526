// BootstrapPolicy: the objects that a server makes itself.

#include "apiserver/authorization/bootstrap_policy.h"

#include <gtest/gtest.h>
#include <map>
#include <string>
#include <string_view>

namespace kinformer::apiserver {
namespace {

json::Value Find(std::string_view resource, std::string_view name) {
  for (const PolicyObject& made : BootstrapPolicy()) {
    if (made.resource == resource && made.object.At("/metadata/name").StringOrEmpty() == name) {
      return made.object;
    }
  }
  return {};
}

TEST(BootstrapPolicy, Objects_AreThoseOfARealServer) {
  std::map<std::string_view, int> count;
  for (const PolicyObject& made : BootstrapPolicy()) ++count[made.resource];
  EXPECT_EQ(count["clusterroles"], 73);
  EXPECT_EQ(count["clusterrolebindings"], 54);
  EXPECT_EQ(count["roles"], 7);
  EXPECT_EQ(count["rolebindings"], 7);
  EXPECT_EQ(Find("clusterroles", "cluster-admin")["rules"].Dump(),
            R"([{"verbs":["*"],"apiGroups":["*"],"resources":["*"]},)"
            R"({"verbs":["*"],"nonResourceURLs":["*"]}])");
  EXPECT_EQ(Find("roles", "extension-apiserver-authentication-reader").Dump(),
            R"({"metadata":{"name":"extension-apiserver-authentication-reader",)"
            R"("namespace":"kube-system","labels":{"kubernetes.io/bootstrapping":"rbac-defaults"},)"
            R"("annotations":{"rbac.authorization.kubernetes.io/autoupdate":"true"}},)"
            R"("rules":[{"verbs":["get","list","watch"],"apiGroups":[""],)"
            R"("resources":["configmaps"],)"
            R"("resourceNames":["extension-apiserver-authentication"]}]})");
  const json::Value edit = Find("clusterroles", "edit");
  EXPECT_EQ(edit["rules"].size(), 0U);
  EXPECT_EQ(edit["aggregationRule"].Dump(),
            R"({"clusterRoleSelectors":[{"matchLabels":)"
            R"({"rbac.authorization.k8s.io/aggregate-to-edit":"true"}}]})");
  EXPECT_EQ(
      edit.At("/metadata/labels")["rbac.authorization.k8s.io/aggregate-to-admin"].StringOrEmpty(),
      "true");
  EXPECT_EQ(Find("clusterrolebindings", "system:controller:job-controller")["subjects"].Dump(),
            R"([{"kind":"ServiceAccount","namespace":"kube-system","name":"job-controller"}])");
  EXPECT_EQ(Find("clusterrolebindings", "cluster-admin")["subjects"].Dump(),
            R"([{"kind":"Group","apiGroup":"rbac.authorization.k8s.io","name":"system:masters"}])");
}

}  // namespace
}  // namespace kinformer::apiserver

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

const std::string kDefault = "/api/v1/namespaces/default/";

std::string PodNamed(const std::string& name, const std::string& spec = "",
                     const std::string& container = "") {
  return R"({"metadata":{"name":")" + name + R"("},"spec":{)" + spec +
         R"("containers":[{"name":"a","image":"i")" + container + "}]}}";
}

// ---- ServiceAccount

class ServiceAccountPluginTest : public ::testing::Test {
 protected:
  TestServer server_{{.enable_admission_plugins = {"ServiceAccount"}}};
};

TEST_F(ServiceAccountPluginTest, MountsATokenOfTheDefaultAccount) {
  const Reply made = server_.Do("POST", kDefault + "pods", PodNamed("p"));
  ASSERT_EQ(made.status, 201) << made.body;
  const json::Value spec = made.Json()["spec"];
  EXPECT_EQ(spec["serviceAccountName"], "default");
  EXPECT_EQ(spec["serviceAccount"], "default");
  const std::string volume = spec.At("/volumes/0/name").StringOrEmpty();
  EXPECT_TRUE(volume.starts_with("kube-api-access-")) << volume;
  EXPECT_EQ(volume.size(), std::string("kube-api-access-12345").size());
  EXPECT_EQ(spec.At("/volumes/0/projected"), Json(R"({"defaultMode":420,"sources":[
      {"serviceAccountToken":{"expirationSeconds":3607,"path":"token"}},
      {"configMap":{"name":"kube-root-ca.crt","items":[{"key":"ca.crt","path":"ca.crt"}]}},
      {"downwardAPI":{"items":[{"path":"namespace",
          "fieldRef":{"apiVersion":"v1","fieldPath":"metadata.namespace"}}]}}]})"));
  EXPECT_EQ(spec.At("/containers/0/volumeMounts"),
            Json(R"([{"name":")" + volume + R"(","readOnly":true,
                "mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}])"));
}

TEST_F(ServiceAccountPluginTest, LeavesItIfTheyDoNotWantIt) {
  const Reply made = server_.Do("POST", kDefault + "pods",
                                PodNamed("p", R"("automountServiceAccountToken":false,)"));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_TRUE(made.Json().At("/spec/volumes").is_null());
  server_.Do("POST", kDefault + "serviceaccounts",
             R"({"metadata":{"name":"quiet"},"automountServiceAccountToken":false,
                 "imagePullSecrets":[{"name":"pull"}]})");
  const Reply quiet =
      server_.Do("POST", kDefault + "pods", PodNamed("q", R"("serviceAccountName":"quiet",)"));
  ASSERT_EQ(quiet.status, 201) << quiet.body;
  EXPECT_TRUE(quiet.Json().At("/spec/volumes").is_null());
  EXPECT_EQ(quiet.Json().At("/spec/imagePullSecrets"), Json(R"([{"name":"pull"}])"));
  // A mount of its own stays alone.
  const Reply own = server_.Do("POST", kDefault + "pods",
                               PodNamed("o", R"("volumes":[{"name":"v","emptyDir":{}}],)",
                                        R"(,"volumeMounts":[{"name":"v",
                   "mountPath":"/var/run/secrets/kubernetes.io/serviceaccount"}])"));
  ASSERT_EQ(own.status, 201) << own.body;
  EXPECT_EQ(own.Json().At("/spec/volumes").size(), 1U);
}

TEST_F(ServiceAccountPluginTest, RefusesUnknownAccounts) {
  const Reply refused =
      server_.Do("POST", kDefault + "pods", PodNamed("p", R"("serviceAccountName":"no",)"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.Json()["message"].StringOrEmpty(),
            R"(pods "p" is forbidden: error looking up service account default/no: )"
            R"(serviceaccount "no" not found)");
}

TEST_F(ServiceAccountPluginTest, EachNamespaceHasADefaultAccount) {
  server_.Do("POST", "/api/v1/namespaces", R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(server_.Do("POST", "/api/v1/namespaces/n/pods", PodNamed("p")).status, 201);
  EXPECT_EQ(server_.Do("DELETE", "/api/v1/namespaces/n/serviceaccounts/default").status, 200);
  server_.sim().RunFor(std::chrono::seconds(1));
  EXPECT_EQ(server_.Get("/api/v1/namespaces/n/serviceaccounts/default").status, 200);
  server_.Do("DELETE", "/api/v1/namespaces/n");
  server_.sim().RunFor(std::chrono::seconds(10));
  EXPECT_EQ(server_.Get("/api/v1/namespaces/n").status, 404);
}

TEST(ServiceAccountWithoutControllerTest, NobodyMakesTheAccount) {
  TestServer server(
      {.enable_admission_plugins = {"ServiceAccount"}, .admission_controllers = false});
  EXPECT_EQ(server.Do("POST", kDefault + "pods", PodNamed("p")).status, 403);
}

// ---- Others

TEST(AdmissionPluginsTest, DefaultStorageClass) {
  TestServer server({.enable_admission_plugins = {"DefaultStorageClass"}});
  const auto claim = [&](const std::string& name) {
    return server
        .Do("POST", kDefault + "persistentvolumeclaims",
            R"({"metadata":{"name":")" + name + R"("},"spec":{"accessModes":["ReadWriteOnce"],
                "resources":{"requests":{"storage":"1Gi"}}}})")
        .Json()
        .At("/spec/storageClassName");
  };
  const auto add = [&](const std::string& name) {
    EXPECT_EQ(server
                  .Do("POST", "/apis/storage.k8s.io/v1/storageclasses",
                      R"({"metadata":{"name":")" + name + R"(","annotations":{
                          "storageclass.kubernetes.io/is-default-class":"true"}},
                          "provisioner":"p"})")
                  .status,
              201);
  };
  EXPECT_TRUE(claim("a").is_null());
  add("old");
  EXPECT_EQ(claim("b"), "old");
  server.sim().RunFor(std::chrono::seconds(5));
  add("young");
  EXPECT_EQ(claim("c"), "young");
}

TEST(AdmissionPluginsTest, TaintNodesByCondition) {
  TestServer server({.enable_admission_plugins = {"TaintNodesByCondition"}});
  const Reply made = server.Do("POST", "/api/v1/nodes", R"({"metadata":{"name":"n"}})");
  EXPECT_EQ(made.Json().At("/spec/taints"),
            Json(R"([{"key":"node.kubernetes.io/not-ready","effect":"NoSchedule"}])"));
}

TEST(AdmissionPluginsTest, PodNodeSelector) {
  TestServer server({.enable_admission_plugins = {"PodNodeSelector"}});
  server.Do("POST", "/api/v1/namespaces", R"({"metadata":{"name":"n","annotations":{
      "scheduler.alpha.kubernetes.io/node-selector":"zone=a, disk=ssd"}}})");
  const Reply made =
      server.Do("POST", "/api/v1/namespaces/n/pods", PodNamed("p", R"("nodeSelector":{"x":"y"},)"));
  EXPECT_EQ(made.Json().At("/spec/nodeSelector"), Json(R"({"disk":"ssd","x":"y","zone":"a"})"));
  const Reply refused = server.Do("POST", "/api/v1/namespaces/n/pods",
                                  PodNamed("q", R"("nodeSelector":{"zone":"b"},)"));
  EXPECT_EQ(refused.status, 403);
  EXPECT_EQ(refused.Json()["message"].StringOrEmpty(),
            R"(pods "q" is forbidden: pod node label selector conflicts with its namespace node )"
            "label selector");
}

TEST(AdmissionPluginsTest, RefusesASecondDefaultPriorityClass) {
  TestServer server;
  const auto add = [&](const std::string& name) {
    return server.Do("POST", "/apis/scheduling.k8s.io/v1/priorityclasses",
                     R"({"metadata":{"name":")" + name + R"("},"value":7,"globalDefault":true})");
  };
  EXPECT_EQ(add("a").status, 201);
  EXPECT_EQ(add("b").Json()["message"].StringOrEmpty(),
            R"(priorityclasses.scheduling.k8s.io "b" is forbidden: PriorityClass a is already )"
            "marked as default. Only one default can exist");
}

TEST(AdmissionPluginsTest, UsualOnesCanBeSwitchedOff) {
  TestServer server(
      {.disable_admission_plugins = {"Priority", "DefaultTolerationSeconds", "RuntimeClass"}});
  const Reply made =
      server.Do("POST", kDefault + "pods", PodNamed("p", R"("runtimeClassName":"no",)"));
  ASSERT_EQ(made.status, 201) << made.body;
  EXPECT_TRUE(made.Json().At("/spec/priority").is_null());
  EXPECT_TRUE(made.Json().At("/spec/tolerations").is_null());
}

// The plug-ins see requests of clients only.
TEST(AdmissionPluginsTest, LeavesCallsInProcessAlone) {
  TestServer server({.enable_admission_plugins = {"ServiceAccount", "PodSecurity"}});
  json::Value pod = Json(PodNamed("p", R"("serviceAccountName":"no",)"));
  pod.Ensure("metadata").Set("namespace", "default");
  EXPECT_TRUE(server.server().Create(kPods, pod).ok());
}

}  // namespace
}  // namespace kinformer::apiserver::testing

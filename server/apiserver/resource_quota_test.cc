#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

const std::string kDefault = "/api/v1/namespaces/default/";

class ResourceQuotaTest : public ::testing::Test {
 protected:
  Reply Post(const std::string& plural, const std::string& object) {
    return server_.Do("POST", kDefault + plural, object);
  }
  void Quota(const std::string& name, const std::string& spec) {
    const Reply made =
        Post("resourcequotas", R"({"metadata":{"name":")" + name + R"("},"spec":)" + spec + "}");
    ASSERT_EQ(made.status, 201) << made.body;
  }
  json::Value Status(const std::string& name) {
    return server_.Get(kDefault + "resourcequotas/" + name).Json()["status"];
  }
  json::Value Used(const std::string& name) { return Status(name)["used"]; }
  Reply PostPod(const std::string& name, const std::string& resources,
                const std::string& more = "") {
    return Post("pods", R"({"metadata":{"name":")" + name + R"("},"spec":{)" + more +
                            R"("containers":[{"name":"a","image":"i","resources":)" + resources +
                            "}]}}");
  }
  Reply PostNamed(const std::string& plural, const std::string& name) {
    return Post(plural, R"({"metadata":{"name":")" + name + R"("}})");
  }
  static std::string Refusal(const Reply& reply) {
    EXPECT_EQ(reply.status, 403) << reply.body;
    const std::string message = reply.Json()["message"].StringOrEmpty();
    const std::size_t at = message.find("is forbidden: ");
    return at == std::string::npos ? message : message.substr(at + 14);
  }

  TestServer server_{{.enable_admission_plugins = {"ResourceQuota"}}};
};

TEST_F(ResourceQuotaTest, CountsObjects) {
  ASSERT_EQ(PostNamed("secrets", "s0").status, 201);
  Quota("q", R"({"hard":{"count/secrets":"2","secrets":"5","configmaps":"1","pods":"3",
                         "count/deployments.apps":"1","resourcequotas":"2"}})");
  EXPECT_EQ(Status("q"), Json(R"({
      "hard":{"count/secrets":"2","secrets":"5","configmaps":"1","pods":"3",
              "count/deployments.apps":"1","resourcequotas":"2"},
      "used":{"count/secrets":"1","secrets":"1","configmaps":"0","pods":"0",
              "count/deployments.apps":"0","resourcequotas":"1"}})"));
  ASSERT_EQ(PostNamed("secrets", "s1").status, 201);
  EXPECT_EQ(Refusal(PostNamed("secrets", "s2")),
            "exceeded quota: q, requested: count/secrets=1, used: count/secrets=2, limited: "
            "count/secrets=2");
  ASSERT_EQ(PostNamed("configmaps", "c1").status, 201);
  EXPECT_EQ(Refusal(PostNamed("configmaps", "c2")),
            "exceeded quota: q, requested: configmaps=1, used: configmaps=1, limited: "
            "configmaps=1");
  EXPECT_EQ(server_.Do("DELETE", kDefault + "secrets/s1").status, 200);
  EXPECT_EQ(Used("q")["count/secrets"], "1");
  EXPECT_EQ(PostNamed("secrets", "s2").status, 201);
  const std::string deployment = R"({"metadata":{"name":"d"},"spec":{"selector":{"matchLabels":
      {"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":
      [{"name":"a","image":"i"}]}}}})";
  EXPECT_EQ(server_.Do("POST", "/apis/apps/v1/namespaces/default/deployments", deployment).status,
            201);
  EXPECT_EQ(Used("q")["count/deployments.apps"], "1");
  // Another namespace has no quota.
  EXPECT_EQ(
      server_
          .Do("POST", "/api/v1/namespaces/kube-public/configmaps", R"({"metadata":{"name":"c2"}})")
          .status,
      201);
}

TEST_F(ResourceQuotaTest, CountsTheSameAfterAFailedAndADryWrite) {
  Quota("q", R"({"hard":{"configmaps":"2"}})");
  ASSERT_EQ(PostNamed("configmaps", "c").status, 201);
  EXPECT_EQ(PostNamed("configmaps", "c").status, 409);
  EXPECT_EQ(PostNamed("configmaps?dryRun=All", "d").status, 201);
  EXPECT_EQ(Used("q")["configmaps"], "1");
}

TEST_F(ResourceQuotaTest, AddsUpWhatPodsNeed) {
  Quota("q", R"({"hard":{"requests.cpu":"2","limits.memory":"1Gi","pods":"10",
                         "requests.nvidia.com/gpu":"1"}})");
  const std::string half =
      R"({"requests":{"cpu":"1500m"},"limits":{"memory":"512Mi","nvidia.com/gpu":"1"}})";
  ASSERT_EQ(PostPod("p1", half).status, 201);
  EXPECT_EQ(Used("q"), Json(R"({"requests.cpu":"1500m","limits.memory":"512Mi","pods":"1",
                                "requests.nvidia.com/gpu":"1"})"));
  EXPECT_EQ(Refusal(PostPod("p2", half)),
            "exceeded quota: q, requested: requests.cpu=1500m,requests.nvidia.com/gpu=1, used: "
            "requests.cpu=1500m,requests.nvidia.com/gpu=1, limited: requests.cpu=2,"
            "requests.nvidia.com/gpu=1");
  EXPECT_EQ(Refusal(PostPod("p2", "{}")),
            "failed quota: q: must specify limits.memory for: a; requests.cpu for: a");
  // A pod that has ended uses nothing.
  EXPECT_EQ(server_
                .Do("PATCH", kDefault + "pods/p1/status", R"({"status":{"phase":"Succeeded"}})",
                    {{"Content-Type", "application/merge-patch+json"}})
                .status,
            200);
  EXPECT_EQ(Used("q"), Json(R"({"requests.cpu":"0","limits.memory":"0","pods":"0",
                                "requests.nvidia.com/gpu":"0"})"));
  EXPECT_EQ(PostPod("p2", half).status, 201);
}

TEST_F(ResourceQuotaTest, FollowsAChangedQuota) {
  ASSERT_EQ(PostPod("p1", "{}").status, 201);
  Quota("q", R"({"hard":{"pods":"1"}})");
  EXPECT_EQ(Refusal(PostPod("p2", "{}")),
            "exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1");
  EXPECT_EQ(server_
                .Do("PATCH", kDefault + "resourcequotas/q", R"({"spec":{"hard":{"pods":"2"}}})",
                    {{"Content-Type", "application/merge-patch+json"}})
                .status,
            200);
  EXPECT_EQ(Status("q"), Json(R"({"hard":{"pods":"2"},"used":{"pods":"1"}})"));
  EXPECT_EQ(PostPod("p2", "{}").status, 201);
  EXPECT_EQ(server_.Do("DELETE", kDefault + "resourcequotas/q").status, 200);
  EXPECT_EQ(PostPod("p3", "{}").status, 201);
}

TEST_F(ResourceQuotaTest, CountsServices) {
  Quota("q", R"({"hard":{"services":"3","services.loadbalancers":"1",
                         "services.nodeports":"2"}})");
  const auto service = [](const std::string& name, const std::string& type) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"type":")" + type +
           R"(","ports":[{"name":"a","port":80},{"name":"b","port":81}]}})";
  };
  ASSERT_EQ(Post("services", service("a", "LoadBalancer")).status, 201);
  // The Service `kubernetes` counts, too.
  EXPECT_EQ(Used("q"), Json(R"({"services":"2","services.loadbalancers":"1",
                                "services.nodeports":"2"})"));
  EXPECT_EQ(Refusal(Post("services", service("b", "NodePort"))),
            "exceeded quota: q, requested: services.nodeports=2, used: services.nodeports=2, "
            "limited: services.nodeports=2");
  ASSERT_EQ(Post("services", service("b", "ClusterIP")).status, 201);
  const Reply changed =
      server_.Do("PATCH", kDefault + "services/b", R"({"spec":{"type":"LoadBalancer"}})",
                 {{"Content-Type", "application/merge-patch+json"}});
  EXPECT_EQ(Refusal(changed),
            "exceeded quota: q, requested: services.loadbalancers=1,services.nodeports=2, used: "
            "services.loadbalancers=1,services.nodeports=2, limited: services.loadbalancers=1,"
            "services.nodeports=2");
}

TEST_F(ResourceQuotaTest, CountsClaims) {
  Quota("q", R"({"hard":{"persistentvolumeclaims":"2","requests.storage":"5Gi",
      "gold.storageclass.storage.k8s.io/requests.storage":"1Gi"}})");
  const auto claim = [](const std::string& name, const std::string& size, const char* of_class) {
    return R"({"metadata":{"name":")" + name + R"("},"spec":{"accessModes":["ReadWriteOnce"],
        "storageClassName":")" +
           of_class + R"(","resources":{"requests":{"storage":")" + size + R"("}}}})";
  };
  ASSERT_EQ(Post("persistentvolumeclaims", claim("a", "4Gi", "tin")).status, 201);
  EXPECT_EQ(Refusal(Post("persistentvolumeclaims", claim("b", "2Gi", "gold"))),
            "exceeded quota: q, requested: gold.storageclass.storage.k8s.io/requests.storage=2Gi,"
            "requests.storage=2Gi, used: gold.storageclass.storage.k8s.io/requests.storage=0,"
            "requests.storage=4Gi, limited: gold.storageclass.storage.k8s.io/requests.storage=1Gi,"
            "requests.storage=5Gi");
}

TEST_F(ResourceQuotaTest, HasScopes) {
  Quota("best", R"({"hard":{"pods":"0"},"scopes":["BestEffort"]})");
  Quota("ends", R"({"hard":{"pods":"0"},"scopes":["Terminating"]})");
  Quota("stays", R"({"hard":{"cpu":"1","pods":"5"},"scopes":["NotTerminating","NotBestEffort"]})");
  Quota("critical", R"({"hard":{"pods":"0"},"scopeSelector":{"matchExpressions":[
      {"scopeName":"PriorityClass","operator":"In","values":["system-node-critical"]}]}})");
  const std::string none = "exceeded quota: X, requested: pods=1, used: pods=0, limited: pods=0";
  const auto refusal = [&](std::string name) { return std::string(none).replace(16, 1, name); };
  const std::string cpu = R"({"requests":{"cpu":"1"}})";
  EXPECT_EQ(Refusal(PostPod("p", "{}")), refusal("best"));
  EXPECT_EQ(Refusal(PostPod("p", cpu, R"("activeDeadlineSeconds":5,)")), refusal("ends"));
  EXPECT_EQ(Refusal(PostPod("p", cpu, R"("priorityClassName":"system-node-critical",)")),
            refusal("critical"));
  EXPECT_EQ(PostPod("p", cpu).status, 201);
  EXPECT_EQ(Used("stays"), Json(R"({"cpu":"1","pods":"1"})"));
  EXPECT_EQ(Used("best"), Json(R"({"pods":"0"})"));
}

TEST_F(ResourceQuotaTest, ConcurrentCreatesDoNotExceed) {
  Quota("q", R"({"hard":{"configmaps":"3"}})");
  std::vector<std::unique_ptr<ResponseStream>> open;
  // Large ones are decoded in other threads, or turns.
  const std::string filling(200'000, 'x');
  for (int i = 0; i < 8; ++i) {
    HttpRequest request;
    request.method = "POST";
    request.target = kDefault + "configmaps";
    request.headers.Add("Content-Type", "application/json");
    request.body = R"({"metadata":{"name":"c)" + std::to_string(i) + R"("},"data":{"a":")" +
                   filling + R"("}})";
    open.push_back(server_.server().Handle(std::move(request)));
  }
  server_.sim().RunFor(std::chrono::seconds(10));
  EXPECT_EQ(server_.server().List(kConfigMaps, "default")->size(), 3U);
  EXPECT_EQ(Used("q")["configmaps"], "3");
}

TEST_F(ResourceQuotaTest, IsEmptiedWithItsNamespace) {
  server_.Do("POST", "/api/v1/namespaces", R"({"metadata":{"name":"n"}})");
  server_.Do("POST", "/api/v1/namespaces/n/resourcequotas",
             R"({"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"3"}}})");
  server_.Do("POST", "/api/v1/namespaces/n/configmaps", R"({"metadata":{"name":"c"}})");
  server_.Do("DELETE", "/api/v1/namespaces/n");
  server_.sim().RunFor(std::chrono::seconds(10));
  EXPECT_EQ(server_.Get("/api/v1/namespaces/n").status, 404);
}

TEST(ResourceQuotaWithoutControllerTest, ChargesWhatTheControllerCounted) {
  TestServer server(
      {.enable_admission_plugins = {"ResourceQuota"}, .admission_controllers = false});
  server.Do("POST", kDefault + "resourcequotas",
            R"({"metadata":{"name":"q"},"spec":{"hard":{"configmaps":"4"}}})");
  const auto quota = [&] { return server.Get(kDefault + "resourcequotas/q").Json()["status"]; };
  EXPECT_EQ(quota(), Json("{}"));
  // Nothing is limited before the controller has seen the quota.
  EXPECT_EQ(server.Do("POST", kDefault + "configmaps", R"({"metadata":{"name":"a"}})").status, 201);
  const auto set = [&](const char* status) {
    return server
        .Do("PATCH", kDefault + "resourcequotas/q/status", status,
            {{"Content-Type", "application/merge-patch+json"}})
        .status;
  };
  EXPECT_EQ(set(R"({"status":{"hard":{"configmaps":"4"}}})"), 200);
  EXPECT_EQ(server.Do("POST", kDefault + "configmaps", R"({"metadata":{"name":"b"}})")
                .Json()["message"]
                .StringOrEmpty(),
            R"(configmaps "b" is forbidden: status unknown for quota: q, resources: configmaps)");
  EXPECT_EQ(set(R"({"status":{"used":{"configmaps":"3"}}})"), 200);
  EXPECT_EQ(server.Do("POST", kDefault + "configmaps", R"({"metadata":{"name":"b"}})").status, 201);
  EXPECT_EQ(quota()["used"]["configmaps"], "4");
  EXPECT_EQ(server.Do("POST", kDefault + "configmaps", R"({"metadata":{"name":"c"}})").status, 403);
}

}  // namespace
}  // namespace kinformer::apiserver::testing

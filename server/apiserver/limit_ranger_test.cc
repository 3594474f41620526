#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

constexpr const char* kPodsPath = "/api/v1/namespaces/default/pods";

class LimitRangerTest : public ::testing::Test {
 protected:
  void Limit(const std::string& name, const std::string& limits) {
    const Reply made =
        server_.Do("POST", "/api/v1/namespaces/default/limitranges",
                   R"({"metadata":{"name":")" + name + R"("},"spec":{"limits":[)" + limits + "]}}");
    ASSERT_EQ(made.status, 201) << made.body;
  }
  Reply PostPod(const std::string& spec, std::string_view metadata = R"({"name":"p"})") {
    return server_.Do("POST", kPodsPath,
                      R"({"metadata":)" + std::string(metadata) + R"(,"spec":)" + spec + "}");
  }
  static std::string Container(const std::string& resources, const std::string& name = "a") {
    return R"({"name":")" + name + R"(","image":"i","resources":)" + resources + "}";
  }
  // Returns the reason for which a pod with these containers is refused.
  std::string Refusal(const std::string& spec) {
    const Reply refused = PostPod(spec);
    EXPECT_EQ(refused.status, 403) << refused.body;
    const std::string message = refused.Json()["message"].StringOrEmpty();
    constexpr std::string_view kBegin = R"(pods "p" is forbidden: )";
    EXPECT_TRUE(message.starts_with(kBegin)) << message;
    return message.substr(kBegin.size());
  }
  std::string RefusalOf(const std::string& resources) {
    return Refusal(R"({"containers":[)" + Container(resources) + "]}");
  }

  TestServer server_{{.enable_admission_plugins = {"LimitRanger"}}};
};

TEST_F(LimitRangerTest, FillsInDefaults) {
  Limit("l", R"({"type":"Container","default":{"memory":"512Mi","cpu":"1"},
                 "defaultRequest":{"cpu":"500m","memory":"256Mi"}})");
  const Reply made = PostPod(R"({"initContainers":[)" + Container("{}", "i") +
                             R"(],"containers":[)" + Container(R"({"limits":{"cpu":"3"}})") + "]}");
  ASSERT_EQ(made.status, 201) << made.body;
  const json::Value pod = made.Json();
  EXPECT_EQ(pod.At("/spec/containers/0/resources"), Json(R"({"limits":{"cpu":"3","memory":"512Mi"},
                     "requests":{"cpu":"3","memory":"256Mi"}})"));
  EXPECT_EQ(pod.At("/spec/initContainers/0/resources"),
            Json(R"({"limits":{"cpu":"1","memory":"512Mi"},
                     "requests":{"cpu":"500m","memory":"256Mi"}})"));
  EXPECT_EQ(pod.At("/metadata/annotations")["kubernetes.io/limit-ranger"].StringOrEmpty(),
            "LimitRanger plugin set: memory request for container a; memory limit for container a; "
            "cpu, memory request for init container i; cpu, memory limit for init container i");
}

TEST_F(LimitRangerTest, BoundsContainers) {
  Limit("l", R"({"type":"Container","max":{"cpu":"2"},"min":{"cpu":"100m"},
                 "maxLimitRequestRatio":{"cpu":"4"}})");
  EXPECT_EQ(RefusalOf(R"({"limits":{"cpu":"9"}})"),
            "maximum cpu usage per Container is 2, but limit is 9");
  EXPECT_EQ(RefusalOf(R"({"limits":{"cpu":"2"},"requests":{"cpu":"300m"}})"),
            "cpu max limit to request ratio per Container is 4, but provided ratio is 6.666667");
  EXPECT_EQ(RefusalOf(R"({"limits":{"cpu":"50m"}})"),
            "minimum cpu usage per Container is 100m, but request is 50m");
  EXPECT_EQ(
      RefusalOf(R"({"limits":{"cpu":"3"},"requests":{"cpu":"10m"}})"),
      "[minimum cpu usage per Container is 100m, but request is 10m, maximum cpu usage per "
      "Container is 2, but limit is 3, cpu max limit to request ratio per Container is 4, but "
      "provided ratio is 300.000000]");
  EXPECT_EQ(Refusal(R"({"initContainers":[)" + Container(R"({"limits":{"cpu":"5"}})", "i") +
                    R"(],"containers":[)" + Container(R"({"limits":{"cpu":"1"}})") + "]}"),
            "maximum cpu usage per Container is 2, but limit is 5");
  // The default limit is the maximum.
  const Reply made = PostPod(R"({"containers":[)" + Container("{}") + "]}");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_EQ(made.Json().At("/spec/containers/0/resources/limits/cpu"), "2");
}

TEST_F(LimitRangerTest, BoundsPods) {
  Limit("l", R"({"type":"Pod","max":{"cpu":"2","memory":"1Gi"}})");
  const std::string one = R"({"limits":{"cpu":"1500m","memory":"100Mi"}})";
  EXPECT_EQ(Refusal(R"({"containers":[)" + Container(one) + "," + Container(one, "b") + "]}"),
            "maximum cpu usage per Pod is 2, but limit is 3");
  EXPECT_EQ(RefusalOf(R"({"limits":{"cpu":"1"}})"),
            "maximum memory usage per Pod is 1Gi.  No limit is specified");
  // Init containers run before the others, sidecars beside them.
  const std::string init = R"({"initContainers":[{"name":"i","image":"i","restartPolicy":"Always",
      "resources":)" + one +
                           R"(}],"containers":[)" + Container(one) + "]}";
  EXPECT_EQ(Refusal(init), "maximum cpu usage per Pod is 2, but limit is 3");
  const Reply made = PostPod(R"({"initContainers":[)" + Container(one, "i") +
                             R"(],"containers":[)" + Container(one) + "]}");
  EXPECT_EQ(made.status, 201) << made.body;
}

TEST_F(LimitRangerTest, BoundsClaims) {
  Limit("l", R"({"type":"PersistentVolumeClaim","max":{"storage":"2Gi"},"min":{"storage":"1Gi"}})");
  const auto claim = [&](const std::string& size) {
    return server_
        .Do("POST", "/api/v1/namespaces/default/persistentvolumeclaims",
            R"({"metadata":{"name":"c"},"spec":{"accessModes":["ReadWriteOnce"],
                "resources":{"requests":{"storage":")" +
                size + R"("}}}})")
        .Json()["message"]
        .StringOrEmpty();
  };
  const std::string begin = R"(persistentvolumeclaims "c" is forbidden: )";
  EXPECT_EQ(claim("3Gi"), begin +
                              "maximum storage usage per PersistentVolumeClaim is 2Gi, but "
                              "request is 3Gi");
  EXPECT_EQ(claim("1Mi"), begin +
                              "minimum storage usage per PersistentVolumeClaim is 1Gi, but "
                              "request is 1Mi");
  EXPECT_EQ(claim("2Gi"), "");
}

TEST_F(LimitRangerTest, NamesAPodWhoseNameIsGenerated) {
  Limit("l", R"({"type":"Container","max":{"cpu":"2"}})");
  const Reply refused =
      PostPod(R"({"containers":[)" + Container(R"({"limits":{"cpu":"9"}})") + "]}",
              R"({"generateName":"p-"})");
  EXPECT_EQ(refused.status, 403);
  EXPECT_TRUE(refused.Json()["message"].StringOrEmpty().starts_with(R"(pods "p-)"));
}

TEST_F(LimitRangerTest, LeavesOtherNamespacesAndMissingOnesAlone) {
  Limit("l", R"({"type":"Container","max":{"cpu":"2"}})");
  const std::string pod =
      R"({"metadata":{"name":"p"},"spec":{"containers":[)" + Container("{}") + "]}}";
  const Reply other = server_.Do("POST", "/api/v1/namespaces/kube-public/pods", pod);
  EXPECT_EQ(other.status, 201);
  EXPECT_TRUE(other.Json().At("/metadata/annotations").is_null());
  EXPECT_EQ(server_.Do("POST", "/api/v1/namespaces/gone/pods", pod).status, 404);
}

TEST(LimitRangerOffTest, ChangesNothing) {
  TestServer server;
  server.Do("POST", "/api/v1/namespaces/default/limitranges",
            R"({"metadata":{"name":"l"},"spec":{"limits":[{"type":"Container",
                "max":{"cpu":"2"}}]}})");
  const Reply made = server.Do("POST", kPodsPath, R"({"metadata":{"name":"p"},"spec":{"containers":
      [{"name":"a","image":"i","resources":{"limits":{"cpu":"9"}}}]}})");
  EXPECT_EQ(made.status, 201) << made.body;
  EXPECT_TRUE(made.Json().At("/metadata/annotations").is_null());
}

}  // namespace
}  // namespace kinformer::apiserver::testing

// Errors of requests for a part of an object, such as its status, that the server lacks.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using testing::Json;
using testing::ScriptedResponse;
using testing::ScriptedServer;
using testing::StatusFailure;

class SubresourceErrorsTest : public ::testing::Test {
 protected:
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }
  ResourceClient<corev1::ConfigMap> ConfigMaps() {
    return client_.For<corev1::ConfigMap>("default");
  }

  Simulation sim_{{.seed = 9}};
  ScriptedServer server_;
  const std::shared_ptr<InMemoryTransport> transport_ = NewInMemoryTransport(sim_.env(), server_);
  Client client_ = Client::ForTransport(sim_.env(), transport_, {.qps = -1});
};

ScriptedResponse ConfigMapA() {
  return Json(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a","namespace":"default",
                  "resourceVersion":"5"}})");
}

// A server returns NotFound for the object even if it only lacks the subresource.
ScriptedResponse NoSuchConfigMap(const std::string& name) {
  return Json(R"({"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":)"
              R"("configmaps \"a\" not found","reason":"NotFound","details":{"name":")" +
                  name + R"(","kind":"configmaps"},"code":404})",
              404);
}

TEST_F(SubresourceErrorsTest, UpdateStatus_OfAResourceWithoutIt_IsNotNotFound) {
  server_.script = {NoSuchConfigMap("a"), ConfigMapA()};
  Block([&] {
    corev1::ConfigMap::Mutable map;
    map.metadata.name = "a";
    const auto updated = ConfigMaps().UpdateStatus(map);
    ASSERT_FALSE(updated.ok());
    EXPECT_EQ(updated.error().reason(), Reason::kMethodNotAllowed);
    EXPECT_FALSE(IsAbsent(updated.error()));
    EXPECT_EQ(updated.error().http_status(), 404);
    EXPECT_NE(updated.error().message().find(
                  "configmaps \"a\" is there, but the server has no \"status\" of it"),
              std::string::npos)
        << updated.error();
    EXPECT_NE(updated.error().message().find("versions[].subresources.status"), std::string::npos);
  });
  ASSERT_EQ(server_.requests.size(), 2U);
  EXPECT_EQ(server_.requests[0].target, "/api/v1/namespaces/default/configmaps/a/status");
  EXPECT_EQ(server_.requests[1].method, "GET");
  EXPECT_EQ(server_.requests[1].target, "/api/v1/namespaces/default/configmaps/a");
}

TEST_F(SubresourceErrorsTest, PatchOfAPart_OfAResourceWithoutIt_IsNotNotFound) {
  server_.script = {StatusFailure(404, "NotFound", "no page"), ConfigMapA()};
  Block([&] {
    const auto patched = ConfigMaps().Patch("a", {.body = "{}"}, {}, "scale");
    ASSERT_FALSE(patched.ok());
    EXPECT_EQ(patched.error().reason(), Reason::kMethodNotAllowed);
  });
}

TEST_F(SubresourceErrorsTest, UpdateStatus_OfAnObjectThatIsGone_IsNotFound) {
  server_.script = {NoSuchConfigMap("a"), NoSuchConfigMap("a")};
  Block([&] {
    corev1::ConfigMap::Mutable map;
    map.metadata.name = "a";
    const auto updated = ConfigMaps().UpdateStatus(map);
    ASSERT_FALSE(updated.ok());
    EXPECT_TRUE(IsNotFound(updated.error())) << updated.error();
  });
}

TEST_F(SubresourceErrorsTest, PatchOfAPart_WhoseAnswerIsAboutAnother_StaysNotFound) {
  server_.script = {NoSuchConfigMap("another")};
  Block([&] {
    const auto patched = ConfigMaps().Patch("a", {.body = "{}"}, {}, "status");
    ASSERT_FALSE(patched.ok());
    EXPECT_TRUE(IsNotFound(patched.error())) << patched.error();
  });
  EXPECT_EQ(server_.requests.size(), 1U);
}

}  // namespace
}  // namespace kinformer

// Updates of built-in objects.

#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

const std::string kServices = "/api/v1/namespaces/default/services";
const std::string kAccounts = "/api/v1/namespaces/default/serviceaccounts";
const std::string kMaps = "/api/v1/namespaces/default/configmaps";
constexpr const char* kMerge = "application/merge-patch+json";
constexpr const char* kStrategic = "application/strategic-merge-patch+json";

class Preparation : public ::testing::Test {
 protected:
  Reply Patch(const std::string& path, const char* type, std::string_view body) {
    return server_.Do("PATCH", path, std::string(body), {{"Content-Type", type}});
  }

  TestServer server_;
};

TEST_F(Preparation, Services_LoseWhatTheirTypeHasNoUseFor) {
  server_.Do("POST", kServices,
             R"({"metadata":{"name":"a"},"spec":{"externalIPs":["1.2.3.4"],)"
             R"("ports":[{"port":80}]}})");
  const auto patch = [&](std::string_view spec) {
    return Patch(kServices + "/a", kMerge, R"({"spec":)" + std::string(spec) + "}").Json();
  };
  EXPECT_EQ(patch("{}").At("/spec/externalTrafficPolicy").StringOrEmpty(), "Cluster");
  EXPECT_TRUE(patch(R"({"externalIPs":[]})").At("/spec/externalTrafficPolicy").is_null());
  const json::Value balanced =
      patch(R"({"type":"LoadBalancer","externalTrafficPolicy":"Local","loadBalancerClass":"x/y"})");
  EXPECT_GE(balanced.At("/spec/healthCheckNodePort").AsInt64().value_or(0), 30000);
  const json::Value plain = patch(R"({"type":"ClusterIP"})");
  for (const char* name : {"healthCheckNodePort", "loadBalancerClass", "externalTrafficPolicy"}) {
    EXPECT_FALSE(plain["spec"].contains(name)) << name;
  }
}

TEST_F(Preparation, ServiceAccounts_KeepOnlyTheNamesOfSecrets) {
  const std::string body =
      R"({"metadata":{"name":"a"},"secrets":[{"name":"s","kind":"Secret","namespace":"o"}]})";
  EXPECT_EQ(server_.Do("POST", kAccounts, body).Json()["secrets"].Dump(), R"([{"name":"s"}])");
  EXPECT_EQ(server_.Do("PUT", kAccounts + "/a", body).Json()["secrets"].Dump(),
            R"([{"name":"s"}])");
}

// As on a real server.
TEST_F(Preparation, Kind_ThatAPatchMakes_IsOverlookedOrRefused) {
  server_.Do("POST", kMaps, R"({"metadata":{"name":"a"}})");
  const std::string path = kMaps + "/a";
  for (const char* body : {R"({"kind":"Other"})", R"({"apiVersion":"v9"})", R"({"kind":null})"}) {
    EXPECT_EQ(Patch(path, kStrategic, body).Json()["kind"].StringOrEmpty(), "ConfigMap") << body;
  }
  EXPECT_EQ(Patch(path, kStrategic, R"({"kind":1})").status, 422);
  EXPECT_EQ(Patch(path, kStrategic, R"({"$patch":"replace","data":{}})").status, 400)
      << "there is no name left";
  EXPECT_EQ(Patch(path, kMerge, R"({"kind":null})").status, 200);
  EXPECT_EQ(Patch(path, kMerge, R"({"kind":"Other"})").status, 422);
}

}  // namespace
}  // namespace kinformer::apiserver::testing

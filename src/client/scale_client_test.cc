// Scales of other kinds than autoscaling/v1. Those that a server sends are in
// test/integration/scale_client_test.cc.

#include "kinformer/client/scale_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/json/json.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;

json::Value Json(std::string_view text) { return json::Parse(text).OrExit(); }

TEST(ScaleJson, CurrentKind_HasASelectorInText) {
  const auto scale = ScaleClient::FromJson(Json(R"({
    "apiVersion": "autoscaling/v1", "kind": "Scale",
    "metadata": {"name": "web", "namespace": "shop", "uid": "u", "resourceVersion": "7"},
    "spec": {"replicas": 3}, "status": {"replicas": 2, "selector": "app=web"}})"))
                         .OrExit();
  EXPECT_EQ(scale.metadata.name, "web");
  EXPECT_EQ(scale.metadata.namespace_, "shop");
  EXPECT_EQ(scale.metadata.uid, "u");
  EXPECT_EQ(scale.metadata.resourceVersion, "7");
  EXPECT_EQ(scale.spec.replicas, 3);
  EXPECT_EQ(scale.status.replicas, 2);
  EXPECT_EQ(scale.status.selector, "app=web");
  EXPECT_EQ(ScaleClient::ToJson(scale, {"autoscaling", "v1", "Scale"}).OrExit(), Json(R"({
    "apiVersion": "autoscaling/v1", "kind": "Scale",
    "metadata": {"name": "web", "namespace": "shop", "uid": "u", "resourceVersion": "7"},
    "spec": {"replicas": 3}})"));
}

TEST(ScaleJson, OldKinds_HaveASelectorOfLabels_AndATextThatWins) {
  for (const char* version : {"extensions/v1beta1", "apps/v1beta1", "apps/v1beta2"}) {
    json::Value old = Json(R"({"kind": "Scale", "spec": {},
      "status": {"replicas": 1, "selector": {"b": "2", "a": "1"}}})");
    old.Set("apiVersion", version);
    EXPECT_EQ(ScaleClient::FromJson(old).OrExit().status.selector, "a=1,b=2");
    old.Ensure("status", "targetSelector") = "a in (1,2)";
    EXPECT_EQ(ScaleClient::FromJson(old).OrExit().status.selector, "a in (1,2)");
    EXPECT_EQ(ScaleClient::FromJson(old).OrExit().spec.replicas, 0);
  }
}

TEST(ScaleJson, UnknownKindsAndBadNumbers_AreErrors) {
  for (const char* text : {R"({"apiVersion": "autoscaling/v2", "kind": "Scale"})",
                           R"({"apiVersion": "v1", "kind": "Scale"})",
                           R"({"apiVersion": "autoscaling/v1", "kind": "Pod"})"}) {
    EXPECT_EQ(ScaleClient::FromJson(Json(text)).error().reason(), Reason::kInvalidArgument);
  }
  EXPECT_THAT(ScaleClient::ToJson({}, {"autoscaling", "v2", "Scale"}).error().message(),
              HasSubstr("a scale of the unknown kind Scale of autoscaling/v2"));
  json::Value scale = Json(R"({"apiVersion": "autoscaling/v1", "kind": "Scale"})");
  for (const char* number : {"3000000000", "\"3\"", "1.5"}) {
    scale.Ensure("spec", "replicas") = Json(number);
    EXPECT_EQ(ScaleClient::FromJson(scale).error().reason(), Reason::kDecode) << number;
  }
}

}  // namespace
}  // namespace kinformer

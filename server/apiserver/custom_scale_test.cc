// Replicas in scales of custom resources, and the validation of scale subresources.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/json/yaml.h"

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* kDefinitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
constexpr const char* kCarts = "/apis/shop.example/v1/namespaces/default/carts";
const HeaderList kMerge = {{"Content-Type", "application/merge-patch+json"}};

class CustomScale : public ::testing::Test {
 protected:
  void SetUp() override {
    const json::Value definition = yaml::Parse(R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: carts.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: carts, kind: Cart}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {count: {type: integer}, other: {type: integer}}}
          status: {type: object, properties: {count: {type: integer}}}
          list:
            type: array
            items: {type: object, properties: {}, nullable: false, default: null}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count}
)")
                                       .OrExit();
    ASSERT_EQ(server_.Do("POST", kDefinitions, definition.Dump()).status, 201);
  }
  Reply Make(std::string_view spec) {
    return server_.Do("POST", kCarts,
                      R"({"apiVersion":"shop.example/v1","kind":"Cart","metadata":{"name":"a"},)"
                      R"("spec":)" +
                          std::string(spec) + "}");
  }

  TestServer server_;
};

// Applies to writes of the scale and of the object.
TEST_F(CustomScale, Replicas_AreNonNegativeIntegers) {
  const auto problem = [&](std::string_view spec) {
    const json::Value body = Make(spec).Json();
    return body.At("/details/causes/0/field").StringOrEmpty() + ": " +
           body.At("/details/causes/0/message").StringOrEmpty();
  };
  EXPECT_EQ(problem(R"({"count":-2})"),
            ".spec.count: Invalid value: -2: should be a non-negative integer");
  EXPECT_EQ(problem(R"({"count":3000000000})"),
            ".spec.count: Invalid value: 3000000000: should be less than or equal to 2147483647");
  EXPECT_THAT(Make(R"({"count":"x"})").body,
              HasSubstr(".spec.count accessor error: x is of the type string, expected int64"));
  EXPECT_THAT(Make("[1]").body, HasSubstr(".spec.count accessor error: [1] is of the type "
                                          "[]interface {}, expected map[string]interface{}"));
  EXPECT_THAT(Make(R"({"count":1e3})").body,
              HasSubstr(".spec.count accessor error: 1000 is of the type float64, expected int64"));
  EXPECT_EQ(Make("{}").status, 201);
  EXPECT_THAT(
      server_.Do("PATCH", std::string(kCarts) + "/a/status", R"({"status":{"count":-1}})", kMerge)
          .body,
      HasSubstr(".status.count: Invalid value: -1: should be a non-negative integer"));
}

TEST_F(CustomScale, Replicas_AreWrittenWithoutFractionAndExponent) {
  ASSERT_EQ(Make(R"({"count":1})").status, 201);
  const std::string path = std::string(kCarts) + "/a/scale";
  for (const std::string count : {"1.0", "1e3", "1.5", "2147483648", "true", R"("2")"}) {
    const std::string spec = R"("spec":{"replicas":)" + count + "}}";
    EXPECT_EQ(server_.Do("PATCH", path, "{" + spec, kMerge).status, 422) << count;
    const Reply put = server_.Do("PUT", path,
                                 R"({"apiVersion":"autoscaling/v1","kind":"Scale",)"
                                 R"("metadata":{"name":"a","namespace":"default"},)" +
                                     spec);
    EXPECT_EQ(put.status, 400) << count;
  }
  EXPECT_EQ(server_.Do("PATCH", path, R"({"spec":{"replicas":2}})", kMerge).status, 200);
}

// Whole numbers of type integer are stored as such, whatever form they had.
TEST_F(CustomScale, Integers_AreStoredWithoutFraction) {
  const Reply made =
      server_.Do("POST", kCarts,
                 R"({"apiVersion":"shop.example/v1","kind":"Cart","metadata":{"name":"i"},)"
                 R"("status":{"count":1},"spec":{"other":1.0}})");
  EXPECT_EQ(made.status, 201);
  EXPECT_EQ(made.Json()["spec"].Dump(), R"({"other":1})");
}

TEST_F(CustomScale, SchemasInsideOfOthers_HaveTheFormOfAll) {
  const json::Value made = server_.Get(std::string(kDefinitions) + "/carts.shop.example").Json();
  EXPECT_EQ(
      made.At("/spec/versions/0/schema/openAPIV3Schema/properties/list").Dump({.sort_keys = true}),
      R"({"items":{"type":"object"},"type":"array"})");
}

}  // namespace
}  // namespace kinformer::apiserver::testing

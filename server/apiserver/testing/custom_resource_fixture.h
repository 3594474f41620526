// apiserver/testing/custom_resource_fixture.h
//
// CustomResources: a server for a kind Car, with three versions, a status and a scale.

#ifndef KINFORMER_APISERVER_TESTING_CUSTOM_RESOURCE_FIXTURE_H_
#define KINFORMER_APISERVER_TESTING_CUSTOM_RESOURCE_FIXTURE_H_

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "kinformer/json/yaml.h"

#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {

class CustomResources : public ::testing::Test {
 protected:
  static constexpr std::string_view kDefinitions =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  static constexpr std::string_view kDefinition =
      "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/cars.shop.example";
  static constexpr std::string_view kCars = "/apis/shop.example/v1/namespaces/default/cars";
  static constexpr std::string_view kCar = "/apis/shop.example/v1/namespaces/default/cars/a";

  static constexpr std::string_view kYaml = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: cars.shop.example}
spec:
  group: shop.example
  scope: Namespaced
  names: {plural: cars, kind: Car, shortNames: [cr]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          spec:
            type: object
            required: [color]
            properties:
              color: {type: string, description: the paint}
              wheels: {type: integer, minimum: 3, default: 4}
              count: {type: integer}
          status:
            type: object
            properties: {count: {type: integer}, selector: {type: string},
                         phase: {type: string, enum: [A, B]}}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.count, statusReplicasPath: .status.count,
              labelSelectorPath: .status.selector}
    selectableFields: [{jsonPath: .spec.color}]
    additionalPrinterColumns: [{name: Color, type: string, jsonPath: .spec.color}]
  - name: v2
    served: true
    storage: false
    deprecated: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {color: {type: string},
                                            seats: {type: integer, default: 2}}}
  - name: v3
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object}}
)";

  // Returns the definition, changed by `change`.
  static json::Value DefinitionWith(const std::function<void(json::Value&)>& change = {}) {
    json::Value definition = yaml::Parse(kYaml).OrExit();
    if (change) change(definition);
    return definition;
  }

  static std::string CarBody(std::string_view name, std::string_view spec,
                             std::string_view more = "") {
    return R"({"apiVersion":"shop.example/v1","kind":"Car","metadata":{"name":")" +
           std::string(name) + R"("},"spec":)" + std::string(spec) + std::string(more) + "}";
  }

  static json::Value& SpecOf(json::Value& definition) {
    return definition.Ensure("spec", "versions", 0, "schema", "openAPIV3Schema", "properties",
                             "spec");
  }

  void Define(const std::function<void(json::Value&)>& change = {}) {
    const Reply reply = server_.Do("POST", kDefinitions, DefinitionWith(change).Dump());
    ASSERT_EQ(reply.status, 201) << reply.body;
  }
  // Changes the stored definition.
  Reply Redefine(const std::function<void(json::Value&)>& change) {
    json::Value definition = server_.Get(kDefinition).Json();
    change(definition);
    return server_.Do("PUT", kDefinition, definition.Dump());
  }
  Reply Make(std::string_view name, std::string_view spec, std::string_view query = "") {
    return server_.Do("POST", std::string(kCars) + std::string(query), CarBody(name, spec));
  }
  std::string Version() { return std::to_string(server_.server().current_resource_version()); }

  TestServer server_;
};

}  // namespace kinformer::apiserver::testing

#endif  // KINFORMER_APISERVER_TESTING_CUSTOM_RESOURCE_FIXTURE_H_

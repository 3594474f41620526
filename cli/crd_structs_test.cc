// Structs for definitions. test/crds compiles what is written here, and makes definitions of it.

#include "cli/crd_structs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/json/yaml.h"

namespace kinformer::cli {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr std::string_view kYaml = R"(
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: policies.shop.example.com}
spec:
  group: shop.example.com
  scope: Cluster
  names: {plural: policies, singular: policy, kind: Policy, listKind: PolicyList}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema:
        type: object
        required: [spec]
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec:
            type: object
            required: [class]
            properties:
              class: {type: string, description: The class of it., pattern: '^\d+$'}
              count: {type: integer, format: int32, default: 3}
              plain: {type: integer}
              memory: {x-kubernetes-int-or-string: true}
              hosts: {type: array, items: {type: string, maxLength: 9}}
              $ref: {type: boolean}
              rules:
                type: array
                items: {type: object, properties: {when: {type: string, format: date-time}}}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status: {type: object, properties: {ready: {type: boolean}}}
  - name: v0
    served: false
    storage: false
    schema: {openAPIV3Schema: {type: object}}
)";

std::string Written(const CrdStructsOptions& options = {}) {
  const std::vector<json::Value> definitions = {yaml::Parse(kYaml).OrExit()};
  Result<std::string> text = CrdStructs(definitions, options);
  EXPECT_TRUE(text.ok()) << text.error();
  return text.value_or("");
}

TEST(CrdStructs_Test, Definition_WithMembersOfManyTypes_BecomesStructs) {
  const std::string text = Written();
  EXPECT_THAT(
      text, AllOf(HasSubstr("namespace shop::v1 {"), HasSubstr("struct PolicySpecRules {"),
                  HasSubstr("  kinformer::metav1::Time when{};"),
                  HasSubstr("  // The class of it.\n  std::string class_{};"),
                  HasSubstr("  std::int32_t count = 3;"),
                  HasSubstr("  std::optional<std::int64_t> plain{};"),
                  HasSubstr("  std::vector<PolicySpecRules> rules{};"),
                  HasSubstr("  std::optional<bool> _ref{};"),
                  HasSubstr("  kinformer::json::Value free{};"), HasSubstr("  PolicySpec spec{};"),
                  HasSubstr("  kinformer::Box<PolicyStatus> status{};"),
                  HasSubstr("using Policies = kinformer::CustomResource<Policy>;")));
  EXPECT_THAT(text, Not(HasSubstr("v0")));
}

TEST(CrdStructs_Test, Rules_OfMembers_BecomeLines) {
  const std::string text = Written();
  EXPECT_THAT(text,
              HasSubstr(R"x({.member = "class_", .required = true, .pattern = R"(^\d+$)"})x"));
  EXPECT_THAT(text, HasSubstr(R"x({.member = "_ref", .name = "$ref"})x"));
  EXPECT_THAT(text, HasSubstr("FieldSchema kHostsEach{.max_length = 9};"));
  EXPECT_THAT(text, HasSubstr(R"x({.member = "hosts", .each = &kHostsEach})x"));
  EXPECT_THAT(text, HasSubstr(R"x({.member = "plain", .extra = R"({"format":null})"})x"));
  EXPECT_THAT(text, HasSubstr(".namespaced = false,"));
}

TEST(CrdStructs_Test, Versions_ThatAreAskedFor_AreWritten) {
  EXPECT_THAT(Written({.namespace_ = "mine", .versions = {"v0"}}),
              AllOf(HasSubstr("namespace mine::v0 {"), Not(HasSubstr("PolicySpec"))));
  const auto none = CrdStructs({yaml::Parse(kYaml).OrExit()}, {.versions = {"v9"}});
  EXPECT_THAT(none.error().message(), HasSubstr("policies.shop.example.com has none"));
  const auto wrong = CrdStructs({yaml::Parse("{kind: Pod, apiVersion: v1}").OrExit()}, {});
  EXPECT_THAT(wrong.error().message(), HasSubstr("a Pod of v1 is no definition"));
}

}  // namespace
}  // namespace kinformer::cli

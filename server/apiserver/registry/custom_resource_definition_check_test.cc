#include "apiserver/registry/custom_resource_definition_check.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"

#include "apiserver/registry/testing/definition_cases.h"

namespace kinformer::apiserver {
namespace {

using testing::Definition;
using testing::Expect;
using testing::Texts;
using testing::With;

constexpr std::string_view kLabel =
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an "
    "alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', "
    "regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";

std::string NotALabel(std::string_view field, std::string_view value, bool mixed = false) {
  return std::string(field) + ": Invalid value: \"" + std::string(value) +
         "\": " + (mixed ? "may have mixed case, but should otherwise match: " : "") +
         std::string(kLabel);
}

TEST(DefinitionCheck, NamesGroupAndScope_ThatAreInvalid_AreRefused) {
  const std::string name = R"(metadata.name: Invalid value: "foos.example.com": must be )"
                           R"(spec.names.plural+"."+spec.group)";
  const std::string approval =
      R"(metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must )"
      R"(have approval annotation "api-approved.kubernetes.io", see )"
      R"(https://github.com/kubernetes/enhancements/pull/1111)";
  Expect({
      {"/metadata/labels", "{}", {}},
      {"/metadata/name",
       "x",
       {R"(metadata.name: Invalid value: "x": must be spec.names.plural+"."+spec.group)"}},
      {"/spec/group", "", {name, "spec.group: Required value"}},
      {"/spec/group",
       "example",
       {name, R"(spec.group: Invalid value: "example": should be a domain with at least one dot)"}},
      {"/spec/group",
       "a_b.c",
       {name,
        "spec.group: Invalid value: \"a_b.c\": a lowercase RFC 1123 subdomain must consist of "
        "lower case alphanumeric characters, '-' or '.', and must start and end with an "
        "alphanumeric character (e.g. 'example.com', regex used for validation is "
        "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"}},
      {"/spec/group", "x.k8s.io", {name, approval}},
      {"/spec/group", "kubernetes.io", {name, approval}},
      {"/spec/group", "xk8s.io", {name}},
      {"/spec/scope", "", {"spec.scope: Required value"}},
      {"/spec/scope", "Cluster", {}},
      {"/spec/scope",
       "namespaced",
       {R"(spec.scope: Unsupported value: "namespaced": supported values: "Cluster", )"
        R"("Namespaced")"}},
      {"/spec/preserveUnknownFields", "false", {}},
      {"/spec/preserveUnknownFields",
       "true",
       {"spec.preserveUnknownFields: Invalid value: true: cannot set to true, set "
        "x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead"}},
      {"/spec/names/plural", "Foos", {name, NotALabel("spec.names.plural", "Foos")}},
      {"/spec/names/singular", "", {"spec.names.singular: Required value"}},
      {"/spec/names/singular", "1x", {NotALabel("spec.names.singular", "1x")}},
      {"/spec/names/kind", "", {"spec.names.kind: Required value"}},
      {"/spec/names/kind", "F_", {NotALabel("spec.names.kind", "F_", true)}},
      {"/spec/names/listKind", "", {"spec.names.listKind: Required value"}},
      {"/spec/names/listKind", "F_", {NotALabel("spec.names.listKind", "F_", true)}},
      {"/spec/names/listKind",
       "Foo",
       {R"(spec.names.listKind: Invalid value: "Foo": kind and listKind may not be the same)"}},
      {"/spec/names/shortNames",
       "[f, F, '']",
       {NotALabel("spec.names.shortNames[1]", "F"), "spec.names.shortNames[2]: Required value"}},
      {"/spec/names/categories", "[all, A]", {NotALabel("spec.names.categories[1]", "A")}},
  });
  json::Value bare = With(With(Definition(), "/spec/names/kind", ""), "/spec/names/listKind", "");
  EXPECT_EQ(Texts(CheckDefinition(bare, nullptr)),
            (std::vector<std::string>{"spec.names.kind: Required value",
                                      "spec.names.listKind: Required value"}));
}

TEST(DefinitionCheck, ProtectedGroups_NeedAnAddressOrAReason) {
  const auto problems = [](std::string_view approval) {
    json::Value definition = With(Definition(), "/spec/group", "x.k8s.io");
    definition.SetPointer("/metadata/name", "foos.x.k8s.io").OrExit();
    definition.Ensure("metadata", "annotations").Set("api-approved.kubernetes.io", approval);
    return Texts(CheckDefinition(definition, nullptr));
  };
  EXPECT_EQ(problems("https://x").size(), 0U);
  EXPECT_EQ(problems("unapproved, experimental").size(), 0U);
  EXPECT_EQ(problems("x"),
            std::vector<std::string>{
                "metadata.annotations[api-approved.kubernetes.io]: Invalid value: \"x\": protected "
                "groups must have approval annotation \"api-approved.kubernetes.io\" with either a "
                "URL or a reason starting with \"unapproved\", see "
                "https://github.com/kubernetes/enhancements/pull/1111"});
}

TEST(DefinitionCheck, Versions_AreDistinctAndOneOfThemIsStored) {
  const auto shown = [](std::string_view flags) {
    return R"({"Name":"v1",)" + std::string(flags) +
           R"("DeprecationWarning":null,"Schema":null,"Subresources":null,)"
           R"("AdditionalPrinterColumns":null,"SelectableFields":null})";
  };
  const std::string stored = shown(R"("Served":true,"Storage":true,"Deprecated":false,)");
  const std::string plain = shown(R"("Served":false,"Storage":false,"Deprecated":false,)");
  const std::string old = shown(R"("Served":true,"Storage":false,"Deprecated":true,)");
  const std::string one = "must have exactly one version marked as storage version";
  const std::string many(256, 'w');
  const auto warning = [](std::string_view value, std::string_view why) {
    return "spec.versions[0].deprecationWarning: Invalid value: \"" + std::string(value) +
           "\": " + std::string(why);
  };
  Expect({
      {"/spec/versions/0/storage",
       "false",
       {"spec.versions: Invalid value: [" +
        shown(R"("Served":true,"Storage":false,"Deprecated":false,)") + "]: " + one}},
      {"/spec/versions/-",
       "{name: v1, schema: {openAPIV3Schema: {type: object}}}",
       {"spec.versions: Invalid value: [" + stored + "," + plain +
        "]: must contain unique version names"}},
      {"/spec/versions/-",
       "{name: v1, served: true, deprecated: true, schema: {openAPIV3Schema: {type: object}}}",
       {"spec.versions: Invalid value: [" + stored + "," + old +
        "]: must contain unique version names"}},
      {"/spec/versions/-",
       "{name: V_, schema: {openAPIV3Schema: {type: object}}}",
       {NotALabel("spec.versions[1].name", "V_")}},
      {"/spec/versions/0/deprecationWarning",
       "x",
       {warning("x", "can only be set for deprecated versions")}},
      {"/spec/versions/0",
       "{name: v1, served: true, storage: true, deprecated: true, "
       "deprecationWarning: '', schema: {openAPIV3Schema: {type: object}}}",
       {warning("", "must not be an empty string")}},
      {"/spec/versions/0",
       "{name: v1, served: true, storage: true, deprecated: true, deprecationWarning: " + many +
           ", schema: {openAPIV3Schema: {type: object}}}",
       {}},
      {"/spec/versions/0",
       "{name: v1, served: true, storage: true, deprecated: true, deprecationWarning: " + many +
           "w, schema: {openAPIV3Schema: {type: object}}}",
       {warning(many + "w", "must be <= 256 characters long")}},
      {"/status/storedVersions",
       "[]",
       {"status.storedVersions: Invalid value: null: must have at least one stored version"}},
      {"/status/storedVersions",
       "[v0, v1, v3]",
       {"status.storedVersions[0]: Invalid value: \"v0\": missing from spec.versions; v0 was "
        "previously a storage version, and must remain in spec.versions until a storage migration "
        "ensures no data remains persisted in v0 and removes v0 from status.storedVersions",
        "status.storedVersions[2]: Invalid value: \"v3\": missing from spec.versions; v3 was "
        "previously a storage version, and must remain in spec.versions until a storage migration "
        "ensures no data remains persisted in v3 and removes v3 from status.storedVersions"}},
  });
  json::Value other = With(Definition(), "/spec/versions/-",
                           "{name: v2, schema: {openAPIV3Schema: {type: object}}}");
  EXPECT_EQ(Texts(CheckDefinition(With(other, "/status/storedVersions", "[v2]"), nullptr)),
            std::vector<std::string>{"status.storedVersions: Invalid value: [\"v2\"]: must have "
                                     "the storage version v1"});
  json::Value odd = With(Definition(), "/spec/versions/0/name", "V");
  EXPECT_EQ(Texts(CheckDefinition(With(odd, "/status/storedVersions", "[V]"), nullptr)),
            (std::vector<std::string>{NotALabel("spec.versions[0].name", "V"),
                                      NotALabel("spec.version", "V")}));
}

TEST(DefinitionCheck, Conversion_HasAWebhookWhereItsStrategySaysSo) {
  const std::string client = "spec.conversion.webhookClientConfig";
  const std::string reviews = "spec.conversion.conversionReviewVersions";
  const std::string forbidden =
      ": Forbidden: should not be set when strategy is not set to Webhook";
  const std::string url = "clientConfig: {url: 'https://x'}";
  Expect({
      {"/spec/conversion", "{}", {"spec.conversion.strategy: Required value"}},
      {"/spec/conversion",
       "{strategy: Other}",
       {R"(spec.conversion.strategy: Unsupported value: "Other": supported values: "None", )"
        R"("Webhook")"}},
      {"/spec/conversion", "{strategy: None, webhook: {" + url + "}}", {client + forbidden}},
      {"/spec/conversion",
       "{strategy: None, webhook: {conversionReviewVersions: [v1]}}",
       {reviews + forbidden}},
      {"/spec/conversion", "{strategy: None, webhook: {conversionReviewVersions: []}}", {}},
      {"/spec/conversion",
       "{strategy: Webhook}",
       {client + ": Required value: required when strategy is set to Webhook",
        reviews + ": Required value"}},
      {"/spec/conversion",
       "{strategy: Webhook, webhook: {" + url + ", conversionReviewVersions: [v1]}}",
       {}},
      {"/spec/conversion",
       "{strategy: Webhook, webhook: {clientConfig: {}, conversionReviewVersions: [x, v1beta1]}}",
       {client + ": Required value: exactly one of url or service is required"}},
      {"/spec/conversion",
       "{strategy: Webhook, webhook: {" + url + ", conversionReviewVersions: [v1, v1, 'A']}}",
       {reviews + "[1]: Invalid value: \"v1\": duplicate version",
        NotALabel(reviews + "[2]", "A")}},
      {"/spec/conversion",
       "{strategy: Webhook, webhook: {" + url + ", conversionReviewVersions: [v2]}}",
       {reviews + R"(: Invalid value: ["v2"]: must include at least one of v1, v1beta1)"}},
  });
}

}  // namespace
}  // namespace kinformer::apiserver

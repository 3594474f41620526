#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/json/json.h"
#include "kinformer/json/yaml.h"

#include "apiserver/registry/testing/definition_cases.h"

namespace kinformer::apiserver {
namespace {

using testing::Definition;
using testing::Expect;
using testing::Texts;
using testing::With;

TEST(DefinitionVersions, Columns_ThatAreInvalid_AreRefused) {
  const std::string at = "spec.additionalPrinterColumns[0].";
  Expect({
      {"/spec/versions/0/additionalPrinterColumns", "[{name: a, type: string, jsonPath: .a}]", {}},
      {"/spec/versions/0/additionalPrinterColumns",
       "[{name: a, type: date, format: date-time, jsonPath: .a}]",
       {}},
      {"/spec/versions/0/additionalPrinterColumns",
       "[{}]",
       {at + "name: Required value", at + "type: Required value", at + "JSONPath: Required value"}},
      {"/spec/versions/0/additionalPrinterColumns",
       "[{name: a, type: x, format: x, jsonPath: a}]",
       {at + "type: Invalid value: \"x\": must be one of boolean,date,integer,number,string",
        at + "format: Invalid value: \"x\": must be one of "
             "byte,date,date-time,double,float,int32,int64,password",
        at + "JSONPath: Invalid value: \"a\": must be a simple json path starting with ."}},
      {"/spec/versions/0/additionalPrinterColumns",
       "[{type: string, jsonPath: .a}, {type: string, jsonPath: .b}]",
       {at + "name: Required value", "spec.additionalPrinterColumns[1].name: Required value"}},
  });
}

TEST(DefinitionVersions, Scale_PointsIntoSpecAndStatus) {
  const std::string at = "spec.subresources.scale.";
  Expect({
      {"/spec/versions/0/subresources",
       "{scale: {specReplicasPath: .spec.r, statusReplicasPath: .status.r}}",
       {}},
      {"/spec/versions/0/subresources",
       "{scale: {specReplicasPath: .spec.r, statusReplicasPath: .status.r, labelSelectorPath: "
       ".spec.l}}",
       {}},
      {"/spec/versions/0/subresources",
       "{scale: {specReplicasPath: .spec.r, statusReplicasPath: .status.r, labelSelectorPath: "
       ".status.l}}",
       {}},
      {"/spec/versions/0/subresources",
       "{scale: {specReplicasPath: .status.r, statusReplicasPath: .spec.r, labelSelectorPath: "
       ".x}}",
       {at + "specReplicasPath: Invalid value: \".status.r\": should be a json path under .spec",
        at + "statusReplicasPath: Invalid value: \".spec.r\": should be a json path under .status",
        at + "labelSelectorPath: Invalid value: \".x\": should be a json path under either .spec "
             "or .status"}},
      {"/spec/versions/0/subresources",
       "{scale: {}}",
       {at + "specReplicasPath: Required value", at + "statusReplicasPath: Required value"}},
      {"/spec/versions/0/subresources", "{status: {}}", {}},
  });
}

TEST(DefinitionVersions, SelectableFields_NameScalarsOfTheSchema) {
  const std::string at = "spec.selectableFields";
  const auto invalid = [&](std::size_t i, std::string_view path, std::string_view why) {
    return at + "[" + std::to_string(i) + "].jsonPath: Invalid value: \"" + std::string(path) +
           "\": " + std::string(why);
  };
  constexpr std::string_view kNone = "is an invalid path: does not refer to a valid field";
  constexpr std::string_view kType =
      "must point to a field of type string, boolean or integer. Enum string fields and strings "
      "with formats are allowed.";
  Expect({
      {"/spec/versions/0/selectableFields",
       "[{jsonPath: .spec.s}, {jsonPath: .spec.i}, {jsonPath: .spec.b}]",
       {}},
      {"/spec/versions/0/selectableFields",
       "[{}, {jsonPath: .spec.s}, {jsonPath: .spec.s}, {jsonPath: spec.s}, {jsonPath: .spec.x}, "
       "{jsonPath: .spec.f}, {jsonPath: .spec}, {jsonPath: .metadata.name}, {jsonPath: "
       ".spec.s.x}]",
       {at + "[0].jsonPath: Required value", at + "[2].jsonPath: Duplicate value: \".spec.s\"",
        invalid(3, "spec.s", "is an invalid path: expected [ or . but got: spec"),
        invalid(4, ".spec.x", kNone), invalid(5, ".spec.f", kType), invalid(6, ".spec", kType),
        invalid(7, ".metadata.name", kNone), invalid(8, ".spec.s.x", kNone)}},
      // Only paths that lead somewhere are compared.
      {"/spec/versions/0/selectableFields",
       "[{jsonPath: .x}, {jsonPath: .x}, {jsonPath: x}, {jsonPath: .spec}, {jsonPath: .spec}]",
       {invalid(0, ".x", kNone), invalid(1, ".x", kNone),
        invalid(2, "x", "is an invalid path: expected [ or . but got: x"),
        invalid(3, ".spec", kType), invalid(4, ".spec", kType),
        at + "[4].jsonPath: Duplicate value: \".spec\""}},
  });
  json::Value eight = With(Definition(), "/spec/versions/0/selectableFields", "[]");
  const auto add = [&eight](const std::string& name) {
    (void)eight.SetPointer(
        "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/" + name,
        yaml::Parse("{type: string}").OrExit());
    eight
        .SetPointer("/spec/versions/0/selectableFields/-",
                    json::Value::MakeObject({{"jsonPath", ".spec." + name}}))
        .OrExit();
  };
  for (int i = 0; i < 8; ++i) add("s" + std::to_string(i));
  EXPECT_EQ(Texts(CheckDefinition(eight, nullptr)), std::vector<std::string>{});
  add("s0");
  const std::string again = at + "[8].jsonPath: Duplicate value: \".spec.s0\"";
  EXPECT_EQ(Texts(CheckDefinition(eight, nullptr)), std::vector<std::string>{again});
  add("s8");
  EXPECT_EQ(Texts(CheckDefinition(eight, nullptr)),
            (std::vector<std::string>{again, at + ": Too many: 9: must have at most 8 items"}));
  json::Value metadata =
      With(Definition(), "/spec/versions/0/schema/openAPIV3Schema/properties/metadata",
           "{type: object, properties: {name: {type: string}}}");
  metadata = With(metadata, "/spec/versions/0/schema/openAPIV3Schema/properties/metadataOf",
                  "{type: string}");
  metadata = With(metadata, "/spec/versions/0/selectableFields",
                  "[{jsonPath: .metadata.name}, {jsonPath: .metadata}, {jsonPath: .metadataOf}]");
  constexpr std::string_view kMetadata = "must not point to fields in metadata";
  EXPECT_EQ(Texts(CheckDefinition(metadata, nullptr)),
            (std::vector<std::string>{invalid(0, ".metadata.name", kMetadata),
                                      invalid(1, ".metadata", kMetadata),
                                      invalid(1, ".metadata", kType)}));
}

// Problems that all versions share are reported once, and for the definition as a whole.
TEST(DefinitionVersions, Problems_AreNamedByTheirVersionUnlessAllHaveThem) {
  const auto problems = [](std::string_view first, std::string_view second) {
    json::Value definition =
        With(Definition(), "/spec/versions/0",
             "{name: v1, served: true, storage: true, " + std::string(first) + "}");
    definition = With(definition, "/spec/versions/-",
                      "{name: v2, served: true, " + std::string(second) + "}");
    return Texts(CheckDefinition(definition, nullptr));
  };
  using Strings = std::vector<std::string>;
  EXPECT_EQ(problems("schema: {}", "schema: {}"),
            (Strings{"spec.versions[0].schema.openAPIV3Schema: Required value",
                     "spec.versions[1].schema.openAPIV3Schema: Required value"}));
  const std::string bad = "schema: {openAPIV3Schema: {properties: {}}}";
  const std::string good = "schema: {openAPIV3Schema: {type: object}}";
  const std::string empty = ": Required value: must not be empty at the root";
  EXPECT_EQ(problems(bad, bad), (Strings{"spec.validation.openAPIV3Schema.type" + empty}));
  EXPECT_EQ(problems(good, bad), (Strings{"spec.versions[1].schema.openAPIV3Schema.type" + empty}));
  EXPECT_EQ(problems(bad, good), (Strings{"spec.versions[0].schema.openAPIV3Schema.type" + empty}));
  const std::string column =
      good + ", additionalPrinterColumns: [{name: a, type: x, jsonPath: .a}]";
  const std::string rule =
      ".type: Invalid value: \"x\": must be one of boolean,date,integer,number,string";
  EXPECT_EQ(problems(column, column), (Strings{"spec.additionalPrinterColumns[0]" + rule}));
  EXPECT_EQ(problems(good, column),
            (Strings{"spec.versions[1].additionalPrinterColumns[0]" + rule}));
  const std::string scale = good + ", subresources: {scale: {specReplicasPath: .spec.r}}";
  EXPECT_EQ(problems(scale, scale),
            (Strings{"spec.subresources.scale.statusReplicasPath: Required value"}));
  EXPECT_EQ(problems(good, scale),
            (Strings{"spec.versions[1].subresources.scale.statusReplicasPath: Required value"}));
  const std::string field = good + ", selectableFields: [{}]";
  EXPECT_EQ(problems(field, field), (Strings{"spec.selectableFields[0].jsonPath: Required value"}));
  EXPECT_EQ(problems(good, field),
            (Strings{"spec.versions[1].selectableFields[0].jsonPath: Required value"}));
}

TEST(DefinitionVersions, Updates_KeepGroupNamesAndScope) {
  const json::Value fresh = Definition();
  const json::Value established =
      With(Definition(), "/status/conditions", "[{type: Established, status: 'True'}]");
  const auto problems = [](const json::Value& old, std::string_view pointer,
                           std::string_view value) {
    return Texts(CheckDefinition(With(Definition(), pointer, value), &old));
  };
  using Strings = std::vector<std::string>;
  const auto fixed = [](std::string_view field, std::string_view value) {
    return Strings{std::string(field) + ": Invalid value: \"" + std::string(value) +
                   "\": field is immutable"};
  };
  EXPECT_EQ(problems(established, "/metadata/labels", "{}"), Strings{});
  EXPECT_EQ(problems(fresh, "/spec/group", "a.b"), fixed("spec.group", "a.b"));
  EXPECT_EQ(problems(fresh, "/spec/names/plural", "bars"), fixed("spec.names.plural", "bars"));
  EXPECT_EQ(problems(fresh, "/spec/scope", "Cluster"), Strings{});
  EXPECT_EQ(problems(fresh, "/spec/names/kind", "Bar"), Strings{});
  EXPECT_EQ(problems(established, "/spec/scope", "Cluster"), fixed("spec.scope", "Cluster"));
  EXPECT_EQ(problems(established, "/spec/names/kind", "Bar"), fixed("spec.names.kind", "Bar"));
  EXPECT_EQ(problems(established, "/spec/names/singular", "bar"), Strings{});
}

// A bundle that is no certificate is refused once the definition serves objects, unless it was so
// before.
TEST(DefinitionVersions, Bundle_IsCheckedOnceEstablished) {
  const auto webhook = [](const json::Value& definition, std::string_view bundle) {
    return With(definition, "/spec/conversion",
                "{strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "
                "'https://x', caBundle: '" +
                    std::string(bundle) + "'}}}");
  };
  // Encodes "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n" and half of it.
  constexpr std::string_view kGood =
      "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCi0tLS0tRU5EIENFUlRJRklDQVRFLS0tLS0K";
  constexpr std::string_view kBad = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0t";
  const json::Value fresh = Definition();
  const json::Value established =
      With(fresh, "/status/conditions", "[{type: Established, status: 'True'}]");
  const json::Value bad = webhook(established, kBad);
  const json::Value good = webhook(established, kGood);
  const auto count = [&](std::string_view bundle, const json::Value* old) {
    return CheckDefinition(webhook(fresh, bundle), old).size();
  };
  EXPECT_EQ(count(kBad, nullptr), 0U);
  EXPECT_EQ(count(kBad, &fresh), 0U);
  EXPECT_EQ(count(kBad, &bad), 0U);
  EXPECT_EQ(count(kGood, &established), 0U);
  EXPECT_EQ(count("", &established), 0U);
  EXPECT_EQ(count(kBad, &good), 1U);
  EXPECT_EQ(
      Texts(CheckDefinition(webhook(fresh, kBad), &established)),
      std::vector<std::string>{
          "spec.conversion.webhookClientConfig.caBundle: Invalid value: \"" + std::string(kBad) +
          "\": unable to load root certificates: unable to parse bytes as PEM block"});
}

}  // namespace
}  // namespace kinformer::apiserver

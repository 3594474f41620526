#include "cli/explain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

namespace kinformer::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kDocument[] = R"({"components":{"schemas":{
  "com.example.v1.Gizmo":{
    "description":"Gizmo is a thing.",
    "type":"object",
    "x-kubernetes-group-version-kind":[{"group":"example.com","kind":"Gizmo","version":"v1"}],
    "properties":{
      "spec":{"description":"What is wanted.","default":{},
              "allOf":[{"$ref":"#/components/schemas/com.example.v1.GizmoSpec"}]},
      "kind":{"type":"string"}}},
  "com.example.v1.GizmoSpec":{
    "description":"GizmoSpec describes a thing.",
    "type":"object",
    "required":["color"],
    "properties":{
      "color":{"type":"string","enum":["red","green","","blue","pink"],"description":"The color."},
      "speed":{"type":"integer","enum":[1,2]},
      "limits":{"type":"object","additionalProperties":
                {"$ref":"#/components/schemas/com.example.v1.Amount"}},
      "args":{"type":"array","items":{"type":"string"}},
      "parts":{"type":"array","description":"Its parts.",
               "items":{"$ref":"#/components/schemas/com.example.v1.Part"}},
      "when":{"$ref":"#/components/schemas/com.example.v1.Time"},
      "free":{"type":"object","additionalProperties":true}}},
  "com.example.v1.Part":{
    "description":"Part is one of them.",
    "type":"object",
    "properties":{
      "name":{"type":"string"},
      "parts":{"type":"array","items":{"$ref":"#/components/schemas/com.example.v1.Part"}}}},
  "com.example.v1.Amount":{"oneOf":[{"type":"string"},{"type":"number"}]},
  "com.example.v1.Time":{"type":"string","format":"date-time"},
  "io.k8s.api.core.v1.Pod":{
    "type":"object",
    "x-kubernetes-group-version-kind":[{"group":"","kind":"Pod","version":"v1"}],
    "properties":{}}}}})";

const GroupVersionKind kGizmo{"example.com", "v1", "Gizmo"};

Result<std::string> Explain(const std::vector<std::string>& fields, bool recursive = false,
                            const GroupVersionKind& kind = kGizmo) {
  return ExplainText(json::Parse(kDocument).value(), kind, fields, recursive);
}

TEST(ExplainText, KindIsExplainedWithItsFields) {
  EXPECT_EQ(Explain({}).value(),
            "GROUP:      example.com\n"
            "KIND:       Gizmo\n"
            "VERSION:    v1\n"
            "\n"
            "DESCRIPTION:\n"
            "    Gizmo is a thing.\n"
            "\n"
            "FIELDS:\n"
            "  kind\t<string>\n"
            "    <no description>\n"
            "\n"
            "  spec\t<GizmoSpec>\n"
            "    What is wanted.\n"
            "\n"
            "\n");
}

TEST(ExplainText, CoreGroupHasNoLine) {
  EXPECT_EQ(Explain({}, false, {"", "v1", "Pod"}).value(),
            "KIND:       Pod\nVERSION:    v1\n\nDESCRIPTION:\n    <empty>\n\n");
}

TEST(ExplainText, FieldHasItsOwnDescriptionAndThatOfItsType) {
  const std::string text = Explain({"spec"}).value();
  EXPECT_THAT(text,
              HasSubstr("\n\nFIELD: spec <GizmoSpec>\n\n\nDESCRIPTION:\n"
                        "    What is wanted.\n    GizmoSpec describes a thing.\n\nFIELDS:\n"));
  EXPECT_THAT(Explain({"spec", "parts"}).value(),
              HasSubstr("FIELD: parts <[]Part>\n\n\nDESCRIPTION:\n    Its parts.\n"
                        "    Part is one of them.\n\nFIELDS:\n  name\t<string>\n"));
}

TEST(ExplainText, TypesAreWrittenLikeThoseOfGo) {
  const std::string text = Explain({"spec"}).value();
  EXPECT_THAT(text, HasSubstr("  args\t<[]string>\n"));
  EXPECT_THAT(text, HasSubstr("  limits\t<map[string]Amount>\n"));
  EXPECT_THAT(text, HasSubstr("  when\t<string>\n"));
  EXPECT_THAT(text, HasSubstr("  free\t<Object>\n"));
}

TEST(ExplainText, RequiredFieldsAndValuesOfEnumsAreMarked) {
  EXPECT_THAT(Explain({"spec"}).value(),
              HasSubstr("  color\t<string> -required-\n  enum: red, green, \"\", blue, ....\n"
                        "    The color.\n"));
  EXPECT_THAT(Explain({"spec"}).value(), HasSubstr("  speed\t<integer>\n  enum: 1, 2\n"));
  EXPECT_THAT(Explain({"spec", "color"}).value(),
              HasSubstr("FIELD: color <string> -required-\nENUM:\n    red\n    green\n    \"\"\n"
                        "    blue\n    pink\n\nDESCRIPTION:\n    The color.\n\n"));
}

TEST(ExplainText, RecursionListsFieldsWithoutDescriptionsAndEndsAtItsOwnKind) {
  EXPECT_THAT(Explain({"spec"}, /*recursive=*/true).value(),
              HasSubstr("FIELDS:\n"
                        "  args\t<[]string>\n"
                        "  color\t<string> -required-\n"
                        "  enum: red, green, \"\", blue, ....\n"
                        "  free\t<Object>\n"
                        "  limits\t<map[string]Amount>\n"
                        "  parts\t<[]Part>\n"
                        "    name\t<string>\n"
                        "    parts\t<[]Part>\n"
                        "  speed\t<integer>\n"
                        "  enum: 1, 2\n"
                        "  when\t<string>\n"
                        "\n"));
}

TEST(ExplainText, UnknownFieldIsNamedWithASimilarOne) {
  const Result<std::string> text = Explain({"spec", "colour"});
  ASSERT_FALSE(text);
  EXPECT_EQ(text.error().reason(), Reason::kNotFound);
  EXPECT_EQ(text.error().message(),
            "field \"colour\" does not exist in spec; did you mean \"color\"?");
  EXPECT_EQ(Explain({"nothing"}).error().message(), "field \"nothing\" does not exist");
  EXPECT_FALSE(Explain({"kind", "x"}));
  EXPECT_THAT(Explain({}, false, {"", "v2", "Pod"}).error().message(),
              HasSubstr("no schema of Pod in version v2"));
}

TEST(ExplainText, LongLinesBreakBetweenWords) {
  json::Value document = json::Parse(kDocument).value();
  const std::string word(30, 'x');
  document.Ensure("components")
      .Ensure("schemas")
      .Ensure("com.example.v1.Gizmo")
      .Ensure("description") =
      word + " " + word + " " + word + "\n\n\t- \x1b[31m" + std::string(90, 'y') + " z";
  EXPECT_THAT(ExplainText(document, kGizmo, {}, false).value(),
              HasSubstr("    " + word + " " + word + "\n    " + word +
                        "\n\n    \t-\n    \\x1b[31m" + std::string(90, 'y') + "\n    z\n"));
}

TEST(ExplainText, ArgumentIsAResourceAndFields) {
  const std::vector<ApiGroup> groups{
      {.name = ""}, {.name = "apps"}, {.name = "example.com"}, {.name = "com"}};
  const Explained plain = ReadExplained("pods.spec.containers", groups).value();
  EXPECT_EQ(plain.resource, "pods");
  EXPECT_THAT(plain.fields, ElementsAre("spec", "containers"));
  const Explained grouped = ReadExplained("gizmos.example.com.spec", groups).value();
  EXPECT_EQ(grouped.resource, "gizmos.example.com");
  EXPECT_THAT(grouped.fields, ElementsAre("spec"));
  EXPECT_EQ(ReadExplained("deployments.apps", groups)->resource, "deployments.apps");
  EXPECT_THAT(ReadExplained("deployments.apps", groups)->fields, IsEmpty());
  EXPECT_THAT(ReadExplained("pods.appset", groups)->fields, ElementsAre("appset"));
}

TEST(ExplainText, ArgumentWithoutANameIsAMistake) {
  for (const char* argument : {"", ".spec", "pods.", "pods..spec", "pods.apps."}) {
    const Result<Explained> explained = ReadExplained(argument, {{.name = "apps"}});
    ASSERT_FALSE(explained) << argument;
    EXPECT_EQ(explained.error().reason(), Reason::kInvalidArgument);
  }
}

}  // namespace
}  // namespace kinformer::cli

// Definitions of structs.

#include "kinformer/object/crd.h"

#include <array>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/metav1_mutable.h"
#include "kinformer/object/custom_resource.h"

namespace kinformer {
namespace {

using json::Value;
using ::testing::HasSubstr;

enum class Size { kSmall, kLarge };
constexpr std::array<EnumName<Size>, 2> EnumNames(Size) {
  return {{{Size::kSmall, "Small"}, {Size::kLarge, "Large"}}};
}

struct Port {
  std::string name{};
  std::uint16_t port = 80;
  static constexpr FieldSchema kSchema[] = {{.member = "name", .required = true}};
};

struct WebsiteSpec {
  std::string page{};
  std::int32_t replicas = 1;
  std::int64_t bytes = 0;
  std::optional<double> ratio{};
  bool open = true;
  Size size = Size::kLarge;
  std::vector<Port> ports{};
  std::vector<std::string> hosts{};
  std::map<std::string, std::string> labels{};
  metav1::Time since{};
  metav1::Duration timeout{};
  resource::Quantity memory{};
  intstr::IntOrStringMutable target{};
  json::Value anything{};
  std::string mode{};
  std::optional<std::int32_t> nothing{};
  std::vector<WebsiteSpec> inner{};
  UnknownFields unknown{};
  static constexpr FieldSchema kHost{.pattern = "^[a-z.]+$", .min_length = 1};
  static constexpr FieldSchema kSchema[] = {
      {.description = "All of it.",
       .rule = {.expression = "self.replicas > 0 || !self.open", .message = "open needs pods"}},
      {.member = "page", .description = "HTML.", .required = true, .max_length = 65536},
      {.member = "replicas", .minimum = 0, .maximum = 100},
      {.member = "ratio", .minimum = 0, .maximum = 1.5, .exclusive_minimum = true},
      {.member = "ports", .max_items = 8, .list_type = "map", .list_map_keys = "name"},
      {.member = "hosts", .list_type = "set", .each = &kHost},
      {.member = "mode", .default_value = "\"Fast\"", .values = "Fast, Slow"},
      {.member = "nothing", .nullable = true, .extra = R"({"title":"N","format":null})"},
  };
};

struct WebsiteStatus {
  std::int32_t replicas = 0;
  std::string selector{};
  std::vector<metav1::ConditionMutable> conditions{};
};

struct Website {
  static constexpr CustomKind kKind{
      .group = "example.com",
      .version = "v1",
      .short_names = "ws",
      .categories = "all",
      .columns = {{.name = "Replicas", .path = ".spec.replicas"},
                  {.name = "Ready", .path = ".status.conditions[?(@.type==\"Ready\")].status"},
                  {.name = "Age", .path = ".metadata.creationTimestamp", .priority = 1}},
      .scale = {
          .spec = ".spec.replicas", .status = ".status.replicas", .selector = ".status.selector"}};
  WebsiteSpec spec{};
  WebsiteStatus status{};
};

Value DefinitionOfWebsite() { return crd::Definition<Website>().OrExit(); }

Value SchemaOfSpec() {
  return DefinitionOfWebsite()["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
                              ["spec"];
}

Value Read(std::string_view text) { return json::Parse(text).OrExit(); }

TEST(Crd_Test, Definition_OfKind_HasNamesColumnsAndSubresources) {
  Value definition = DefinitionOfWebsite();
  Value& version = definition.Ensure("spec", "versions", 0);
  version.Erase("schema");
  EXPECT_EQ(definition, Read(R"({
    "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
    "metadata": {"name": "websites.example.com"},
    "spec": {
      "group": "example.com", "scope": "Namespaced",
      "names": {"kind": "Website", "listKind": "WebsiteList", "plural": "websites",
                "singular": "website", "shortNames": ["ws"], "categories": ["all"]},
      "versions": [{
        "name": "v1", "served": true, "storage": true,
        "subresources": {"status": {}, "scale": {"specReplicasPath": ".spec.replicas",
            "statusReplicasPath": ".status.replicas", "labelSelectorPath": ".status.selector"}},
        "additionalPrinterColumns": [
          {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
          {"name": "Ready", "type": "string",
           "jsonPath": ".status.conditions[?(@.type==\"Ready\")].status"},
          {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp",
           "priority": 1}]}]}})"));
}

TEST(Crd_Test, Schema_OfMembers_HasTypesDefaultsAndRules) {
  EXPECT_EQ(SchemaOfSpec(), Read(R"({
    "type": "object", "description": "All of it.", "required": ["page"],
    "x-kubernetes-validations": [{"rule": "self.replicas > 0 || !self.open",
                                  "message": "open needs pods"}],
    "properties": {
      "page": {"type": "string", "description": "HTML.", "maxLength": 65536},
      "replicas": {"type": "integer", "format": "int32", "default": 1, "minimum": 0,
                   "maximum": 100},
      "bytes": {"type": "integer", "format": "int64"},
      "ratio": {"type": "number", "format": "double", "minimum": 0, "maximum": 1.5,
                "exclusiveMinimum": true},
      "open": {"type": "boolean", "default": true},
      "size": {"type": "string", "enum": ["Small", "Large"], "default": "Large"},
      "ports": {"type": "array", "maxItems": 8, "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["name"],
        "items": {"type": "object", "required": ["name"], "properties": {
          "name": {"type": "string"},
          "port": {"type": "integer", "format": "int32", "minimum": 0, "maximum": 65535,
                   "default": 80}}}},
      "hosts": {"type": "array", "x-kubernetes-list-type": "set",
        "items": {"type": "string", "minLength": 1, "pattern": "^[a-z.]+$"}},
      "labels": {"type": "object", "additionalProperties": {"type": "string"}},
      "since": {"type": "string", "format": "date-time"},
      "timeout": {"type": "string"},
      "memory": {"x-kubernetes-int-or-string": true,
        "anyOf": [{"type": "integer"}, {"type": "string"}],
        "pattern": "^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|)"
                                 R"(([eE](\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))))?$"},
      "target": {"x-kubernetes-int-or-string": true,
        "anyOf": [{"type": "integer"}, {"type": "string"}]},
      "anything": {"x-kubernetes-preserve-unknown-fields": true},
      "mode": {"type": "string", "enum": ["Fast", "Slow"], "default": "Fast"},
      "nothing": {"type": "integer", "nullable": true, "title": "N"},
      "inner": {"type": "array", "items": {"type": "object",
        "x-kubernetes-preserve-unknown-fields": true}}}})"));
}

TEST(Crd_Test, Conditions_OfStatus_HaveTheirRules) {
  const Value conditions = DefinitionOfWebsite().At(
      "/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/conditions");
  EXPECT_EQ(conditions["x-kubernetes-list-map-keys"], Read(R"(["type"])"));
  EXPECT_EQ(conditions["items"]["required"],
            Read(R"(["lastTransitionTime","message","reason","status","type"])"));
  EXPECT_EQ(conditions.At("/items/properties/status/enum"), Read(R"(["True","False","Unknown"])"));
}

struct Templated {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  corev1::PodTemplateSpecMutable pod{};
};

TEST(Crd_Test, GeneratedStruct_AsMember_HasTheFieldsOfItsKind) {
  const Value definition = crd::Definition<Templated>().OrExit();
  const Value& pod = definition.At("/spec/versions/0/schema/openAPIV3Schema/properties/pod");
  const Value& container = pod.At("/properties/spec/properties/containers/items/properties");
  EXPECT_EQ(container.At("/image"), Read(R"({"type":"string"})"));
  EXPECT_EQ(
      container.At("/resources/properties/limits/additionalProperties/x-kubernetes-int-or-string"),
      Value(true));
  EXPECT_EQ(pod.At("/properties/spec/properties/containers/x-kubernetes-list-type"), Value("map"));
}

namespace v1 {
struct Site {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1", .deprecated = true};
  std::string old{};
};
}  // namespace v1
namespace v2 {
struct Site {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v2", .storage = true};
  std::string now{};
};
}  // namespace v2

TEST(Crd_Test, Structs_OfOneKind_AreVersionsOfOneDefinition) {
  const auto all = crd::Definitions<v1::Site, Website, v2::Site>().OrExit();
  ASSERT_EQ(all.size(), 2u);
  const Value& versions = all[0]["spec"]["versions"];
  EXPECT_EQ(versions[0]["storage"], Value(false));
  EXPECT_EQ(versions[0]["deprecated"], Value(true));
  EXPECT_EQ(versions[1]["storage"], Value(true));
  EXPECT_EQ(all[1]["metadata"]["name"], Value("websites.example.com"));
  EXPECT_THAT((crd::Definition<v1::Site, Website>().error().message()), HasSubstr("one kind"));
  EXPECT_THAT((crd::Yaml<v1::Site, Website>().OrExit()), HasSubstr("\n---\napiVersion"));
}

struct WrongSpec {
  std::string text{};
  std::vector<Port> ports{};
  std::vector<Port> more{};
  static constexpr FieldSchema kEach{.minimum = 1};
  static constexpr FieldSchema kSchema[] = {
      {.member = "text", .default_value = "{", .list_type = "set", .each = &kEach},
      {.member = "ports", .list_type = "map", .list_map_keys = "number"},
      {.member = "more", .list_type = "map", .extra = "[]"},
  };
};
struct Wrong {
  static constexpr CustomKind kKind{.group = "example.com",
                                    .version = "v1",
                                    .columns = {{.name = "A", .path = ".spec.absent"}},
                                    .scale = {.spec = ".spec.text", .status = ".status.no"}};
  WrongSpec spec{};
  std::string metadata{};
};

TEST(Crd_Test, Lines_ThatDoNotFit_AreNamedWithTheirPlace) {
  const auto made = crd::Definition<Wrong>();
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().reason(), Reason::kInvalidArgument);
  const std::string& message = made.error().message();
  EXPECT_THAT(message, HasSubstr("Wrong v1: WrongSpec::text: default_value is no JSON"));
  EXPECT_THAT(message, HasSubstr("WrongSpec::text: list_type is for lists"));
  EXPECT_THAT(message, HasSubstr("WrongSpec::text: `each` is for lists and maps"));
  EXPECT_THAT(message, HasSubstr("WrongSpec::ports: list_map_keys names number, which the items"));
  EXPECT_THAT(message,
              HasSubstr(R"(WrongSpec::more: list_map_keys belongs to the list_type "map")"));
  EXPECT_THAT(message, HasSubstr("WrongSpec::more: extra must be an object"));
  EXPECT_THAT(message, HasSubstr("kKind.columns: there is no member at .spec.absent"));
  EXPECT_THAT(message, HasSubstr("kKind.scale: there is no member at .status.no"));
  EXPECT_THAT(message, HasSubstr("the member metadata is one that each object has"));
}

}  // namespace
}  // namespace kinformer

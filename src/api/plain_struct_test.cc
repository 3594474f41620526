// Plain structs: their members are found by the compiler, with their names and types.

#include <array>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "kinformer/api/metav1_mutable.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/object/fields.h"
#include "kinformer/object/projection.h"

namespace kinformer {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

enum class Colour { kRed, kBlue };
constexpr std::array<EnumName<Colour>, 2> EnumNames(Colour) {
  return {{{Colour::kRed, "Red"}, {Colour::kBlue, "Blue"}}};
}

struct Port {
  std::uint16_t port = 80;
  std::string host{};
  static constexpr FieldSchema kSchema[] = {{.member = "host", .omit_empty = true}};
};

// Contains itself, in each of the ways.
struct Tree {
  std::string label{};
  Box<Tree> left{};
  std::vector<Tree> children{};
  std::map<std::string, Tree> named{};
};

// A member of each type.
struct Everything {
  bool flag = false;
  std::int64_t size = 1;
  double ratio = 0.5;
  std::string class_{};
  Colour colour = Colour::kBlue;
  std::optional<std::string> note{};
  std::optional<std::int32_t> count{};
  std::optional<Port> first{};
  Box<Port> boxed{};
  Port port{};
  std::vector<Port> ports{};
  std::vector<bool> bits{};
  std::map<std::string, std::vector<std::string>> groups{};
  metav1::Time since{};
  metav1::MicroTime precise{};
  metav1::Duration timeout{};
  resource::Quantity memory{};
  intstr::IntOrStringMutable target{};
  json::Value anything{};
  metav1::ConditionMutable condition{};
  std::vector<metav1::ConditionMutable> conditions{};
  Tree tree{};
  std::string reference{};
  UnknownFields unknown{};
  static constexpr FieldSchema kSchema[] = {{.member = "reference", .name = "$ref"}};
};

struct Nothing {};

template <class T>
std::vector<std::string> NamesOf() {
  std::vector<std::string> out;
  for (const internal::FieldFacts& field : internal::kFieldFacts<T>) out.emplace_back(field.name);
  return out;
}

TEST(PlainStruct_Test, Members_OfEachType_HaveTheirNames) {
  EXPECT_THAT(
      NamesOf<Everything>(),
      ElementsAre("flag", "size", "ratio", "class", "colour", "note", "count", "first", "boxed",
                  "port", "ports", "bits", "groups", "since", "precise", "timeout", "memory",
                  "target", "anything", "condition", "conditions", "tree", "$ref", ""));
  EXPECT_THAT(NamesOf<Nothing>(), ElementsAre());
  EXPECT_THAT(NamesOf<Tree>(), ElementsAre("label", "left", "children", "named"));
}

TEST(PlainStruct_Test, Struct_OfEachType_IsReadAndWritten) {
  constexpr std::string_view kText =
      R"({"flag":true,"size":7,"ratio":1.5,"class":"a","colour":"Red","note":"n","count":3,)"
      R"("first":{"port":1,"host":"h"},"boxed":{"port":2},"port":{"port":3},"ports":[{"port":4}],)"
      R"("bits":[true,false],"groups":{"g":["x"]},"since":"2026-03-01T10:00:00Z",)"
      R"("precise":"2026-03-01T10:00:00.000001Z","timeout":"1m30s","memory":"1Gi","target":"http",)"
      R"("anything":[1],"condition":{"type":"A","status":"True","lastTransitionTime":null,)"
      R"("reason":"","message":""},"tree":{"label":"r","left":{"label":"l"},)"
      R"("children":[{"label":"c"}],"named":{"n":{"label":"x"}}},"$ref":"r","newer":{"x":1}})";
  const auto read = FieldsFromJson<Everything>(kText);
  ASSERT_TRUE(read.ok()) << read.error();
  EXPECT_EQ(read->class_, "a");
  EXPECT_EQ(read->boxed->port, 2);
  EXPECT_EQ(read->tree.named.at("n").label, "x");
  EXPECT_EQ(read->unknown.members.size(), 1u);
  EXPECT_EQ(FieldsToValue(*read), json::Parse(kText).OrExit());
}

TEST(PlainStruct_Test, Misfit_InsideLists_NamesItsPath) {
  const auto read = FieldsFromJson<Everything>(R"({"ports":[{"port":1},{"port":-1}]})");
  ASSERT_FALSE(read.ok());
  EXPECT_THAT(read.error().message(), HasSubstr("ports[1].port"));
  EXPECT_THAT(FieldsFromJson<Everything>(R"({"colour":"Green"})").error().message(),
              HasSubstr("\"Green\" is none of Red, Blue"));
}

struct Named {
  std::vector<std::string> names{};
  std::map<std::string, std::string> more{};
  std::vector<std::string> others{};
  static constexpr FieldSchema kSchema[] = {{.member = "names", .required = true},
                                            {.member = "more", .required = true}};
};

TEST(PlainStruct_Test, EmptyList_IfItIsRequired_IsWritten) {
  EXPECT_EQ(FieldsToJson(Named{}), R"({"names":[],"more":{}})");
}

TEST(PlainStruct_Test, Line_WithOmitEmpty_OmitsEmptyTexts) {
  EXPECT_EQ(FieldsToJson(Port{}), R"({"port":80})");
}

struct Limits {
  std::int32_t least = 0;
  std::string most{};
};
struct Sized {
  Limits limits{};
  std::vector<Limits> more{};
};

TEST(PlainStruct_Test, Projection_OfStruct_KeepsItsFields) {
  EXPECT_EQ(Projection::For<Sized>().ToString(),
            R"(keep ["limits"]["least"], ["limits"]["most"], ["more"]["least"], ["more"]["most"])");
  EXPECT_TRUE(Projection::For<Everything>().empty());
  EXPECT_THAT(FieldPaths<Sized>(),
              ElementsAre("limits.least", "limits.most", "more.least", "more.most"));
}

struct Website {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  Limits spec{};
};
struct NetworkPolicy {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1", .namespaced = false};
  Limits spec{};
};
struct Gateway {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1", .kind = "ServiceMesh"};
  Limits spec{};
};
struct Fish {
  static constexpr CustomKind kKind{
      .group = "example.com", .version = "v1", .kind = "Fish", .plural = "fish"};
  Limits spec{};
};

template <class T>
std::string ResourceOf() {
  const KindInfo& info = CustomResource<T>::kind_info();
  return std::string(info.kind) + " " + std::string(info.resource) +
         (info.namespaced ? " namespaced" : "");
}

TEST(CustomKind_Test, Names_ThatAreLeftOut_ComeFromTheStruct) {
  EXPECT_EQ(ResourceOf<Website>(), "Website websites namespaced");
  EXPECT_EQ(ResourceOf<NetworkPolicy>(), "NetworkPolicy networkpolicies");
  EXPECT_EQ(ResourceOf<Gateway>(), "ServiceMesh servicemeshes namespaced");
  EXPECT_EQ(ResourceOf<Fish>(), "Fish fish namespaced");
}

}  // namespace
}  // namespace kinformer

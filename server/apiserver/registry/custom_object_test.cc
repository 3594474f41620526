#include "apiserver/registry/custom_object.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Lines;
using testing::Quoted;
using ::testing::UnorderedElementsAre;

std::shared_ptr<const ServedVersion> Version(const std::string& name, std::string_view schema,
                                             bool storage) {
  return ServedVersion::Make({.version = name,
                              .api_version = "x.io/" + name,
                              .kind = "Widget",
                              .storage = storage,
                              .schema = schema.empty() ? nullptr
                                                       : std::make_shared<const StructuralSchema>(
                                                             yaml::Parse(schema).OrExit())});
}

// A resource with two versions; both can be scaled.
class CustomObject : public ::testing::Test {
 protected:
  CustomObject() {
    Subresource scale;
    scale.name = "scale";
    scale.spec_path = ".spec.n";
    scale.status_path = ".status.n";
    scale.selector_path = ".status.s";
    resource_->custom = true;
    resource_->subresources.push_back(std::move(scale));
    resource_->versions = {v1_, v2_};
  }
  std::vector<std::string> warnings_;
  const std::shared_ptr<const ServedVersion> v1_ = Version("v1", "{type: object}", false);
  const std::shared_ptr<const ServedVersion> v2_ =
      Version("v2",
              "{type: object, properties: {spec: {type: object, properties: {'n': {type: "
              "integer}, d: {type: integer, default: 3}}}}}",
              true);
  const std::shared_ptr<ServedResource> resource_ =
      std::make_shared<ServedResource>(testing::Builtin("x.io/widgets"));
};

TEST_F(CustomObject, ScaledFields_AreOfTheirTypes) {
  struct Row {
    std::string object;
    std::string problems;
  };
  for (const Row& row : std::vector<Row>{
           {"{}", ""},
           {"{'spec':null,'status':null}", ""},
           {"{'spec':{'n':0},'status':{'n':0,'s':''}}", ""},
           {"{'spec':{'n':2147483647},'status':{'n':2147483647,'s':'a=b'}}", ""},
           {"{'spec':{'n':-1}}", ".spec.n: Invalid value: -1: should be a non-negative integer\n"},
           {"{'spec':{'n':2147483648}}",
            ".spec.n: Invalid value: 2147483648: should be less than or equal to 2147483647\n"},
           {"{'spec':{'n':1.5}}",
            ".spec.n: Invalid value: 0: .spec.n accessor error: 1.5 is of the type float64, "
            "expected int64\n"},
           {"{'spec':{'n':null}}",
            ".spec.n: Invalid value: 0: .spec.n accessor error: <nil> is of the type <nil>, "
            "expected int64\n"},
           {"{'spec':{'n':true}}",
            ".spec.n: Invalid value: 0: .spec.n accessor error: true is of the type bool, "
            "expected int64\n"},
           {"{'spec':[1,'a']}",
            ".spec.n: Invalid value: 0: .spec.n accessor error: [1 a] is of the type []interface "
            "{}, expected map[string]interface{}\n"},
           {"{'status':{'n':'x'}}",
            ".status.n: Invalid value: 0: .status.n accessor error: x is of the type string, "
            "expected int64\n"},
           {"{'status':{'s':{'b':[],'a':{}}}}",
            ".status.s: Invalid value: \"\": .status.s accessor error: map[a:map[] b:[]] is of "
            "the type map[string]interface {}, expected string\n"},
           {"{'status':{'s':1}}",
            ".status.s: Invalid value: \"\": .status.s accessor error: 1 is of the type int64, "
            "expected string\n"},
       }) {
    const json::Value object = Quoted(row.object);
    EXPECT_EQ(Lines(ValidateCustomObject({resource_, v1_}, false, object, nullptr, warnings_)),
              row.problems)
        << row.object;
    // A write of the status does not look at the spec.
    const bool of_spec = row.problems.starts_with(".spec");
    EXPECT_EQ(Lines(ValidateCustomObject({resource_, v1_}, true, object, nullptr, warnings_)),
              of_spec ? "" : row.problems)
        << row.object;
  }
}

TEST_F(CustomObject, WithoutPathsOrSchema_NothingIsChecked) {
  const json::Value object = Quoted("{'spec':{'n':-1},'status':{'n':-1,'s':1}}");
  const auto any = Version("v3", "", false);
  EXPECT_EQ(Lines(ValidateCustomObject({resource_, any}, false, object, nullptr, warnings_)), "");
  for (Subresource& scale : resource_->subresources) {
    scale.spec_path.clear();
    scale.status_path.clear();
    scale.selector_path.clear();
  }
  EXPECT_EQ(Lines(ValidateCustomObject({resource_, v1_}, false, object, nullptr, warnings_)), "");
  resource_->subresources.clear();
  EXPECT_EQ(Lines(ValidateCustomObject({resource_, v1_}, false, object, nullptr, warnings_)), "");
}

TEST_F(CustomObject, StorageVersion_AddsItsDefaultsAndDropsWhatItDoesNotKnow) {
  const auto stored = [&](const std::shared_ptr<const ServedVersion>& from) {
    json::Value object = Quoted("{'spec':{'n':1,'u':1}}");
    EXPECT_TRUE(ToStorageVersion({resource_, from}, object).ok());
    return object.Dump();
  };
  EXPECT_EQ(stored(v1_), R"({"spec":{"n":1,"d":3}})");
  EXPECT_EQ(stored(v2_), R"({"spec":{"n":1,"u":1,"d":3}})") << "pruned before";
  resource_->versions = {Version("v1", "{type: object}", true), v2_};
  EXPECT_EQ(stored(resource_->versions[0]), R"({"spec":{"n":1,"u":1}})") << "no defaults";
  resource_->versions = {Version("v3", "", true)};
  EXPECT_EQ(stored(v1_), R"({"spec":{"n":1,"u":1}})") << "no schema";
}

TEST_F(CustomObject, Preparation_SetsTheTypeAndAppliesTheSchema) {
  json::Value object = Quoted("{'apiVersion':'a','kind':'b','spec':{'u':1}}");
  EXPECT_TRUE(PrepareCustomObject({resource_, v2_}, object).ok());
  EXPECT_EQ(object.Dump(), R"({"apiVersion":"x.io/v2","kind":"Widget","spec":{"d":3}})");
  json::Value faulty = Quoted("{'metadata':{'name':1}}");
  EXPECT_FALSE(PrepareCustomObject({resource_, v2_}, faulty).ok());
  json::Value any = Quoted("{'metadata':{'name':1},'kind':'b'}");
  EXPECT_TRUE(PrepareCustomObject({resource_, Version("v3", "", false)}, any).ok());
  EXPECT_EQ(any.Dump(), R"({"metadata":{"name":1},"kind":"b"})");
}

TEST_F(CustomObject, UnknownFields_AreNamed) {
  const json::Value object = Quoted("{'spec':{'n':1,'u':1},'v':2}");
  EXPECT_THAT(UnknownFieldProblems({resource_, v2_}, object),
              UnorderedElementsAre("unknown field \"spec.u\"", "unknown field \"v\""));
  EXPECT_TRUE(UnknownFieldProblems({resource_, Version("v3", "", false)}, object).empty());
}

}  // namespace
}  // namespace kinformer::apiserver

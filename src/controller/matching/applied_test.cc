// Configurations that are applied already, by the fields that their manager owns.

#include "controller/matching/applied.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/json/json.h"

namespace kinformer::internal::matching {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr const char* kFields = R"({"f:metadata":{"f:labels":{"f:app":{}}},
  "f:spec":{"f:replicas":{},"f:template":{"f:spec":{"f:containers":{
    "k:{\"name\":\"web\"}":{".":{},"f:name":{},"f:image":{},"f:args":{},
      "f:ports":{"k:{\"containerPort\":80,\"protocol\":\"TCP\"}":{".":{},"f:containerPort":{}}},
      "f:resources":{"f:limits":{"f:cpu":{}}}}}}}}})";
constexpr const char* kApplied = R"({"apiVersion":"apps/v1","kind":"Deployment",
  "metadata":{"name":"web","namespace":"default","labels":{"app":"web"}},
  "spec":{"replicas":3,"template":{"spec":{"containers":[
    {"name":"web","image":"web:1","args":["-v"],"ports":[{"containerPort":80}],
     "resources":{"limits":{"cpu":"1"}}}]}}}})";

class Applied : public ::testing::Test {
 protected:
  // The object has fields of others too.
  static json::Value Object() {
    json::Value object = json::Parse(kApplied).OrExit();
    object.Ensure("metadata", "labels").Set("theirs", "x");
    object.Ensure("metadata").Set("uid", "u");
    object.Ensure("spec").Set("paused", false);
    json::Value& containers = object.Ensure("spec", "template", "spec", "containers");
    containers.Ensure(0, "ports", 0).Set("protocol", "TCP");
    containers.Append(json::Parse(R"({"name":"sidecar","image":"side:1"})").OrExit());
    object.Ensure("metadata")
        .Set("managedFields", json::Value::MakeArray({Entry("other", "{}"), Entry("me", kFields)}));
    return object;
  }
  static json::Value Entry(const char* manager, const char* fields) {
    return json::Value::MakeObject({{"manager", manager},
                                    {"operation", "Apply"},
                                    {"apiVersion", "apps/v1"},
                                    {"fieldsType", "FieldsV1"},
                                    {"fieldsV1", json::Parse(fields).OrExit()}});
  }
  bool Is(const json::Value& object, const json::Value& applied, AppliedBy by = {"me", ""}) {
    wholes_.clear();
    return IsApplied(appsv1::Deployment::kind_info(), object, applied, by, wholes_);
  }
  std::vector<std::string> wholes_;
  json::Value object_ = Object();
  json::Value applied_ = json::Parse(kApplied).OrExit();
};

TEST_F(Applied, SameFieldsAndValues_AreApplied) {
  EXPECT_TRUE(Is(object_, applied_));
  EXPECT_THAT(wholes_, ElementsAre("spec.template.spec.containers[].args"));
}

TEST_F(Applied, AnotherValue_IsNotApplied) {
  object_.Ensure("spec").Set("replicas", 4);
  EXPECT_FALSE(Is(object_, applied_));
}

TEST_F(Applied, QuantityInAnotherForm_IsApplied) {
  applied_.Ensure("spec", "template", "spec", "containers", 0, "resources", "limits")
      .Set("cpu", "1000m");
  EXPECT_TRUE(Is(object_, applied_));
}

TEST_F(Applied, FieldThatIsNotOwnedYet_IsNotApplied) {
  applied_.Ensure("spec").Set("paused", false);
  EXPECT_FALSE(Is(object_, applied_)) << "the value is there, but nobody owns it for us";
}

TEST_F(Applied, FieldThatIsNoLongerApplied_IsNotApplied) {
  applied_.Ensure("metadata").Erase("labels");
  EXPECT_FALSE(Is(object_, applied_)) << "the server has to remove it";
}

TEST_F(Applied, ItemThatIsNoLongerApplied_IsNotApplied) {
  applied_.Ensure("spec", "template", "spec", "containers", 0, "ports") = json::Value::MakeArray();
  EXPECT_FALSE(Is(object_, applied_));
}

TEST_F(Applied, AnotherManagerOrSubresource_IsNotApplied) {
  EXPECT_FALSE(Is(object_, applied_, {"you", ""}));
  EXPECT_FALSE(Is(object_, applied_, {"other", ""}));
  EXPECT_FALSE(Is(object_, applied_, {"me", "status"}));
}

TEST_F(Applied, EntryOfAnUpdateOrOfAnotherVersion_IsNotApplied) {
  json::Value by_update = object_;
  by_update.Ensure("metadata", "managedFields", 1).Set("operation", "Update");
  EXPECT_FALSE(Is(by_update, applied_));
  object_.Ensure("metadata", "managedFields", 1).Set("apiVersion", "apps/v1beta1");
  EXPECT_FALSE(Is(object_, applied_));
}

TEST_F(Applied, WithoutManagedFields_IsNotApplied) {
  object_.Ensure("metadata").Erase("managedFields");
  EXPECT_FALSE(Is(object_, applied_));
}

TEST_F(Applied, Precondition_MustBeWhatIsThere) {
  applied_.Ensure("metadata").Set("uid", "u");
  EXPECT_TRUE(Is(object_, applied_));
  applied_.Ensure("metadata").Set("uid", "v");
  EXPECT_FALSE(Is(object_, applied_));
}

TEST_F(Applied, ListThatIsOwnedAsAWhole_IsNamed) {
  json::Value& args = applied_.Ensure("spec", "template", "spec", "containers", 0, "args");
  args.Append("-q");
  EXPECT_FALSE(Is(object_, applied_)) << "it must be equal as a whole";
  args = json::Value::MakeArray();
  object_.Ensure("spec", "template", "spec", "containers", 0, "args") = json::Value::MakeArray();
  EXPECT_TRUE(Is(object_, applied_));
  EXPECT_THAT(wholes_, IsEmpty()) << "an empty list is owned as a whole in any case";
}

TEST_F(Applied, ItemsInAnotherOrder_AreNotApplied) {
  json::Value more = applied_;
  more.Ensure("spec", "template", "spec", "containers")
      .Append(json::Parse(R"({"name":"sidecar"})").OrExit());
  object_
      .Ensure("metadata", "managedFields", 1, "fieldsV1", "f:spec", "f:template", "f:spec",
              "f:containers")
      .Set(R"(k:{"name":"sidecar"})", json::Parse(R"({".":{},"f:name":{}})").OrExit());
  EXPECT_TRUE(Is(object_, more));
  json::Array& items = object_.Ensure("spec", "template", "spec", "containers").EnsureArray();
  std::swap(items[0], items[1]);
  EXPECT_FALSE(Is(object_, more));
}

}  // namespace
}  // namespace kinformer::internal::matching

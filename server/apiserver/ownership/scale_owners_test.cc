#include "apiserver/ownership/scale_owners.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/ownership/managed_fields.h"

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;

// All expectations are those of kube-apiserver 1.37.
class ScaleOwners : public ::testing::Test {
 protected:
  // Adds an entry, whose fields are `spec` and others below it.
  void Own(const std::string& manager, const std::string& operation, const std::string& fields,
           const std::string& more = "") {
    object_.Ensure("metadata", "managedFields")
        .Append(yaml::Parse("{manager: " + manager + ", operation: " + operation +
                            ", apiVersion: example.com/v1, fieldsType: FieldsV1, " +
                            "time: '2026-01-01T00:00:00Z', fieldsV1: {'f:spec': " + fields + "}" +
                            more + "}")
                    .OrExit());
  }
  // Writes a Scale; returns the conflict's text.
  std::string Write(const std::string& manager, bool applies, ScaleChange change,
                    bool force = false) {
    const FieldManager writer{.tracks = true,
                              .applies = applies,
                              .name = manager,
                              .api_version = "example.com/v1",
                              .subresource = "scale",
                              .now = "2026-01-01T00:01:00Z"};
    const json::Value live = object_;
    const ReplicaFields fields = {{"example.com/v1", FieldAt("/spec/replicas")}};
    const auto tracked = TrackScale(writer, fields, change, live, force, object_);
    return tracked.ok() ? "" : tracked.error().message();
  }
  // Returns "manager/subresource operation fields", with a "*" if there is a time.
  std::vector<std::string> Owners() {
    std::vector<std::string> out;
    for (const json::Value& entry : std::as_const(object_).At("/metadata/managedFields").items()) {
      const std::string& part = entry["subresource"].StringOrEmpty();
      out.push_back(entry["manager"].StringOrEmpty() + (part.empty() ? "" : "/" + part) + " " +
                    entry["operation"].StringOrEmpty() +
                    (entry["time"].StringOrEmpty().empty() ? " " : "* ") +
                    entry["fieldsV1"]["f:spec"].Dump());
    }
    return out;
  }

  json::Value object_ = json::Value::MakeObject();
};

constexpr const char* kBoth = "{'f:replicas': {}, 'f:text': {}}";

TEST_F(ScaleOwners, Nobody_StaysNobodyAfterAnUpdate) {
  Own("m1", "Update", "{'f:text': {}}");
  Write("h", false, ScaleChange::kSet);
  EXPECT_THAT(Owners(), ElementsAre(R"(m1 Update* {"f:text":{}})"));
}

TEST_F(ScaleOwners, UpdateThatChangesNothing_SplitsTheEntryOfAnUpdater) {
  Own("m1", "Update", kBoth);
  Write("h", false, ScaleChange::kNone);
  EXPECT_THAT(Owners(),
              ElementsAre(R"(m1 Update {"f:replicas":{}})", R"(m1 Update* {"f:text":{}})"));
  // The one with a time counts from then on.
  Write("h", false, ScaleChange::kSet);
  EXPECT_THAT(Owners(), ElementsAre(R"(m1 Update* {"f:text":{}})"));
}

TEST_F(ScaleOwners, Update_TakesTheNumberFromAll) {
  Own("m1", "Apply", kBoth);
  Own("m2", "Update", kBoth);
  Write("h", false, ScaleChange::kSet);
  EXPECT_THAT(Owners(),
              ElementsAre(R"(m1 Apply* {"f:text":{}})", R"(h/scale Update {"f:replicas":{}})",
                          R"(m2 Update* {"f:text":{}})"));
}

TEST_F(ScaleOwners, Zero_HasNoOwner) {
  Own("m1", "Apply", kBoth);
  Write("h", false, ScaleChange::kRemoved);
  EXPECT_THAT(Owners(), ElementsAre(R"(m1 Apply* {"f:text":{}})"));
}

TEST_F(ScaleOwners, Applier_KeepsItsEntry) {
  Own("m1", "Apply", kBoth);
  Own("m2", "Apply", "{'f:replicas': {}}", ", subresource: scale");
  Write("m2", true, ScaleChange::kNone);
  EXPECT_THAT(Owners(), ElementsAre(R"(m1 Apply* {"f:replicas":{},"f:text":{}})",
                                    R"(m2/scale Apply* {"f:replicas":{}})"));
}

TEST_F(ScaleOwners, ApplyOfAnotherNumber_ConflictsUnlessItIsForced) {
  Own("m1", "Apply", kBoth);
  Own("m2", "Update", kBoth);
  EXPECT_EQ(Write("m3", true, ScaleChange::kSet),
            "Apply failed with 2 conflicts: conflicts with \"m1\":\n- .spec.replicas\n"
            "conflicts with \"m2\" using autoscaling/v1:\n- .spec.replicas");
  EXPECT_EQ(Write("m3", true, ScaleChange::kSet, /*force=*/true), "");
  EXPECT_THAT(Owners(), ElementsAre(R"(m3/scale Apply {"f:replicas":{}})",
                                    R"(m1 Apply* {"f:text":{}})", R"(m2 Update* {"f:text":{}})"));
}

TEST_F(ScaleOwners, EntriesOfUnknownVersions_AreDropped) {
  Own("m1", "Update", kBoth);
  json::Value old = yaml::Parse(
                        "{manager: m0, operation: Update, apiVersion: example.com/v0, "
                        "fieldsType: FieldsV1, fieldsV1: {'f:spec': {'f:text': {}}}}")
                        .OrExit();
  object_.Ensure("metadata", "managedFields").Append(std::move(old));
  Write("h", false, ScaleChange::kSet);
  EXPECT_THAT(Owners(),
              ElementsAre(R"(h/scale Update {"f:replicas":{}})", R"(m1 Update* {"f:text":{}})"));
}

TEST(ManagedFields, Applier_IsTheSameInAllVersions) {
  const auto entry = [](const std::string& operation, const std::string& version) {
    return "{manager: m, operation: " + operation + ", apiVersion: " + version +
           ", fieldsType: FieldsV1, fieldsV1: {'f:spec': {}}}";
  };
  const auto count = [&](const std::string& operation) {
    return ManagedFieldsOf(yaml::Parse("{metadata: {managedFields: [" + entry(operation, "g/v1") +
                                       ", " + entry(operation, "g/v2") + "]}}")
                               .OrExit())
        .size();
  };
  EXPECT_EQ(count("Apply"), 1U);
  EXPECT_EQ(count("Update"), 2U);
}

}  // namespace
}  // namespace kinformer::apiserver

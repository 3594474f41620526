// Preconditions of updates and deletes, and metadata of sent objects.

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/resource_table.h"
#include "apiserver/testing.h"
#include "apiserver/write/object/object_writer.h"
#include "apiserver/write/object/preconditions.h"
#include "apiserver/write/object/sent_metadata.h"

namespace kinformer::apiserver::testing {
namespace {

class WritePreconditions : public ::testing::Test {
 protected:
  ResourceAt At(std::string_view group, std::string_view version, std::string_view plural) {
    return table_.Find(group, version, plural);
  }
  const ServedResource& Core(std::string_view plural) { return *At("", "v1", plural).resource; }

  ResourceTable table_{HistoryLimits{}};
};

StoredObjectPtr Stored() {
  return StoredObject::Make(Json(R"({"metadata":{"name":"a","namespace":"ns","uid":"u1"}})"), 7,
                            {});
}

std::string TextOf(const Result<void>& result) {
  return result ? ""
                : std::to_string(result.error().http_status()) + " " + result.error().message();
}

TEST_F(WritePreconditions, Update_NeedsTheVersionAndUidOfTheObject) {
  struct Row {
    bool unconditional;
    std::string_view metadata;
    std::string_view result;
  };
  constexpr std::string_view kConflict =
      "409 Operation cannot be fulfilled on configmaps \"a\": the object has been modified; please "
      "apply your changes to the latest version and try again";
  constexpr std::string_view kMustHave =
      "422 configmaps \"a\" is invalid: metadata.resourceVersion: Invalid value: 0: must be "
      "specified for an update";
  const std::vector<Row> rows = {
      {true, R"({})", ""},
      {true, R"({"resourceVersion":""})", ""},
      {true, R"({"resourceVersion":"0"})", ""},
      {true, R"({"resourceVersion":"7"})", ""},
      {true, R"({"resourceVersion":"7","uid":"u1"})", ""},
      {true, R"({"uid":""})", ""},
      {true, R"({"resourceVersion":"6"})", kConflict},
      {true, R"({"resourceVersion":"8"})", kConflict},
      {false, R"({"resourceVersion":"7"})", ""},
      {false, R"({"resourceVersion":"6"})", kConflict},
      {false, R"({})", kMustHave},
      {false, R"({"resourceVersion":"0"})", kMustHave},
      {true, R"({"uid":"u2"})",
       "409 Operation cannot be fulfilled on configmaps \"a\": StorageError: invalid object, Code: "
       "4, Key: /registry/configmaps/ns/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition "
       "failed: UID in precondition: u2, UID in object meta: u1"},
  };
  for (const Row& row : rows) {
    ServedResource resource;
    resource.plural = "configmaps";
    resource.unconditional_update = row.unconditional;
    const std::string text = TextOf(CheckMayUpdate(resource, "a", Json(row.metadata), Stored()));
    if (row.metadata.find("u2") == std::string_view::npos) {
      EXPECT_EQ(text, row.result) << row.metadata;
    } else {
      EXPECT_EQ(text.substr(0, 3), "409") << text;
      EXPECT_NE(text.find("UID in precondition: u2, UID in object meta: u1"), std::string::npos)
          << text;
    }
  }
}

TEST_F(WritePreconditions, Delete_ChecksItsPreconditions) {
  struct Row {
    std::string plural;
    std::string name;
    std::optional<std::string> uid;
    std::optional<std::string> version;
    std::string_view result;
  };
  const std::vector<Row> rows = {
      {"configmaps", "a", std::nullopt, std::nullopt, ""},
      {"configmaps", "default", "u1", "7", ""},
      {"configmaps", "a", "u2", std::nullopt,
       "409 Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition (u2) "
       "does "
       "not match the UID in record (u1). The object might have been deleted and then recreated"},
      {"configmaps", "a", "", std::nullopt,
       "409 Operation cannot be fulfilled on ConfigMap \"a\": the UID in the precondition () does "
       "not match the UID in record (u1). The object might have been deleted and then recreated"},
      {"configmaps", "a", std::nullopt, "6",
       "409 Operation cannot be fulfilled on ConfigMap \"a\": the ResourceVersion in the "
       "precondition (6) does not match the ResourceVersion in record (7). The object might have "
       "been modified"},
      {"namespaces", "a", "u1", "7", ""},
      {"namespaces", "a", "u2", std::nullopt,
       "409 Operation cannot be fulfilled on namespaces \"a\": Precondition failed: UID in "
       "precondition: u2, UID in object meta: u1"},
      {"namespaces", "a", std::nullopt, "6",
       "409 Operation cannot be fulfilled on namespaces \"a\": Precondition failed: "
       "ResourceVersion in precondition: 6, ResourceVersion in object meta: 7"},
      {"namespaces", "default", std::nullopt, std::nullopt,
       "403 namespaces \"default\" is forbidden: this namespace may not be deleted"},
      {"namespaces", "kube-public", std::nullopt, std::nullopt,
       "403 namespaces \"kube-public\" is forbidden: this namespace may not be deleted"},
      {"namespaces", "kube-system", std::nullopt, std::nullopt,
       "403 namespaces \"kube-system\" is forbidden: this namespace may not be deleted"},
      {"namespaces", "kube-node-lease", std::nullopt, std::nullopt, ""},
  };
  for (const Row& row : rows) {
    const DeleteRequest request{.grace_period_seconds = {},
                                .uid = row.uid,
                                .resource_version = row.version,
                                .propagation = {},
                                .sent = {}};
    EXPECT_EQ(TextOf(CheckMayDelete(Core(row.plural), row.name, request, Stored())), row.result)
        << row.plural << " " << row.name;
  }
}

TEST_F(WritePreconditions, NewObject_GetsItsPlaceAndLosesTheServersFields) {
  const WriteTarget target{.at = At("", "v1", "configmaps"), .namespace_ = "ns", .name = "a"};
  json::Value metadata = Json(R"({"uid":"u","creationTimestamp":"t","deletionTimestamp":"t",
      "deletionGracePeriodSeconds":3,"selfLink":"/x","resourceVersion":"12","labels":{}})");
  Result<std::string> version = PlaceNew(target, metadata);
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(*version, "12");
  EXPECT_EQ(metadata, Json(R"({"namespace":"ns","name":"a"})")) << metadata.Dump();
  metadata = Json(R"({"name":"b","namespace":"ns"})");
  version = PlaceNew(target, metadata);
  ASSERT_TRUE(version.ok());
  EXPECT_EQ(*version, "");
  EXPECT_EQ(metadata, Json(R"({"name":"b","namespace":"ns"})"));
  metadata = Json(R"({"namespace":"other"})");
  version = PlaceNew(target, metadata);
  ASSERT_FALSE(version.ok());
  EXPECT_EQ(
      version.error().message(),
      "the namespace of the provided object does not match the namespace sent on the request");
  metadata = json::Value();
  const WriteTarget unnamed{.at = At("", "v1", "nodes")};
  ASSERT_TRUE(PlaceNew(unnamed, metadata).ok());
  EXPECT_EQ(metadata, json::Value::MakeObject());
  metadata = Json(R"({"namespace":"ns"})");
  ASSERT_TRUE(PlaceNew(unnamed, metadata).ok());
  EXPECT_EQ(metadata, json::Value::MakeObject()) << "nodes have no namespace";
}

TEST_F(WritePreconditions, SentMetadata_MatchesTheUrl) {
  struct Row {
    std::string_view plural;
    std::string_view metadata;
    std::string_view result;
  };
  constexpr std::string_view kPlace =
      "400 the namespace of the provided object does not match the namespace sent on the request";
  const std::vector<Row> rows = {
      {"configmaps", R"({"name":"a"})", ""},
      {"configmaps", R"({"name":"a","namespace":"ns","resourceVersion":"0123456789"})", ""},
      {"configmaps", R"({"name":"a","namespace":"other"})", kPlace},
      {"nodes", R"({"name":"a","namespace":"other"})", ""},
      {"configmaps", R"({"name":"b"})",
       "400 the name of the object (b) does not match the name on the URL (a)"},
      {"nodes", R"({})",
       "400 the name of the object (a based on URL) was undeterminable: name must be provided"},
      {"nodes", R"({"name":"a","resourceVersion":"1x"})",
       "400 invalid metadata.resourceVersion \"1x\": it must be a decimal number"},
      {"configmaps", R"({"name":"a","resourceVersion":"-1"})",
       "400 invalid metadata.resourceVersion \"-1\": it must be a decimal number"},
  };
  for (const Row& row : rows) {
    const WriteTarget target{.at = At("", "v1", row.plural), .namespace_ = "ns", .name = "a"};
    EXPECT_EQ(TextOf(CheckSentMetadata(target, Json(row.metadata))), row.result) << row.metadata;
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing

// Rules of deletes and of sent metadata: grace periods, marks, finalizers, preconditions, places.

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/resource_table.h"
#include "apiserver/testing.h"
#include "apiserver/write/deletion_mark.h"
#include "apiserver/write/object_writer.h"
#include "apiserver/write/preconditions.h"
#include "apiserver/write/propagation.h"
#include "apiserver/write/sent_metadata.h"

namespace kinformer::apiserver::testing {
namespace {

using std::chrono::seconds;

const WallTime kNow{seconds(1'700'000'000)};  // 2023-11-14T22:13:20Z

class DeletionRules : public ::testing::Test {
 protected:
  ResourceAt At(std::string_view group, std::string_view version, std::string_view plural) {
    return table_.Find(group, version, plural);
  }
  const ServedResource& Core(std::string_view plural) { return *At("", "v1", plural).resource; }

  ResourceTable table_{HistoryLimits{}};
};

TEST_F(DeletionRules, GracePeriod_DependsOnPlaceAndPhase) {
  struct Row {
    std::string_view pod;
    std::optional<std::int64_t> asked;
    std::int64_t grace;
  };
  const std::vector<Row> rows = {
      {R"({"spec":{"nodeName":"n"}})", std::nullopt, 30},
      {R"({"spec":{"nodeName":"n","terminationGracePeriodSeconds":5}})", std::nullopt, 5},
      {R"({"spec":{"nodeName":"n","terminationGracePeriodSeconds":5}})", 7, 7},
      {R"({"spec":{"nodeName":"n"}})", 0, 0},
      {R"({"spec":{"nodeName":"n"}})", 1, 1},
      {R"({"spec":{"nodeName":"n"}})", -1, 1},
      {R"({"spec":{"nodeName":"n"}})", -7, 1},
      {R"({"spec":{"nodeName":"n","terminationGracePeriodSeconds":-3}})", std::nullopt, 1},
      {R"({"spec":{"nodeName":"n"},"status":{"phase":"Running"}})", 9, 9},
      {R"({"spec":{"nodeName":"n"},"status":{"phase":"Pending"}})", 9, 9},
      {R"({"spec":{"nodeName":"n"},"status":{"phase":"Succeeded"}})", 9, 0},
      {R"({"spec":{"nodeName":"n"},"status":{"phase":"Failed"}})", 9, 0},
      {R"({"spec":{},"status":{"phase":"Running"}})", 9, 0},
      {R"({"spec":{"nodeName":""}})", 9, 0},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(GraceOf(Json(row.pod), row.asked), row.grace)
        << row.pod << " " << row.asked.value_or(-99);
  }
}

TEST_F(DeletionRules, Mark_SetsTimeGraceAndGeneration) {
  struct Row {
    std::string_view group;
    std::string_view version;
    std::string_view plural;
    std::int64_t grace;
    std::string_view before;
    std::string_view after;
  };
  const std::vector<Row> rows = {
      {"", "v1", "pods", 30, R"({"metadata":{}})",
       R"({"metadata":{"deletionTimestamp":"2023-11-14T22:13:50Z",
           "deletionGracePeriodSeconds":30}})"},
      {"", "v1", "configmaps", 0, R"({"metadata":{"generation":0}})",
       R"({"metadata":{"generation":0,"deletionTimestamp":"2023-11-14T22:13:20Z",
           "deletionGracePeriodSeconds":0}})"},
      {"apps", "v1", "deployments", 0, R"({"metadata":{"generation":1}})",
       R"({"metadata":{"generation":2,"deletionTimestamp":"2023-11-14T22:13:20Z",
           "deletionGracePeriodSeconds":0}})"},
      {"", "v1", "namespaces", 0, R"({"metadata":{"generation":4}})",
       R"({"metadata":{"generation":4,"deletionTimestamp":"2023-11-14T22:13:20Z"},
           "status":{"phase":"Terminating"}})"},
      {"apiextensions.k8s.io", "v1", "customresourcedefinitions", 0,
       R"({"metadata":{"generation":4}})",
       R"({"metadata":{"generation":4,"deletionTimestamp":"2023-11-14T22:13:20Z"}})"},
  };
  for (const Row& row : rows) {
    json::Value object = Json(row.before);
    EXPECT_FALSE(Terminating(object));
    MarkDeleted(*At(row.group, row.version, row.plural).resource, kNow, row.grace, object);
    EXPECT_EQ(object, Json(row.after)) << row.plural << ": " << object.Dump();
    EXPECT_TRUE(Terminating(object));
  }
}

TEST_F(DeletionRules, SecondDelete_OnlyShortensTheGracePeriod) {
  struct Row {
    std::string_view before;
    std::int64_t grace;
    bool shortened;
    std::string_view time;
    std::int64_t left;
  };
  constexpr std::string_view kThirty =
      R"({"metadata":{"deletionTimestamp":"2023-11-14T22:13:40Z","deletionGracePeriodSeconds":30}})";
  const std::vector<Row> rows = {
      {kThirty, 30, false, "2023-11-14T22:13:40Z", 30},
      {kThirty, 31, false, "2023-11-14T22:13:40Z", 30},
      {kThirty, 29, true, "2023-11-14T22:13:39Z", 29},
      {kThirty, 0, true, "2023-11-14T22:13:10Z", 0},
      {R"({"metadata":{"deletionTimestamp":"x","deletionGracePeriodSeconds":30}})", 10, true,
       "2023-11-14T22:13:30Z", 10},
      {R"({"metadata":{"deletionTimestamp":"2023-11-14T22:13:40Z"}})", 0, false,
       "2023-11-14T22:13:40Z", 0},
  };
  for (const Row& row : rows) {
    json::Value object = Json(row.before);
    EXPECT_EQ(ShortenGracePeriod(kNow, row.grace, object), row.shortened) << row.grace;
    EXPECT_EQ(object.At("/metadata/deletionTimestamp"), json::Value(row.time)) << row.grace;
    EXPECT_EQ(object.At("/metadata/deletionGracePeriodSeconds").AsInt64().value_or(0), row.left);
  }
}

TEST_F(DeletionRules, PropagationPolicy_SetsAndClearsFinalizers) {
  struct Row {
    DeletionRule rule;
    std::string_view policy;
    std::string_view before;
    std::string_view after;
  };
  using enum DeletionRule;
  constexpr std::string_view kOrphaning = R"(["a/b","orphan"])";
  constexpr std::string_view kForeground = R"(["foregroundDeletion","a/b"])";
  const std::vector<Row> rows = {
      {kBackground, "", "null", "null"},
      {kBackground, "", R"(["a/b"])", R"(["a/b"])"},
      {kBackground, "", kOrphaning, kOrphaning},
      {kBackground, "", kForeground, kForeground},
      {kBackground, "", R"(["foregroundDeletion","orphan"])", R"(["orphan"])"},
      {kBackground, "Background", R"(["foregroundDeletion","a/b","orphan"])", R"(["a/b"])"},
      {kBackground, "Background", R"(["a/b"])", R"(["a/b"])"},
      {kBackground, "Orphan", "null", R"(["orphan"])"},
      {kBackground, "Orphan", kForeground, R"(["a/b","orphan"])"},
      {kBackground, "Orphan", kOrphaning, kOrphaning},
      {kBackground, "Foreground", "null", R"(["foregroundDeletion"])"},
      {kBackground, "Foreground", kOrphaning, R"(["a/b","foregroundDeletion"])"},
      {kBackground, "Foreground", kForeground, kForeground},
      {kOrphan, "", "null", R"(["orphan"])"},
      {kOrphan, "", kForeground, kForeground},
      {kOrphan, "Background", "null", "null"},
      {kOrphan, "Background", kOrphaning, R"(["a/b"])"},
      {kAlone, "Orphan", "null", "null"},
      {kAlone, "Background", kOrphaning, kOrphaning},
  };
  for (const Row& row : rows) {
    ServedResource resource;
    resource.deletion = row.rule;
    json::Value object = Json(R"({"metadata":{}})");
    if (row.before != "null") object.Ensure("metadata").Set("finalizers", Json(row.before));
    const bool changed = SetPropagationFinalizers(resource, row.policy, object);
    EXPECT_EQ(changed, row.before != row.after) << row.policy << " " << row.before;
    const json::Value& after = std::as_const(object).At("/metadata/finalizers");
    EXPECT_EQ(after.Dump(), Json(row.after).Dump()) << row.policy << " " << row.before;
  }
}

TEST_F(DeletionRules, Finalizers_NameThePolicyAndKeepTheObject) {
  struct Row {
    std::string_view object;
    std::string_view policy;
    bool keeps;            // any object
    bool keeps_namespace;  // a namespace
  };
  const std::vector<Row> rows = {
      {R"({})", "Background", false, false},
      {R"({"metadata":{"finalizers":[]}})", "Background", false, false},
      {R"({"metadata":{"finalizers":["x/y"]}})", "Background", true, true},
      {R"({"metadata":{"finalizers":["x/y","orphan"]}})", "Orphan", true, true},
      {R"({"metadata":{"finalizers":["foregroundDeletion","orphan"]}})", "Orphan", true, true},
      {R"({"metadata":{"finalizers":["foregroundDeletion"]}})", "Foreground", true, true},
      {R"({"spec":{"finalizers":["kubernetes"]}})", "Background", false, true},
      {R"({"spec":{"finalizers":[]}})", "Background", false, false},
  };
  for (const Row& row : rows) {
    const json::Value object = Json(row.object);
    EXPECT_EQ(PolicyOf(object), row.policy) << row.object;
    EXPECT_EQ(HasFinalizers(Core("configmaps"), object), row.keeps) << row.object;
    EXPECT_EQ(HasFinalizers(Core("namespaces"), object), row.keeps_namespace) << row.object;
  }
}

StoredObjectPtr Stored() {
  return StoredObject::Make(Json(R"({"metadata":{"name":"a","namespace":"ns","uid":"u1"}})"), 7,
                            {});
}

std::string TextOf(const Result<void>& result) {
  return result ? ""
                : std::to_string(result.error().http_status()) + " " + result.error().message();
}

TEST_F(DeletionRules, Update_NeedsTheVersionAndUidOfTheObject) {
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

TEST_F(DeletionRules, Delete_ChecksItsPreconditions) {
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

TEST_F(DeletionRules, NewObject_GetsItsPlaceAndLosesTheServersFields) {
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

TEST_F(DeletionRules, SentMetadata_MatchesTheUrl) {
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

// Rules of deletes: grace periods, marks, finalizers.

#include <chrono>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/registry/resource_table.h"
#include "apiserver/testing.h"
#include "apiserver/write/object/deletion_mark.h"
#include "apiserver/write/object/propagation.h"

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
  constexpr std::string_view kThirty = R"({"metadata":{"deletionTimestamp":"2023-11-14T22:13:40Z",)"
                                       R"("deletionGracePeriodSeconds":30}})";
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

}  // namespace
}  // namespace kinformer::apiserver::testing

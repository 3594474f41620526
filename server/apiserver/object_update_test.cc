// Updates: what a client cannot change, what counts as a change, and finalizers.

#include "apiserver/write/object/object_update.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "apiserver/testing.h"
#include "apiserver/write/request/field_order.h"

namespace kinformer::apiserver::testing {
namespace {

struct Row {
  std::string_view group;
  std::string_view version;
  std::string_view plural;
  std::string_view subresource;
  bool keep_status;
  std::string_view old;
  std::string_view sent;
  std::string_view merged;
};

TEST(ObjectUpdate, Merge_KeepsWhatTheClientCannotChange) {
  const std::vector<Row> rows = {
      // Metadata of the system.
      {"", "v1", "configmaps", "", false,
       R"({"metadata":{"name":"a","namespace":"n","uid":"u","creationTimestamp":"c",
           "deletionTimestamp":"d","deletionGracePeriodSeconds":3,"labels":{"a":"b"}}})",
       R"({"metadata":{"name":"b","namespace":"m","uid":"v","creationTimestamp":"x","selfLink":"s",
           "generation":7,"annotations":{"c":"d"}},"data":{"k":"v"}})",
       R"({"metadata":{"name":"a","namespace":"n","uid":"u","creationTimestamp":"c",
           "deletionTimestamp":"d","deletionGracePeriodSeconds":3,"annotations":{"c":"d"}},
           "data":{"k":"v"}})"},
      // The status stays in writes of the object.
      {"apps", "v1", "deployments", "", false,
       R"({"metadata":{"generation":1},"spec":{"a":1},"status":{"s":1}})",
       R"({"metadata":{},"spec":{"a":1},"status":{"s":2}})",
       R"({"metadata":{"generation":1},"spec":{"a":1},"status":{"s":1}})"},
      {"apps", "v1", "deployments", "", false, R"({"metadata":{"generation":1},"spec":{"a":1}})",
       R"({"metadata":{},"spec":{"a":2},"status":{"s":2}})",
       R"({"metadata":{"generation":2},"spec":{"a":2}})"},
      {"apps", "v1", "deployments", "", true,
       R"({"metadata":{"generation":1},"spec":{"a":1},"status":{"s":1}})",
       R"({"metadata":{},"spec":{"a":1},"status":{"s":2}})",
       R"({"metadata":{"generation":1},"spec":{"a":1},"status":{"s":2}})"},
      // Writes of the status change nothing but it and some metadata.
      {"apps", "v1", "deployments", "status", false,
       R"({"metadata":{"name":"a","generation":1,"labels":{"a":"b"},"managedFields":[1]},
           "spec":{"a":1},"status":{"s":1}})",
       R"({"metadata":{"name":"b","annotations":{"c":"d"}},"spec":{"a":2},"status":{"s":2}})",
       R"({"metadata":{"name":"a","generation":1,"annotations":{"c":"d"},"labels":{"a":"b"},
           "managedFields":[1]},"spec":{"a":1},"status":{"s":2}})"},
      {"apps", "v1", "deployments", "status", false,
       R"({"metadata":{"name":"a","managedFields":[1]},"spec":{"a":1},"status":{"s":1}})",
       R"({"metadata":{"managedFields":[2]}})",
       R"({"metadata":{"name":"a","managedFields":[2]},"spec":{"a":1}})"},
      {"apps", "v1", "deployments", "status", true,
       R"({"metadata":{"name":"a"},"spec":{"a":1},"status":{"s":1}})",
       R"({"metadata":{"name":"b","annotations":{"c":"d"}},"spec":{"a":2},"status":{"s":2}})",
       R"({"metadata":{"name":"a"},"spec":{"a":1},"status":{"s":2}})"},
      // Requests of certificates keep their spec.
      {"certificates.k8s.io", "v1", "certificatesigningrequests", "", false,
       R"({"metadata":{"name":"a"},"spec":{"a":1},"status":{"s":1}})",
       R"({"metadata":{},"spec":{"a":2},"status":{"s":2}})",
       R"({"metadata":{"name":"a"},"spec":{"a":1},"status":{"s":1}})"},
      {"certificates.k8s.io", "v1", "certificatesigningrequests", "", true,
       R"({"metadata":{"name":"a"},"spec":{"a":1},"status":{"s":1}})",
       R"({"metadata":{},"spec":{"a":2},"status":{"s":2}})",
       R"({"metadata":{"name":"a"},"spec":{"a":2},"status":{"s":2}})"},
      {"certificates.k8s.io", "v1", "certificatesigningrequests", "approval", true,
       R"({"metadata":{"name":"a"},"spec":{"a":1},"status":{"s":1}})",
       R"({"metadata":{"finalizers":["a/b"]},"spec":{"a":2},"status":{"s":2}})",
       R"({"metadata":{"name":"a","finalizers":["a/b"]},"spec":{"a":1},"status":{"s":2}})"},
      // Namespaces keep their label and their finalizers.
      {"", "v1", "namespaces", "", false,
       R"({"metadata":{"name":"a"},"spec":{"finalizers":["kubernetes"]},"status":{"phase":"x"}})",
       R"({"metadata":{},"spec":{"finalizers":["y"]},"status":{"phase":"y"}})",
       R"({"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"a"}},
           "spec":{"finalizers":["kubernetes"]},"status":{"phase":"x"}})"},
      {"", "v1", "namespaces", "finalize", false,
       R"({"metadata":{"name":"a","uid":"u"},"spec":{"finalizers":["kubernetes","b"],"c":1}})",
       R"({"metadata":{"uid":"v"},"spec":{"finalizers":["b"],"c":2},"status":{}})",
       R"({"metadata":{"name":"a","uid":"u","labels":{"kubernetes.io/metadata.name":"a"}},
           "spec":{"finalizers":["b"],"c":1}})"},
      {"", "v1", "namespaces", "finalize", false,
       R"({"metadata":{"name":"a"},"spec":{"finalizers":["kubernetes"]}})",
       R"({"metadata":{},"spec":{"finalizers":[]}})",
       R"({"metadata":{"name":"a","labels":{"kubernetes.io/metadata.name":"a"}},"spec":{}})"},
      // A binding changes the spec, but not the generation.
      {"", "v1", "pods", "binding", false, R"({"metadata":{"generation":3},"spec":{}})",
       R"({"metadata":{},"spec":{"nodeName":"n"}})",
       R"({"metadata":{"generation":3},"spec":{"nodeName":"n"}})"},
      {"", "v1", "pods", "binding", false, R"({"metadata":{},"spec":{}})",
       R"({"metadata":{},"spec":{"nodeName":"n"}})", R"({"metadata":{},"spec":{"nodeName":"n"}})"},
      {"", "v1", "pods", "resize", false,
       R"({"metadata":{"name":"a","generation":3},
           "spec":{"x":1,"containers":[{"name":"c","resources":{"limits":{"cpu":"1"}}}]}})",
       R"({"metadata":{"name":"a"},
           "spec":{"x":2,"containers":[{"name":"c","resources":{"limits":{"cpu":"2"}}}]}})",
       R"({"metadata":{"name":"a","generation":4},
           "spec":{"x":1,"containers":[{"name":"c","resources":{"limits":{"cpu":"2"}}}]}})"},
      {"", "v1", "pods", "ephemeralcontainers", false,
       R"({"metadata":{"name":"a","generation":3},"spec":{"x":1}})",
       R"({"metadata":{"name":"a"},"spec":{"x":2,"ephemeralContainers":[{"name":"e"}]}})",
       R"({"metadata":{"name":"a","generation":4},
           "spec":{"x":1,"ephemeralContainers":[{"name":"e"}]}})"},
  };
  const ResourceTable table{HistoryLimits{}};
  for (const Row& row : rows) {
    const json::Value merged = MergeForUpdate({.at = table.Find(row.group, row.version, row.plural),
                                               .subresource = row.subresource,
                                               .keep_status = row.keep_status},
                                              Json(row.old), Json(row.sent));
    EXPECT_TRUE(SameObject(merged, Json(row.merged)) && SameObject(Json(row.merged), merged))
        << row.plural << " " << row.subresource << " " << row.sent << "\n"
        << merged.Dump();
  }
}

TEST(ObjectUpdate, AddedFinalizers_OfAnObjectThatIsBeingDeleted) {
  struct Case {
    std::string_view old;
    std::string_view now;
    std::string_view added;
  };
  constexpr std::string_view kDeleted =
      R"({"metadata":{"deletionTimestamp":"t","finalizers":["a/a"]}})";
  const std::vector<Case> cases = {
      {R"({"metadata":{"finalizers":["a/a"]}})", R"({"metadata":{"finalizers":["b/b"]}})", ""},
      {kDeleted, R"({"metadata":{"finalizers":["a/a"]}})", ""},
      {kDeleted, R"({"metadata":{}})", ""},
      {kDeleted, R"({"metadata":{"finalizers":["b/b","a/a","c/c"]}})", R"("b/b", "c/c")"},
  };
  for (const Case& one : cases) {
    const auto causes = ValidateAddedFinalizers(Json(one.old), Json(one.now));
    ASSERT_EQ(causes.size(), one.added.empty() ? 0U : 1U) << one.now;
    if (causes.empty()) continue;
    EXPECT_EQ(causes[0].field, "metadata.finalizers");
    EXPECT_EQ(causes[0].message,
              "Forbidden: no new finalizers can be added if the object is being deleted, found new "
              "finalizers []string{" +
                  std::string(one.added) + "}");
  }
}

TEST(ObjectUpdate, NewFinalizers_ShouldHaveADomainAndAPath) {
  const json::Value old = Json(R"({"metadata":{"finalizers":["known"]}})");
  const json::Value now = Json(R"({"metadata":{"finalizers":["known","orphan","kubernetes",
      "foregroundDeletion","a.b/c","plain","a.b"]}})");
  EXPECT_EQ(FinalizerWarnings(old, now),
            (std::vector<std::string>{
                "metadata.finalizers: \"a.b\": prefer a domain-qualified finalizer name including "
                "a path (/) to avoid accidental conflicts with other finalizer writers",
                "metadata.finalizers: \"plain\": prefer a domain-qualified finalizer name to avoid "
                "accidental conflicts with other finalizer writers"}));
}

TEST(ObjectUpdate, SameObject_IgnoresWhatIsNoChange) {
  struct Case {
    std::string_view a;
    std::string_view b;
    bool same;
  };
  const std::vector<Case> cases = {
      {R"({"data":1})", R"({"data":1})", true},
      {R"({"data":1})", R"({"data":2})", false},
      {R"({"data":1})", R"({})", false},
      {R"({"data":1,"kind":"a","apiVersion":"b"})", R"({"data":1})", true},
      {R"({"metadata":{"resourceVersion":"1"}})", R"({"metadata":{"resourceVersion":"2"}})", true},
      {R"({"metadata":{"resourceVersion":"1"}})", R"({"metadata":{}})", true},
      {R"({"metadata":{"creationTimestamp":null,"deletionTimestamp":null,"managedFields":null}})",
       R"({})", true},
      {R"({"metadata":{"creationTimestamp":"t"}})", R"({"metadata":{}})", false},
      {R"({"metadata":{"deletionTimestamp":"t"}})", R"({"metadata":{}})", false},
      {R"({"metadata":{"managedFields":[]}})", R"({"metadata":{}})", false},
      {R"({"metadata":{"labels":null}})", R"({"metadata":{}})", false},
      {R"({"metadata":{"labels":{"a":"b"}}})", R"({"metadata":{"labels":{"a":"b"}}})", true},
      {R"({"data":null})", R"({})", false},
  };
  for (const Case& one : cases) {
    EXPECT_EQ(SameObject(Json(one.a), Json(one.b)), one.same) << one.a << one.b;
    EXPECT_EQ(SameObject(Json(one.b), Json(one.a)), one.same) << one.b << one.a;
  }
}

// Problems are told in the order in which a decoder meets them.
TEST(FieldOrder, ProblemsStandInTheOrderOfTheText) {
  struct Case {
    std::string_view body;
    std::vector<std::string> problems;
    std::vector<std::string> sorted;
  };
  const auto u = [](std::string_view path) {
    return "unknown field \"" + std::string(path) + "\"";
  };
  const auto d = [](std::string_view path) {
    return "duplicate field \"" + std::string(path) + "\"";
  };
  const std::vector<Case> cases = {
      {R"({"b":1,"a":2})", {u("a"), u("b")}, {u("b"), u("a")}},
      {R"({"x":{"a":1},"a":2})", {u("a"), u("x.a")}, {u("x.a"), u("a")}},
      {R"({"l":[{"b":1},{"a":2}],"c":3})",
       {u("c"), u("l[1].a"), u("l[0].b")},
       {u("l[0].b"), u("l[1].a"), u("c")}},
      {R"({"l":[[1,2],[{"a":2}]],"c":3})", {u("c"), u("l[1][0].a")}, {u("l[1][0].a"), u("c")}},
      {R"({"a":1,"b":1,"a":2})", {d("a"), u("b")}, {u("b"), d("a")}},
      {R"({"a":1,"a":2,"b":1,"a":3})", {d("a"), d("a"), u("b")}, {d("a"), u("b"), d("a")}},
      {R"({"q":"a\"b,\"z\":{","b":1,"a":2})", {u("a"), u("b")}, {u("b"), u("a")}},
      {R"({"b":"a","a":"b"})", {u("a"), u("b")}, {u("b"), u("a")}},
      {R"({"b":["a","c"],"c":1,"a":1})", {u("a"), u("c"), u("b")}, {u("b"), u("c"), u("a")}},
      {R"({"o":{"p":{}},"z":1,"o2":{"p":1}})",
       {u("o2.p"), u("z"), u("o.p")},
       {u("o.p"), u("z"), u("o2.p")}},
      {R"({"a":1})", {"3 more unknown fields", u("a")}, {u("a"), "3 more unknown fields"}},
      {R"({"a":1})", {"with one \" only", u("a")}, {u("a"), "with one \" only"}},
      {R"({" only":1,"a":1})", {u("a"), "with one \" only"}, {u("a"), "with one \" only"}},
      {R"({"b":1,"a":1})", {d("a"), u("b")}, {u("b"), d("a")}},
      {R"({"b":1}{"a":1})", {u("c"), u("a")}, {u("c"), u("a")}},
      {R"({"a":1})", {u("none"), u("a"), u("other")}, {u("a"), u("none"), u("other")}},
      {R"(,}"a)", {u("a"), u("b")}, {u("a"), u("b")}},
  };
  for (const Case& one : cases) {
    std::vector<std::string> problems = one.problems;
    SortByText(one.body, problems);
    EXPECT_EQ(problems, one.sorted) << one.body;
  }
}

}  // namespace
}  // namespace kinformer::apiserver::testing

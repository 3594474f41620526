// PolicyRule: what a rule allows, what it covers, and how missing rights are told.

#include "apiserver/authorization/policy_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

PolicyRule Rule(std::string_view json) {
  const json::Value role = json::Parse(R"({"rules":[)" + std::string(json) + "]}").OrExit();
  return RulesOf(role).front();
}

TEST(PolicyRule, Resources_AreAllowedByVerbGroupResourceAndName) {
  struct Row {
    std::string_view rule;
    AccessAttributes attributes;
    bool allowed;
  };
  constexpr std::string_view kReadsPods =
      R"({"verbs":["get","list"],"apiGroups":[""],"resources":["pods","pods/log"]})";
  constexpr std::string_view kEverything = R"({"verbs":["*"],"apiGroups":["*"],"resources":["*"]})";
  constexpr std::string_view kScales =
      R"({"verbs":["update"],"apiGroups":["apps"],"resources":["*/scale"]})";
  constexpr std::string_view kOneMap =
      R"({"verbs":["get"],"apiGroups":[""],"resources":["configmaps"],"resourceNames":["a"]})";
  const std::vector<Row> rows = {
      {kReadsPods, {.verb = "get", .resource = "pods", .name = "x"}, true},
      {kReadsPods, {.verb = "watch", .resource = "pods"}, false},
      {kReadsPods, {.verb = "get", .group = "apps", .resource = "pods"}, false},
      {kReadsPods, {.verb = "get", .resource = "pods", .subresource = "log"}, true},
      {kReadsPods, {.verb = "get", .resource = "pods", .subresource = "exec"}, false},
      {kReadsPods, {.is_resource = false, .verb = "get", .path = "pods"}, false},
      {kEverything, {.verb = "x", .group = "g", .resource = "r", .subresource = "s"}, true},
      {kEverything, {.is_resource = false, .verb = "get", .path = "/metrics"}, false},
      {kScales,
       {.verb = "update", .group = "apps", .resource = "deployments", .subresource = "scale"},
       true},
      {kScales, {.verb = "update", .group = "apps", .resource = "deployments"}, false},
      {kScales, {.verb = "update", .group = "apps", .resource = "scale"}, false},
      {kOneMap, {.verb = "get", .resource = "configmaps", .name = "a"}, true},
      {kOneMap, {.verb = "get", .resource = "configmaps", .name = "b"}, false},
      {kOneMap, {.verb = "get", .resource = "configmaps"}, false},
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(Rule(rows[i].rule).Allows(rows[i].attributes), rows[i].allowed) << "row " << i;
  }
}

TEST(PolicyRule, Paths_EndWithAStarOrAreExact) {
  const PolicyRule rule =
      Rule(R"({"verbs":["get"],"nonResourceURLs":["/api/*","/version","/logs**"]})");
  for (const auto& [path, allowed] :
       std::vector<std::pair<std::string_view, bool>>{{"/api/", true},
                                                      {"/api/v1/x", true},
                                                      {"/api", false},
                                                      {"/version", true},
                                                      {"/version/", false},
                                                      {"/logs/a", true},
                                                      {"/", false}}) {
    EXPECT_EQ(rule.Allows({.is_resource = false, .verb = "get", .path = path}), allowed) << path;
  }
  EXPECT_FALSE(rule.Allows({.is_resource = false, .verb = "post", .path = "/version"}));
}

TEST(PolicyRule, MissingRights_AreToldVerbsTogether) {
  const PolicyRules held = {
      Rule(R"({"verbs":["get"],"apiGroups":[""],"resources":["pods","secrets"]})"),
      Rule(R"({"verbs":["*"],"apiGroups":["apps"],"resources":["*/scale"]})"),
      Rule(R"({"verbs":["get"],"nonResourceURLs":["/api/*"]})")};
  const PolicyRules wanted = {
      Rule(R"({"verbs":["get","list","watch"],"apiGroups":["","apps"],"resources":["pods"]})"),
      Rule(R"({"verbs":["update"],"apiGroups":["apps"],"resources":["deployments/scale"]})"),
      Rule(R"({"verbs":["get"],"apiGroups":[""],"resources":["secrets"],"resourceNames":["a"]})"),
      Rule(R"({"verbs":["put"],"apiGroups":[""],"resources":["secrets"],"resourceNames":["a"]})"),
      Rule(R"({"verbs":["get","post"],"nonResourceURLs":["/api/v1"]})")};
  EXPECT_THAT(
      MissingRights(held, wanted),
      ElementsAre(R"({APIGroups:[""], Resources:["pods"], Verbs:["list" "watch"]})",
                  R"({APIGroups:[""], Resources:["secrets"], ResourceNames:["a"], Verbs:["put"]})",
                  R"({APIGroups:["apps"], Resources:["pods"], Verbs:["get" "list" "watch"]})",
                  R"({NonResourceURLs:["/api/v1"], Verbs:["post"]})"));
  EXPECT_THAT(MissingRights(wanted, wanted), IsEmpty());
  // A name does not cover all names, and "*" is more than any list.
  EXPECT_EQ(MissingRights({wanted[2]}, {held[0]}).size(), 2U);
  EXPECT_EQ(
      MissingRights(held, {Rule(R"({"verbs":["*"],"apiGroups":["apps"],"resources":["*"]})")}),
      std::vector<std::string>{R"({APIGroups:["apps"], Resources:["*"], Verbs:["*"]})"});
}

TEST(PolicyRule, Json_IsThatOfTheApi) {
  constexpr std::string_view kText =
      R"({"verbs":["get"],"apiGroups":[""],"resources":["pods"],"resourceNames":["a"]})";
  EXPECT_EQ(ToJson(Rule(kText)).Dump(), kText);
}

}  // namespace
}  // namespace kinformer::apiserver

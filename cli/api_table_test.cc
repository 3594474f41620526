#include "cli/api_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::cli {
namespace {

using testing::ElementsAre;

ApiResource Make(const char* group, const char* version, const char* name, const char* kind,
                 bool namespaced) {
  return {.resource = {group, version, name},
          .kind = kind,
          .singularName = "",
          .namespaced = namespaced,
          .verbs = {"get", "list"}};
}

// Returns a server with three groups, of which one is broken.
std::vector<ApiGroupVersion> Server() {
  ApiResource pods = Make("", "v1", "pods", "Pod", true);
  pods.shortNames = {"po"};
  pods.categories = {"all"};
  pods.verbs.push_back("watch");
  return {
      {.group = "", .version = "v1", .resources = {pods, Make("", "v1", "nodes", "Node", false)}},
      {.group = "zoo.example.com",
       .version = "v1",
       .resources = {Make("zoo.example.com", "v1", "apes", "Monkey", true)}},
      {.group = "apps",
       .version = "v1",
       .resources = {Make("apps", "v1", "deployments", "Deployment", true)}},
      {.group = "broken.example.com", .version = "v1", .error = "no endpoints"}};
}

std::vector<std::string> Names(const ApiChoice& choice) {
  std::vector<std::string> names;
  for (const ApiResource& resource : ChooseResources(Server(), choice)) {
    names.push_back(ResourceName(resource));
  }
  return names;
}

TEST(ApiTable, ResourcesStandInTheOrderOfGroupAndName) {
  EXPECT_THAT(Names({}), ElementsAre("nodes", "pods", "deployments.apps", "apes.zoo.example.com"));
  EXPECT_THAT(Names({.sort_by = "name"}),
              ElementsAre("apes.zoo.example.com", "deployments.apps", "nodes", "pods"));
  EXPECT_THAT(Names({.sort_by = "kind"}),
              ElementsAre("deployments.apps", "apes.zoo.example.com", "nodes", "pods"));
}

TEST(ApiTable, EachConditionLeavesResourcesOut) {
  EXPECT_THAT(Names({.group = "apps"}), ElementsAre("deployments.apps"));
  EXPECT_THAT(Names({.group = ""}), ElementsAre("nodes", "pods"));
  EXPECT_THAT(Names({.namespaced = false}), ElementsAre("nodes"));
  EXPECT_THAT(Names({.group = "", .namespaced = true}), ElementsAre("pods"));
  EXPECT_THAT(Names({.verbs = {"list", "watch"}}), ElementsAre("pods"));
  EXPECT_THAT(Names({.categories = {"all"}}), ElementsAre("pods"));
  EXPECT_THAT(Names({.categories = {"all", "none"}}), ElementsAre());
}

TEST(ApiTable, WideRowsAlsoHaveVerbsAndCategories) {
  const std::vector<ApiResource> pods = ChooseResources(Server(), {.categories = {"all"}});
  EXPECT_THAT(ResourceRows(pods, /*wide=*/false),
              ElementsAre(ElementsAre("NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"),
                          ElementsAre("pods", "po", "v1", "true", "Pod")));
  EXPECT_THAT(ResourceRows(pods, /*wide=*/true),
              ElementsAre(ElementsAre("NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND",
                                      "VERBS", "CATEGORIES"),
                          ElementsAre("pods", "po", "v1", "true", "Pod", "get,list,watch", "all")));
  EXPECT_THAT(ResourceRows(ChooseResources(Server(), {.group = "apps"}), false).back(),
              ElementsAre("deployments", "", "apps/v1", "true", "Deployment"));
}

TEST(ApiTable, DocumentNamesGroupAndVersionOfEachResource) {
  const json::Value document = ResourceDocument(ChooseResources(Server(), {.sort_by = "name"}));
  EXPECT_EQ(document["kind"].StringOrEmpty(), "APIResourceList");
  EXPECT_EQ(document["resources"][0].Dump(),
            R"({"kind":"Monkey","name":"apes","namespaced":true,"singularName":"",)"
            R"("verbs":["get","list"],"version":"v1","group":"zoo.example.com"})");
  EXPECT_EQ(document["resources"][3]["shortNames"].Dump(), R"(["po"])");
  EXPECT_EQ(document["resources"][3].IfObject()->Find("group"), nullptr);
}

TEST(ApiTable, VersionsOfAllGroupsAreSorted) {
  EXPECT_THAT(VersionLines({{.name = "", .versions = {"v1"}},
                            {.name = "autoscaling", .versions = {"v2", "v1"}},
                            {.name = "apps", .versions = {"v1"}}}),
              ElementsAre("apps/v1", "autoscaling/v1", "autoscaling/v2", "v1"));
}

}  // namespace
}  // namespace kinformer::cli

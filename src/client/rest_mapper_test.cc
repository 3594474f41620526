#include "kinformer/client/rest_mapper.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/task.h"
#include "kinformer/client/async_discovery.h"

#include "client/testing/config_map_client.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using testing::Json;
using testing::StatusFailure;

struct Short {
  std::string name{};
  std::vector<std::string> shortNames{};
  std::vector<std::string> categories{};
};

// "deployments", Deployment, deployment.
ApiResource Served(const std::string& group, const std::string& version, const Short& about) {
  ApiResource out;
  out.resource = {group, version, about.name};
  out.singularName = about.name.substr(0, about.name.size() - 1);
  out.kind = out.singularName;
  out.kind[0] = static_cast<char>(out.kind[0] - 'a' + 'A');
  out.namespaced = true;
  out.shortNames = about.shortNames;
  out.categories = about.categories;
  return out;
}

ApiGroupVersion Version(const std::string& group, const std::string& version, bool preferred,
                        const std::vector<Short>& resources) {
  ApiGroupVersion out;
  out.group = group;
  out.version = version;
  out.preferred = preferred;
  for (const Short& each : resources) out.resources.push_back(Served(group, version, each));
  return out;
}

std::vector<ApiGroupVersion> Groups() {
  return {
      Version("", "v1", true,
              {{"pods", {"po"}, {"all"}}, {"events", {"ev"}}, {"services", {"svc"}}}),
      Version("apps", "v1", true, {{"deployments", {"deploy"}, {"all"}}}),
      Version("apps", "v1beta1", false, {{"deployments", {"deploy"}, {"all"}}, {"olds"}}),
      Version("events.k8s.io", "v1", true, {{"events", {"ev"}}}),
      Version("old.example.com", "v1", false, {{"lamps"}}),
      Version("new.example.com", "v1", true, {{"lamps"}, {"tabs", {"pods"}}}),
      Version("metrics.k8s.io", "v1beta1", true, {{"pods", {}, {"all"}}, {"loads"}}),
  };
}

std::string Text(const GroupVersionResource& name) {
  return name.group + "/" + name.version + "/" + name.resource;
}
std::string Text(const GroupVersionKind& kind) {
  return kind.group + "/" + kind.version + "/" + kind.kind;
}
std::string Text(const RestMapping& mapping) {
  return Text(mapping.resource) + "=" + Text(mapping.kind);
}
template <class T>
std::string Text(const std::vector<T>& all) {
  std::string out;
  for (const T& each : all) out += (out.empty() ? "" : " ") + Text(each);
  return out;
}
template <class T>
std::string Text(const Result<T>& result) {
  return result ? Text(*result) : std::string(ReasonName(result.error().reason()));
}

struct Row {
  const char* name;
  GroupVersionResource part;
  std::string resources;
  std::string first_kind;
};

TEST(RestMapper, KindsAndResources_OfPartialNames) {
  const RestMapper mapper(Groups());
  const std::vector<Row> rows = {
      {"RM-01 plural", {"", "", "services"}, "/v1/services", "/v1/Service"},
      {"RM-01 singular in capitals", {"", "", "SERVICE"}, "/v1/services", "/v1/Service"},
      {"RM-01 the preferred version first",
       {"", "", "deployments"},
       "apps/v1/deployments apps/v1beta1/deployments",
       "apps/v1/Deployment"},
      {"RM-01 with a version",
       {"", "v1beta1", "deployments"},
       "apps/v1beta1/deployments",
       "apps/v1beta1/Deployment"},
      {"RM-01 several groups, the server's order",
       {"", "", "events"},
       "/v1/events events.k8s.io/v1/events",
       "/v1/Event"},
      {"RM-01 with a group",
       {"events.k8s.io", "", "events"},
       "events.k8s.io/v1/events",
       "events.k8s.io/v1/Event"},
      {"RM-01 the beginning of a group",
       {"metrics", "", "pod"},
       "metrics.k8s.io/v1beta1/pods",
       "metrics.k8s.io/v1beta1/Pod"},
      {"RM-01 a version needs the whole group",
       {"metrics", "v1beta1", "pods"},
       "NotFound",
       "NotFound"},
      {"RM-01 what no preferred version has",
       {"", "", "olds"},
       "apps/v1beta1/olds",
       "apps/v1beta1/Old"},
      {"RM-01 preferred versions of later groups are before others",
       {"", "", "lamps"},
       "new.example.com/v1/lamps old.example.com/v1/lamps",
       "new.example.com/v1/Lamp"},
      {"RM-01 unknown", {"", "", "nothings"}, "NotFound", "NotFound"},
      {"RM-01 unknown in this group", {"apps", "", "pods"}, "NotFound", "NotFound"},
      {"RM-04 short name",
       {"", "", "deploy"},
       "apps/v1/deployments apps/v1beta1/deployments",
       "apps/v1/Deployment"},
      {"RM-04 short name with the beginning of a group",
       {"events.k8s", "", "ev"},
       "events.k8s.io/v1/events",
       "events.k8s.io/v1/Event"},
      {"RM-04 a short name of two resources is the first",
       {"", "", "ev"},
       "/v1/events",
       "/v1/Event"},
      {"RM-04 an exact name wins over a short one",
       {"", "", "pods"},
       "/v1/pods metrics.k8s.io/v1beta1/pods",
       "/v1/Pod"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(Text(mapper.ResourcesFor(row.part)), row.resources);
    EXPECT_EQ(Text(mapper.ResourceFor(row.part)), row.resources.substr(0, row.resources.find(' ')));
    EXPECT_EQ(Text(mapper.KindFor(row.part)), row.first_kind);
    const std::string kinds = Text(mapper.KindsFor(row.part));
    EXPECT_EQ(kinds.substr(0, kinds.find(' ')), row.first_kind);
  }
}

TEST(RestMapper, MappingsOfAKind_FollowTheVersionsThatAreAskedFor_RM01) {
  const RestMapper mapper(Groups());
  const GroupKind kind{"apps", "Deployment"};
  const std::string v1 = "apps/v1/deployments=apps/v1/Deployment";
  const std::string beta = "apps/v1beta1/deployments=apps/v1beta1/Deployment";
  EXPECT_EQ(Text(mapper.RESTMapping(kind)), v1);
  EXPECT_EQ(Text(mapper.RESTMappings(kind)), v1 + " " + beta);
  EXPECT_EQ(Text(mapper.RESTMapping(kind, {"v1beta1", "v1"})), beta);
  EXPECT_EQ(Text(mapper.RESTMappings(kind, {"v1beta1", "v1"})), beta + " " + v1);
  EXPECT_EQ(Text(mapper.RESTMapping(kind, {"v9", "v1"})), v1);
  EXPECT_EQ(Text(mapper.RESTMappings(kind, {"v9"})), "NotFound");
  EXPECT_EQ(Text(mapper.RESTMapping({"apps", "Pod"})), "NotFound");
  EXPECT_EQ(mapper.ResourceSingularizer("deployments"), "deployment");
  EXPECT_EQ(mapper.ResourceSingularizer("nothings"), "nothings");
}

TEST(RestMapper, AFailingGroup_LeavesTheOthers_RM02) {
  std::vector<ApiGroupVersion> groups = Groups();
  groups[1].resources.clear();
  groups[1].error = "down";
  groups[1].reason = Reason::kServiceUnavailable;
  const RestMapper mapper(groups);
  EXPECT_EQ(Text(mapper.ResourceFor({"", "", "po"})), "/v1/pods");
  EXPECT_EQ(Text(mapper.ResourceFor({"", "", "deploy"})), "apps/v1beta1/deployments");
  const auto missing = mapper.ResourceFor({"", "", "daemonsets"});
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message().find("apps/v1 could not be read: down"), std::string::npos)
      << missing.error();
}

TEST(RestMapper, ShortNamesThatStandForSeveralResources_AreToldWithTheirPriority_RM04) {
  const RestMapper mapper(Groups());
  std::vector<std::string> warnings;
  EXPECT_EQ(Text(mapper.ExpandResourceShortcut({"", "", "ev"}, &warnings)), "//events");
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "the short name \"ev\" also stands for events.events.k8s.io, which has "
                          "less priority than events"}));
  warnings.clear();
  EXPECT_EQ(Text(mapper.ExpandResourceShortcut({"", "v1", "deploy"}, &warnings)),
            "apps/v1/deployments");
  EXPECT_EQ(Text(mapper.ExpandResourceShortcut({"events", "", "ev"}, &warnings)),
            "events.k8s.io//events");
  EXPECT_EQ(Text(mapper.ExpandResourceShortcut({"", "", "pods"}, &warnings)), "//pods")
      << "exact names are no short names";
  EXPECT_EQ(Text(mapper.ExpandResourceShortcut({"", "", "zz"}, &warnings)), "//zz");
  EXPECT_TRUE(warnings.empty()) << "several versions of one resource are no ambiguity";
}

TEST(RestMapper, ACategoryHasItsResourcesOnce_AndAnUnknownOneNone_RM05) {
  const RestMapper mapper(Groups());
  const auto all = mapper.Expand("all");
  ASSERT_TRUE(all);
  EXPECT_EQ(*all, (std::vector<GroupResource>{
                      {"", "pods"}, {"apps", "deployments"}, {"metrics.k8s.io", "pods"}}));
  EXPECT_FALSE(mapper.Expand("none"));
  EXPECT_FALSE(RestMapper(std::vector<ApiGroupVersion>()).Expand("all"));
}

// ---- The mapper that asks the server

class DeferredMapperTest : public testing::ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    server_.fallback = [this](const HttpRequest& request) {
      if (request.target != "/apis") return StatusFailure(404, "NotFound", "no");
      return Json(R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},)"
                  R"("versions":[{"version":"v1","resources":[{"resource":")" +
                  plural_ +
                  R"(","scope":"Cluster","shortNames":["gd"],"responseKind":{"kind":"Gadget"}})"
                  R"(]}]}]})");
    };
  }
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }
  std::string plural_ = "gadgets";
};

TEST_F(DeferredMapperTest, AMissInWhatIsKnown_AsksOnceMore_AndAMissInFreshAnswersDoesNot_RM03) {
  Block([&] {
    const DeferredDiscoveryRESTMapper mapper(client_->Discovery());
    EXPECT_EQ(Text(mapper.ResourceFor({"", "", "lamps"})), "NotFound");
    EXPECT_EQ(server_.requests.size(), 2U) << "the first look-up is fresh";
    EXPECT_EQ(Text(mapper.ResourceFor({"", "", "gd"})), "example.com/v1/gadgets");
    EXPECT_EQ(server_.requests.size(), 2U);
    EXPECT_EQ(Text(mapper.KindsFor({"", "", "lamps"})), "NotFound");
    EXPECT_EQ(server_.requests.size(), 4U) << "once more";
    plural_ = "lamps";
    EXPECT_EQ(Text(mapper.KindFor({"", "", "lamps"})), "example.com/v1/Gadget");
    EXPECT_EQ(server_.requests.size(), 6U);
    EXPECT_EQ(Text(mapper.ResourcesFor({"", "", "lamps"})), "example.com/v1/lamps");
    EXPECT_EQ(Text(mapper.RESTMapping({"example.com", "Gadget"}, {"v1"})),
              "example.com/v1/lamps=example.com/v1/Gadget");
    EXPECT_EQ(Text(mapper.RESTMappings({"example.com", "Gadget"})),
              "example.com/v1/lamps=example.com/v1/Gadget");
    EXPECT_EQ(server_.requests.size(), 6U);
    mapper.Reset();
    EXPECT_EQ(Text(mapper.KindFor({"", "", "lamps"})), "example.com/v1/Gadget");
    EXPECT_EQ(server_.requests.size(), 8U);
  });
}

Task<Result<void>> LookUp(DiscoveryClient discovery, std::vector<std::string>& seen) {
  const AsyncDeferredDiscoveryRESTMapper mapper(std::move(discovery));
  const GroupVersionResource part{"", "", "gd"};
  const GroupKind kind{"example.com", "Gadget"};
  const Result<GroupVersionKind> one = co_await mapper.KindFor(part);
  seen.push_back(Text(one));
  const auto kinds = co_await mapper.KindsFor(part);
  seen.push_back(Text(kinds));
  const auto resource = co_await mapper.ResourceFor(part);
  seen.push_back(Text(resource));
  const auto resources = co_await mapper.ResourcesFor(part);
  seen.push_back(Text(resources));
  const auto mapping = co_await mapper.RESTMapping(kind);
  seen.push_back(Text(mapping));
  const auto mappings = co_await mapper.RESTMappings(kind);
  seen.push_back(Text(mappings));
  co_return Result<void>();
}

TEST_F(DeferredMapperTest, AwaitedLookUps_ShareThePictureOfTheClient_RM03) {
  std::vector<std::string> seen;
  Block([&] { EXPECT_TRUE(BlockOn(sim_.env(), LookUp(client_->Discovery(), seen))); });
  const std::string kind = "example.com/v1/Gadget";
  const std::string name = "example.com/v1/gadgets";
  EXPECT_EQ(seen, (std::vector<std::string>{kind, kind, name, name, name + "=" + kind,
                                            name + "=" + kind}));
  EXPECT_EQ(server_.requests.size(), 2U);
}

}  // namespace
}  // namespace kinformer

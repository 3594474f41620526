#include "kinformer/client/discovery.h"

#include <gtest/gtest.h>
#include <optional>

#include "kinformer/base/simulation.h"

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using testing::Json;
using testing::ScriptedResponse;
using testing::ScriptedServer;
using testing::StatusFailure;

constexpr char kCore[] = R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2",
"items":[{"metadata":{},"versions":[{"version":"v1","freshness":"Current","resources":[
{"resource":"pods","responseKind":{"group":"","version":"v1","kind":"Pod"},"scope":"Namespaced",
 "singularResource":"pod","verbs":["get","list","watch"],"shortNames":["po"],"categories":["all"],
 "subresources":[{"subresource":"status","verbs":["get"]}]},
{"resource":"nodes","responseKind":{"group":"","version":"v1","kind":"Node"},"scope":"Cluster",
 "singularResource":"node","verbs":["get"],"shortNames":["no"]},
{"resource":"odd","scope":"Cluster"},
{"resource":"events","responseKind":{"group":"","version":"v1","kind":"Event"},"scope":"Namespaced",
 "singularResource":"event","shortNames":["ev"]}]}]}]})";

constexpr char kGroups[] =
    R"({"kind":"APIGroupDiscoveryList","apiVersion":"apidiscovery.k8s.io/v2",
"items":[{"metadata":{"name":"apps"},"versions":[
{"version":"v1","freshness":"Current","resources":[
{"resource":"deployments","responseKind":{"group":"apps","version":"v1","kind":"Deployment"},
 "scope":"Namespaced","singularResource":"deployment","verbs":["get"],"shortNames":["deploy"]}]},
{"version":"v1beta1","freshness":"Current","resources":[
{"resource":"deployments","responseKind":{"group":"apps","version":"v1beta1","kind":"Deployment"},
 "scope":"Namespaced","singularResource":"deployment","verbs":["get"]}]}]},
{"metadata":{"name":"events.k8s.io"},"versions":[{"version":"v1","freshness":"Current","resources":[
{"resource":"events","responseKind":{"group":"events.k8s.io","version":"v1","kind":"Event"},
 "scope":"Namespaced","singularResource":"event"}]}]},
{"metadata":{"name":"metrics.k8s.io"},"versions":[{"version":"v1","freshness":"Stale"}]}]})";

ScriptedResponse Aggregated(const std::string& body) {
  ScriptedResponse response = Json(body);
  response.headers = {
      {"Content-Type", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"}};
  return response;
}

class DiscoveryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    client_.emplace(Client::ForTransport(
        sim_.env(), std::shared_ptr<Transport>(NewInMemoryTransport(sim_.env(), server_)),
        {.qps = -1}));
    server_.fallback = [this](const HttpRequest& request) {
      if (request.target == "/api") return Aggregated(kCore);
      if (request.target == "/apis") return Aggregated(groups_);
      return StatusFailure(404, "NotFound", "no");
    };
  }
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }
  // Returns "group/version/resource kind ns", or the error's text.
  std::string Map(const std::string& name) {
    std::string text;
    sim_.RunBlocking(
        [&] {
          const Result<RestMapping> mapping = client_->Discovery().MappingFor(name);
          text = mapping ? mapping->resource.group + "/" + mapping->resource.version + "/" +
                               mapping->resource.resource + " " + mapping->kind.kind +
                               (mapping->namespaced ? " namespaced" : "")
                         : mapping.error().message();
        },
        std::chrono::minutes(5));
    return text;
  }

  Simulation sim_{{.seed = 5}};
  ScriptedServer server_;
  std::string groups_{kGroups};
  std::optional<Client> client_;
};

TEST_F(DiscoveryTest, ShortPluralAndQualifiedNames_AreResolved) {
  for (const char* name : {"pods", "pod", "po", "Pod", "PODS", "pods.v1."}) {
    EXPECT_EQ(Map(name), "/v1/pods Pod namespaced") << name;
  }
  EXPECT_EQ(Map("no"), "/v1/nodes Node");
  for (const char* name : {"deploy", "deployments.apps", "deployment.v1.apps", "deploy.apps"}) {
    EXPECT_EQ(Map(name), "apps/v1/deployments Deployment namespaced") << name;
  }
  EXPECT_EQ(Map("deployments.v1beta1.apps"), "apps/v1beta1/deployments Deployment namespaced");
  EXPECT_EQ(Map("events"), "/v1/events Event namespaced");
  EXPECT_EQ(Map("events.events.k8s.io"), "events.k8s.io/v1/events Event namespaced");
  EXPECT_EQ(Map("events.v1.events.k8s.io"), "events.k8s.io/v1/events Event namespaced");
  // Two requests suffice for all of it.
  EXPECT_EQ(server_.requests.size(), 2u);
}

TEST_F(DiscoveryTest, AcceptHeader_AllowsAggregatedAndPlainDiscovery) {
  EXPECT_EQ(Map("po"), "/v1/pods Pod namespaced");
  for (const HttpRequest& request : server_.requests) {
    EXPECT_EQ(request.headers.Get("Accept"),
              "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
              "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,"
              "application/json");
  }
}

TEST_F(DiscoveryTest, TheFirstVersionThatIsCurrentIsPreferred) {
  groups_ = R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},)"
            R"("versions":[{"version":"v3","freshness":"Stale"},{"version":"v2"},)"
            R"({"version":"v1"}]},{"metadata":{"name":"x.io"},"versions":[{"version":"v1"}]}]})";
  Block([&] {
    const auto groups = client_->Discovery().ServerGroupsAndResources().OrExit();
    std::vector<std::string> preferred;
    for (const ApiGroupVersion& version : groups) {
      if (version.preferred) preferred.push_back(version.group + "/" + version.version);
    }
    EXPECT_EQ(preferred, (std::vector<std::string>{"/v1", "example.com/v2", "x.io/v1"}));
  });
}

TEST_F(DiscoveryTest, AnUnknownNameIsLookedUpOnceMoreAndExplained) {
  EXPECT_EQ(Map("po"), "/v1/pods Pod namespaced");
  const std::string text = Map("podz");
  EXPECT_NE(text.find("the server doesn't have a resource type \"podz\"; did you mean \"pods\"?"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("metrics.k8s.io/v1"), std::string::npos) << text;
  EXPECT_EQ(server_.requests.size(), 4u);
  // A kind that was added in the meantime is found.
  groups_ =
      R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},"versions":[)"
      R"({"version":"v1","resources":[{"resource":"widgets","scope":"Cluster","responseKind":{)"
      R"("kind":"Widget"}}]}]}]})";
  EXPECT_EQ(Map("widgets"), "example.com/v1/widgets Widget");
}

TEST_F(DiscoveryTest, AServerWithoutAnyGroup_IsTakenForAnotherAddress) {
  server_.fallback = [](const HttpRequest&) { return StatusFailure(404, "NotFound", "no"); };
  const std::string text = Map("pods");
  EXPECT_NE(text.find("has nothing under /api and /apis. Is this the address of a Kubernetes API"),
            std::string::npos)
      << text;
}

TEST_F(DiscoveryTest, OnlyNamesThatAreNearAreSuggested) {
  const auto suggested = [&](const std::string& name) {
    const std::string text = Map(name);
    const std::size_t at = text.find("did you mean \"");
    if (at == std::string::npos) return std::string();
    const std::size_t from = at + std::string("did you mean \"").size();
    return text.substr(from, text.find('"', from) - from);
  };
  EXPECT_EQ(suggested("xpods"), "pods");
  EXPECT_EQ(suggested("xxpods"), "pods");
  EXPECT_EQ(suggested("pds"), "pods");
  EXPECT_EQ(suggested("deplyents"), "deployments");
  EXPECT_EQ(suggested(""), "");
  EXPECT_EQ(suggested("pdos"), "pods");
  EXPECT_EQ(suggested("nodez.apps"), "nodes");
  EXPECT_EQ(suggested("DEPLOYMENTZ"), "deployments");
  EXPECT_EQ(suggested("deploymints"), "deployments");
  EXPECT_EQ(suggested("deploymuntz"), "deployments");
  EXPECT_EQ(suggested("deploimuntz"), "") << "three letters are too many";
  EXPECT_EQ(suggested("widgets"), "");
  // Suggestions for short names allow fewer different letters.
  EXPECT_EQ(suggested("pid"), "pods");
  EXPECT_EQ(suggested("pix"), "");
  EXPECT_EQ(suggested("pois"), "pods");
  EXPECT_EQ(suggested("pxxs"), "pods");
  EXPECT_EQ(suggested("txxs"), "");
}

TEST_F(DiscoveryTest, Names_IgnoreCase) {
  groups_ =
      R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":"example.com"},"versions":[)"
      R"({"version":"v1","resources":[{"resource":"azures","scope":"Cluster","responseKind":{)"
      R"("kind":"AZure"}}]}]}]})";
  for (const char* name : {"azures", "AZURES", "azure", "AZure", "aZURES.EXAMPLE.COM"}) {
    EXPECT_EQ(Map(name), "example.com/v1/azures AZure") << name;
  }
}

TEST_F(DiscoveryTest, Mapping_IsFoundByResourceAndByKind) {
  Block([&] {
    const auto by_resource =
        client_->Discovery().MappingFor(GroupVersionResource{"apps", "v1beta1", "deployments"});
    ASSERT_TRUE(by_resource.ok());
    EXPECT_EQ(by_resource->kind.version, "v1beta1");
    const auto by_kind = client_->Discovery().MappingFor(GroupVersionKind{"", "v1", "Node"});
    ASSERT_TRUE(by_kind.ok());
    EXPECT_EQ(by_kind->resource.resource, "nodes");
    EXPECT_FALSE(by_kind->namespaced);
    EXPECT_TRUE(IsNotFound(
        client_->Discovery().MappingFor(GroupVersionResource{"", "v1", "nothing"}).error()));
  });
}

TEST_F(DiscoveryTest, FirstServed_FollowsTheCallersOrder) {
  const auto first = [&](const std::vector<GroupVersionResource>& resources) {
    std::string text;
    Block([&] {
      const auto found = client_->Discovery().FirstServed(resources);
      text = found ? found->resource.version : found.error().ToString();
    });
    return text;
  };
  const GroupVersionResource v2{"apps", "v2", "deployments"};
  const GroupVersionResource v1{"apps", "v1", "deployments"};
  const GroupVersionResource v1beta1{"apps", "v1beta1", "deployments"};
  EXPECT_EQ(first({v1, v1beta1}), "v1");
  EXPECT_EQ(first({v1beta1, v1}), "v1beta1") << "the caller's order, not the server's";
  EXPECT_EQ(first({v2, v1}), "v1");
  EXPECT_EQ(server_.requests.size(), 2u) << "from what is known";
  EXPECT_EQ(first({v2, {"", "v9", "pods"}}),
            "NotFound: the server doesn't have a resource type \"deployments.v2.apps, "
            "pods.v9\"; \"deployments\" is in apps/v1, apps/v1beta1 (metrics.k8s.io/v1 could not "
            "be read: the "
            "server has no current discovery document of this group version)");
  // Unknown is not the same as absent.
  const GroupVersionResource stale{"metrics.k8s.io", "v1", "nodes"};
  EXPECT_EQ(first({v2, stale}).substr(0, 20), "ServiceUnavailable: ");
  EXPECT_EQ(first({stale, v1}), "v1");
  EXPECT_EQ(first({}).substr(0, 17), "InvalidArgument: ");
}

TEST_F(DiscoveryTest, OldServersAreAskedPerGroupVersion) {
  server_.fallback = [](const HttpRequest& request) {
    if (request.target == "/api") return Json(R"({"kind":"APIVersions","versions":["v1"]})");
    if (request.target == "/apis") {
      return Json(
          R"({"kind":"APIGroupList","groups":[{"name":"apps","versions":[)"
          R"({"groupVersion":"apps/v1beta1","version":"v1beta1"},{"groupVersion":"apps/v1",)"
          R"("version":"v1"}],)"
          R"("preferredVersion":{"groupVersion":"apps/v1","version":"v1"}},)"
          R"({"name":"broken","versions":[{"groupVersion":"broken/v1","version":"v1"}]}]})");
    }
    if (request.target == "/api/v1") {
      return Json(R"({"kind":"APIResourceList","resources":[{"name":"pods","singularName":"pod",)"
                  R"("namespaced":true,)"
                  R"("kind":"Pod","shortNames":["po"]},{"name":"pods/status","kind":"Pod"}]})");
    }
    if (request.target == "/apis/apps/v1" || request.target == "/apis/apps/v1beta1") {
      return Json(
          R"({"kind":"APIResourceList","resources":[{"name":"deployments","namespaced":true,)"
          R"("kind":"Deployment"}]})");
    }
    return StatusFailure(503, "ServiceUnavailable", "down");
  };
  EXPECT_EQ(Map("po"), "/v1/pods Pod namespaced");
  EXPECT_EQ(Map("deployments"), "apps/v1/deployments Deployment namespaced");
  Block([&] {
    const auto groups = client_->Discovery().ServerGroupsAndResources();
    ASSERT_TRUE(groups.ok());
    ASSERT_EQ(groups->size(), 4u);
    EXPECT_EQ((*groups)[0].resources.size(), 1u);
    EXPECT_TRUE((*groups)[1].preferred);
    EXPECT_EQ((*groups)[3].error, "down");
  });
}

// A timeout of the caller is an error, and not a sign of a broken group.
TEST_F(DiscoveryTest, ATimeoutBetweenGroupVersionsEndsIt) {
  server_.fallback = [](const HttpRequest& request) {
    if (request.target == "/api") return Json(R"({"kind":"APIVersions","versions":["v1"]})");
    if (request.target == "/apis") return Json(R"({"kind":"APIGroupList","groups":[]})");
    return ScriptedResponse{.body = "{", .hang = true};
  };
  Block([&] {
    const auto groups =
        client_->Discovery().ServerGroupsAndResources({.timeout = std::chrono::seconds(2)});
    EXPECT_EQ(groups.error().reason(), Reason::kDeadlineExceeded);
  });
}

std::string Joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + ";";
  return text;
}

// Returns all members of a resource, so that each of them is checked.
std::string Whole(const ApiResource& resource) {
  return resource.resource.group + "|" + resource.resource.version + "|" +
         resource.resource.resource + "|" + resource.kind + "|" + resource.singularName + "|" +
         (resource.namespaced ? "namespaced" : "cluster") + "|" + Joined(resource.verbs) + "|" +
         Joined(resource.shortNames) + "|" + Joined(resource.categories);
}

TEST_F(DiscoveryTest, AggregatedDiscovery_ResourcesAreReadInFull) {
  Block([&] {
    const auto groups = client_->Discovery().ServerGroupsAndResources().OrExit();
    ASSERT_EQ(groups.size(), 5U);
    ASSERT_EQ(groups[0].resources.size(), 3U) << "what has no kind is left out";
    EXPECT_EQ(Whole(groups[0].resources[0]),
              "|v1|pods|Pod|pod|namespaced|get;list;watch;|po;|all;");
    EXPECT_EQ(Whole(groups[0].resources[1]), "|v1|nodes|Node|node|cluster|get;|no;|");
    EXPECT_EQ(Whole(groups[1].resources[0]),
              "apps|v1|deployments|Deployment|deployment|namespaced|get;|deploy;|");
    EXPECT_TRUE(groups[0].resources[0].Supports("watch"));
    EXPECT_FALSE(groups[0].resources[1].Supports("watch"));
    EXPECT_EQ(groups[0].error, "");
    EXPECT_EQ(groups[4].group, "metrics.k8s.io");
    EXPECT_EQ(groups[4].error,
              "the server has no current discovery document of this group version");
    EXPECT_FALSE(groups[4].preferred);
  });
}

TEST_F(DiscoveryTest, OldServer_ResourcesAreReadInFull) {
  server_.fallback = [](const HttpRequest& request) {
    if (request.target == "/api") return Json(R"({"kind":"APIVersions","versions":["v1","v2"]})");
    if (request.target == "/api/v1") {
      return Json(
          R"({"resources":[{"name":"pods","singularName":"pod","namespaced":true,"kind":"Pod",)"
          R"("verbs":["get","list"],"shortNames":["po"],"categories":["all","mine"]},)"
          R"({"kind":"Nameless"},{"name":"nodes","kind":"Node"}]})");
    }
    if (request.target == "/api/v2") return Json("{}");
    return StatusFailure(404, "NotFound", "no");
  };
  Block([&] {
    const auto groups = client_->Discovery().ServerGroupsAndResources().OrExit();
    ASSERT_EQ(groups.size(), 2U) << "a server without named groups has the core group";
    ASSERT_EQ(groups[0].resources.size(), 2U);
    EXPECT_EQ(Whole(groups[0].resources[0]), "|v1|pods|Pod|pod|namespaced|get;list;|po;|all;mine;");
    EXPECT_EQ(Whole(groups[0].resources[1]), "|v1|nodes|Node||cluster|||");
    EXPECT_TRUE(groups[0].preferred);
    EXPECT_FALSE(groups[1].preferred) << "the first version is the preferred one";
    EXPECT_TRUE(groups[1].resources.empty());
    EXPECT_EQ(groups[1].error, "");
  });
}

TEST_F(DiscoveryTest, WithoutTheCoreGroup_NamedGroupsAreFound) {
  server_.fallback = [this](const HttpRequest& request) {
    if (request.target == "/apis") return Aggregated(groups_);
    return StatusFailure(404, "NotFound", "no");
  };
  EXPECT_EQ(Map("deploy"), "apps/v1/deployments Deployment namespaced");
  server_.fallback = [](const HttpRequest& request) {
    if (request.target == "/apis") return StatusFailure(500, "InternalError", "broken");
    return StatusFailure(404, "NotFound", "no");
  };
  client_->Discovery().Invalidate();
  EXPECT_EQ(Map("deploy"), "broken");
}

TEST_F(DiscoveryTest, AKindIsFoundInItsGroupAndVersionOnly) {
  const auto resource = [&](const GroupVersionKind& kind) {
    std::string text;
    Block([&] {
      const auto found = client_->Discovery().MappingFor(kind);
      text = found ? found->resource.group + "/" + found->resource.version + "/" +
                         found->resource.resource
                   : std::string(IsNotFound(found.error()) ? "none" : "error");
    });
    return text;
  };
  EXPECT_EQ(resource({"events.k8s.io", "v1", "Event"}), "events.k8s.io/v1/events");
  EXPECT_EQ(resource({"", "v1", "Event"}), "/v1/events");
  EXPECT_EQ(resource({"apps", "v1beta1", "Deployment"}), "apps/v1beta1/deployments");
  EXPECT_EQ(resource({"apps", "v1", "Event"}), "none");
  EXPECT_EQ(resource({"", "v2", "Event"}), "none");
  EXPECT_EQ(resource({"", "v1", "event"}), "none");
}

TEST_F(DiscoveryTest, Mappings_HaveDynamicAndMetadataTypes) {
  Block([&] {
    for (const char* name : {"pods", "nodes"}) {
      const RestMapping mapping = client_->Discovery().MappingFor(name).OrExit();
      for (const KindInfo* type : {&mapping.dynamic_type(), &mapping.metadata_type()}) {
        EXPECT_EQ(type->version, "v1");
        EXPECT_EQ(type->resource, name);
        EXPECT_EQ(type->kind, mapping.kind.kind);
        EXPECT_EQ(type->namespaced, std::string(name) == "pods");
      }
    }
  });
}

TEST_F(DiscoveryTest, TheVersionOfTheServer) {
  server_.fallback = [](const HttpRequest& request) {
    if (request.target == "/version") return Json(R"({"major":"1","gitVersion":"v1.33.2"})");
    return StatusFailure(404, "NotFound", "no");
  };
  Block([&] { EXPECT_EQ(client_->Discovery().ServerVersion().value_or("-"), "v1.33.2"); });
  Block([&] {
    EXPECT_TRUE(MatchesServerVersion(client_->Discovery(), "v1.33.2"));
    const Result<void> other = MatchesServerVersion(client_->Discovery(), "v1.33.3");
    EXPECT_EQ(other.error().reason(), Reason::kInvalidArgument);
    EXPECT_EQ(other.error().message(),
              "server version (v1.33.2) differs from client version (v1.33.3)");
  });
  server_.fallback = [](const HttpRequest&) { return StatusFailure(403, "Forbidden", "no"); };
  Block([&] { EXPECT_TRUE(IsForbidden(client_->Discovery().ServerVersion().error())); });
  Block([&] {
    EXPECT_TRUE(IsForbidden(MatchesServerVersion(client_->Discovery(), "v1.33.2").error()));
  });
}

// A server that never answers: without a timeout of the caller, client-go's 32 seconds apply.
TEST_F(DiscoveryTest, ASilentServerIsNotWaitedForLonger) {
  server_.fallback = [](const HttpRequest&) { return ScriptedResponse{.body = "{", .hang = true}; };
  const auto waits = [&](const CallOptions& call) {
    Duration took{};
    Block([&] {
      const SteadyTime before = sim_.env().Now();
      EXPECT_EQ(client_->Discovery().ServerVersion(call).error().reason(),
                Reason::kDeadlineExceeded);
      took = sim_.env().Now() - before;
    });
    return took;
  };
  EXPECT_EQ(waits({}), std::chrono::seconds(32));
  EXPECT_EQ(waits({.timeout = std::chrono::seconds(40)}), std::chrono::seconds(40));
}

TEST_F(DiscoveryTest, AServerThatRefusesIsAnError) {
  server_.fallback = [](const HttpRequest&) {
    return StatusFailure(403, "Forbidden", "not for you");
  };
  EXPECT_EQ(Map("pods"), "not for you");
}

TEST_F(DiscoveryTest, NotAnApiServer_ErrorSaysSo) {
  server_.fallback = [](const HttpRequest&) { return Json("<html>log in</html>"); };
  const std::string message = Map("pods");
  EXPECT_NE(message.find("does not answer /api as a Kubernetes API server does"), std::string::npos)
      << message;
  EXPECT_NE(message.find("found '<'"), std::string::npos) << message;
  EXPECT_NE(message.find("Is this its address"), std::string::npos) << message;
}

TEST_F(DiscoveryTest, CallOnTheLoop_IsWouldDeadlock) {
  sim_.env().loop().Post([&] {
    EXPECT_EQ(client_->Discovery().MappingFor("pods").error().reason(), Reason::kWouldDeadlock);
  });
  sim_.RunReady();
}

}  // namespace
}  // namespace kinformer

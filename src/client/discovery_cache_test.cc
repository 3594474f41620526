// The answers of servers of all kinds, and what is kept of them.

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/task.h"
#include "kinformer/client/async_discovery.h"
#include "kinformer/client/discovery.h"

#include "client/testing/config_map_client.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using testing::Json;
using testing::ScriptedResponse;
using testing::StatusFailure;

ScriptedResponse NotFound() { return StatusFailure(404, "NotFound", "no"); }

std::string CoreVersions() { return R"({"kind":"APIVersions","versions":["v1"]})"; }

std::string GroupList() {
  return R"({"kind":"APIGroupList","groups":[{"name":"apps","versions":[{"version":"v1"},)"
         R"({"version":"v1beta1"}],"preferredVersion":{"version":"v1"}},{"name":"metrics.k8s.io",)"
         R"("versions":[{"version":"v1"}],"preferredVersion":{"version":"v1"}}]})";
}

std::string ResourceList(const std::string& names) {
  std::string items;
  std::size_t from = 0;
  while (from < names.size()) {
    const std::size_t end = std::min(names.find(' ', from), names.size());
    const std::string name = names.substr(from, end - from);
    items += (items.empty() ? "" : ",") + (R"({"name":")" + name + R"(","namespaced":)") +
             (name == "nodes" ? "false" : "true") + R"(,"kind":"Kind","verbs":["get"]})";
    from = end + 1;
  }
  return R"({"kind":"APIResourceList","resources":[)" + items + "]}";
}

// "v1(pods) apps/v1(deployments)!error"
std::string Text(const Result<std::vector<ApiGroupVersion>>& groups) {
  if (!groups) return groups.error().ToString();
  std::string out;
  for (const ApiGroupVersion& version : *groups) {
    out += (out.empty() ? "" : " ") + version.groupVersion() + "(";
    for (const ApiResource& resource : version.resources) {
      out += (out.back() == '(' ? "" : ",") + resource.resource.resource;
    }
    out += ")" + (version.error.empty() ? "" : "!" + version.error);
  }
  return out;
}

class DiscoveryCacheTest : public testing::ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    answers_ = {{"/api", Json(CoreVersions())},
                {"/apis", Json(GroupList())},
                {"/api/v1", Json(ResourceList("pods nodes pods/status"))},
                {"/apis/apps/v1", Json(ResourceList("deployments"))},
                {"/apis/apps/v1beta1", Json(ResourceList("deployments olds"))},
                {"/apis/metrics.k8s.io/v1", Json(ResourceList("loads"))}};
    server_.fallback = [this](const HttpRequest& request) {
      if (answer_) {
        if (std::optional<ScriptedResponse> response = answer_(request)) return *response;
      }
      const auto found = answers_.find(request.target);
      return found == answers_.end() ? NotFound() : found->second;
    };
  }
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::minutes(5)));
  }
  std::string All() { return Text(client_->Discovery().ServerGroupsAndResources()); }
  // Returns the paths that were asked for since the last call.
  std::string Asked() {
    std::string out;
    for (const HttpRequest& request : server_.requests) out += request.target + " ";
    server_.requests.clear();
    return out;
  }

  std::map<std::string, ScriptedResponse> answers_;
  std::function<std::optional<ScriptedResponse>(const HttpRequest&)> answer_;
};

TEST_F(DiscoveryCacheTest, GroupsOfOddServers_DS01) {
  struct Row {
    const char* name;
    ScriptedResponse api;
    ScriptedResponse apis;
    std::string groups;
  };
  const ScriptedResponse core = Json(CoreVersions());
  const ScriptedResponse one = Json(R"({"kind":"APIGroupList","groups":[{"name":"apps",)"
                                    R"("versions":[{"version":"v1"}]}]})");
  const ScriptedResponse forbidden = StatusFailure(403, "Forbidden", "not for you");
  const ScriptedResponse broken = StatusFailure(500, "InternalError", "broken");
  const std::vector<Row> rows = {
      {"core only, of an old server", core, NotFound(), ":v1 "},
      {"no core group", NotFound(), one, "apps:v1 "},
      {"forbidden core group", forbidden, one, "apps:v1 "},
      {"forbidden groups", core, forbidden, ":v1 "},
      {"all forbidden", forbidden, forbidden, "Forbidden: not for you"},
      {"broken core group", broken, one, "InternalError: broken"},
      {"broken groups", core, broken, "InternalError: broken"},
      {"nothing", NotFound(), NotFound(), ""},
      {"another document", Json("[1,2]"), Json(R"({"groups":{"a":[]},"versions":7})"), ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    answers_["/api"] = row.api;
    answers_["/apis"] = row.apis;
    client_->Discovery().Invalidate();
    Block([&] {
      const auto groups = client_->Discovery().ServerGroups();
      std::string text = groups ? "" : groups.error().ToString();
      for (const ApiGroup& group : groups.value_or({})) {
        text += group.name + ":" + group.preferredVersion + " ";
      }
      EXPECT_EQ(text, row.groups);
    });
  }
}

TEST_F(DiscoveryCacheTest, AFailingGroupVersion_IsDataBesideTheOthers_DS02) {
  answers_["/apis/apps/v1"] = StatusFailure(403, "Forbidden", "not for you");
  Block([&] {
    EXPECT_EQ(All(),
              "v1(pods,nodes) apps/v1()!not for you apps/v1beta1(deployments,olds) "
              "metrics.k8s.io/v1(loads)");
    const auto groups = client_->Discovery().ServerGroupsAndResources().OrExit();
    const auto failed = GroupDiscoveryFailedErrorGroups(groups);
    ASSERT_EQ(failed.size(), 1U);
    EXPECT_TRUE(IsForbidden(failed.at("apps/v1")));
    const auto one = client_->Discovery().ServerResourcesForGroupVersion("apps/v1");
    EXPECT_EQ(one.error().ToString(), "Forbidden: apps/v1: not for you");
    const auto core = client_->Discovery().ServerResourcesForGroupVersion("v1").OrExit();
    EXPECT_EQ(core.resources[0].subresources.size(), 1U);
    EXPECT_EQ(core.resources[0].subresources[0].name, "status");
    EXPECT_TRUE(IsNotFound(client_->Discovery().ServerResourcesForGroupVersion("apps/v9").error()));
  });
}

TEST_F(DiscoveryCacheTest, PreferredResources_AskTwiceForWhatFails_AndAreMerged_DS03) {
  int left = 1;
  answer_ = [&](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (request.target != "/apis/apps/v1" || left-- <= 0) return std::nullopt;
    return StatusFailure(503, "ServiceUnavailable", "down");
  };
  Block([&] {
    EXPECT_EQ(Text(client_->Discovery().ServerPreferredResources()),
              "v1(pods,nodes) apps/v1(deployments) apps/v1beta1(olds) metrics.k8s.io/v1(loads)");
    EXPECT_EQ(Text(client_->Discovery().ServerPreferredNamespacedResources()),
              "v1(pods) apps/v1(deployments) apps/v1beta1(olds) metrics.k8s.io/v1(loads)");
    EXPECT_EQ(Asked(),
              "/api /apis /api/v1 /apis/apps/v1 /apis/apps/v1beta1 /apis/metrics.k8s.io/v1 "
              "/apis/apps/v1 ");
    left = 1'000;
    client_->Discovery().Invalidate();
    EXPECT_EQ(Text(client_->Discovery().ServerPreferredNamespacedResources()),
              "v1(pods) apps/v1()!down apps/v1beta1(deployments,olds) metrics.k8s.io/v1(loads)")
        << "a failed version is still told, and others stand in for it";
    EXPECT_EQ(1'000 - left, 2) << "two attempts";
  });
}

std::string Aggregated(const std::string& group, const std::string& versions) {
  return R"({"kind":"APIGroupDiscoveryList","items":[{"metadata":{"name":")" + group +
         R"("},"versions":[)" + versions + "]}]}";
}

std::string AggregatedVersion(const std::string& version, const std::string& resource,
                              const std::string& freshness = "Current") {
  return R"({"version":")" + version + R"(","freshness":")" + freshness + R"(","resources":[)" +
         (resource.empty() ? ""
                           : R"({"resource":")" + resource +
                                 R"(","scope":"Namespaced","responseKind":{"kind":"Kind"}})") +
         "]}";
}

TEST_F(DiscoveryCacheTest, AggregatedAnswers_OfBothEndpointsOrOne_DS04) {
  const std::string core = Aggregated("", AggregatedVersion("v1", "pods"));
  const std::string named = Aggregated(
      "apps", AggregatedVersion("v2", "", "Stale") + "," + AggregatedVersion("v1", "deployments"));
  const std::string stale =
      "apps/v2()!the server has no current discovery document of this group "
      "version apps/v1(deployments)";
  answers_["/api"] = Json(core);
  answers_["/apis"] = Json(named);
  Block([&] {
    EXPECT_EQ(All(), "v1(pods) " + stale);
    EXPECT_EQ(Asked(), "/api /apis ");
    const auto groups = client_->Discovery().ServerGroups().OrExit();
    EXPECT_EQ(groups[1].preferredVersion, "v1") << "the first that is not stale";
    const auto whole = client_->Discovery().ServerGroupsAndResources().OrExit();
    EXPECT_EQ(GroupDiscoveryFailedErrorGroups(whole).count("apps/v2"), 1U);
    EXPECT_EQ(Asked(), "") << "stale documents are not asked for at each call";

    client_->Discovery().Invalidate();
    answers_["/api"] = Json(CoreVersions());
    EXPECT_EQ(All(), "v1(pods,nodes) " + stale);
    EXPECT_EQ(Asked(), "/api /apis /api/v1 ");

    client_->Discovery().Invalidate();
    answers_["/api"] = Json(core);
    answers_["/apis"] = Json(R"({"kind":"APIGroupDiscoveryList","items":[{"versions":7},3]})");
    EXPECT_EQ(All(), "v1(pods)") << "what makes no sense is left out";
  });
}

TEST_F(DiscoveryCacheTest, AnAggregatedDocumentThatHasNotChanged_IsNotSentAgain_DS04) {
  ScriptedResponse document = Json(Aggregated("apps", AggregatedVersion("v1", "deployments")));
  document.headers.emplace_back("ETag", "\"e1\"");
  answers_["/api"] = NotFound();
  answer_ = [&](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (request.target != "/apis") return std::nullopt;
    if (request.headers.Get("If-None-Match") == "\"e1\"") return ScriptedResponse{.status = 304};
    return document;
  };
  Block([&] {
    for (int i = 0; i < 3; ++i) {
      EXPECT_EQ(All(), "apps/v1(deployments)") << i;
      EXPECT_EQ(server_.requests.back().headers.Has("If-None-Match"), i > 0);
      client_->Discovery().Invalidate();
    }
    document = Json(Aggregated("apps", AggregatedVersion("v2", "deployments")));
    document.headers.emplace_back("ETag", "\"e2\"");
    answer_ = [&](const HttpRequest& request) -> std::optional<ScriptedResponse> {
      return request.target == "/apis" ? std::optional(document) : std::nullopt;
    };
    EXPECT_EQ(All(), "apps/v2(deployments)");
  });
}

TEST_F(DiscoveryCacheTest, ErrorsThatMayPassAreAskedAgain_AndOthersKeptUntilInvalidate_DS06) {
  answers_["/api"] = StatusFailure(500, "InternalError", "broken");
  Block([&] {
    EXPECT_EQ(All(), "InternalError: broken");
    EXPECT_FALSE(client_->Discovery().Fresh());
    answers_["/api"] = Json(CoreVersions());
    answers_["/apis/apps/v1"] = StatusFailure(503, "ServiceUnavailable", "down");
    answers_["/apis/metrics.k8s.io/v1"] = StatusFailure(403, "Forbidden", "not for you");
    EXPECT_EQ(All(),
              "v1(pods,nodes) apps/v1()!down apps/v1beta1(deployments,olds) "
              "metrics.k8s.io/v1()!not for you");
    EXPECT_TRUE(client_->Discovery().Fresh());
    (void)Asked();
    answers_["/apis/apps/v1"] = Json(ResourceList("deployments"));
    answers_["/apis/metrics.k8s.io/v1"] = Json(ResourceList("loads"));
    EXPECT_EQ(All(),
              "v1(pods,nodes) apps/v1(deployments) apps/v1beta1(deployments,olds) "
              "metrics.k8s.io/v1()!not for you");
    EXPECT_EQ(Asked(), "/apis/apps/v1 ");
    EXPECT_EQ(All().find("!down"), std::string::npos);
    EXPECT_EQ(Asked(), "") << "the answer is kept";
    client_->Discovery().Invalidate();
    EXPECT_FALSE(client_->Discovery().Fresh());
    EXPECT_EQ(All().find('!'), std::string::npos);
  });
}

TEST_F(DiscoveryCacheTest, AVersionThatFailed_IsAskedForAgain_DS06) {
  answers_["/apis/apps/v1"] = StatusFailure(503, "ServiceUnavailable", "down");
  Block([&] {
    EXPECT_EQ(client_->Discovery().ServerResourcesForGroupVersion("apps/v1").error().ToString(),
              "ServiceUnavailable: apps/v1: down");
    answers_["/apis/apps/v1"] = Json(ResourceList("deployments"));
    const auto found = client_->Discovery().ServerResourcesForGroupVersion("apps/v1");
    ASSERT_TRUE(found) << found.error();
    EXPECT_EQ(found->resources.size(), 1U);
  });
}

TEST_F(DiscoveryCacheTest, ACancelledCall_LeavesNothingBehind_DS06) {
  answers_["/apis/apps/v1"] = ScriptedResponse{.body = "{", .hang = true};
  Block([&] {
    const auto late =
        client_->Discovery().ServerGroupsAndResources({.timeout = std::chrono::seconds(1)});
    EXPECT_EQ(late.error().reason(), Reason::kDeadlineExceeded);
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = client_->Discovery().ServerGroupsAndResources({.stop = stop.get_token()});
    EXPECT_EQ(stopped.error().reason(), Reason::kCanceled);
    answers_["/apis/apps/v1"] = Json(ResourceList("deployments"));
    EXPECT_EQ(All().find('!'), std::string::npos);
  });
}

TEST_F(DiscoveryCacheTest, AllQueriesShareOneFetch_UntilInvalidate_DS07) {
  Block([&] {
    const std::string whole = All();
    (void)Asked();
    EXPECT_EQ(All(), whole);
    EXPECT_TRUE(client_->Discovery().ServerGroups());
    EXPECT_TRUE(client_->Discovery().ServerPreferredResources());
    EXPECT_TRUE(client_->Discovery().ServerResourcesForGroupVersion("apps/v1"));
    EXPECT_TRUE(client_->Discovery().MappingFor("olds"));
    EXPECT_TRUE(client_->Discovery().Mapper());
    EXPECT_TRUE(BlockOn(sim_.env(), AsyncDiscoveryClient(*client_).ServerGroups().AsTask()));
    EXPECT_EQ(Asked(), "");
    client_->Discovery().Invalidate();
    EXPECT_EQ(All(), whole);
    EXPECT_NE(Asked(), "");
  });
}

// Answers as a server with OpenAPI v3 does; `hash` is that of the only document.
class OpenApiTest : public DiscoveryCacheTest {
 protected:
  void SetUp() override {
    DiscoveryCacheTest::SetUp();
    answer_ = [this](const HttpRequest& request) -> std::optional<ScriptedResponse> {
      if (request.target == "/openapi/v3") {
        const std::string tag = "\"" + hash_ + "\"";
        if (request.headers.Get("If-None-Match") == tag) return ScriptedResponse{.status = 304};
        ScriptedResponse list = Json(
            R"({"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=)" +
            hash_ + R"("},"bad":{"serverRelativeURL":"https://elsewhere"},"api":{}}})");
        list.headers.emplace_back("ETag", tag);
        return list;
      }
      if (request.target == "/openapi/v3/apis/apps/v1?hash=" + hash_) {
        return Json(R"({"openapi":"3.0.0","title":")" + hash_ + R"("})");
      }
      if (request.target.starts_with("/openapi/v3/apis/apps/v1")) {
        return ScriptedResponse{.status = 301, .headers = {{"Location", "/openapi/v3"}}};
      }
      return std::nullopt;
    };
  }
  std::string Schema(const std::string& path = "apis/apps/v1") {
    const auto schema = client_->Discovery().OpenAPIV3Schema(path);
    return schema ? **schema : schema.error().ToString();
  }
  std::string hash_ = "A1";
};

TEST_F(OpenApiTest, OpenApiPaths_AreFetchedOnce_AndTheirListByItsETag_DS07) {
  Block([&] {
    const auto paths = client_->Discovery().OpenAPIV3().OrExit();
    ASSERT_EQ(paths.size(), 1U) << "only paths of this server";
    EXPECT_EQ(paths.begin()->first, "apis/apps/v1");
    EXPECT_EQ(paths.begin()->second.hash, "A1");
    EXPECT_EQ(Schema(), R"({"openapi":"3.0.0","title":"A1"})");
    EXPECT_EQ(Schema(), R"({"openapi":"3.0.0","title":"A1"})");
    EXPECT_EQ(Asked(), "/openapi/v3 /openapi/v3/apis/apps/v1?hash=A1 ");
    EXPECT_EQ(client_->Discovery().OpenAPIV3Schema("apis/apps/v1").OrExit().get(),
              client_->Discovery().OpenAPIV3Schema("apis/apps/v1").OrExit().get());
    client_->Discovery().Invalidate();
    EXPECT_EQ(Schema(), R"({"openapi":"3.0.0","title":"A1"})");
    ASSERT_EQ(server_.requests.size(), 1U) << "the hash says that the document is the same";
    EXPECT_EQ(server_.requests[0].headers.Get("If-None-Match"), "\"A1\"");
  });
}

TEST_F(OpenApiTest, ADocumentThatChangedMeanwhile_IsFoundByANewList) {
  Block([&] {
    EXPECT_TRUE(client_->Discovery().OpenAPIV3());
    hash_ = "B2";
    EXPECT_EQ(Schema(), R"({"openapi":"3.0.0","title":"B2"})");
    EXPECT_EQ(Asked(),
              "/openapi/v3 /openapi/v3/apis/apps/v1?hash=A1 /openapi/v3 "
              "/openapi/v3/apis/apps/v1?hash=B2 ");
    EXPECT_EQ(Schema("apis/none/v1"),
              "NotFound: the server has no OpenAPI v3 document \"apis/none/v1\"");
  });
}

TEST_F(OpenApiTest, AServerWithoutOpenApiV3_IsNotFoundInWords) {
  answer_ = {};
  Block([&] {
    const auto paths = client_->Discovery().OpenAPIV3();
    EXPECT_TRUE(IsNotFound(paths));
    EXPECT_NE(paths.error().message().find("has no OpenAPI v3 documents"), std::string::npos)
        << paths.error();
  });
}

// 40 MiB each: the second pushes the first out.
TEST_F(OpenApiTest, DocumentsOfMoreThan64MiB_AreNotAllKept) {
  answer_ = [](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (request.target == "/openapi/v3") {
      return Json(R"({"paths":{"a":{"serverRelativeURL":"/openapi/v3/a?hash=1"},)"
                  R"("b":{"serverRelativeURL":"/openapi/v3/b?hash=1"}}})");
    }
    return Json("\"" + std::string(std::size_t{40} << 20, 'x') + "\"");
  };
  Block([&] {
    for (const char* path : {"a", "a", "b", "b", "a"}) {
      EXPECT_TRUE(client_->Discovery().OpenAPIV3Schema(path)) << path;
    }
    EXPECT_EQ(Asked(),
              "/openapi/v3 /openapi/v3/a?hash=1 /openapi/v3/b?hash=1 /openapi/v3/a?hash=1 ");
  });
}

// ---- Servers that mean harm

TEST_F(DiscoveryCacheTest, NamesThatAreNoNames_AreNeitherKeptNorAskedFor) {
  answers_["/apis"] = Json(
      R"({"kind":"APIGroupList","groups":[{"name":"../x","versions":[{"version":"v1"}]},)"
      R"({"name":"ok","versions":[{"version":"v1?a=b"},{"version":"."},{"version":""},)"
      R"({"version":"v1"},{"version":"v1"}]},{"name":"a\nb","versions":[{"version":"v1"}]}]})");
  answers_["/apis/ok/v1"] =
      Json(R"({"resources":[{"name":"..","kind":"K"},{"name":"a b","kind":"K"},)"
           R"({"name":"good","kind":"K"},{"name":"bad","kind":"K\u001b"},{"name":"x/../y"}]})");
  Block([&] {
    EXPECT_EQ(All(), "v1(pods,nodes) ok/v1(good)");
    EXPECT_EQ(Asked(), "/api /apis /api/v1 /apis/ok/v1 ");
  });
}

TEST_F(DiscoveryCacheTest, MoreGroupVersionsThanAnyServerHas_AreAnError) {
  std::string versions;
  for (int i = 0; i <= 10'000; ++i) {
    versions += (i == 0 ? "" : ",") + AggregatedVersion("v" + std::to_string(i), "");
  }
  answers_["/apis"] = Json(Aggregated("apps", versions));
  Block([&] {
    const auto groups = client_->Discovery().ServerGroupsAndResources();
    ASSERT_FALSE(groups);
    EXPECT_EQ(groups.error().reason(), Reason::kOverLimit);
    EXPECT_NE(groups.error().message().find("more than 10000 group versions"), std::string::npos)
        << groups.error();
  });
}

}  // namespace
}  // namespace kinformer

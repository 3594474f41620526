#include "apiserver/request/request_info.h"

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace kinformer::apiserver {
namespace {

// Returns "verb group/version namespace/resource/name/subresource" of a request for a resource;
// else "other" and the path.
std::string Parsed(std::string_view method, std::string_view target) {
  const Result<RequestInfo> info = ParseRequest(method, target);
  if (!info) return info.error().message();
  if (!info->is_resource_request) return "other " + info->path;
  const std::string verb(VerbName(info->verb));
  return verb + " " + info->group + "/" + info->version + " " + info->namespace_ + "/" +
         info->resource + "/" + info->name + "/" + info->subresource;
}

TEST(RequestInfos, Verb_FollowsMethodNameAndWatch) {
  struct Case {
    std::string_view method;
    std::string_view target;
    std::string_view parsed;
  };
  const std::vector<Case> cases = {
      {"GET", "/api/v1/pods", "list /v1 /pods//"},
      {"GET", "/api/v1/pods?watch=1", "watch /v1 /pods//"},
      {"GET", "/api/v1/pods?watch=true", "watch /v1 /pods//"},
      {"GET", "/api/v1/pods?watch=false", "list /v1 /pods//"},
      {"GET", "/api/v1/pods?watch=0", "list /v1 /pods//"},
      {"GET", "/api/v1/namespaces/n/pods/p?watch=1", "get /v1 n/pods/p/"},
      {"POST", "/api/v1/namespaces/n/pods", "create /v1 n/pods//"},
      {"POST", "/api/v1/pods?watch=1", "create /v1 /pods//"},
      {"PUT", "/api/v1/namespaces/n/pods/p", "update /v1 n/pods/p/"},
      {"PATCH", "/api/v1/namespaces/n/pods/p", "patch /v1 n/pods/p/"},
      {"DELETE", "/api/v1/namespaces/n/pods/p", "delete /v1 n/pods/p/"},
      {"DELETE", "/api/v1/namespaces/n/pods", "deletecollection /v1 n/pods//"},
      {"HEAD", "/api/v1/pods", " /v1 /pods//"},
      {"get", "/api/v1/pods", " /v1 /pods//"},
  };
  for (const Case& c : cases) EXPECT_EQ(Parsed(c.method, c.target), c.parsed) << c.target;
}

TEST(RequestInfos, Path_IsSplitAsOnARealServer) {
  struct Case {
    std::string_view target;
    std::string_view parsed;
  };
  const std::vector<Case> cases = {
      {"/apis/apps/v1/deployments", "list apps/v1 /deployments//"},
      {"/apis/apps/v1/namespaces/n/deployments/d", "get apps/v1 n/deployments/d/"},
      {"/apis/apps/v1/namespaces/n/deployments/d/scale", "get apps/v1 n/deployments/d/scale"},
      {"/apis/apps/v1/namespaces/n/deployments/d/scale/x", "get apps/v1 n/deployments/d/scale"},
      {"/api/v1/namespaces", "list /v1 /namespaces//"},
      {"/api/v1/namespaces/n", "get /v1 n/namespaces/n/"},
      {"/api/v1/namespaces/n/status", "get /v1 n/namespaces/n/status"},
      {"/api/v1/namespaces/n/finalize", "get /v1 n/namespaces/n/finalize"},
      {"/api/v1/namespaces/n/pods", "list /v1 n/pods//"},
      {"/api/v1/watch/pods", "watch /v1 /pods//"},
      {"/api/v1/watch", "list /v1 /watch//"},
      {"/api/v1/watch/namespaces/n/pods", "watch /v1 n/pods//"},
      {"/api/v1/watch/namespaces/n/pods/p", "watch /v1 n/pods//"},
      {"/api/v1/proxy/nodes/n", "get /v1 /nodes/n/"},
      {"/api/v1/proxy", "list /v1 /proxy//"},
      {"/api/v1/nodes/a%20b", "get /v1 /nodes/a b/"},
      {"/api/v1/nodes/a+b", "get /v1 /nodes/a+b/"},
      {"/api/v1/nodes/", "list /v1 /nodes//"},
      {"/api/v1", "other /api/v1"},
      {"/api/v1/", "other /api/v1"},
      {"/api", "other /api"},
      {"/apis/apps/v1", "other /apis/apps/v1"},
      {"/apis/apps", "other /apis/apps"},
      {"/healthz/etcd/", "other /healthz/etcd"},
      {"/", "other /"},
      {"/?x=1", "other /"},
      {"/api/v1//pods", "other /api/v1/pods"},
      {"//api/v1/pods", "other /"},
      {"/other/v1/pods/x", "other /other/v1/pods/x"},
      {"", "the request target must be a path that starts with '/'"},
      {"?x", "the request target must be a path that starts with '/'"},
      {"api/v1/pods", "the request target must be a path that starts with '/'"},
      {"/api/v1/%zz", "the request path is badly percent-encoded"},
  };
  for (const Case& c : cases) EXPECT_EQ(Parsed("GET", c.target), c.parsed) << c.target;
  EXPECT_EQ(ParseRequest("GET", "x").error().reason(), Reason::kBadRequest);
  EXPECT_EQ(ParseRequest("GET", "/%").error().reason(), Reason::kBadRequest);
}

TEST(RequestInfos, Slashes_ThatPartsDoNotShow_AreRemembered) {
  struct Case {
    std::string_view target;
    bool trailing;
    bool empty;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases = {
      {"/", false, false, {}},
      {"/a", false, false, {"a"}},
      {"/a/", true, false, {"a"}},
      {"/a/b", false, false, {"a", "b"}},
      {"/a/b/?c/", true, false, {"a", "b"}},
      {"/a//b", false, true, {"a", "b"}},
      {"//a", false, true, {}},
      {"//", true, true, {}},
      {"/a%2fb", false, false, {"a", "b"}},
  };
  for (const Case& c : cases) {
    const RequestInfo info = ParseRequest("GET", c.target).OrExit();
    EXPECT_EQ(info.trailing_slash, c.trailing) << c.target;
    EXPECT_EQ(info.empty_part, c.empty) << c.target;
    EXPECT_EQ(info.parts, c.parts) << c.target;
  }
}

TEST(RequestInfos, Query_BelongsToTheRequest) {
  const RequestInfo list = ParseRequest("GET", "/api/v1/pods?limit=5&x=%20").OrExit();
  EXPECT_EQ(list.query.Get("limit"), "5");
  EXPECT_EQ(list.query.Get("x"), " ");
  EXPECT_EQ(list.query.Get("fieldSelector"), "");
  const RequestInfo one = ParseRequest("GET", "/api/v1/watch/nodes/n").OrExit();
  EXPECT_EQ(one.verb, Verb::kWatch);
  EXPECT_EQ(one.query.Get("fieldSelector"), "metadata.name=n");
  const RequestInfo all = ParseRequest("GET", "/api/v1/watch/nodes").OrExit();
  EXPECT_EQ(all.query.Get("fieldSelector"), "");
}

TEST(RequestInfos, Verbs_HaveTheirNames) {
  EXPECT_EQ(VerbName(Verb::kGet), "get");
  EXPECT_EQ(VerbName(Verb::kList), "list");
  EXPECT_EQ(VerbName(Verb::kWatch), "watch");
  EXPECT_EQ(VerbName(Verb::kCreate), "create");
  EXPECT_EQ(VerbName(Verb::kUpdate), "update");
  EXPECT_EQ(VerbName(Verb::kPatch), "patch");
  EXPECT_EQ(VerbName(Verb::kDelete), "delete");
  EXPECT_EQ(VerbName(Verb::kDeleteCollection), "deletecollection");
  EXPECT_EQ(VerbName(Verb::kOther), "");
}

}  // namespace
}  // namespace kinformer::apiserver

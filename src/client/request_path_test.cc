#include "client/request_path.h"

#include <cstdio>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace kinformer::internal::client {
namespace {

TEST(RequestPath, SegmentsStandInTheApisOrder_RB04) {
  EXPECT_EQ(*BuildPath({"", "v1", "pods", "default", "web-0", "status"}),
            "/api/v1/namespaces/default/pods/web-0/status");
  EXPECT_EQ(*BuildPath({"apps", "v1", "deployments", "", "", ""}), "/apis/apps/v1/deployments");
  EXPECT_EQ(*BuildPath({"", "v1", "nodes", "", "n1", ""}), "/api/v1/nodes/n1");
  EXPECT_EQ(*BuildPath({"", "v1", "pods", "a", "p", "proxy/metrics"}),
            "/api/v1/namespaces/a/pods/p/proxy/metrics");
}

TEST(RequestPath, NamesOfRbacKeepTheirColon) {
  EXPECT_EQ(*BuildPath({"rbac.authorization.k8s.io", "v1", "clusterroles", "", "system:node", ""}),
            "/apis/rbac.authorization.k8s.io/v1/clusterroles/system:node");
  EXPECT_EQ(*BuildPath({"", "v1", "pods", "", "a b\"", ""}), "/api/v1/pods/a%20b%22");
}

TEST(RequestPath, EveryByteStandsOrIsEscaped) {
  const std::string_view unreserved =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
  const std::string_view in_a_path = ":@!$&'()*+,;=";
  for (int byte = 0; byte < 256; ++byte) {
    const char c = static_cast<char>(byte);
    char escaped[8];
    std::snprintf(escaped, sizeof(escaped), "%%%02X", static_cast<unsigned>(byte));
    const bool plain = unreserved.find(c) != std::string_view::npos;
    const std::string name = std::string("a") + c;
    if (c != '/' && c != '%') {
      const bool stands = plain || in_a_path.find(c) != std::string_view::npos;
      EXPECT_EQ(*BuildPath({"", "v1", "pods", "", name, ""}),
                "/api/v1/pods/a" + (stands ? std::string(1, c) : escaped))
          << byte;
    }
    Query query;
    query.Add("q", name);
    EXPECT_EQ(query.Text(), "?q=a" + (plain ? std::string(1, c) : escaped)) << byte;
  }
}

TEST(RequestPath, SegmentsThatWouldNameSomethingElseAreRefused_RB06) {
  for (const char* bad : {".", "..", "a/b", "a%2fb"}) {
    const auto path = BuildPath({"", "v1", "pods", bad, "web-0", ""});
    ASSERT_FALSE(path.ok()) << bad;
    EXPECT_EQ(path.error().reason(), Reason::kInvalidArgument);
    EXPECT_NE(path.error().message().find(std::string("namespace \"") + bad + "\""),
              std::string::npos)
        << path.error();
    EXPECT_FALSE(BuildPath({"", "v1", "pods", "default", bad, ""}).ok());
  }
  EXPECT_FALSE(BuildPath({"", "v1", "pods", "a", "p", "../secrets"}).ok());
  EXPECT_FALSE(BuildPath({"", "v1", "", "a", "p", ""}).ok());
}

TEST(RequestPath, ListOptionsUnderTheirNames_RB07) {
  Query query;
  query.AddListOptions({.labelSelector = "app=web,tier in (a,b)",
                        .resourceVersion = "12",
                        .resourceVersionMatch = "NotOlderThan",
                        .limit = 500,
                        .continue_ = "abc="},
                       /*watch=*/false);
  EXPECT_EQ(query.Text(),
            "?continue=abc%3D&labelSelector=app%3Dweb%2Ctier%20in%20%28a%2Cb%29&limit=500"
            "&resourceVersion=12&resourceVersionMatch=NotOlderThan");
  Query watch;
  watch.AddListOptions(
      {.allowWatchBookmarks = true, .sendInitialEvents = true, .timeoutSeconds = 300},
      /*watch=*/true);
  EXPECT_EQ(watch.Text(),
            "?allowWatchBookmarks=true&sendInitialEvents=true&timeoutSeconds=300&watch=true");
  EXPECT_EQ(Query().Text(), "");
  // Only watches request bookmarks, if the options say so.
  const auto text = [](const ListOptions& options, bool is_watch) {
    Query query_of_one;
    query_of_one.AddListOptions(options, is_watch);
    return query_of_one.Text();
  };
  EXPECT_EQ(text({.limit = 1, .allowWatchBookmarks = true}, false), "?limit=1");
  EXPECT_EQ(text({.sendInitialEvents = false}, true), "?sendInitialEvents=false&watch=true");
}

}  // namespace
}  // namespace kinformer::internal::client

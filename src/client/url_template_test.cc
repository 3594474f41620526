#include "client/url_template.h"

#include <gtest/gtest.h>

namespace kinformer::internal::client {
namespace {

TEST(UrlTemplate, NamesAndValuesAreReplaced_RB10) {
  const struct {
    const char* target;
    const char* form;
  } rows[] = {
      {"/api/v1/pods", "/api/v1/pods"},
      {"/api/v1/nodes/n", "/api/v1/nodes/{name}"},
      {"/api/v1/namespaces/a", "/api/v1/namespaces/{name}"},
      {"/api/v1/namespaces/a/status", "/api/v1/namespaces/{name}/status"},
      {"/api/v1/namespaces/a/finalize", "/api/v1/namespaces/{name}/finalize"},
      {"/api/v1/namespaces/a/pods", "/api/v1/namespaces/{namespace}/pods"},
      {"/api/v1/namespaces/a/pods/p", "/api/v1/namespaces/{namespace}/pods/{name}"},
      {"/api/v1/namespaces/a/pods/p/log", "/api/v1/namespaces/{namespace}/pods/{name}/log"},
      {"/api/v1/namespaces/a/pods/status", "/api/v1/namespaces/{namespace}/pods/status"},
      {"/api/v1/namespaces/a/pods/finalize", "/api/v1/namespaces/{namespace}/pods/finalize"},
      {"/apis/apps/v1/deployments", "/apis/apps/v1/deployments"},
      {"/apis/apps/v1/namespaces/a/deployments/d/status",
       "/apis/apps/v1/namespaces/{namespace}/deployments/{name}/status"},
      {"/apis/e.com/v1/widgets/w", "/apis/e.com/v1/widgets/{name}"},
      {"/apis/e.com/v1/widgets/w/status", "/apis/e.com/v1/widgets/{name}/status"},
      // The segments alone do not say what this is.
      {"/api/v1/nodes/n/proxy", "/api/v1/nodes/{namespace}/proxy"},
      {"/apis/namespaces/namespaces/namespaces/namespaces/namespaces/namespaces/finalize",
       "/apis/namespaces/namespaces/namespaces/{namespace}/namespaces/{name}/finalize"},
      {"/apis/namespaces/namespaces/namespaces/namespaces/status",
       "/apis/namespaces/namespaces/namespaces/{name}/status"},
      {"/apis/namespaces/namespaces/namespaces", "/apis/namespaces/namespaces/namespaces"},
  };
  for (const auto& row : rows) EXPECT_EQ(UrlTemplate(row.target), row.form);
}

TEST(UrlTemplate, EachParameterStandsOnceWithoutItsValue_RB10) {
  EXPECT_EQ(UrlTemplate("/api/v1/pods?watch=true&limit=500&dryRun=a&dryRun=b"),
            "/api/v1/pods?dryRun={value}&limit={value}&watch={value}");
  EXPECT_EQ(UrlTemplate("/api/v1/pods?pretty"), "/api/v1/pods?pretty={value}");
  EXPECT_EQ(UrlTemplate("/api/v1/pods?&a=b=c&"), "/api/v1/pods?a={value}");
  EXPECT_EQ(UrlTemplate("/api/v1/pods?"), "/api/v1/pods");
  EXPECT_EQ(UrlTemplate("/api/v1/pods?path=/a/b"), "/api/v1/pods?path={value}");
}

TEST(UrlTemplate, PathsOutsideOfTheApiHaveNoNames_RB10) {
  EXPECT_EQ(UrlTemplate("/pre1/v1/namespaces/a/r1/n?p0=v0"), "/{prefix}");
  EXPECT_EQ(UrlTemplate("/livez/etcd"), "/{prefix}");
  EXPECT_EQ(UrlTemplate("/version"), "/version");
  EXPECT_EQ(UrlTemplate("/version?verbose=1"), "/version?verbose={value}");
  EXPECT_EQ(UrlTemplate("/"), "/");
  EXPECT_EQ(UrlTemplate(""), "");
  EXPECT_EQ(UrlTemplate("/api"), "/api");
  EXPECT_EQ(UrlTemplate("/api/v1"), "/api/v1");
  EXPECT_EQ(UrlTemplate("/apis/apps"), "/apis/apps");
  EXPECT_EQ(UrlTemplate("/apis/apps/v1"), "/apis/apps/v1");
}

TEST(ResourceOfTarget, IsThatOfTheObject) {
  const struct {
    const char* target;
    const char* resource;
  } rows[] = {
      {"/api/v1/pods?limit=1", "pods"},
      {"/api/v1/nodes/n/status", "nodes"},
      {"/api/v1/namespaces", "namespaces"},
      {"/api/v1/namespaces/a", "namespaces"},
      {"/api/v1/namespaces/a/finalize", "namespaces"},
      {"/api/v1/namespaces/a/pods", "pods"},
      {"/api/v1/namespaces/a/pods/p/log", "pods"},
      {"/apis/apps/v1/namespaces/a/deployments/d/scale", "deployments.apps"},
      {"/apis/apps/v1/deployments", "deployments.apps"},
      {"/apis/apps/v1", ""},
      {"/apis", ""},
      {"/api/v1", ""},
      {"/version", ""},
      {"/", ""},
      {"", ""},
  };
  for (const auto& row : rows) EXPECT_EQ(ResourceOfTarget(row.target), row.resource) << row.target;
}

}  // namespace
}  // namespace kinformer::internal::client

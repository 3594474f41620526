#include "kinformer/testing/audit_log.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace kinformer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(AuditEventOf, RequestForAResource_NamesItAndItsObject) {
  const Action action{.verb = "update",
                      .resource = {"apps", "v1", "deployments"},
                      .subresource = "status",
                      .namespace_ = "shop",
                      .name = "web"};
  EXPECT_EQ(AuditEventOf(action), json::Parse(R"({
    "kind": "Event", "apiVersion": "audit.k8s.io/v1", "level": "Metadata",
    "stage": "RequestReceived", "verb": "update",
    "objectRef": {"resource": "deployments", "namespace": "shop", "name": "web",
                  "apiGroup": "apps", "apiVersion": "v1", "subresource": "status"}})")
                                      .OrExit());
}

TEST(AuditEventOf, RequestForAPath_HasThePath) {
  const json::Value event = AuditEventOf({.verb = "get", .path = "/metrics"});
  EXPECT_EQ(event["requestURI"].StringOrEmpty(), "/metrics");
  EXPECT_TRUE(event["objectRef"].is_null());
}

TEST(AppendAuditLog, Actions_AreLinesBehindThoseThatAreThere) {
  const std::filesystem::path folder =
      std::filesystem::path(::testing::TempDir()) / "append_audit_log";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const std::string path = folder / "requests.jsonl";
  ASSERT_TRUE(AppendAuditLog(path, {{.verb = "get", .path = "/a"}}).ok());
  ASSERT_TRUE(
      AppendAuditLog(path, {{.verb = "get", .path = "/b"}, {.verb = "get", .path = "/c"}}).ok());
  std::vector<std::string> paths;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    paths.push_back(json::Parse(line).OrExit()["requestURI"].StringOrEmpty());
  }
  EXPECT_THAT(paths, ElementsAre("/a", "/b", "/c"));
  std::filesystem::remove_all(folder);
}

TEST(AppendAuditLog, FileThatCannotBeWritten_IsNamed) {
  const Result<void> written = AppendAuditLog("/no/such/folder/x", {});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().reason(), Reason::kConfig);
  EXPECT_THAT(std::string(written.error().message()), HasSubstr("/no/such/folder/x"));
}

}  // namespace
}  // namespace kinformer::testing

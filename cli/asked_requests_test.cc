#include "cli/asked_requests.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>

namespace kinformer::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Result<std::vector<AskedRequest>> Read(const std::string& text) {
  std::istringstream in(text);
  return ReadAuditLog(in, "audit.log");
}

// Returns the line of an event with these members.
std::string Event(const std::string& verb, const std::string& more) {
  return R"({"kind":"Event","verb":")" + verb + "\"," + more + "}\n";
}
std::string For(const std::string& object) { return "\"objectRef\":{" + object + "}"; }

TEST(ReadAuditLog, Event_IsTheRightThatItNeeds) {
  const auto requests =
      Read(Event("update", R"("user":{"username":"admin"},"impersonatedUser":{"username":"jane"},)"
                           R"("userAgent":"op/1","responseStatus":{"code":403},)" +
                               For(R"("resource":"deployments","namespace":"shop","name":"web",)"
                                   R"("apiGroup":"apps","subresource":"status")")));
  ASSERT_TRUE(requests.ok()) << requests.error();
  EXPECT_THAT(*requests, ElementsAre(AskedRequest{.verb = "update",
                                                  .group = "apps",
                                                  .resource = "deployments/status",
                                                  .namespace_ = "shop",
                                                  .name = "web",
                                                  .user = "jane",
                                                  .user_agent = "op/1"}));
}

TEST(ReadAuditLog, NonResourceRequest_IsItsPathWithoutTheQuery) {
  const auto requests =
      Read(Event("get", R"("requestURI":"/metrics?x=1","user":{"username":"u"})"));
  ASSERT_TRUE(requests.ok());
  EXPECT_THAT(*requests, ElementsAre(AskedRequest{.verb = "get", .path = "/metrics", .user = "u"}));
}

TEST(ReadAuditLog, RequestsThatEverybodyMayMake_AreLeftOut) {
  const auto requests = Read(Event("get", R"("requestURI":"/apis/apps/v1?timeout=1s")") +
                             Event("get", R"("requestURI":"/version")") +
                             Event("get", R"("requestURI":"/readyz")") + "\n" +
                             Event("create", For(R"("resource":"selfsubjectaccessreviews",)"
                                                 R"("apiGroup":"authorization.k8s.io")")));
  ASSERT_TRUE(requests.ok()) << requests.error();
  EXPECT_THAT(*requests, IsEmpty());
}

TEST(ReadAuditLog, NamespaceItself_IsInNoNamespace) {
  const auto requests =
      Read(Event("get", For(R"("resource":"namespaces","namespace":"a","name":"a")")));
  ASSERT_TRUE(requests.ok());
  EXPECT_THAT(*requests,
              ElementsAre(AskedRequest{.verb = "get", .resource = "namespaces", .name = "a"}));
}

TEST(ReadAuditLog, ApplyThatMakesAnObject_IsACreateToo) {
  const std::string pod = For(R"("resource":"pods","namespace":"a","name":"b")");
  const auto requests = Read(Event("patch", pod + R"(,"responseStatus":{"code":201})") +
                             Event("patch", pod + R"(,"responseStatus":{"code":200})"));
  ASSERT_TRUE(requests.ok());
  ASSERT_EQ(requests->size(), 3U);
  EXPECT_EQ((*requests)[0].verb, "patch");
  EXPECT_EQ((*requests)[1].verb, "create");
  EXPECT_EQ((*requests)[2].verb, "patch");
}

TEST(ReadAuditLog, LinesThatAreNoEvents_AreRefusedWithTheirNumber) {
  const auto no_json =
      Read("{\"kind\":\"Event\",\"verb\":\"get\",\"requestURI\":\"/x\"}\nnonsense\n");
  ASSERT_FALSE(no_json.ok());
  EXPECT_EQ(no_json.error().reason(), Reason::kDecode);
  EXPECT_THAT(std::string(no_json.error().message()), HasSubstr("audit.log, line 2: "));
  const auto other = Read("{\"kind\":\"Pod\"}\n");
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(std::string(other.error().message()), HasSubstr("line 1: is no event"));
}

TEST(ReadAuditLog, LineThatIsBeingWritten_IsLeftOut) {
  const auto requests =
      Read("{\"kind\":\"Event\",\"verb\":\"get\",\"requestURI\":\"/x\"}\n{\"kind\":\"Ev");
  ASSERT_TRUE(requests.ok());
  EXPECT_EQ(requests->size(), 1U);
}

}  // namespace
}  // namespace kinformer::cli

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <string_view>

#include "kinformer/apiserver/audit_log.h"

#include "apiserver/audit/audit_match.h"
#include "apiserver/request/request_info.h"

namespace kinformer::apiserver {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kHead = "apiVersion: audit.k8s.io/v1\nkind: Policy\n";

AuditPolicy Parse(std::string_view rules) {
  return ParseAuditPolicy(std::string(kHead) + std::string(rules)).OrExit();
}

std::string Refused(std::string_view rules) {
  const auto policy = ParseAuditPolicy(std::string(kHead) + std::string(rules), "p.yaml");
  return policy.ok() ? "accepted" : std::string(policy.error().message());
}

// Returns the index of the rule that fits; -1 if none does.
int RuleOf(const AuditPolicy& policy, std::string_view method, std::string_view target,
           const UserInfo& user = {.name = "jane", .groups = {"dev", "ops"}}) {
  const RequestInfo info = ParseRequest(method, target).OrExit();
  const std::string verb(info.is_resource_request ? VerbName(info.verb) : "get");
  const AuditRule* const rule = FindAuditRule(policy, info, verb, &user);
  return rule == nullptr ? -1 : static_cast<int>(rule - policy.rules.data());
}

TEST(AuditPolicyTest, FirstRuleThatFits_Decides) {
  const AuditPolicy policy = Parse(R"(rules:
- {level: None, users: [robot]}
- {level: Request, userGroups: [ops], verbs: [delete]}
- {level: Request, resources: [{group: "", resources: [pods/log]}]}
- {level: Request, resources: [{group: "", resources: ["pods/*"]}]}
- {level: Request, resources: [{group: apps, resources: ["*/scale"]}]}
- {level: Request, resources: [{group: "", resources: [secrets], resourceNames: [a]}]}
- {level: Request, namespaces: [""], resources: [{group: ""}]}
- {level: Request, namespaces: [kube-system]}
- {level: Request, nonResourceURLs: [/version, "/healthz*"]}
)");
  EXPECT_EQ(RuleOf(policy, "GET", "/api/v1/nodes", {.name = "robot"}), 0);
  EXPECT_EQ(RuleOf(policy, "DELETE", "/api/v1/namespaces/a/configmaps/b"), 1);
  EXPECT_EQ(RuleOf(policy, "DELETE", "/api/v1/namespaces/a/configmaps/b", {.name = "x"}), -1);
  EXPECT_EQ(RuleOf(policy, "GET", "/api/v1/namespaces/a/pods/b/log"), 2);
  EXPECT_EQ(RuleOf(policy, "GET", "/api/v1/namespaces/a/pods/b/status"), 3);
  // As in kube-apiserver.
  EXPECT_EQ(RuleOf(policy, "GET", "/api/v1/namespaces/a/pods/b"), 3);
  EXPECT_EQ(RuleOf(policy, "GET", "/apis/apps/v1/namespaces/a/deployments/b/scale"), 4);
  EXPECT_EQ(RuleOf(policy, "GET", "/apis/apps/v1/namespaces/a/deployments/b"), -1);
  EXPECT_EQ(RuleOf(policy, "GET", "/api/v1/namespaces/a/secrets/a"), 5);
  EXPECT_EQ(RuleOf(policy, "GET", "/api/v1/namespaces/a/secrets/b"), -1);
  EXPECT_EQ(RuleOf(policy, "GET", "/api/v1/nodes"), 6);
  EXPECT_EQ(RuleOf(policy, "GET", "/apis/apps/v1/namespaces/kube-system/deployments"), 7);
  EXPECT_EQ(RuleOf(policy, "GET", "/version"), 8);
  EXPECT_EQ(RuleOf(policy, "GET", "/healthz/ping"), 8);
  EXPECT_EQ(RuleOf(policy, "GET", "/metrics"), -1);
}

TEST(AuditPolicyTest, StagesAndOwnersOfAllRules_HoldForEach) {
  const AuditPolicy policy = Parse(R"(omitStages: [RequestReceived]
omitManagedFields: true
rules:
- {level: Metadata, omitStages: [ResponseStarted, Panic]}
- {level: Metadata, omitManagedFields: false}
)");
  ASSERT_EQ(policy.rules.size(), 2U);
  EXPECT_FALSE(policy.rules[0].stages.request_received);
  EXPECT_FALSE(policy.rules[0].stages.response_started);
  EXPECT_TRUE(policy.rules[0].stages.response_complete);
  EXPECT_TRUE(policy.rules[0].omit_managed_fields);
  EXPECT_TRUE(policy.rules[1].stages.response_started);
  EXPECT_FALSE(policy.rules[1].omit_managed_fields);
}

TEST(AuditPolicyTest, Problems_NameTheirPlace) {
  EXPECT_THAT(Refused("rules: [{level: All}]"),
              HasSubstr("p.yaml: rules[0].level must be None, Metadata, Request or"));
  EXPECT_THAT(Refused("rules: [{level: None}, {}]"), HasSubstr("rules[1].level"));
  EXPECT_THAT(Refused("rules: [{level: None, verb: [get]}]"),
              HasSubstr("rules[0].verb is no field of a Policy"));
  EXPECT_THAT(Refused("rules: [{level: None, users: jane}]"),
              HasSubstr("rules[0].users is no list"));
  EXPECT_THAT(Refused("rules: [{level: None, users: [1]}]"),
              HasSubstr("rules[0].users has an item that is no text"));
  EXPECT_THAT(Refused("rules: [{level: None, omitStages: [End]}]"),
              HasSubstr("rules[0].omitStages has \"End\""));
  EXPECT_THAT(Refused("rules: [{level: None, nonResourceURLs: [/a], namespaces: [b]}]"),
              HasSubstr("write two rules"));
  EXPECT_THAT(Refused("rules: [{level: None, nonResourceURLs: [a]}]"), HasSubstr("begin with /"));
  EXPECT_THAT(Refused("rules: [{level: None, nonResourceURLs: [/a*b]}]"), HasSubstr("* before"));
  EXPECT_THAT(Refused("rules: [{level: None, resources: [{group: apps/v1}]}]"),
              HasSubstr("rules[0].resources[0].group is a group without its version"));
  EXPECT_THAT(Refused("rules: [{level: None, resources: [{group: apps, resourceNames: [a]}]}]"),
              HasSubstr("resourceNames needs"));
  EXPECT_THAT(Refused("rules: []"), HasSubstr("p.yaml: rules is empty"));
  EXPECT_THAT(Refused("rules: {"), HasSubstr("p.yaml:"));
  EXPECT_THAT(ParseAuditPolicy("kind: Policy").error().message(),
              HasSubstr("the audit policy is no Policy of audit.k8s.io/v1"));
}

TEST(AuditLogTest, File_HasALineForEachEventAndKeepsWhatItHad) {
  const std::string path = ::testing::TempDir() + "/kinformer_audit.log";
  std::filesystem::remove(path);
  for (const char* const event : {"one", "two"}) {
    const auto log = AuditLog::Open(path).OrExit();
    log->Write(event);
    EXPECT_THAT(log->TakeLines(), IsEmpty());
    EXPECT_EQ(log->lost(), 0U);
  }
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), "one\ntwo\n");
  EXPECT_EQ(std::filesystem::status(path).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::filesystem::remove(path);
}

TEST(AuditLogTest, FileThatCannotBeWritten_IsAnError) {
  const auto log = AuditLog::Open("/proc/no/such/file");
  ASSERT_FALSE(log.ok());
  EXPECT_THAT(log.error().message(), HasSubstr("/proc/no/such/file cannot be written"));
}

TEST(AuditLogTest, FullDisk_LosesEventsAndCountsThem) {
  const auto log = AuditLog::Open("/dev/full").OrExit();
  log->Write("event");
  EXPECT_EQ(log->lost(), 1U);
}

TEST(AuditLogTest, InMemory_LinesAreTakenOnce) {
  AuditLog log;
  log.Write("a");
  log.Write("b");
  EXPECT_THAT(log.TakeLines(), ElementsAre("a", "b"));
  EXPECT_THAT(log.TakeLines(), IsEmpty());
}

}  // namespace
}  // namespace kinformer::apiserver

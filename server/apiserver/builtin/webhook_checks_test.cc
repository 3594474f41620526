#include "apiserver/builtin/webhook_checks.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "apiserver/builtin/status_metadata.h"
#include "apiserver/registry/testing/test_objects.h"

namespace kinformer::apiserver {
namespace {

using testing::Builtin;
using testing::Lines;
using testing::Quoted;

TEST(WebhookChecks, EachWebhook_IsChecked) {
  struct Row {
    const char* webhook;
    const char* cause;
  };
  constexpr const char* kVersions =
      ".admissionReviewVersions: Invalid value: [\"v2\"]: must include at least one of v1, "
      "v1beta1\n";
  for (const Row& row : {
           Row{"", ""},
           Row{"'admissionReviewVersions':['v1']", ""},
           Row{"'admissionReviewVersions':['v2','v1beta1']", ""},
           Row{"'admissionReviewVersions':[]", ""},
           Row{"'admissionReviewVersions':['v2']", kVersions},
           Row{"'sideEffects':'None'", ""},
           Row{"'sideEffects':'NoneOnDryRun'", ""},
           Row{"'sideEffects':''", ""},
           Row{"'sideEffects':'Some'",
               ".sideEffects: Unsupported value: \"Some\": supported values: \"None\", "
               "\"NoneOnDryRun\"\n"},
           Row{"'timeoutSeconds':1", ""},
           Row{"'timeoutSeconds':30", ""},
           Row{"'timeoutSeconds':0",
               ".timeoutSeconds: Invalid value: 0: the timeout value must be between 1 and 30 "
               "seconds\n"},
           Row{"'timeoutSeconds':31",
               ".timeoutSeconds: Invalid value: 31: the timeout value must be between 1 and 30 "
               "seconds\n"},
       }) {
    const std::string good = "'clientConfig':{'url':'https://a'}";
    const std::string more = row.webhook;
    const json::Value configuration =
        Quoted("{'webhooks':[{" + good + "},{" + good + (more.empty() ? "" : "," + more) + "}]}");
    const std::string cause = row.cause;
    EXPECT_EQ(Lines(ValidateWebhooks(configuration)), cause.empty() ? "" : "webhooks[1]" + cause);
  }
  EXPECT_EQ(
      Lines(ValidateWebhooks(Quoted("{'webhooks':[{'clientConfig':{}}]}"))),
      "webhooks[0].clientConfig: Required value: exactly one of url or service is required\n");
}

TEST(WebhookChecks, ManyMistakes_AreNotAllReported) {
  json::Value configuration = json::Value::MakeObject();
  for (std::size_t i = 0; i < 2 * kMaxCauses; ++i) {
    configuration.Ensure("webhooks").Append(Quoted("{'clientConfig':{}}"));
  }
  EXPECT_EQ(ValidateWebhooks(configuration).size(), kMaxCauses);
}

TEST(WebhookChecks, MatchConditions_AreCompiled) {
  EXPECT_EQ(
      Lines(ValidateWebhooks(Quoted("{'webhooks':[{'clientConfig':{'url':'https://a'},"
                                    "'matchConditions':[{'name':'a','expression':'1'}]}]}"))),
      "webhooks[0].matchConditions[0].expression: Invalid value: \"1\": must evaluate to bool "
      "but got int\n");
}

std::vector<std::string> Kept(const ServedResource& resource) {
  const auto kept = MetadataKeptByStatus(resource);
  return {kept.begin(), kept.end()};
}

TEST(StatusMetadata, KeptMembers_DependOnTheKind) {
  const std::vector<std::string> all = {"labels", "annotations", "finalizers", "ownerReferences"};
  EXPECT_EQ(Kept(Builtin("pods")), std::vector<std::string>{"ownerReferences"});
  EXPECT_EQ(Kept(Builtin("apps/deployments")), std::vector<std::string>{"labels"});
  EXPECT_EQ(Kept(Builtin("apps/replicasets")), std::vector<std::string>{});
  EXPECT_EQ(Kept(Builtin("apps/pods")), std::vector<std::string>{});
  EXPECT_EQ(Kept(Builtin("storage.k8s.io/volumeattachments")), all);
  EXPECT_EQ(Kept(Builtin("flowcontrol.apiserver.k8s.io/flowschemas")), all);
  ServedResource custom = Builtin("pods");
  custom.custom = true;
  EXPECT_EQ(Kept(custom), all);
}

}  // namespace
}  // namespace kinformer::apiserver

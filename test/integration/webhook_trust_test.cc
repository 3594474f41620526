// Objects that trust the authority of webhook certificates, and the times of checks.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/json/json.h"
#include "kinformer/testing/api_server.h"
#include "kinformer/webhook/webhook_certificates.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const GroupVersionResource kMutating{"admissionregistration.k8s.io", "v1",
                                     "mutatingwebhookconfigurations"};
const GroupVersionResource kValidating{"admissionregistration.k8s.io", "v1",
                                       "validatingwebhookconfigurations"};
const GroupVersionResource kDefinitions{"apiextensions.k8s.io", "v1", "customresourcedefinitions"};
const GroupVersionResource kSecrets{"", "v1", "secrets"};

std::string Configuration(const std::string& kind, const std::string& name) {
  return "apiVersion: admissionregistration.k8s.io/v1\nkind: " + kind +
         "\nmetadata: {name: " + name + "}\nwebhooks:\n" +
         "- {name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], " +
         "clientConfig: {service: {namespace: default, name: hooks}}}\n" +
         "- {name: b.example.com, sideEffects: None, admissionReviewVersions: [v1], " +
         "clientConfig: {service: {namespace: default, name: hooks}}}\n";
}

std::string Definition(const std::string& plural, const std::string& conversion) {
  return "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
         "metadata: {name: " +
         plural + ".example.com}\nspec:\n  group: example.com\n  scope: Namespaced\n" +
         "  names: {plural: " + plural + ", kind: K" + plural + "}\n" + conversion +
         "  versions:\n  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: "
         "{type: object}}}\n";
}

class WebhookTrust : public ::testing::Test {
 protected:
  ~WebhookTrust() override {
    stop_.request_stop();
    if (thread_ != nullptr) thread_->Join();
  }
  static WebhookCertificatesOptions Options() {
    return {.namespace_ = "default", .secret_name = "hooks-tls", .hosts = {"a.default.svc"}};
  }
  Result<CertificatePair> Ensure(const WebhookCertificatesOptions& options) {
    Result<CertificatePair> pair = Error(Reason::kUnknown, "did not end");
    EXPECT_TRUE(
        sim_.RunBlocking([&] { pair = WebhookCertificates(client_, options).Ensure(); }, hours(1)));
    return pair;
  }
  // Begins a Run on a thread of its own.
  void Begin(const WebhookCertificatesOptions& options) {
    thread_ = sim_.env().NewThread("certificates", [this, options] {
      WebhookCertificates(client_, options).Run(stop_.get_token(), [this](const auto& pair) {
        told_.push_back(pair);
      });
      ended_ = true;
    });
    sim_.RunReady();
  }
  bool SecretIsThere() { return server_.Get(kSecrets, {"default", "hooks-tls"}).ok(); }
  // Returns the caBundles of the webhooks of a configuration, as base64.
  std::vector<std::string> BundlesOf(const GroupVersionResource& resource,
                                     const std::string& name) {
    const json::Value object = server_.Get(resource, {"", name}).OrExit();
    return {std::string(object.At("/webhooks/0/clientConfig/caBundle").StringOrEmpty()),
            std::string(object.At("/webhooks/1/clientConfig/caBundle").StringOrEmpty())};
  }
  std::string VersionOf(const GroupVersionResource& resource, const std::string& name) {
    const json::Value object = server_.Get(resource, {"", name}).OrExit();
    return std::string(object.At("/metadata/resourceVersion").StringOrEmpty());
  }
  void Fail(const std::string& verb, const std::string& resource, int status, int count) {
    server_.faults().Add({.verb = verb,
                          .resource = resource,
                          .action = FaultAction::kRespond,
                          .count = count,
                          .status = status});
  }

  const std::shared_ptr<internal::base::FieldsLog> log_ =
      std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_, .start = WallTime(seconds(1'700'000'000))}};
  ApiServer server_{sim_, {.bootstrap_objects = false}};
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport(), {.qps = -1});
  std::vector<CertificatePair> told_;
  bool ended_ = false;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

TEST_F(WebhookTrust, NamedObjects_GetTheAuthority_OthersDoNot) {
  for (const char* name : {"mine", "theirs"}) {
    server_.Load(Configuration("MutatingWebhookConfiguration", name)).OrExit();
    server_.Load(Configuration("ValidatingWebhookConfiguration", name)).OrExit();
  }
  const std::string webhook =
      "  conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: "
      "{service: {namespace: default, name: hooks}}}}\n";
  server_.Load(Definition("converts", webhook)).OrExit();
  server_.Load(Definition("theirs", webhook)).OrExit();
  server_.Load(Definition("plains", "")).OrExit();
  server_.Load(Definition("nones", "  conversion: {strategy: None}\n")).OrExit();
  sim_.RunFor(seconds(10));
  const std::vector<std::string> unchanged{"plains.example.com", "nones.example.com",
                                           "theirs.example.com"};
  std::vector<std::string> versions;
  for (const std::string& name : unchanged) versions.push_back(VersionOf(kDefinitions, name));

  WebhookCertificatesOptions options = Options();
  options.mutating = {"absent", "mine"};
  options.validating = {"absent", "mine"};
  options.definitions = {"absents.example.com", "plains.example.com", "nones.example.com",
                         "converts.example.com"};
  const Result<CertificatePair> pair = Ensure(options);
  ASSERT_TRUE(pair.ok()) << pair.error();
  const std::string given = BundlesOf(kMutating, "mine")[0];
  EXPECT_THAT(given, StartsWith("LS0tLS1CRUdJTi")) << "PEM as base64";
  const std::vector<std::string> both{given, given};
  const std::vector<std::string> none(2);
  EXPECT_EQ(BundlesOf(kMutating, "mine"), both);
  EXPECT_EQ(BundlesOf(kValidating, "mine"), both);
  EXPECT_EQ(BundlesOf(kMutating, "theirs"), none);
  EXPECT_EQ(BundlesOf(kValidating, "theirs"), none);
  const json::Value converted = server_.Get(kDefinitions, {"", "converts.example.com"}).OrExit();
  EXPECT_EQ(converted.At("/spec/conversion/webhook/clientConfig/caBundle").StringOrEmpty(), given);
  for (std::size_t i = 0; i < unchanged.size(); ++i) {
    EXPECT_EQ(VersionOf(kDefinitions, unchanged[i]), versions[i]) << unchanged[i];
  }
  // Nothing is written again.
  const std::string before = VersionOf(kMutating, "mine");
  Fail("update", "", 403, 100);
  EXPECT_EQ(Ensure(options).OrExit(), *pair);
  EXPECT_EQ(VersionOf(kMutating, "mine"), before);
}

TEST_F(WebhookTrust, ObjectThatCannotBeWritten_IsNamed_AndOthersAreWritten) {
  struct Row {
    const char* verb;
    int status;
    int count;
    Reason reason;  // kUnknown: no error
  };
  for (const Row& row :
       {Row{"update", 403, 1, Reason::kForbidden}, Row{"get", 403, 1, Reason::kForbidden},
        Row{"update", 409, 1, Reason::kUnknown}, Row{"update", 409, 4, Reason::kUnknown},
        Row{"update", 409, 50, Reason::kConflict}}) {
    SCOPED_TRACE(std::string(row.verb) + " " + std::to_string(row.status) + " " +
                 std::to_string(row.count));
    server_.faults().Clear();
    for (const char* name : {"first", "second"}) {
      static_cast<void>(server_.Delete(kValidating, {"", name}));
      server_.Load(Configuration("ValidatingWebhookConfiguration", name)).OrExit();
    }
    Fail(row.verb, "validatingwebhookconfigurations", row.status, row.count);
    WebhookCertificatesOptions options = Options();
    options.validating = {"first", "second"};
    const Result<CertificatePair> pair = Ensure(options);
    if (row.reason == Reason::kUnknown) {
      ASSERT_TRUE(pair.ok()) << pair.error();
      EXPECT_NE(BundlesOf(kValidating, "first")[0], "");
    } else {
      ASSERT_FALSE(pair.ok());
      EXPECT_EQ(pair.error().reason(), row.reason);
      EXPECT_THAT(pair.error().message(),
                  StartsWith("caBundle of ValidatingWebhookConfiguration "));
      EXPECT_EQ(BundlesOf(kValidating, "first")[0], "");
    }
    EXPECT_EQ(BundlesOf(kValidating, "second")[0].empty(), row.count == 50);
  }
}

TEST_F(WebhookTrust, Checks_ComeEveryTenMinutes) {
  Begin(Options());
  ASSERT_EQ(told_.size(), 1U);
  for (std::size_t round = 2; round < 5; ++round) {
    ASSERT_TRUE(server_.Delete(kSecrets, {"default", "hooks-tls"}).ok());
    sim_.RunFor(minutes(10) - milliseconds(1));
    EXPECT_FALSE(SecretIsThere());
    sim_.RunFor(milliseconds(1));
    EXPECT_TRUE(SecretIsThere());
    ASSERT_EQ(told_.size(), round);
    EXPECT_NE(told_[round - 1], told_[round - 2]);
  }
  sim_.RunFor(hours(5));
  EXPECT_EQ(told_.size(), 4U) << "equal pairs are reported once";
  EXPECT_EQ(log_->text(), "");
}

TEST_F(WebhookTrust, MissingObject_IsLookedForEveryTenSeconds) {
  WebhookCertificatesOptions options = Options();
  options.validating = {"late"};
  Begin(options);
  EXPECT_EQ(told_.size(), 1U) << "the certificate does not wait for it";
  server_.Load(Configuration("ValidatingWebhookConfiguration", "late")).OrExit();
  sim_.RunFor(seconds(10) - milliseconds(1));
  EXPECT_EQ(BundlesOf(kValidating, "late")[0], "");
  sim_.RunFor(milliseconds(1));
  EXPECT_NE(BundlesOf(kValidating, "late")[0], "");
  // Nothing is missing any more: the next check comes after ten minutes.
  ASSERT_TRUE(server_.Delete(kSecrets, {"default", "hooks-tls"}).ok());
  sim_.RunFor(minutes(10) - milliseconds(1));
  EXPECT_FALSE(SecretIsThere());
  sim_.RunFor(milliseconds(1));
  EXPECT_TRUE(SecretIsThere());
  EXPECT_EQ(log_->text(), "");
}

TEST_F(WebhookTrust, FailedCheck_IsLoggedAndRepeatedAfterTenSeconds) {
  Fail("get", "secrets", 403, 2);
  Begin(Options());
  EXPECT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->text(), HasSubstr("cannot keep the webhooks' certificates err=Forbidden: "
                                      "Secret default/hooks-tls: "));
  sim_.RunFor(seconds(20) - milliseconds(1));
  EXPECT_EQ(log_->lines.size(), 2U);
  EXPECT_TRUE(told_.empty());
  sim_.RunFor(milliseconds(1));
  EXPECT_EQ(told_.size(), 1U);
  EXPECT_EQ(log_->lines.size(), 2U);
}

TEST_F(WebhookTrust, Stop_EndsRunAtOnce) {
  // Between two checks.
  Begin(Options());
  sim_.RunFor(minutes(1));
  stop_.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(ended_);
  thread_->Join();
  // Before the first one.
  told_.clear();
  ended_ = false;
  ASSERT_TRUE(server_.Delete(kSecrets, {"default", "hooks-tls"}).ok());
  Begin(Options());
  EXPECT_TRUE(ended_);
  thread_->Join();
  EXPECT_FALSE(SecretIsThere());
  // In a request, which is no failure.
  stop_ = std::stop_source();
  ended_ = false;
  server_.faults().Add({.verb = "get", .action = FaultAction::kDelay, .delay = hours(1)});
  Begin(Options());
  sim_.RunFor(seconds(5));
  EXPECT_FALSE(ended_);
  stop_.request_stop();
  sim_.RunReady();
  EXPECT_TRUE(ended_);
  EXPECT_TRUE(told_.empty());
  EXPECT_EQ(log_->text(), "");
}

}  // namespace
}  // namespace kinformer::testing

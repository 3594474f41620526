// Options of a manager: errors, its Lease, and what its servers accept.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/client/client.h"
#include "kinformer/controller/manager.h"
#include "kinformer/endpoints/metrics_server.h"
#include "kinformer/leaderelection/resource_lock.h"

#include "operator/manager_probe.h"

namespace kinformer::testing {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::StartsWith;

const GroupVersionResource kLeases{"coordination.k8s.io", "v1", "leases"};

class ManagerOptionsTest : public ManagersTest {
 protected:
  std::string ErrorOf(ManagerOptions options) {
    const auto made = Manager::New(client_, std::move(options));
    return made.ok() ? "" : made.error().ToString();
  }
  static std::string ErrorOf(const Result<void>& result) {
    return result.ok() ? "" : result.error().ToString();
  }
  const Client client_ = Client::ForTransport(sim_.env(), server_.transport());
};

TEST_F(ManagerOptionsTest, WrongOptions_AreNamed) {
  struct Row {
    const char* error;
    ManagerOptions options;
  };
  const std::string no_address =
      "is no address to listen on: write \":8080\", \"127.0.0.1:8080\" or \"[::1]:8080\", or "
      "\"0\" for none";
  const std::string metrics = "Config: ManagerOptions::metrics_bind_address: \"x\" " + no_address;
  const std::string probes =
      "Config: ManagerOptions::health_probe_bind_address: \"x\" " + no_address;
  for (const Row& row : std::vector<Row>{
           {"", {}},
           {"InvalidArgument: ManagerOptions::leader_election_id must be set: it is the name of "
            "the Lease that all replicas of this program share",
            {.leader_election = true, .leader_election_namespace = "default"}},
           {"", {.leader_election_namespace = "default"}},
           {"InvalidArgument: this process does not run in a pod: "
            "ManagerOptions::leader_election_namespace must be set",
            {.leader_election = true, .leader_election_id = "op"}},
           {"InvalidArgument: ManagerOptions::leader_election_resource_lock has given nothing",
            {.leader_election = true,
             .leader_election_resource_lock = [] { return std::unique_ptr<ResourceLock>(); }}},
           {"InvalidArgument: ManagerOptions::metrics_access is kToken: metrics_token must be set",
            {.metrics_access = MetricsAccess::kToken}},
           {"", {.metrics_access = MetricsAccess::kToken, .metrics_token = "t"}},
           {"", {.metrics_access = MetricsAccess::kAuthorized}},
           {"", {.metrics_bind_address = "x"}},
           {metrics.c_str(), {.metrics_bind_address = "x", .metrics = NewTextMetrics()}},
           {"", {.metrics_bind_address = "0", .metrics = NewTextMetrics()}},
           {probes.c_str(), {.health_probe_bind_address = "x"}},
           {"InvalidArgument: ManagerOptions::webhook_certificates: "
            "WebhookCertificatesOptions::namespace_ is empty",
            {.webhook_certificates = WebhookCertificatesOptions()}},
           {"",
            {.webhook_certificates = WebhookCertificatesOptions{
                 .namespace_ = "default", .secret_name = "s", .hosts = {"h"}}}}}) {
    EXPECT_EQ(ErrorOf(row.options), row.error);
  }
}

TEST_F(ManagerOptionsTest, Lease_IsThatOfTheOptions) {
  ApiServer second(sim_);
  ManagerOptions options = Electing("");
  options.leader_election_client = Client::ForTransport(sim_.env(), second.transport());
  options.lease_duration = seconds(40);
  options.renew_deadline = seconds(30);
  options.retry_period = seconds(7);
  RunningManager a(sim_, server_, std::move(options));
  a.Start();
  sim_.RunFor(seconds(5));
  EXPECT_TRUE(a->Elected());
  EXPECT_FALSE(server_.Get(kLeases, {"default", "op"}).ok()) << "the other server has it";
  const json::Value lease = second.Get(kLeases, {"default", "op"}).OrExit();
  EXPECT_THAT(std::string(lease.At("/spec/holderIdentity").StringOrEmpty()),
              MatchesRegex(".+_[0-9a-f]{32}"));
  EXPECT_EQ(lease.At("/spec/leaseDurationSeconds").AsInt64(), 40);
  sim_.RunFor(seconds(7));
  EXPECT_NE(second.Get(kLeases, {"default", "op"}).OrExit().At("/spec/renewTime").StringOrEmpty(),
            lease.At("/spec/renewTime").StringOrEmpty());
}

TEST_F(ManagerOptionsTest, Elector_ExistsWithAnElectionOnly) {
  RunningManager plain(sim_, server_);
  EXPECT_EQ(plain->elector(), nullptr);
  RunningManager electing(sim_, server_, Electing("a"));
  ASSERT_NE(electing->elector(), nullptr);
  EXPECT_FALSE(electing->elector()->IsLeader());
}

TEST_F(ManagerOptionsTest, Identities_AreLongAndUseEachDigit) {
  std::vector<std::string> digits(32);
  for (int i = 0; i < 500; ++i) {
    const std::string identity = NewLeaderIdentity(sim_.env());
    ASSERT_THAT(identity, MatchesRegex(".+_[0-9a-f]{32}"));
    for (std::size_t at = 0; at < 32; ++at) {
      digits[at].push_back(identity[identity.size() - 32 + at]);
    }
  }
  for (std::size_t at = 0; at < 32; ++at) {
    for (const char digit : std::string("0123456789abcdef")) {
      EXPECT_NE(digits[at].find(digit), std::string::npos) << at << ' ' << digit;
    }
    if (at > 0) {
      EXPECT_NE(digits[at], digits[at - 1]);
    }
  }
}

TEST_F(ManagerOptionsTest, ChecksAndHandlers_ComeBeforeTheStart) {
  const auto handler = NewMetricsHandler(sim_.env(), NewTextMetrics());
  const auto check = [] { return Result<void>(); };
  RunningManager silent(sim_, server_);
  const std::string early =
      "InvalidArgument: /a: handlers can be added only before the manager's Start, where metrics "
      "are served";
  EXPECT_EQ(ErrorOf(silent->AddMetricsServerExtraHandler("/a", handler)), early);
  RunningManager manager(sim_, server_, {.metrics_bind_address = "0", .metrics = NewTextMetrics()});
  EXPECT_EQ(ErrorOf(manager->AddMetricsServerExtraHandler("/a", handler)), "");
  EXPECT_EQ(ErrorOf(manager->AddMetricsServerExtraHandler("/a", handler)),
            "AlreadyExists: there is a handler at /a");
  EXPECT_EQ(ErrorOf(manager->AddMetricsServerExtraHandler("/metrics", handler)),
            "AlreadyExists: there is a handler at /metrics");
  EXPECT_EQ(ErrorOf(manager->AddMetricsServerExtraHandler("a", handler)),
            "InvalidArgument: the path of a handler begins with a slash, and \"a\" does not");
  EXPECT_EQ(ErrorOf(manager->AddHealthzCheck("x", check)), "");
  EXPECT_EQ(ErrorOf(manager->AddHealthzCheck("x", check)),
            "AlreadyExists: there is a check of the name x");
  EXPECT_EQ(ErrorOf(manager->AddReadyzCheck("x", check)), "") << "these are others";
  EXPECT_EQ(ErrorOf(manager->AddReadyzCheck("x", check)),
            "AlreadyExists: there is a check of the name x");
  EXPECT_EQ(manager->metrics_port(), 0);
  EXPECT_EQ(manager->health_probe_port(), 0);
  manager.Start();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(ErrorOf(manager->AddMetricsServerExtraHandler("/a", handler)), early);
  for (const Result<void>& late :
       {manager->AddHealthzCheck("y", check), manager->AddReadyzCheck("y", check)}) {
    EXPECT_EQ(ErrorOf(late),
              "InvalidArgument: check y: checks can be added only before the manager's Start");
  }
  manager.Stop();
  EXPECT_TRUE(manager.result.ok());
}

TEST_F(ManagerOptionsTest, WebhookServer_IsOneAndHasACheck) {
  RunningManager manager(sim_, server_);
  const WebhookServer& webhooks = manager->GetWebhookServer();
  EXPECT_EQ(&manager->GetWebhookServer(), &webhooks);
  EXPECT_EQ(
      manager->AddReadyzCheck("webhook-server", [] { return Result<void>(); }).error().reason(),
      Reason::kAlreadyExists);
  EXPECT_EQ(manager->webhook_port(), 0);
  RunningManager in_memory(sim_, server_, {.serve_webhooks = false});
  static_cast<void>(in_memory->GetWebhookServer());
  EXPECT_TRUE(in_memory->AddReadyzCheck("webhook-server", [] { return Result<void>(); }).ok());
  // Without sockets, the port cannot be opened, and that ends the manager.
  manager.Start();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(manager.ended);
  EXPECT_THAT(ErrorOf(manager.result), StartsWith("InvalidArgument: webhook server: "));
  EXPECT_THAT(ErrorOf(manager.result), HasSubstr("a simulation has no sockets"));
}

}  // namespace
}  // namespace kinformer::testing

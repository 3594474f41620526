// Texts that a credential plugin reads and writes, and a plugin that our own client runs.

#include "kinformer/client/exec_credential.h"

#include <chrono>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/base/runtime.h"

#include "config/exec_plugin.h"
#include "config/testing/plugins.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

constexpr WallTime kExpiry{std::chrono::seconds(4'102'444'800)};  // 2100-01-01T00:00:00Z

TEST(ExecCredential, TextsAreThoseOfTheProtocol) {
  exec::ExecCredential credential;
  EXPECT_EQ(credential.ToJson(),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)"
            R"("spec":{"interactive":false}})");
  credential.api_version = "client.authentication.k8s.io/v1beta1";
  credential.spec.interactive = true;
  exec::ExecCredentialStatus status;
  status.token = "t";
  status.client_certificate_data = "c";
  status.client_key_data = "k";
  status.expiration_timestamp = kExpiry;
  credential.status = status;
  EXPECT_EQ(credential.ToJson(),
            R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1",)"
            R"("spec":{"interactive":true},"status":{"expirationTimestamp":)"
            R"("2100-01-01T00:00:00Z","token":"t","clientCertificateData":"c",)"
            R"("clientKeyData":"k"}})");
}

TEST(ExecCredential, WrittenTexts_AreReadAgain) {
  exec::ExecCredential credential;
  credential.api_version = "client.authentication.k8s.io/v1beta1";
  credential.spec.interactive = true;
  exec::Cluster cluster;
  cluster.server = "https://s";
  cluster.tls_server_name = "name";
  cluster.insecure_skip_tls_verify = true;
  cluster.certificate_authority_data = "ca";
  cluster.proxy_url = "http://p";
  cluster.disable_compression = true;
  cluster.config = json::Parse(R"({"a":[1]})").OrExit();
  credential.spec.cluster = cluster;
  exec::ExecCredentialStatus status;
  status.token = "t";
  status.expiration_timestamp = kExpiry;
  credential.status = status;
  const auto read = exec::LoadExecCredential(credential.ToJson()).OrExit();
  EXPECT_EQ(read.ToJson(), credential.ToJson());
  EXPECT_EQ(read.spec.cluster->certificate_authority_data, "ca");
  EXPECT_EQ(read.spec.cluster->config.Dump(), R"({"a":[1]})");
  EXPECT_EQ(read.status->expiration_timestamp, kExpiry);
  const auto bare = exec::LoadExecCredential(exec::ExecCredential().ToJson()).OrExit();
  EXPECT_FALSE(bare.spec.cluster);
  EXPECT_FALSE(bare.status);
}

TEST(ExecCredential, MalformedOnes_AreExplainedWithoutTheirSecrets) {
  const std::string head =
      R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1",)";
  struct Row {
    std::string text;
    const char* message;
  };
  for (const Row& row : {
           Row{"", "it is not a JSON object"},
           Row{"[]", "it is not a JSON object"},
           Row{"{\"secret\"", "it is not a JSON object"},
           Row{R"({"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1alpha1"})",
               "apiVersion \"client.authentication.k8s.io/v1alpha1\" is not supported"},
           Row{R"({"kind":"Pod","apiVersion":"client.authentication.k8s.io/v1"})",
               "its kind is \"Pod\""},
           Row{head + R"("spec":{"cluster":{"certificate-authority-data":"?"}}})",
               "certificate-authority-data is not base64"},
           Row{head + R"("status":{"token":"secret","expirationTimestamp":"secret"}})",
               "status.expirationTimestamp is not a time"},
       }) {
    const auto read = exec::LoadExecCredential(row.text);
    ASSERT_FALSE(read) << row.text;
    EXPECT_EQ(read.error().reason(), Reason::kConfig);
    EXPECT_THAT(read.error().message(), StartsWith("ExecCredential: "));
    EXPECT_THAT(read.error().message(), HasSubstr(row.message));
    EXPECT_THAT(read.error().message(), Not(HasSubstr("secret")));
  }
}

TEST(ExecCredential, VariableThatIsNotSet_IsNamed) {
  ASSERT_EQ(::unsetenv("KUBERNETES_EXEC_INFO"), 0);
  EXPECT_THAT(exec::LoadExecCredentialFromEnv().error().message(),
              StartsWith("KUBERNETES_EXEC_INFO is unset or empty"));
  ASSERT_EQ(::setenv("KUBERNETES_EXEC_INFO", "x", 1), 0);
  EXPECT_THAT(exec::LoadExecCredentialFromEnv().error().message(),
              StartsWith("KUBERNETES_EXEC_INFO: ExecCredential: "));
  const exec::ExecCredential bare;
  ASSERT_EQ(::setenv("KUBERNETES_EXEC_INFO", bare.ToJson().c_str(), 1), 0);
  EXPECT_EQ(exec::LoadExecCredentialFromEnv().OrExit().ToJson(), bare.ToJson());
  ASSERT_EQ(::unsetenv("KUBERNETES_EXEC_INFO"), 0);
}

TEST(ExecCredential, ClusterIsAConfigWithoutCredentials) {
  exec::Cluster cluster;
  EXPECT_THAT(ExecClusterToConfig(cluster).error().message(), HasSubstr("has no server"));
  cluster.server = "https://s:1/p";
  cluster.tls_server_name = "name";
  cluster.certificate_authority_data = "ca";
  cluster.proxy_url = "http://p";
  cluster.disable_compression = true;
  const Config config = ExecClusterToConfig(cluster).OrExit();
  EXPECT_EQ(config.host, "https://s:1/p");
  EXPECT_EQ(config.tls.server_name, "name");
  EXPECT_EQ(config.tls.ca_data, "ca");
  EXPECT_EQ(config.proxy_url, "http://p");
  EXPECT_TRUE(config.disable_compression);
  EXPECT_FALSE(config.tls.insecure);
  cluster.insecure_skip_tls_verify = true;
  EXPECT_THAT(ExecClusterToConfig(cluster).error().message(), HasSubstr("exclude each other"));
  cluster.certificate_authority_data = "";
  EXPECT_TRUE(ExecClusterToConfig(cluster).OrExit().tls.insecure);
}

TEST(ExecCredential, OwnPlugin_IsUnderstoodByOwnClient) {
  Runtime runtime;
  for (const char* version :
       {"client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"}) {
    ExecConfig config;
    config.command = KINFORMER_OWN_PLUGIN;
    config.api_version = version;
    config.interactive_mode = "Never";
    internal::config::ExecCluster cluster;
    cluster.server = "https://s";
    cluster.tls_server_name = "name";
    auto answer = internal::config::RunExecPlugin(runtime.env(), config, cluster).OrExit();
    EXPECT_EQ(answer.credentials.authorization, "Bearer for.none");
    EXPECT_EQ(answer.expires, kExpiry);
    config.provide_cluster_info = true;
    answer = internal::config::RunExecPlugin(runtime.env(), config, cluster).OrExit();
    EXPECT_EQ(answer.credentials.authorization, "Bearer for.name");
  }
}

}  // namespace
}  // namespace kinformer

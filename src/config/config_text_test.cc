// A Config as text: for people, and as a kubeconfig that reads back equal.

#include "config/testing/config_text.h"

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/clientcmd.h"
#include "kinformer/client/config.h"

#include "config/credentials.h"
#include "config/kubeconfig.h"

namespace kinformer {
namespace {

TEST(ConfigToString, WritesEachFieldAndNoSecret_RC08) {
  struct Row {
    Config config;
    const char* want;
  };
  std::vector<Row> rows;
  const auto add = [&rows](const auto& set, const char* want) {
    Row row{{}, want};
    set(row.config);
    rows.push_back(std::move(row));
  };
  add([](Config&) {}, "");
  add([](Config& c) { c.host = "https://h"; }, "host: https://h");
  add([](Config& c) { c.host = "https://u:SECRET@h"; }, "host: https://--- REDACTED ---@h");
  add([](Config& c) { c.namespace_ = "v"; }, "namespace: v");
  add([](Config& c) { c.origin = "v"; }, "origin: v");
  add([](Config& c) { c.user_agent = "v"; }, "user agent: v");
  add([](Config& c) { c.tls.insecure = true; }, "insecure: true");
  add([](Config& c) { c.tls.server_name = "v"; }, "tls server name: v");
  add([](Config& c) { c.tls.ca_file = "v"; }, "certificate-authority: v");
  add([](Config& c) { c.tls.ca_data = "v"; }, "certificate-authority-data: --- TRUNCATED ---");
  add([](Config& c) { c.tls.cert_file = "v"; }, "client-certificate: v");
  add([](Config& c) { c.tls.cert_data = "v"; }, "client-certificate-data: --- TRUNCATED ---");
  add([](Config& c) { c.tls.key_file = "v"; }, "client-key: v");
  add([](Config& c) { c.tls.key_data = "v"; }, "client-key-data: --- REDACTED ---");
  add([](Config& c) { c.bearer_token = "v"; }, "token: --- REDACTED ---");
  add([](Config& c) { c.id_token = "v"; }, "id-token: --- REDACTED ---");
  add([](Config& c) { c.oidc = OidcConfig{.issuer_url = "v"}; }, "idp-issuer-url: v");
  add([](Config& c) { c.oidc = OidcConfig{.client_id = "v"}; }, "client-id: v");
  add([](Config& c) { c.oidc = OidcConfig{.client_secret = "v"}; },
      "client-secret: --- REDACTED ---");
  add([](Config& c) { c.oidc = OidcConfig{.refresh_token = "v"}; },
      "refresh-token: --- REDACTED ---");
  add([](Config& c) { c.bearer_token_file = "v"; }, "tokenFile: v");
  add([](Config& c) { c.username = "v"; }, "username: v");
  add([](Config& c) { c.password = "v"; }, "password: --- REDACTED ---");
  add([](Config& c) { c.exec = ExecConfig{.command = "v"}; }, "exec: --- REDACTED ---");
  add([](Config& c) { c.impersonate.user_name = "v"; }, "as: v");
  add([](Config& c) { c.credentials = internal::config::NewStaticCredentials("Bearer t"); },
      "credentials: of the program");
  add([](Config& c) { c.dial = DialUnixSocket("/s"); }, "dial: a function");
  add([](Config& c) { c.wrap_transport = {{}, nullptr}; }, "transport wrappers: 2");
  add([](Config& c) { c.proxy_url = "http://u:SECRET@p"; }, "proxy-url: http://--- REDACTED ---@p");
  add(
      [](Config& c) {
        c.host = "h";
        c.username = "u";
        c.password = "p";
      },
      "host: h, username: u, password: --- REDACTED ---");
  for (const Row& row : rows) EXPECT_EQ(row.config.ToString(), row.want);
}

Config Full() {
  Config config;
  config.host = "https://h:1";
  config.namespace_ = "team";
  config.tls = {.server_name = "name",
                .cert_file = "/c",
                .key_file = "/k",
                .ca_file = "/ca",
                .cert_data = "C",
                .key_data = "K",
                .ca_data = "A"};
  config.bearer_token = "t";
  config.proxy_url = "http://p";
  config.disable_compression = true;
  config.impersonate = {
      .user_name = "a", .uid = "7", .groups = {"g", "h"}, .extra = {{"k", {"v", "w"}}}};
  config.exec = ExecConfig{.command = "plug",
                           .args = {"x", "y"},
                           .env = {{"A", "1"}, {"B", ""}},
                           .api_version = "client.authentication.k8s.io/v1",
                           .install_hint = "get it",
                           .provide_cluster_info = true,
                           .interactive_mode = "Never"};
  return config;
}

TEST(ConfigYaml, WritesEveryField) {
  EXPECT_EQ(KubeconfigYaml(Full(), "me"), R"(apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: QQ==
    disable-compression: true
    proxy-url: http://p
    server: https://h:1
    tls-server-name: name
  name: me
contexts:
- context:
    cluster: me
    namespace: team
    user: me
  name: me
current-context: me
kind: Config
users:
- name: me
  user:
    as: a
    as-groups:
    - g
    - h
    as-uid: "7"
    as-user-extra:
      k:
      - v
      - w
    client-certificate-data: Qw==
    client-key-data: Sw==
    exec:
      apiVersion: client.authentication.k8s.io/v1
      args:
      - x
      - "y"
      command: plug
      env:
      - name: A
        value: "1"
      - name: B
        value: ""
      installHint: get it
      interactiveMode: Never
      provideClusterInfo: true
    token: t
)");
  EXPECT_EQ(KubeconfigYaml(Config()), R"(apiVersion: v1
clusters:
- cluster: {}
  name: kinformer
contexts:
- context:
    cluster: kinformer
    user: kinformer
  name: kinformer
current-context: kinformer
kind: Config
users:
- name: kinformer
  user: {}
)");
}

// Fields alone, and those that exclude each other.
TEST(ConfigYaml, ReadsBackEqual) {
  std::vector<Config> configs;
  const auto add = [&configs](const auto& set) {
    Config config;
    config.host = "https://h";
    config.namespace_ = "default";
    config.origin = "context kinformer of the kubeconfig";
    set(config);
    configs.push_back(std::move(config));
  };
  add([](Config&) {});
  add([](Config& c) { c.tls.insecure = true; });
  add([](Config& c) { c.tls.ca_file = "/dev/null"; });
  add([](Config& c) { c.tls.ca_data = "A"; });
  add([](Config& c) {
    c.tls.cert_file = "/dev/null";
    c.tls.key_file = "/dev/null";
  });
  add([](Config& c) {
    c.tls.cert_data = "C";
    c.tls.key_file = "/dev/null";
  });
  add([](Config& c) {
    c.tls.cert_file = "/dev/null";
    c.tls.key_data = "K";
  });
  add([](Config& c) { c.bearer_token = "t"; });
  add([](Config& c) { c.id_token = "i"; });
  add([](Config& c) {
    c.oidc = OidcConfig{.issuer_url = "https://i",
                        .client_id = "c",
                        .client_secret = "s",
                        .refresh_token = "r",
                        .ca_file = "/f"};
  });
  add([](Config& c) {
    c.id_token = "i";
    c.oidc = OidcConfig{
        .issuer_url = "https://i", .client_id = "c", .refresh_token = "r", .ca_data = "CA"};
  });
  add([](Config& c) {
    c.username = "u";
    c.password = "p";
  });
  add([](Config& c) { c.username = "u"; });
  add([](Config& c) { c.password = "p"; });
  add([](Config& c) { c.exec = Full().exec; });
  add([](Config& c) { c.proxy_url = "http://p"; });
  add([](Config& c) { c.disable_compression = true; });
  add([](Config& c) { c.impersonate = {.user_name = "a"}; });
  add([](Config& c) { c.impersonate = {.user_name = "a", .uid = "1"}; });
  add([](Config& c) { c.impersonate = {.user_name = "a", .groups = {"g"}}; });
  add([](Config& c) { c.impersonate = {.user_name = "a", .extra = {{"k", {"v"}}}}; });
  for (const Config& config : configs) {
    const auto got = Config::FromKubeconfig(KubeconfigYaml(config));
    ASSERT_TRUE(got.ok()) << got.error();
    EXPECT_EQ(Described(*got), Described(config));
  }
}

TEST(ConfigYaml, TokenFile_IsWrittenInPlaceOfItsToken) {
  Config config;
  config.bearer_token = "old";
  config.bearer_token_file = "/dev/null";
  const std::string text = KubeconfigYaml(config, "x");
  const auto got = internal::config::ParseKubeconfig(text, "", "");
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->auth_infos.at("x").token, "");
  EXPECT_EQ(got->auth_infos.at("x").token_file, "/dev/null");
}

}  // namespace
}  // namespace kinformer

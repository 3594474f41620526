// Kubeconfigs: reading, choosing, overriding, checking. Ids are those of the
// conformance catalogue.

#include "config/kubeconfig.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/clientcmd.h"
#include "kinformer/client/http_transport.h"

#include "config/testing/kubeconfig_texts.h"

namespace kinformer {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

// "Y2E=" is "ca" in base64.
constexpr char kTwoContexts[] = R"(
apiVersion: v1
kind: Config
current-context: dev
clusters:
- name: dev
  cluster: {server: "https://dev:6443/", certificate-authority-data: Y2E=, tls-server-name: kube}
- name: prod
  cluster: {server: "https://prod:6443/prefix?x=1#y", disable-compression: true}
- name: broken
  cluster: {certificate-authority: /nonexistent/ca}
users:
- name: jane
  user: {token: secret}
- name: bob
  user: {username: bob, password: pw}
contexts:
- name: dev
  context: {cluster: dev, user: jane, namespace: team}
- name: prod
  context: {cluster: prod, user: bob}
- name: broken
  context: {cluster: broken, user: nobody}
)";

// ---- Errors: text, overrides, content of the message

struct ErrorCase {
  const char* id;
  std::string yaml;
  ConfigOverrides overrides;
  std::vector<std::string> want;
};

TEST(Kubeconfig, ErrorsNameThePlaceAndTheRemedy) {
  const ErrorCase cases[] = {
      {"KC-06", "clusters: [\nfoo: {", {}, {"line"}},
      {"KC-06 text", "just text", {}, {"no kubeconfig"}},
      {"kind", "kind: Pod", {}, {"kind: is \"Pod\", expected Config"}},
      {"type", "users: [{name: u, user: {token: 12}}]", {}, {"users[0].user.token", "quotes"}},
      {"spelling",
       "users: [{name: u, user: {token-file: /t}}]",
       {},
       {"user \"u\"", "users[0].user.token-file: is no field of a kubeconfig: write tokenFile"}},
      {"spelling of the top",
       "currentContext: a",
       {},
       {"currentContext: is no field of a kubeconfig: write current-context"}},
      {"spelling in a cluster",
       "clusters: [{name: a, cluster: {Server: 'https://s'}}]",
       {},
       {"clusters[0].cluster.Server: is no field of a kubeconfig: write server"}},
      {"base64",
       "users: [{name: u, user: {client-key-data: '%%'}}]",
       {},
       {"user \"u\"", "users[0].user.client-key-data", "not base64"}},
      {"base64 CA",
       OneCluster("server: https://s, certificate-authority-data: '?'"),
       {},
       {"clusters[0].cluster.certificate-authority-data", "not base64"}},
      {"KC-13 cluster", "clusters: [{name: a}, {name: a}]", {}, {"second cluster", "\"a\""}},
      {"KC-13 user", "users: [{name: a}, {name: a}]", {}, {"second user", "\"a\""}},
      {"KC-13 context", "contexts: [{name: a}, {name: a}]", {}, {"second context", "\"a\""}},
      {"KC-13 extension",
       "clusters: [{name: a, cluster: {extensions: [{name: e, extension: 1}, {name: e}]}}]",
       {},
       {"second extension", "\"e\""}},
      {"KC-33 KV-05",
       kTwoContexts,
       {.context = "qa"},
       {"context \"qa\" does not exist", "known contexts: broken, dev, prod"}},
      {"override cluster",
       kTwoContexts,
       {.cluster = "x"},
       {"cluster \"x\" does not exist", "known clusters: broken, dev, prod"}},
      {"override user",
       kTwoContexts,
       {.user = "x"},
       {"user \"x\" does not exist", "known users: bob, jane"}},
      {"KV-02",
       "current-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]",
       {},
       {"cluster \"k\" does not exist", "user \"u\" does not exist"}},
      {"KV-06",
       "current-context: c\ncontexts: [{name: c, context: {}}]",
       {},
       {"context \"c\" names no cluster"}},
      {"KV-04", "", {}, {"no configuration has been provided", "$KUBECONFIG"}},
      {"no current",
       "contexts: [{name: a, context: {cluster: k}}]",
       {},
       {"no current-context", "--context", "known contexts: a"}},
      {"KV-08 no server", OneCluster("insecure-skip-tls-verify: true"), {}, {"has no server"}},
      {"KV-08 CA file",
       OneCluster("server: https://s, certificate-authority: /nonexistent/ca"),
       {},
       {"certificate-authority /nonexistent/ca", "No such file"}},
      {"both CAs",
       OneCluster("server: https://s, certificate-authority: /x, certificate-authority-data: Y2E="),
       {},
       {"both given"}},
      {"KV-03 CA and insecure",
       OneCluster(
           "server: https://s, insecure-skip-tls-verify: true, certificate-authority-data: Y2E="),
       {},
       {"exclude each other"}},
      {"KV-09 files",
       OneUser("client-certificate: /nonexistent/c, client-key: /nonexistent/k"),
       {},
       {"client-certificate /nonexistent/c", "client-key /nonexistent/k"}},
      {"half a pair", OneUser("client-certificate-data: Y2E="), {}, {"without client-key"}},
      {"other half", OneUser("client-key-data: Y2E="), {}, {"without client-certificate"}},
      {"KV-10", OneUser("token: t, username: u"), {}, {"more than one authentication method"}},
      {"KV-10 override",
       OneUser("username: u, password: p"),
       {.token = "t"},
       {"more than one authentication method"}},
      {"KV-11 version", OneUser("exec: {command: c, interactiveMode: Never}"), {}, {"apiVersion"}},
      {"KV-11 command", OneUser("exec: {apiVersion: v, interactiveMode: Never}"), {}, {"command"}},
      {"KV-11 provider",
       OneUser(
           "auth-provider: {name: p}, exec: {command: c, apiVersion: v, interactiveMode: Never}"),
       {},
       {"exclude each other"}},
      {"KV-11 env",
       OneUser("exec: {command: c, apiVersion: v, interactiveMode: Never, env: [{value: x}]}"),
       {},
       {"env has no name"}},
      {"KV-11 KV-17 mode missing",
       OneUser("exec: {command: c, apiVersion: client.authentication.k8s.io/v1}"),
       {},
       {"interactiveMode is missing"}},
      {"KV-11 mode unknown",
       OneUser("exec: {command: c, apiVersion: v, interactiveMode: Maybe}"),
       {},
       {"interactiveMode \"Maybe\""}},
      {"auth-provider", OneUser("auth-provider: {name: gcp}"), {}, {"gcp", "exec plugin"}},
      {"KV-12 groups", OneUser("as-groups: [g]"), {}, {"need as"}},
      {"KV-12 extra", OneUser("as-user-extra: {k: [v]}"), {}, {"need as"}},
      {"KV-12 uid", OneUser("as-uid: x"), {}, {"need as"}},
      {"KC-27", OneCluster("server: https://s, proxy-url: 'ftp://p'"), {}, {"proxy-url", "socks5"}},
      {"namespace", kTwoContexts, {.namespace_ = "No_Label"}, {"namespace \"No_Label\""}},
      {"timeout", kTwoContexts, {.timeout = "soon"}, {"\"soon\"", "1m30s"}},
      {"negative timeout", kTwoContexts, {.timeout = "-1"}, {"\"-1\""}},
      {"no scheme",
       OneUser("token: t", "server: 'host:6443'"),
       {},
       {"no scheme", "https://host:6443"}},
      {"KC-29", OneUser("tokenFile: /nonexistent/t"), {}, {"tokenFile /nonexistent/t"}},
  };
  for (const auto& c : cases) {
    const auto got = Config::FromKubeconfig(c.yaml, "", c.overrides);
    ASSERT_FALSE(got.ok()) << c.id;
    EXPECT_EQ(got.error().reason(), Reason::kConfig) << c.id;
    for (const auto& part : c.want) EXPECT_THAT(got.error().message(), HasSubstr(part)) << c.id;
  }
}

TEST(Kubeconfig, PredicatesSeeTheKindOfError_KV13) {
  EXPECT_TRUE(IsEmptyConfig(Config::FromKubeconfig("").error()));
  EXPECT_FALSE(IsContextNotFound(Config::FromKubeconfig("").error()));
  const auto missing = Config::FromKubeconfig(kTwoContexts, "", {.context = "qa"});
  EXPECT_TRUE(IsContextNotFound(Error(missing.error()).WithContext("outer")));
  EXPECT_FALSE(IsEmptyConfig(missing.error()));
  EXPECT_FALSE(IsEmptyConfig(Config::FromKubeconfig(OneUser("as-uid: x")).error()));
}

// ---- values

struct ValueCase {
  const char* id;
  std::string yaml;
  ConfigOverrides overrides;
  std::function<void(const Config&)> check;
};

TEST(Kubeconfig, ValuesAndOverrides) {
  const ValueCase cases[] = {
      {"KC-31 KV-01",
       kTwoContexts,
       {},
       [](const Config& c) {
         EXPECT_EQ(c.host, "https://dev:6443/");
         EXPECT_EQ(c.bearer_token, "secret");
         EXPECT_EQ(c.namespace_, "team");
         EXPECT_EQ(c.tls.ca_data, "ca");
         EXPECT_EQ(c.tls.server_name, "kube");
         EXPECT_THAT(c.origin, HasSubstr("context dev"));
       }},
      {"KC-28 KC-35 KC-31",
       kTwoContexts,
       {.context = "prod"},
       [](const Config& c) {
         EXPECT_EQ(c.host, "https://prod:6443/prefix");
         EXPECT_EQ(c.username, "bob");
         EXPECT_EQ(c.password, "pw");
         EXPECT_EQ(c.bearer_token, "");
         EXPECT_EQ(c.namespace_, "default");
         EXPECT_TRUE(c.disable_compression);
       }},
      {"KC-23",
       kTwoContexts,
       {.namespace_ = "other"},
       [](const Config& c) {
         EXPECT_EQ(c.namespace_, "other");
         EXPECT_EQ(c.bearer_token, "secret");
       }},
      {"KC-24 user",
       kTwoContexts,
       {.user = "bob"},
       [](const Config& c) { EXPECT_EQ(c.username, "bob"); }},
      {"KC-24 cluster",
       kTwoContexts,
       {.cluster = "prod"},
       [](const Config& c) { EXPECT_EQ(c.host, "https://prod:6443/prefix"); }},
      {"KC-19",
       kTwoContexts,
       {.insecure_skip_tls_verify = true},
       [](const Config& c) {
         EXPECT_TRUE(c.tls.insecure);
         EXPECT_EQ(c.tls.ca_data, "");
       }},
      {"KC-20",
       OneCluster("server: https://s, insecure-skip-tls-verify: true"),
       {.certificate_authority = "/dev/null"},
       [](const Config& c) {
         EXPECT_FALSE(c.tls.insecure);
         EXPECT_EQ(c.tls.ca_file, "/dev/null");
         EXPECT_EQ(c.tls.ca_data, "");
       }},
      {"KC-21 server only",
       kTwoContexts,
       {.server = "https://else"},
       [](const Config& c) {
         EXPECT_EQ(c.host, "https://else");
         EXPECT_EQ(c.tls.server_name, "");
       }},
      {"KC-21 both",
       kTwoContexts,
       {.server = "https://else", .tls_server_name = "n"},
       [](const Config& c) { EXPECT_EQ(c.tls.server_name, "n"); }},
      {"KC-21 name",
       kTwoContexts,
       {.tls_server_name = "n"},
       [](const Config& c) { EXPECT_EQ(c.tls.server_name, "n"); }},
      {"KC-22 KV-12",
       OneUser("token: t, as: x, as-uid: '1', as-groups: [g, h], as-user-extra: {k: [v]}"),
       {.server = "http://plain"},
       [](const Config& c) {
         EXPECT_EQ(c.impersonate.user_name, "x");
         EXPECT_EQ(c.impersonate.uid, "1");
         EXPECT_EQ(c.impersonate.groups, (std::vector<std::string>{"g", "h"}));
         EXPECT_EQ(c.impersonate.extra.at("k"), std::vector<std::string>{"v"});
         EXPECT_EQ(c.bearer_token, "") << "credentials go with https only";
       }},
      {"KC-25",
       OneUser("client-certificate-data: Y2E=, client-key-data: Y2E="),
       {},
       [](const Config& c) {
         EXPECT_EQ(c.tls.cert_data, "ca");
         EXPECT_EQ(c.tls.key_data, "ca");
       }},
      {"KC-26",
       OneUser("client-certificate-data: Y2E=, client-key-data: Y2E="),
       {.client_certificate = "/dev/null", .client_key = "/dev/null"},
       [](const Config& c) {
         EXPECT_EQ(c.tls.cert_file, "/dev/null");
         EXPECT_EQ(c.tls.cert_data, "");
         EXPECT_EQ(c.tls.key_data, "");
       }},
      {"KC-27",
       OneCluster("server: https://s, proxy-url: 'socks5://p:1'"),
       {},
       [](const Config& c) { EXPECT_EQ(c.proxy_url, "socks5://p:1"); }},
      {"KV-17",
       OneUser("exec: {command: c, apiVersion: client.authentication.k8s.io/v1beta1}"),
       {},
       [](const Config& c) { EXPECT_EQ(c.exec->interactive_mode, "IfAvailable"); }},
      {"KC-34",
       OneUser("exec: {command: c, apiVersion: client.authentication.k8s.io/v1beta1, "
               "installHint: \"a\\e[31mb\"}"),
       {},
       [](const Config& c) { EXPECT_EQ(c.exec->install_hint, "aU+001B[31mb"); }},
      {"exec extension",
       OneUser("exec: {command: c, apiVersion: client.authentication.k8s.io/v1beta1}",
               "server: https://s, extensions: [{name: client.authentication.k8s.io/exec, "
               "extension: {a: 1}}]"),
       {},
       [](const Config& c) { EXPECT_EQ(c.exec->cluster_config, "{\"a\":1}"); }},
      {"KC-11 JSON",
       R"({"current-context":"c","clusters":[{"name":"k","cluster":{"server":"https://j"}}],)"
       R"("contexts":[{"name":"c","context":{"cluster":"k"}}]})",
       {},
       [](const Config& c) { EXPECT_EQ(c.host, "https://j"); }},
      {"unknown fields", OneUser("colour: red") + "preferences: {}\n", {}, [](const Config&) {}},
      {"timeouts",
       kTwoContexts,
       {.timeout = "1m30s"},
       [](const Config& c) { EXPECT_EQ(c.timeout, std::chrono::seconds(90)); }},
      {"timeout seconds",
       kTwoContexts,
       {.timeout = "5"},
       [](const Config& c) { EXPECT_EQ(c.timeout, std::chrono::seconds(5)); }},
      {"server without file",
       "",
       {.server = "https://only", .token = "t"},
       [](const Config& c) {
         EXPECT_EQ(c.host, "https://only");
         EXPECT_EQ(c.bearer_token, "t");
       }},
  };
  for (const auto& c : cases) {
    SCOPED_TRACE(c.id);
    const auto got = Config::FromKubeconfig(c.yaml, "", c.overrides);
    ASSERT_TRUE(got.ok()) << got.error();
    c.check(*got);
  }
}

TEST(Kubeconfig, EmptyListsAndFilesAreEmpty_KC12) {
  for (const char* text :
       {"", "clusters:\nusers:\ncontexts:\n", "{}", "kind: Config\napiVersion: v1"}) {
    const auto got = internal::config::ParseKubeconfig(text, "f", "");
    ASSERT_TRUE(got.ok()) << text << got.error();
    EXPECT_TRUE(clientcmdapi::IsConfigEmpty(*got)) << text;
  }
}

TEST(Kubeconfig, AFileWithoutEndIsNotReadForEver) {
  const auto got = Config::FromKubeconfigFile("/dev/zero");
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message(),
              AllOf(HasSubstr("/dev/zero"), HasSubstr("a device, not a regular file")));
}

// ---- text

TEST(ConfigText, KubeconfigYaml_ReadsBackEqual) {
  Config config;
  config.host = "https://127.0.0.1:6443";
  config.namespace_ = "team";
  config.tls = {.server_name = "kube", .cert_data = "C\n", .key_data = "K\n", .ca_data = "A\n"};
  config.bearer_token = "yes";  // YAML would take it for a boolean
  config.impersonate = {.user_name = "u", .groups = {"g"}, .extra = {{"k", {"v", "w"}}}};
  const auto got = Config::FromKubeconfig(KubeconfigYaml(config, "x"));
  ASSERT_TRUE(got.ok()) << got.error() << KubeconfigYaml(config, "x");
  EXPECT_EQ(got->host, config.host);
  EXPECT_EQ(got->namespace_, "team");
  EXPECT_EQ(got->tls.ca_data, "A\n");
  EXPECT_EQ(got->tls.cert_data, "C\n");
  EXPECT_EQ(got->tls.key_data, "K\n");
  EXPECT_EQ(got->tls.server_name, "kube");
  EXPECT_EQ(got->bearer_token, "yes");
  EXPECT_EQ(got->impersonate.extra, config.impersonate.extra);
}

TEST(ConfigText, SecretsAreNotPrinted_KV16) {
  Config config;
  config.host = "https://me:HOSTTEXT@h";
  config.tls.key_data = "KEYTEXT";
  config.bearer_token = "TOKENTEXT";
  config.password = "PASSTEXT";
  config.proxy_url = "http://me:PROXYTEXT@proxy:1";
  const std::string text = config.ToString();
  EXPECT_THAT(text, AllOf(HasSubstr("@h,"), HasSubstr("REDACTED"), HasSubstr("@proxy:1"),
                          Not(HasSubstr("TEXT"))));
  EXPECT_EQ(Config().ToString(), "");
}

// Errors about URLs of all these kinds.
TEST(Kubeconfig, PasswordsInUrlsStayOutOfErrors_M4) {
  const std::string texts[] = {
      OneCluster("server: https://s, proxy-url: 'me:HUSH@p:1'"),
      OneCluster("server: https://s, proxy-url: 'ftp://me:HUSH@p:1'"),
      OneCluster("server: 'me:HUSH@s', certificate-authority-data: eA=="),
  };
  for (const std::string& text : texts) {
    const auto got = Config::FromKubeconfig(text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_THAT(got.error().message(), AllOf(HasSubstr("REDACTED"), Not(HasSubstr("HUSH"))));
  }
  Config config;
  config.host = "me:HUSH@h/path";
  EXPECT_THAT(ServerUrlFor(config).error().message(),
              AllOf(HasSubstr("URL or a host:port"), Not(HasSubstr("HUSH"))));
}

// Contains what `kubectl config set-credentials --auth-provider=oidc` and login tools write.
std::string OidcUser(const std::string& id_token,
                     const std::string& refresh_token = "HUSHREFRESH") {
  return R"(
apiVersion: v1
kind: Config
preferences: {}
current-context: oidc@prod
clusters:
- name: prod
  cluster:
    server: https://prod:6443
    certificate-authority-data: Y2E=
contexts:
- name: oidc@prod
  context:
    cluster: prod
    user: oidc
users:
- name: oidc
  user:
    auth-provider:
      name: oidc
      config:
        client-id: kubernetes
        client-secret: HUSHCLIENT
        id-token: )" +
         id_token + R"(
        idp-certificate-authority: /etc/ssl/idp.pem
        idp-issuer-url: https://issuer.example.com
        refresh-token: )" +
         refresh_token + R"(
)";
}

// Returns the Authorization header of the first request, or the error if it is not sent.
std::string AuthorizationOf(const Config& config, Simulation& sim) {
  const auto options = TransportOptionsFor(config);
  if (!options) return options.error().message();
  if (options->credentials == nullptr) return "(none)";
  std::string out = "(no answer)";
  options->credentials->Fetch(sim.env(), [&](const Result<Credentials>& got) {
    out = got ? got->authorization : got.error().message();
  });
  sim.RunReady();
  return out;
}

TEST(Kubeconfig, AnIdTokenOfOidc_IsUsedUntilItExpires_OI01) {
  const Folder folder;
  // {"exp":100}
  const std::string token = "h.eyJleHAiOjEwMH0.HUSHSIGNATURE";
  const std::string path = folder.Write("config", OidcUser(token));
  const auto config = Config::FromKubeconfigFile(path);
  ASSERT_TRUE(config.ok()) << config.error();
  EXPECT_EQ(config->host, "https://prod:6443");
  EXPECT_EQ(config->tls.ca_data, "ca");
  EXPECT_THAT(config->ToString(), Not(HasSubstr("HUSH")));
  // The simulation's clock begins at 1970-01-01.
  Simulation sim;
  EXPECT_EQ(AuthorizationOf(*config, sim), "Bearer " + token);
  sim.RunFor(std::chrono::seconds(100));
  EXPECT_THAT(
      AuthorizationOf(*config, sim),
      AllOf(HasSubstr(path), HasSubstr("idp-certificate-authority"), Not(HasSubstr("HUSH"))))
      << "it would be renewed";
  const std::string alone = folder.Write("alone", OidcUser(token, "''"));
  EXPECT_THAT(AuthorizationOf(Config::FromKubeconfigFile(alone).OrExit(), sim),
              AllOf(HasSubstr(alone), HasSubstr("id-token"), HasSubstr("1970-01-01T00:01:40Z"),
                    HasSubstr("log in again"), Not(HasSubstr("HUSH"))));
}

TEST(Kubeconfig, OidcWithoutTokens_IsRefusedWithWhatToDo) {
  const auto got = Config::FromKubeconfig(OidcUser("''", "''"));
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message(), AllOf(HasSubstr("user \"oidc\""),
                                           HasSubstr("neither an id-token nor a refresh-token"),
                                           HasSubstr("log in"), Not(HasSubstr("HUSH"))));
}

TEST(Kubeconfig, ATokenFileThatIsAFifoIsAnError_M11) {
  const Folder folder;
  const std::string fifo = folder.path() + "/fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  const std::string head =
      "clusters: [{name: c, cluster: {server: https://s}}]\n"
      "contexts: [{name: x, context: {cluster: c, user: u}}]\n"
      "current-context: x\nusers: [{name: u, user: ";
  for (const std::string& user :
       {"{tokenFile: " + fifo + "}", "{client-certificate: " + fifo + ", client-key: " + fifo + "}",
        std::string("{tokenFile: /dev/zero}")}) {
    const auto got = Config::FromKubeconfig(head + user + "}]");
    ASSERT_FALSE(got.ok()) << user;
    EXPECT_THAT(got.error().message(), HasSubstr("not a regular file"));
  }
  EXPECT_THAT(Config::FromKubeconfigFile(fifo).error().message(), HasSubstr("it is a FIFO"));
}

}  // namespace
}  // namespace kinformer

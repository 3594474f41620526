// Reduced forms of a kubeconfig, and the check of all of it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/client/clientcmd.h"

#include "config/testing/kubeconfig_texts.h"

namespace kinformer::clientcmd {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kTwo[] = R"(
current-context: a
clusters:
- {name: k, cluster: {server: "https://k"}}
- {name: other, cluster: {server: "https://other"}}
users:
- {name: u, user: {token: t}}
- {name: v, user: {token: t}}
contexts:
- {name: a, context: {cluster: k, user: u}}
- {name: b, context: {cluster: other, user: v}}
- {name: lost-cluster, context: {cluster: gone, user: u}}
- {name: lost-user, context: {cluster: k, user: gone}}
)";

template <class T>
std::string MessageOf(const Result<T>& got) {
  return got.ok() ? "ok" : got.error().message();
}

TEST(MinifyConfig, KeepsTheCurrentContextAlone_KV14) {
  clientcmdapi::Config config = Load(kTwo).OrExit();
  clientcmdapi::MinifyConfig(config).OrExit();
  EXPECT_EQ(Write(config),
            "apiVersion: v1\nclusters:\n- cluster:\n    server: https://k\n  name: k\ncontexts:\n"
            "- context:\n    cluster: k\n    user: u\n  name: a\ncurrent-context: a\nkind: Config\n"
            "users:\n- name: u\n  user:\n    token: t\n");
}

TEST(MinifyConfig, NamesWhatIsMissing_AndChangesNothing_KV14) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "the kubeconfig has no current-context; known contexts: a, b, lost-cluster, lost-user"},
      {"c",
       "context \"c\" does not exist in the kubeconfig; known contexts: a, b, lost-cluster, "
       "lost-user"},
      {"lost-cluster",
       "context \"lost-cluster\": cluster \"gone\" does not exist in the kubeconfig; known "
       "clusters: "
       "k, other"},
      {"lost-user",
       "context \"lost-user\": user \"gone\" does not exist in the kubeconfig; known users: u, v"},
  };
  for (const auto& [current, want] : rows) {
    clientcmdapi::Config config = Load(kTwo).OrExit();
    config.current_context = current;
    const std::string before = Write(config);
    const Result<void> got = clientcmdapi::MinifyConfig(config);
    EXPECT_EQ(MessageOf(got), want);
    EXPECT_EQ(Write(config), before);
    EXPECT_EQ(IsEmptyConfig(got), std::string(current).empty());
    EXPECT_EQ(IsContextNotFound(got), std::string(current) == "c");
  }
}

TEST(FlattenConfig, InlinesFiles_KV15) {
  const Folder folder;
  static_cast<void>(folder.Write("ca", "CA"));
  static_cast<void>(folder.Write("cert", "CERT"));
  static_cast<void>(folder.Write("key", "KEY"));
  const std::string path =
      folder.Write("config", OneUser("client-certificate: cert, client-key: key, tokenFile: /t",
                                     "server: https://s, certificate-authority: ca"));
  clientcmdapi::Config config = LoadFromFile(path).OrExit();
  clientcmdapi::FlattenConfig(config).OrExit();
  const clientcmdapi::AuthInfo& user = config.auth_infos.at("u");
  EXPECT_EQ(config.clusters.at("k").certificate_authority, "");
  EXPECT_EQ(config.clusters.at("k").certificate_authority_data, "CA");
  EXPECT_EQ(user.client_certificate + user.client_key, "");
  EXPECT_EQ(user.client_certificate_data, "CERT");
  EXPECT_EQ(user.client_key_data, "KEY");
  EXPECT_EQ(user.token_file, "/t");

  config.auth_infos["v"].client_key = "/nonexistent";
  config.clusters["l"].certificate_authority = folder.path() + "/ca";
  EXPECT_EQ(MessageOf(clientcmdapi::FlattenConfig(config)),
            "user \"v\": cannot read client-key /nonexistent: No such file or directory");
  EXPECT_EQ(config.clusters.at("l").certificate_authority_data, "");
}

TEST(RedactSecrets, LeavesNoneInTheText_AndNamesOfFiles_KV16) {
  clientcmdapi::Config config = Load(R"(
current-context: c
clusters:
- name: k
  cluster:
    server: "https://me:SECRET@s"
    certificate-authority-data: Q0E=
    proxy-url: "http://p:SECRET@h"
contexts: []
users:
- name: u
  user:
    client-certificate-data: U0VDUkVU
    client-key-data: U0VDUkVU
    client-key: /key
    token: SECRET
    tokenFile: /token
    username: me
    password: SECRET
    auth-provider:
      name: oidc
      config: {id-token: SECRET, refresh-token: SECRET, client-secret: SECRET, client-id: id}
    exec:
      command: plug
      apiVersion: v
      args: [get-token, --oidc-client-secret=SECRET, --client-secret, SECRET, --region=eu, --token]
      env: [{name: AWS_PROFILE, value: dev}, {name: MY_TOKEN, value: SECRET}]
)")
                                    .OrExit();
  const clientcmdapi::Config original = config;
  clientcmdapi::RedactSecrets(config);
  const std::string text = Write(config);
  EXPECT_THAT(text, AllOf(Not(HasSubstr("SECRET")), Not(HasSubstr("U0VDUkVU"))));
  for (const char* kept :
       {"client-key: /key", "tokenFile: /token", "username: me", "client-key-data: REDACTED",
        "certificate-authority-data: Q0E=", "- get-token", "--oidc-client-secret=REDACTED",
        "--region=eu", "- --token\n", "value: dev", "client-id: id", "token: REDACTED"}) {
    EXPECT_THAT(text, HasSubstr(kept));
  }
  EXPECT_EQ(original.auth_infos.at("u").token, "SECRET");
}

TEST(ShortenConfig, OmitsData_KV16) {
  clientcmdapi::Config config =
      Load(OneUser("client-certificate-data: Yw==, client-key-data: aw==, token: t",
                   "server: https://s, certificate-authority-data: Y2E="))
          .OrExit();
  clientcmdapi::ShortenConfig(config);
  const std::string text = Write(config);
  for (const char* line :
       {"certificate-authority-data: DATA+OMITTED", "client-certificate-data: DATA+OMITTED",
        "client-key-data: DATA+OMITTED", "token: REDACTED"}) {
    EXPECT_THAT(text, HasSubstr(line));
  }
  clientcmdapi::Config empty = Load(OneUser("as: me")).OrExit();
  const std::string before = Write(empty);
  clientcmdapi::ShortenConfig(empty);
  EXPECT_EQ(Write(empty), before);
}

TEST(Validate, NamesProblemsOfAllEntries) {
  const std::string usable = OneUser("token: t");
  EXPECT_EQ(MessageOf(Validate(Load(usable).OrExit())), "ok");
  const Result<void> empty = Validate(clientcmdapi::Config());
  EXPECT_EQ(MessageOf(empty), "no configuration has been provided: the kubeconfig is empty");
  EXPECT_TRUE(IsEmptyConfig(empty));
  const Result<void> got = Validate(Load(kTwo).OrExit());
  EXPECT_EQ(MessageOf(got),
            "invalid configuration: context \"lost-cluster\" of the kubeconfig: cluster \"gone\" "
            "does not exist; known clusters: k, other; context \"lost-user\" of the kubeconfig: "
            "user \"gone\" does not exist; known users: u, v");
  EXPECT_TRUE(IsConfigurationInvalid(got));
  EXPECT_FALSE(IsContextNotFound(got));
}

TEST(Validate, ContextWithoutAName_IsAProblem_KV07) {
  const Result<void> got =
      Validate(Load("clusters: [{name: k, cluster: {server: s}}]\nusers: [{name: u}]\n"
                    "contexts: [{name: '', context: {cluster: k, user: u}}]")
                   .OrExit());
  EXPECT_EQ(MessageOf(got),
            "invalid configuration: context \"\" of the kubeconfig: it has no name, so that nobody "
            "can choose it");
}

TEST(Validate, ContextWithoutReferences_IsInvalid_KV06) {
  const Result<void> got =
      Validate(Load("contexts: [{name: c, context: {namespace: A}}]").OrExit());
  EXPECT_EQ(MessageOf(got),
            "invalid configuration: context \"c\" of the kubeconfig: it names no cluster; context "
            "\"c\" of the kubeconfig: it names no user; context \"c\" of the kubeconfig: namespace "
            "\"A\" is not a valid name: lower case letters, digits and '-', at most 63");
  EXPECT_TRUE(IsConfigurationInvalid(got));
}

TEST(Validate, CurrentContextThatDoesNotExist_IsFoundByItsPredicate_KV05_KV13) {
  clientcmdapi::Config config = Load(OneUser("token: t")).OrExit();
  config.current_context = "x";
  const std::string lost = "context \"x\" does not exist in the kubeconfig; known contexts: c";
  Result<void> got = Validate(config);
  EXPECT_EQ(MessageOf(got), lost);
  EXPECT_TRUE(IsContextNotFound(got));
  config.clusters["k"].server.clear();
  got = Validate(config);
  EXPECT_EQ(MessageOf(got), "invalid configuration: " + lost +
                                "; cluster \"k\" of the kubeconfig: it has no server; set "
                                "clusters[].cluster.server");
  EXPECT_TRUE(IsContextNotFound(got));
  EXPECT_TRUE(IsConfigurationInvalid(got));
}

TEST(ConfirmUsable, ChecksOneContextAlone_KV01_KV02_KV03_KV04) {
  const clientcmdapi::Config config = Load(kTwo).OrExit();
  EXPECT_EQ(MessageOf(ConfirmUsable(config)), "ok");
  EXPECT_EQ(MessageOf(ConfirmUsable(config, "b")), "ok");
  EXPECT_THAT(MessageOf(ConfirmUsable(config, "lost-user")),
              HasSubstr("user \"gone\" does not exist"));
  EXPECT_TRUE(IsContextNotFound(ConfirmUsable(config, "x")));
  EXPECT_TRUE(IsEmptyConfig(ConfirmUsable({}, "x")));
  clientcmdapi::Config broken = config;
  broken.clusters["k"].server.clear();
  broken.auth_infos["u"].username = "me";
  EXPECT_THAT(MessageOf(ConfirmUsable(broken)),
              AllOf(HasSubstr("it has no server"), HasSubstr("more than one authentication")));
  EXPECT_EQ(MessageOf(ConfirmUsable(broken, "b")), "ok");
}

TEST(MergedRawConfig, ChangesTheChosenContextAlone_KC37) {
  const clientcmdapi::Config config = Load(kTwo).OrExit();
  const clientcmdapi::Config got = MergedRawConfig(config, {.context = "b",
                                                            .namespace_ = "n",
                                                            .server = "https://new",
                                                            .token = "secret",
                                                            .impersonate = {.user_name = "jane"}})
                                       .OrExit();
  EXPECT_EQ(got.current_context, "b");
  EXPECT_EQ(got.contexts.at("b").namespace_, "n");
  EXPECT_EQ(got.clusters.at("other").server, "https://new");
  EXPECT_EQ(got.auth_infos.at("v").token, "secret");
  EXPECT_EQ(got.auth_infos.at("v").impersonate, "jane");
  EXPECT_EQ(got.contexts.at("a").namespace_, "");
  EXPECT_EQ(got.clusters.at("k").server, "https://k");
  EXPECT_EQ(got.auth_infos.at("u").token, "t");
  EXPECT_EQ(ClientConfig(got)->host,
            ClientConfig(config, {.context = "b", .server = "https://new"})->host);
  const clientcmdapi::Config moved =
      MergedRawConfig(config, {.cluster = "other", .user = "v"}).OrExit();
  EXPECT_EQ(moved.contexts.at("a").cluster + moved.contexts.at("a").auth_info, "otherv");

  EXPECT_TRUE(IsContextNotFound(MergedRawConfig(config, {.context = "x"})));
  EXPECT_EQ(MessageOf(MergedRawConfig(config, {.cluster = "x"})),
            "cluster \"x\" does not exist in the kubeconfig; known clusters: k, other");
  EXPECT_EQ(MessageOf(MergedRawConfig(config, {.user = "x"})),
            "user \"x\" does not exist in the kubeconfig; known users: u, v");
}

}  // namespace
}  // namespace kinformer::clientcmd

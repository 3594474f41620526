// Every field of a kubeconfig, the paths in it, and merged files.

#include <cstddef>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "config/kubeconfig.h"
#include "config/oidc_keys.h"
#include "config/path_hint.h"
#include "config/testing/kubeconfig_texts.h"

namespace kinformer::internal::config {
namespace {

constexpr char kAllFields[] = R"(
apiVersion: v1
kind: Config
current-context: one
clusters:
- name: k
  cluster:
    server: https://s:1
    tls-server-name: name
    insecure-skip-tls-verify: true
    certificate-authority: ca.crt
    certificate-authority-data: Y2E=
    proxy-url: http://p:2
    disable-compression: true
    extensions:
    - {name: other, extension: {b: 2}}
    - {name: client.authentication.k8s.io/exec, extension: {a: [1]}}
    - {name: third, extension: {c: 3}}
users:
- name: u
  user:
    client-certificate: c.crt
    client-certificate-data: Yw==
    client-key: c.key
    client-key-data: aw==
    token: t
    tokenFile: t.txt
    username: me
    password: pw
    as: other
    as-uid: "7"
    as-groups: [g, h]
    as-user-extra: {x: [v, z], w: []}
    auth-provider: {name: oidc, config: {id-token: id, idp-issuer-url: i}}
    exec:
      command: bin/plug
      args: [a, b]
      apiVersion: client.authentication.k8s.io/v1
      installHint: get it
      interactiveMode: Always
      provideClusterInfo: true
      env: [{name: A, value: "1"}, {name: B, value: "2"}]
contexts:
- name: one
  context: {cluster: k, user: u, namespace: team}
)";

TEST(KubeconfigFields, AreAllRead) {
  const auto got = ParseKubeconfig(kAllFields, "/o/file", "/base/dir");
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->location_of_origin, "/o/file");
  EXPECT_EQ(got->current_context, "one");
  EXPECT_FALSE(clientcmdapi::IsConfigEmpty(*got));
  const clientcmdapi::Cluster& cluster = got->clusters.at("k");
  EXPECT_EQ(cluster.server, "https://s:1");
  EXPECT_EQ(cluster.tls_server_name, "name");
  EXPECT_TRUE(cluster.insecure_skip_tls_verify);
  EXPECT_EQ(cluster.certificate_authority, "/base/dir/ca.crt");
  EXPECT_EQ(cluster.certificate_authority_data, "ca");
  EXPECT_EQ(cluster.proxy_url, "http://p:2");
  EXPECT_TRUE(cluster.disable_compression);
  EXPECT_EQ(cluster.extensions.size(), 3U);
  EXPECT_EQ(cluster.extensions.at("client.authentication.k8s.io/exec").Dump(), R"({"a":[1]})");
  EXPECT_EQ(cluster.location_of_origin, "/o/file");
  const clientcmdapi::AuthInfo& user = got->auth_infos.at("u");
  EXPECT_EQ(user.client_certificate, "/base/dir/c.crt");
  EXPECT_EQ(user.client_certificate_data, "c");
  EXPECT_EQ(user.client_key, "/base/dir/c.key");
  EXPECT_EQ(user.client_key_data, "k");
  EXPECT_EQ(user.token, "t");
  EXPECT_EQ(user.token_file, "/base/dir/t.txt");
  EXPECT_EQ(user.username, "me");
  EXPECT_EQ(user.password, "pw");
  EXPECT_EQ(user.impersonate, "other");
  EXPECT_EQ(user.impersonate_uid, "7");
  EXPECT_EQ(user.impersonate_groups, (std::vector<std::string>{"g", "h"}));
  EXPECT_EQ(user.impersonate_user_extra,
            (std::map<std::string, std::vector<std::string>>{{"w", {}}, {"x", {"v", "z"}}}));
  EXPECT_EQ(user.auth_provider->name, "oidc");
  EXPECT_EQ(user.auth_provider->config,
            (std::map<std::string, std::string>{{"id-token", "id"}, {"idp-issuer-url", "i"}}));
  EXPECT_EQ(IdTokenOf(user), "id");
  EXPECT_EQ(user.location_of_origin, "/o/file");
  ASSERT_TRUE(user.exec.has_value());
  EXPECT_EQ(user.exec->command, "/base/dir/bin/plug");
  EXPECT_EQ(user.exec->args, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(user.exec->api_version, "client.authentication.k8s.io/v1");
  EXPECT_EQ(user.exec->install_hint, "get it");
  EXPECT_EQ(user.exec->interactive_mode, "Always");
  EXPECT_TRUE(user.exec->provide_cluster_info);
  EXPECT_EQ(user.exec->env,
            (std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", "2"}}));
  const clientcmdapi::Context& context = got->contexts.at("one");
  EXPECT_EQ(context.cluster, "k");
  EXPECT_EQ(context.auth_info, "u");
  EXPECT_EQ(context.namespace_, "team");
  EXPECT_EQ(context.location_of_origin, "/o/file");
}

TEST(KubeconfigFields, LeftOut_AreEmpty) {
  const auto got = ParseKubeconfig(
      "clusters: [{name: k, cluster: {}}]\nusers: [{name: u, user: {exec: {}}}, {name: v}]\n"
      "contexts: [{name: c}]",
      "", "/base");
  ASSERT_TRUE(got.ok()) << got.error();
  const clientcmdapi::Cluster& cluster = got->clusters.at("k");
  EXPECT_EQ(cluster.server + cluster.tls_server_name + cluster.certificate_authority +
                cluster.certificate_authority_data + cluster.proxy_url + cluster.location_of_origin,
            "");
  EXPECT_FALSE(cluster.insecure_skip_tls_verify);
  EXPECT_FALSE(cluster.disable_compression);
  EXPECT_TRUE(cluster.extensions.empty());
  const clientcmdapi::AuthInfo& user = got->auth_infos.at("u");
  EXPECT_EQ(user.client_certificate + user.client_key + user.token_file +
                user.client_certificate_data + user.client_key_data + user.token + user.username +
                user.password + IdTokenOf(user),
            "")
      << "an empty path stays empty";
  EXPECT_FALSE(user.auth_provider.has_value());
  EXPECT_EQ(user.exec->command, "");
  EXPECT_FALSE(user.exec->provide_cluster_info);
  EXPECT_EQ(user.exec->interactive_mode, "");
  EXPECT_FALSE(got->auth_infos.at("v").exec.has_value());
  EXPECT_EQ(got->contexts.at("c").cluster + got->contexts.at("c").auth_info, "");
}

TEST(KubeconfigFields, ExecExtension_WithoutAValueIsNone) {
  const std::string name = "{name: client.authentication.k8s.io/exec";
  const std::pair<std::string, std::string> rows[] = {
      {name + "}", ""},
      {name + ", extension: ~}", ""},
      {name + ", extension: {}}", "{}"},
      {name + ", extension: text}", "\"text\""},
      {"{name: other, extension: 1}", ""},
  };
  for (const auto& [extension, want] : rows) {
    const auto got = ResolveConfig(
        ParseKubeconfig(OneUser("exec: {command: c, apiVersion: v, interactiveMode: Never}",
                                "server: https://s, extensions: [" + extension + "]"),
                        "", "")
            .OrExit(),
        {}, {});
    ASSERT_TRUE(got.ok()) << got.error();
    EXPECT_EQ(got->exec->cluster_config, want) << extension;
  }
}

TEST(KubeconfigFields, EachEntryAlone_IsNoEmptyKubeconfig) {
  for (const char* text : {"clusters: [{name: a}]", "users: [{name: a}]", "contexts: [{name: a}]",
                           "current-context: a"}) {
    EXPECT_FALSE(clientcmdapi::IsConfigEmpty(*ParseKubeconfig(text, "", ""))) << text;
  }
}

Result<ExecConfig> Exec(const std::string& fields, const std::string& base_dir = {}) {
  auto got = ParseKubeconfig("users: [{name: u, user: {exec: {" + fields + "}}}]", "", base_dir);
  if (!got) return got.error();
  return got->auth_infos.at("u").exec.value();
}

// As in clientcmd: "IfAvailable" for the versions that have no such field.
TEST(KubeconfigExec, InteractiveMode_HasADefaultInOldVersions) {
  const std::string group = "client.authentication.k8s.io/";
  const std::pair<std::string, std::string> rows[] = {
      {"apiVersion: " + group + "v1beta1", "IfAvailable"},
      {"apiVersion: " + group + "v1alpha1", "IfAvailable"},
      {"apiVersion: " + group + "v1", ""},
      {"apiVersion: ''", ""},
      {"apiVersion: " + group + "v1beta1, interactiveMode: Never", "Never"},
      {"apiVersion: " + group + "v1alpha1, interactiveMode: Always", "Always"},
      {"apiVersion: " + group + "v1, interactiveMode: Never", "Never"},
  };
  for (const auto& [fields, want] : rows) {
    EXPECT_EQ(Exec(fields)->interactive_mode, want) << fields;
  }
}

TEST(KubeconfigExec, ControlCharactersOfAHint_AreReplaced) {
  const std::pair<std::string, std::string> rows[] = {
      {"a b~", "a b~"},
      {R"(\u001f)", "U+001F"},
      {R"(\u0001x)", "U+0001x"},
      {R"(\x7f)", "U+007F"},
      {R"(\n\r\t)", "U+000AU+000DU+0009"},
      {R"(\u001B[0m)", "U+001B[0m"},
      {"\xc3\xa9", "\xc3\xa9"},
  };
  for (const auto& [text, want] : rows) {
    EXPECT_EQ(Exec("installHint: \"" + text + "\"")->install_hint, want) << text;
  }
}

TEST(KubeconfigPaths, AreRelativeToTheFolderOfTheFile) {
  struct Row {
    std::string path;
    std::string base;
    std::string want;
  };
  for (const Row& row : {
           Row{"a/b", "/base", "/base/a/b"},
           Row{"./a", "/base", "/base/a"},
           Row{"../a", "/base/dir", "/base/a"},
           Row{"/a/../b", "/base", "/a/../b"},
           Row{"./a", "", "./a"},
           Row{"a/b", "rel", "rel/a/b"},
       }) {
    const auto got =
        ParseKubeconfig("clusters: [{name: k, cluster: {certificate-authority: " + row.path +
                            "}}]\nusers: [{name: u, user: {client-certificate: " + row.path +
                            ", client-key: " + row.path + ", tokenFile: " + row.path +
                            ", exec: {command: " + row.path + "}}}]",
                        "", row.base);
    ASSERT_TRUE(got.ok()) << got.error();
    const clientcmdapi::AuthInfo& user = got->auth_infos.at("u");
    EXPECT_EQ(got->clusters.at("k").certificate_authority, row.want);
    EXPECT_EQ(user.client_certificate, row.want);
    EXPECT_EQ(user.client_key, row.want);
    EXPECT_EQ(user.token_file, row.want);
    EXPECT_EQ(user.exec->command, row.want);
  }
  EXPECT_EQ(Exec("command: plug", "/base")->command, "plug") << "searched in PATH";
}

TEST(KubeconfigUsers, AuthProviders_AreKnownByName) {
  const auto user = [](const std::string& provider) {
    return ParseKubeconfig("users: [{name: u, user: {auth-provider: " + provider + "}}]", "", "")
        ->auth_infos.at("u");
  };
  EXPECT_FALSE(user("~").auth_provider.has_value());
  EXPECT_EQ(user("{}").auth_provider->name, "");
  EXPECT_EQ(user("{name: ''}").auth_provider->name, "");
  EXPECT_EQ(user("{name: gcp}").auth_provider->name, "gcp");
  EXPECT_EQ(IdTokenOf(user("{name: gcp, config: {id-token: x}}")), "") << "only of oidc";
  EXPECT_EQ(IdTokenOf(user("{name: oidc, config: {id-token: x, n: 7}}")), "x");
  EXPECT_EQ(IdTokenOf(user("{name: oidc}")), "");
}

TEST(KubeconfigUsers, Oidc_HasTheKeysOfARenewal) {
  const auto parsed = ParseKubeconfig(
      "users: [{name: u, user: {auth-provider: {name: oidc, config: {idp-issuer-url: https://i, "
      "client-id: c, client-secret: s, refresh-token: r, extra-scopes: groups, "
      "idp-certificate-authority: ca.crt, idp-certificate-authority-data: Y2E=}}}}]",
      "/base/config", "/base");
  ASSERT_TRUE(parsed.ok()) << parsed.error();
  const OidcConfig oidc = OidcOf(parsed->auth_infos.at("u"));
  EXPECT_EQ(oidc.issuer_url, "https://i");
  EXPECT_EQ(oidc.client_id, "c");
  EXPECT_EQ(oidc.client_secret, "s");
  EXPECT_EQ(oidc.refresh_token, "r");
  EXPECT_EQ(oidc.ca_file, "/base/ca.crt");
  EXPECT_EQ(oidc.ca_data, "ca");
}

TEST(KubeconfigMerge, FirstValuesStayAndOriginsAreListed) {
  const auto parse = [](const std::string& name, const std::string& current) {
    return ParseKubeconfig("current-context: '" + current + "'\nclusters: [{name: " + name +
                               "}, {name: both, cluster: {server: https://" + name +
                               "}}]\nusers: [{name: " + name + "}]\ncontexts: [{name: " + name +
                               "}]",
                           name.empty() ? "" : "/" + name, "")
        .OrExit();
  };
  clientcmdapi::Config merged;
  MergeKubeconfig(merged, parse("a", ""));
  EXPECT_EQ(merged.location_of_origin, "/a");
  MergeKubeconfig(merged, parse("b", "one"));
  MergeKubeconfig(merged, clientcmdapi::Config());
  MergeKubeconfig(merged, parse("c", "two"));
  EXPECT_EQ(merged.location_of_origin, "/a:/b:/c");
  EXPECT_EQ(merged.current_context, "one");
  EXPECT_EQ(merged.clusters.size(), 4U);
  EXPECT_EQ(merged.clusters.at("both").server, "https://a");
  EXPECT_EQ(merged.clusters.at("both").location_of_origin, "/a");
  EXPECT_EQ(merged.auth_infos.size(), 3U);
  EXPECT_EQ(merged.contexts.size(), 3U);
}

TEST(KubeconfigPathList, IsSplitAtColons) {
  const std::pair<const char*, std::vector<std::string>> rows[] = {
      {"", {}},
      {":", {}},
      {"a", {"a"}},
      {"a:", {"a"}},
      {":a", {"a"}},
      {"a:b", {"a", "b"}},
      {"b:a:b:a", {"b", "a"}},
      {"a::b", {"a", "b"}},
  };
  for (const auto& [list, want] : rows) EXPECT_EQ(SplitPathList(list), want) << list;
}

TEST(ConfigFile, LargerThanTheLimit_IsRefused) {
  const Folder folder;
  const std::string path = folder.Write("big", "x");
  const std::size_t limit = std::size_t{16} << 20;
  std::filesystem::resize_file(path, limit);
  EXPECT_EQ(ReadConfigFile(path, "thing")->size(), limit);
  std::filesystem::resize_file(path, limit + 1);
  const auto got = ReadConfigFile(path, "thing");
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().reason(), Reason::kConfig);
  EXPECT_EQ(got.error().message(), "cannot read thing " + path + ": it is larger than 16 MiB");
  EXPECT_EQ(ReadConfigFile("/nonexistent/~/f", "thing").error().message(),
            "cannot read thing /nonexistent/~/f: No such file or directory; ~ is no home directory "
            "in a file: write the whole path");
}

}  // namespace
}  // namespace kinformer::internal::config

// Entries of a kubeconfig that cannot be used: every problem, word for word.

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "config/kubeconfig.h"

namespace kinformer::internal::config {
namespace {

using Problems = std::vector<std::string>;

TEST(ValidateCluster, NamesEachProblem) {
  struct Row {
    clientcmdapi::Cluster cluster;
    Problems want;
  };
  const std::string no_ca =
      "W: cannot read certificate-authority /nonexistent: No such file or directory";
  const Row rows[] = {
      {{.server = "https://s"}, {}},
      {{.server = "s:1"}, {}},
      {{}, {"W: it has no server; set clusters[].cluster.server"}},
      {{.server = "https://s", .certificate_authority = "/dev/null"}, {}},
      {{.server = "https://s", .certificate_authority_data = "x"}, {}},
      {{.server = "https://s", .certificate_authority = "/nonexistent"}, {no_ca}},
      {{.certificate_authority = "/nonexistent"},
       {"W: it has no server; set clusters[].cluster.server", no_ca}},
      {{.server = "https://s",
        .certificate_authority = "/nonexistent",
        .certificate_authority_data = "x"},
       {"W: certificate-authority and certificate-authority-data are both given: remove one"}},
      {{.server = "https:/s"},
       {"W: server \"https:/s\" is no URL: a colon and two slashes stand behind the scheme; write "
        "https://s"}},
      {{.server = " https://s"},
       {"W: server \" https://s\" is no URL: it begins with a blank; remove it"}},
      {{.server = "https://s", .proxy_url = "http://p"}, {}},
      {{.server = "https://s", .proxy_url = "https://p"}, {}},
      {{.server = "https://s", .proxy_url = "socks5://p"}, {}},
      {{.server = "https://s", .proxy_url = "HTTP://p"}, {}},
      {{.server = "https://s", .proxy_url = "http://p "},
       {"W: proxy-url \"http://p \" is no URL: it ends with a blank; remove it"}},
      {{.server = "https://s", .proxy_url = "p:1"},
       {"W: proxy-url \"p:1\" must begin with http://, https:// or socks5://"}},
      {{.server = "https://s", .proxy_url = "socks4://p"},
       {"W: proxy-url \"socks4://p\" must begin with http://, https:// or socks5://"}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ValidateCluster(row.cluster, "W"), row.want)
        << row.cluster.server << ' ' << row.cluster.proxy_url << ' '
        << row.cluster.certificate_authority;
  }
}

TEST(ValidateUser, NamesEachProblemOfCertificates) {
  struct Row {
    clientcmdapi::AuthInfo user;
    Problems want;
  };
  const std::string no_cert =
      "W: cannot read client-certificate /nonexistent: No such file or directory";
  const std::string no_key = "W: cannot read client-key /nonexistent: No such file or directory";
  const std::string two_certs =
      "W: client-certificate and client-certificate-data are both given: remove one";
  const std::string two_keys = "W: client-key and client-key-data are both given: remove one";
  const std::string cert_alone = "W: client-certificate is given without client-key";
  const std::string key_alone = "W: client-key is given without client-certificate";
  const Row rows[] = {
      {{}, {}},
      {{.client_certificate_data = "c", .client_key_data = "k"}, {}},
      {{.client_certificate = "/dev/null", .client_key = "/dev/null"}, {}},
      {{.client_certificate = "/dev/null", .client_key_data = "k"}, {}},
      {{.client_certificate_data = "c", .client_key = "/dev/null"}, {}},
      {{.client_certificate_data = "c"}, {cert_alone}},
      {{.client_certificate = "/dev/null"}, {cert_alone}},
      {{.client_key_data = "k"}, {key_alone}},
      {{.client_key = "/dev/null"}, {key_alone}},
      {{.client_certificate = "/nonexistent", .client_key = "/nonexistent"}, {no_cert, no_key}},
      {{.client_certificate = "/nonexistent"}, {cert_alone, no_cert}},
      {{.client_key = "/nonexistent"}, {key_alone, no_key}},
      // The data is used, so that the file does not matter.
      {{.client_certificate = "/nonexistent",
        .client_certificate_data = "c",
        .client_key_data = "k"},
       {two_certs}},
      {{.client_certificate_data = "c", .client_key = "/nonexistent", .client_key_data = "k"},
       {two_keys}},
      {{.client_certificate = "/dev/null",
        .client_certificate_data = "c",
        .client_key = "/dev/null",
        .client_key_data = "k"},
       {two_certs, two_keys}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ValidateUser(row.user, "W"), row.want)
        << row.user.client_certificate << ' ' << row.user.client_certificate_data << ' '
        << row.user.client_key << ' ' << row.user.client_key_data;
  }
}

clientcmdapi::AuthProviderConfig Provider(const std::string& name,
                                          const std::string& id_token = {}) {
  clientcmdapi::AuthProviderConfig out{.name = name};
  if (!id_token.empty()) out.config["id-token"] = id_token;
  return out;
}

clientcmdapi::AuthProviderConfig Oidc(std::map<std::string, std::string> keys) {
  return {.name = "oidc", .config = std::move(keys)};
}

TEST(ValidateUser, NamesEachProblemOfCredentials) {
  struct Row {
    clientcmdapi::AuthInfo user;
    Problems want;
  };
  const std::string two =
      "W: more than one authentication method: token and username/password; remove one";
  const std::string no_id =
      "W: auth-provider oidc has neither an id-token nor a refresh-token; log in, so that the "
      "kubeconfig has them, or use an exec plugin (users[].user.exec)";
  const std::string no_issuer =
      "W: the refresh-token of auth-provider oidc needs idp-issuer-url and client-id";
  const std::string gcp =
      "W: auth-provider \"gcp\" is not supported; use an exec plugin (users[].user.exec) instead";
  const std::string need_as = "W: as-uid, as-groups and as-user-extra need as";
  const Row rows[] = {
      {{.token = "t"}, {}},
      {{.username = "u", .password = "p"}, {}},
      {{.token = "t", .username = "u"}, {two}},
      {{.token = "t", .password = "p"}, {two}},
      {{.token = "t", .username = "u", .password = "p"}, {two}},
      {{.token_file = "/f", .username = "u"}, {}},
      {{.auth_provider = Provider("gcp")}, {gcp}},
      {{.token = "t", .auth_provider = Provider("gcp")}, {gcp}},
      {{.auth_provider = Provider("oidc")}, {no_id}},
      {{.auth_provider = Provider("oidc", "i")}, {}},
      {{.auth_provider =
            Oidc({{"idp-issuer-url", "i"}, {"client-id", "c"}, {"refresh-token", "r"}})},
       {}},
      {{.auth_provider = Oidc({{"idp-issuer-url", "i"}, {"client-id", "c"}})}, {no_id}},
      {{.auth_provider = Oidc({{"id-token", "i"}, {"client-id", "c"}, {"refresh-token", "r"}})},
       {no_issuer}},
      {{.auth_provider = Oidc({{"idp-issuer-url", "i"}, {"refresh-token", "r"}})}, {no_issuer}},
      {{.token = "t", .auth_provider = Provider("oidc")}, {}},
      {{.token_file = "/f", .auth_provider = Provider("oidc")}, {}},
      {{.username = "u", .auth_provider = Provider("oidc")}, {no_id}},
      {{.auth_provider = Provider("")},
       {"W: auth-provider \"(unnamed)\" is not supported; use an exec plugin (users[].user.exec) "
        "instead"}},
      {{.impersonate = "a",
        .impersonate_uid = "1",
        .impersonate_groups = {"g"},
        .impersonate_user_extra = {{"k", {"v"}}}},
       {}},
      {{.impersonate_uid = "1"}, {need_as}},
      {{.impersonate_groups = {"g"}}, {need_as}},
      {{.impersonate_user_extra = {{"k", {}}}}, {need_as}},
      {{.token = "t", .impersonate_uid = "1", .username = "u", .auth_provider = Provider("gcp")},
       {two, gcp, need_as}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ValidateUser(row.user, "W"), row.want)
        << row.user.token << ' ' << row.user.token_file << ' ' << row.user.username << ' '
        << (row.user.auth_provider ? row.user.auth_provider->name : "") << ' '
        << row.user.impersonate_uid;
  }
}

TEST(ValidateUser, NamesEachProblemOfAPlugin) {
  struct Row {
    ExecConfig exec;
    Problems want;
  };
  const std::string no_command = "W.exec: command is missing";
  const std::string no_version =
      "W.exec: apiVersion is missing; it is client.authentication.k8s.io/v1 or /v1beta1";
  const std::string no_name = "W.exec: an entry of env has no name";
  const std::string no_mode =
      "W.exec: interactiveMode is missing; it is Never, IfAvailable or Always";
  const Row rows[] = {
      {{.command = "c", .api_version = "v", .interactive_mode = "Never"}, {}},
      {{.command = "c", .api_version = "v", .interactive_mode = "IfAvailable"}, {}},
      {{.command = "c", .api_version = "v", .interactive_mode = "Always"}, {}},
      {{.command = "c", .api_version = "v", .interactive_mode = "never"},
       {"W.exec: interactiveMode \"never\" is not known; it is Never, IfAvailable or Always"}},
      {{.command = "c", .api_version = "v"}, {no_mode}},
      {{.command = "c", .interactive_mode = "Never"}, {no_version}},
      {{.api_version = "v", .interactive_mode = "Never"}, {no_command}},
      {{.command = "c",
        .env = {{"A", ""}, {"", "x"}, {"B", "y"}},
        .api_version = "v",
        .interactive_mode = "Never"},
       {no_name}},
      {{.env = {{"", ""}, {"", ""}}}, {no_command, no_version, no_name, no_name, no_mode}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ValidateUser({.exec = row.exec}, "W"), row.want)
        << row.exec.command << ' ' << row.exec.api_version << ' ' << row.exec.interactive_mode;
  }
  const std::string both = "W.exec: exec and auth-provider exclude each other: remove one";
  for (const char* provider : {"gcp", "oidc"}) {
    EXPECT_EQ(ValidateUser({.auth_provider = Provider(provider), .exec = rows[0].exec}, "W"),
              Problems{both});
  }
}

}  // namespace
}  // namespace kinformer::internal::config

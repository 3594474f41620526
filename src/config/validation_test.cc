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
    KubeCluster cluster;
    Problems want;
  };
  const std::string no_ca =
      "W: cannot read certificate-authority /nonexistent: No such file or directory";
  const Row rows[] = {
      {{.server = "https://s"}, {}},
      {{.server = "s:1"}, {}},
      {{}, {"W: it has no server; set clusters[].cluster.server"}},
      {{.server = "https://s", .ca_file = "/dev/null"}, {}},
      {{.server = "https://s", .ca_data = "x"}, {}},
      {{.server = "https://s", .ca_file = "/nonexistent"}, {no_ca}},
      {{.ca_file = "/nonexistent"}, {"W: it has no server; set clusters[].cluster.server", no_ca}},
      {{.server = "https://s", .ca_file = "/nonexistent", .ca_data = "x"},
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
        << row.cluster.server << ' ' << row.cluster.proxy_url << ' ' << row.cluster.ca_file;
  }
}

TEST(ValidateUser, NamesEachProblemOfCertificates) {
  struct Row {
    KubeUser user;
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
      {{.cert_data = "c", .key_data = "k"}, {}},
      {{.cert_file = "/dev/null", .key_file = "/dev/null"}, {}},
      {{.cert_file = "/dev/null", .key_data = "k"}, {}},
      {{.cert_data = "c", .key_file = "/dev/null"}, {}},
      {{.cert_data = "c"}, {cert_alone}},
      {{.cert_file = "/dev/null"}, {cert_alone}},
      {{.key_data = "k"}, {key_alone}},
      {{.key_file = "/dev/null"}, {key_alone}},
      {{.cert_file = "/nonexistent", .key_file = "/nonexistent"}, {no_cert, no_key}},
      {{.cert_file = "/nonexistent"}, {cert_alone, no_cert}},
      {{.key_file = "/nonexistent"}, {key_alone, no_key}},
      // The data is used, so that the file does not matter.
      {{.cert_file = "/nonexistent", .cert_data = "c", .key_data = "k"}, {two_certs}},
      {{.cert_data = "c", .key_file = "/nonexistent", .key_data = "k"}, {two_keys}},
      {{.cert_file = "/dev/null", .cert_data = "c", .key_file = "/dev/null", .key_data = "k"},
       {two_certs, two_keys}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ValidateUser(row.user, "W"), row.want)
        << row.user.cert_file << ' ' << row.user.cert_data << ' ' << row.user.key_file << ' '
        << row.user.key_data;
  }
}

TEST(ValidateUser, NamesEachProblemOfCredentials) {
  struct Row {
    KubeUser user;
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
      {{.auth_provider = "gcp"}, {gcp}},
      {{.token = "t", .auth_provider = "gcp"}, {gcp}},
      {{.auth_provider = "oidc"}, {no_id}},
      {{.auth_provider = "oidc", .id_token = "i"}, {}},
      {{.auth_provider = "oidc",
        .oidc = {.issuer_url = "i", .client_id = "c", .refresh_token = "r"}},
       {}},
      {{.auth_provider = "oidc", .oidc = {.issuer_url = "i", .client_id = "c"}}, {no_id}},
      {{.auth_provider = "oidc", .id_token = "i", .oidc = {.client_id = "c", .refresh_token = "r"}},
       {no_issuer}},
      {{.auth_provider = "oidc", .oidc = {.issuer_url = "i", .refresh_token = "r"}}, {no_issuer}},
      {{.token = "t", .auth_provider = "oidc"}, {}},
      {{.token_file = "/f", .auth_provider = "oidc"}, {}},
      {{.username = "u", .auth_provider = "oidc"}, {no_id}},
      {{.impersonate = {.user_name = "a", .uid = "1", .groups = {"g"}, .extra = {{"k", {"v"}}}}},
       {}},
      {{.impersonate = {.uid = "1"}}, {need_as}},
      {{.impersonate = {.groups = {"g"}}}, {need_as}},
      {{.impersonate = {.extra = {{"k", {}}}}}, {need_as}},
      {{.token = "t", .impersonate = {.uid = "1"}, .username = "u", .auth_provider = "gcp"},
       {two, gcp, need_as}},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(ValidateUser(row.user, "W"), row.want)
        << row.user.token << ' ' << row.user.token_file << ' ' << row.user.username << ' '
        << row.user.auth_provider << ' ' << row.user.impersonate.uid;
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
    EXPECT_EQ(ValidateUser({.auth_provider = provider, .exec = rows[0].exec}, "W"), Problems{both});
  }
}

}  // namespace
}  // namespace kinformer::internal::config

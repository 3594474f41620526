// Exact messages of malformed kubeconfigs: types, spellings, duplicates.

#include <gtest/gtest.h>
#include <string>

#include "config/kubeconfig.h"
#include "config/testing/kubeconfig_texts.h"

namespace kinformer::internal::config {
namespace {

struct Row {
  std::string text;
  std::string want;  // empty: the text is accepted
};

std::string MessageOf(const std::string& text, const std::string& origin = {}) {
  const auto got = ParseKubeconfig(text, origin, "");
  if (got) return {};
  EXPECT_EQ(got.error().reason(), Reason::kConfig);
  return got.error().message();
}

void ExpectMessages(const std::vector<Row>& rows, const std::string& prefix = "kubeconfig: ") {
  for (const Row& row : rows) {
    EXPECT_EQ(MessageOf(row.text), row.want.empty() ? "" : prefix + row.want) << row.text;
  }
}

TEST(KubeconfigErrors, Head_OfAnotherKindOrVersion) {
  ExpectMessages({
      {"kind: Config", ""},
      {"apiVersion: v1", ""},
      {"kind: ''\napiVersion: ''", ""},
      {"kind: config", "kind: is \"config\", expected Config"},
      {"apiVersion: v1", ""},
      {"apiVersion: v2", "apiVersion: is \"v2\", expected v1"},
      {"kind: Pod\napiVersion: v2", "kind: is \"Pod\", expected Config"},
      {"kind: 1\napiVersion: v2", "kind: must be a string, is a number; put it in quotes"},
      {"kind: [Config]", "kind: must be a string, is a array; put it in quotes"},
      {"apiVersion: 1", "apiVersion: must be a string, is a number; put it in quotes"},
      {"current-context: true", "current-context: must be a string, is a bool; put it in quotes"},
      {"current-context: ~", ""},
      {"a: b", ""},
      {"", ""},
      {"[]",
       "this is no kubeconfig: expected a map with clusters, users and contexts, found a array"},
      {"text",
       "this is no kubeconfig: expected a map with clusters, users and contexts, found a string"},
  });
  EXPECT_EQ(MessageOf("kind: Pod", "/the/file"), "/the/file: kind: is \"Pod\", expected Config");
}

TEST(KubeconfigErrors, Lists_OfWrongTypesOrWithDuplicates) {
  for (const std::string kind : {"cluster", "user", "context"}) {
    const std::string list = kind + "s";
    ExpectMessages({
        {list + ":", ""},
        {list + ": []", ""},
        {list + ": [{name: a}]", ""},
        {list + ": [{name: a, " + kind + ": }]", ""},
        {list + ": [{name: a}, {name: b}]", ""},
        {list + ": [~]", ""},
        {list + ": {}", list + ": must be a list"},
        {list + ": text", list + ": must be a list"},
        {list + ": [text]", list + "[0]: must be a map, is a string"},
        {list + ": [{name: a}, [1]]", list + "[1]: must be a map, is a array"},
        {list + ": [{name: 5}]",
         list + "[0].name: must be a string, is a number; put it in quotes"},
        {list + ": [{Name: a}]", list + "[0].Name: is no field of a kubeconfig: write name"},
        {list + ": [{name: a}, {name: b}, {name: a}]",
         list + "[2].name: a second " + kind + " is called \"a\"; names must be distinct"},
        {list + ": [{name: a, " + kind + ": text}]",
         kind + " \"a\": " + list + "[0]." + kind + ": must be a map, is a string"},
        {list + ": [{name: z}, {name: a, " + kind + ": [1]}]",
         kind + " \"a\": " + list + "[1]." + kind + ": must be a map, is a array"},
    });
  }
}

// One field after the other, with values of each type.
TEST(KubeconfigErrors, Fields_OfWrongTypes) {
  struct Field {
    const char* list;
    const char* kind;
    const char* name;
  };
  for (const Field& f : {
           Field{"clusters", "cluster", "server"},
           Field{"clusters", "cluster", "tls-server-name"},
           Field{"clusters", "cluster", "certificate-authority"},
           Field{"clusters", "cluster", "certificate-authority-data"},
           Field{"clusters", "cluster", "proxy-url"},
           Field{"users", "user", "client-certificate"},
           Field{"users", "user", "client-certificate-data"},
           Field{"users", "user", "client-key"},
           Field{"users", "user", "client-key-data"},
           Field{"users", "user", "token"},
           Field{"users", "user", "tokenFile"},
           Field{"users", "user", "username"},
           Field{"users", "user", "password"},
           Field{"users", "user", "as"},
           Field{"users", "user", "as-uid"},
           Field{"contexts", "context", "cluster"},
           Field{"contexts", "context", "user"},
           Field{"contexts", "context", "namespace"},
       }) {
    const auto with = [&](const std::string& value) {
      return std::string(f.list) + ": [{name: m, " + f.kind + ": {" + f.name + ": " + value + "}}]";
    };
    const std::string at = std::string(f.kind) + " \"m\": " + f.list + "[0]." + f.kind + "." +
                           f.name + ": must be a string, is a ";
    ExpectMessages({{with("'aaaa'"), ""},
                    {with("''"), ""},
                    {with("~"), ""},
                    {with("12"), at + "number; put it in quotes"},
                    {with("false"), at + "bool; put it in quotes"},
                    {with("[]"), at + "array; put it in quotes"},
                    {with("{}"), at + "object; put it in quotes"}});
  }
}

TEST(KubeconfigErrors, ClusterFields_OfWrongTypes) {
  const auto with = [](const std::string& fields) {
    return "clusters: [{name: m, cluster: {" + fields + "}}]";
  };
  const std::string at = "cluster \"m\": clusters[0].cluster.";
  const std::string data = "certificate-authority-data: ";
  ExpectMessages({
      {with("insecure-skip-tls-verify: true"), ""},
      {with("insecure-skip-tls-verify: ~"), ""},
      {with("insecure-skip-tls-verify: 'true'"),
       at + "insecure-skip-tls-verify: must be true or false"},
      {with("insecure-skip-tls-verify: 1"), at + "insecure-skip-tls-verify: must be true or false"},
      {with("disable-compression: false"), ""},
      {with("disable-compression: maybe"), at + "disable-compression: must be true or false"},
      {with(data + "Y2E="), ""},
      {with(data + "'%'"),
       at + data +
           "is not base64; for PEM text encode it with `base64 -w0`, for a file use the field "
           "without \"-data\""},
      {with("extensions: ~"), ""},
      {with("extensions: []"), ""},
      {with("extensions: {}"), at + "extensions: must be a list"},
      {with("extensions: text"), at + "extensions: must be a list"},
      {with("extensions: [text]"), at + "extensions: must be a map, is a string"},
      {with("extensions: [{name: 1}]"),
       at + "extensions.name: must be a string, is a number; put it in quotes"},
      {with("extensions: [{name: a, extension: 1}, {name: a}]"),
       at + "extensions: a second extension is called \"a\""},
      {with("extensions: [{name: a}, {name: b}]"), ""},
      // The first error is the one that is reported.
      {with("server: 1, extensions: {}"),
       at + "server: must be a string, is a number; put it in quotes"},
      {with("server: 1, insecure-skip-tls-verify: 1, certificate-authority-data: '%'"),
       at + "server: must be a string, is a number; put it in quotes"},
  });
}

TEST(KubeconfigErrors, UserFields_OfWrongTypes) {
  const auto with = [](const std::string& fields) {
    return "users: [{name: m, user: {" + fields + "}}]";
  };
  const std::string at = "user \"m\": users[0].user.";
  const std::string quotes = ": must be a string, is a number; put it in quotes";
  ExpectMessages({
      {with("as-groups: ~"), ""},
      {with("as-groups: []"), ""},
      {with("as-groups: text"), at + "as-groups: must be a list of strings"},
      {with("as-groups: {}"), at + "as-groups: must be a list of strings"},
      {with("as-groups: [a, 1]"), at + "as-groups: must be a list of strings"},
      {with("as-user-extra: ~"), ""},
      {with("as-user-extra: {}"), ""},
      {with("as-user-extra: []"), at + "as-user-extra: must be a map, is a array"},
      {with("as-user-extra: {k: v}"), at + "as-user-extra.k: must be a list of strings"},
      {with("as-user-extra: {k: [1]}"), at + "as-user-extra.k: must be a list of strings"},
      {with("auth-provider: text"), at + "auth-provider: must be a map, is a string"},
      {with("auth-provider: {name: 1}"), at + "auth-provider.name" + quotes},
      {with("auth-provider: {name: oidc, config: 1}"),
       at + "auth-provider.config: must be a map, is a number"},
      {with("auth-provider: {name: oidc, config: {id-token: 1}}"),
       at + "auth-provider.config.id-token" + quotes},
      {with("auth-provider: {name: gcp, config: {id-token: 1}}"), ""},
      {with("exec: text"), at + "exec: must be a map, is a string"},
      {with("exec: {command: 1}"), at + "exec.command" + quotes},
      {with("exec: {apiVersion: 1}"), at + "exec.apiVersion" + quotes},
      {with("exec: {installHint: 1}"), at + "exec.installHint" + quotes},
      {with("exec: {interactiveMode: 1}"), at + "exec.interactiveMode" + quotes},
      {with("exec: {args: a}"), at + "exec.args: must be a list of strings"},
      {with("exec: {args: [a, {}]}"), at + "exec.args: must be a list of strings"},
      {with("exec: {provideClusterInfo: 1}"),
       at + "exec.provideClusterInfo: must be true or false"},
      {with("exec: {env: ~}"), ""},
      {with("exec: {env: {}}"), at + "exec.env: must be a list"},
      {with("exec: {env: text}"), at + "exec.env: must be a list"},
      {with("exec: {env: [text]}"), at + "exec.env: must be a map, is a string"},
      {with("exec: {env: [{name: 1}]}"), at + "exec.env.name" + quotes},
      {with("exec: {env: [{value: 1}]}"), at + "exec.env.value" + quotes},
      {with("exec: {env: [{Name: a}]}"),
       at + "exec.env.Name: is no field of a kubeconfig: write name"},
  });
}

TEST(KubeconfigErrors, KnownFieldsInOtherSpellings_NameTheRightOne) {
  const auto user = [](const std::string& field, const std::string& right) {
    return Row{"users: [{name: m, user: {" + field + ": x}}]",
               right.empty() ? ""
                             : "user \"m\": users[0].user." + field +
                                   ": is no field of a kubeconfig: write " + right};
  };
  ExpectMessages({
      user("token-file", "tokenFile"),
      user("token_file", "tokenFile"),
      user("TOKENFILE", "tokenFile"),
      user("Token", "token"),
      user("client_certificate", "client-certificate"),
      user("clientKeyData", "client-key-data"),
      user("asUid", "as-uid"),
      user("AS_UID", "as-uid"),
      user("authProvider", "auth-provider"),
      user("Exec", "exec"),
      // Other fields are ignored: "to ken" and "tokens" are no spellings of "token".
      user("tokens", ""),
      user("'to ken'", ""),
      user("t", ""),
      user("oken", ""),
      {"Zone: 1\nkiND: Pod", "kiND: is no field of a kubeconfig: write kind"},
      {"api_version: v1", "api_version: is no field of a kubeconfig: write apiVersion"},
      // The right one is there, too: the other is ignored.
      {"users: [{name: m, user: {token: a, Token: b}}]", ""},
      // Each letter from A to Z is the same in both sizes.
      {"clusters: [{name: m, cluster: {INSECURE-SKIP-TLS-VERIFY: true}}]",
       "cluster \"m\": clusters[0].cluster.INSECURE-SKIP-TLS-VERIFY: is no field of a kubeconfig: "
       "write insecure-skip-tls-verify"},
      {"clusters: [{name: m, cluster: {CERTIFICATE-AUTHORITY: x}}]",
       "cluster \"m\": clusters[0].cluster.CERTIFICATE-AUTHORITY: is no field of a kubeconfig: "
       "write certificate-authority"},
  });
}

}  // namespace
}  // namespace kinformer::internal::config

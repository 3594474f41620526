// One context of a kubeconfig with its overrides: the whole outcome, or the exact message.

#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "config/kubeconfig.h"
#include "config/testing/config_text.h"
#include "config/testing/kubeconfig_texts.h"

namespace kinformer::internal::config {
namespace {

struct Row {
  std::string text;
  ConfigOverrides overrides;
  std::string want;
};

std::string Outcome(const std::string& text, const ConfigOverrides& overrides = {},
                    const Surroundings& around = {}, const std::string& origin = {}) {
  const auto got = ResolveConfig(ParseKubeconfig(text, origin, "").OrExit(), overrides, around);
  if (got) return Described(*got);
  EXPECT_EQ(got.error().reason(), Reason::kConfig);
  return got.error().message();
}

void ExpectOutcomes(const std::vector<Row>& rows) {
  for (const Row& row : rows) EXPECT_EQ(Outcome(row.text, row.overrides), row.want) << row.text;
}

constexpr char kOrigin[] = " origin=context c of the kubeconfig";

TEST(Overrides, ClusterOptions_ReplaceItsFields) {
  const std::string host = "host=https://s namespace=default";
  const std::string ca = "server: https://s, certificate-authority-data: Y2E=";
  const std::string ca_file = "server: https://s, certificate-authority: /dev/null";
  const std::string insecure = "server: https://s, insecure-skip-tls-verify: true";
  const std::string both =
      "cluster \"k\" of the kubeconfig: insecure-skip-tls-verify and certificate-authority exclude "
      "each other: remove one";
  ExpectOutcomes({
      {OneCluster("server: https://s"), {}, host + kOrigin},
      {OneCluster("server: https://s, proxy-url: http://a"),
       {},
       host + " proxy=http://a" + kOrigin},
      {OneCluster("server: https://s, proxy-url: http://a"),
       {.proxy_url = "http://b"},
       host + " proxy=http://b" + kOrigin},
      {OneCluster("server: https://s"),
       {.disable_compression = true},
       host + " compression=no" + kOrigin},
      {OneCluster("server: https://s, disable-compression: true"),
       {},
       host + " compression=no" + kOrigin},
      {OneCluster("server: https://s, disable-compression: true"),
       {.disable_compression = false},
       host + kOrigin},
      {OneCluster(insecure), {}, host + " insecure=yes" + kOrigin},
      {OneCluster(insecure), {.insecure_skip_tls_verify = false}, host + kOrigin},
      {OneCluster(insecure),
       {.certificate_authority = "/dev/null"},
       host + " ca-file=/dev/null" + kOrigin},
      {OneCluster(insecure),
       {.insecure_skip_tls_verify = true, .certificate_authority = "/dev/null"},
       both},
      {OneCluster(ca), {}, host + " ca=ca" + kOrigin},
      {OneCluster(ca), {.insecure_skip_tls_verify = true}, host + " insecure=yes" + kOrigin},
      {OneCluster(ca), {.insecure_skip_tls_verify = false}, host + " ca=ca" + kOrigin},
      {OneCluster(ca),
       {.certificate_authority = "/dev/null"},
       host + " ca-file=/dev/null" + kOrigin},
      {OneCluster(ca_file), {}, host + " ca-file=/dev/null" + kOrigin},
      {OneCluster(ca_file), {.insecure_skip_tls_verify = true}, host + " insecure=yes" + kOrigin},
      {OneCluster(ca_file + ", insecure-skip-tls-verify: true"), {}, both},
      {OneCluster(ca + ", insecure-skip-tls-verify: true"), {}, both},
      {OneCluster("server: https://s, tls-server-name: a"),
       {.server = "https://o"},
       std::string("host=https://o namespace=default") + kOrigin},
      {OneCluster("server: https://s, tls-server-name: a"),
       {.tls_server_name = "b"},
       host + " server-name=b" + kOrigin},
  });
}

TEST(Overrides, UserOptions_ReplaceItsFields) {
  const Folder folder;
  const std::string file = folder.Write("token", "from-file");
  const std::string host = "host=https://s namespace=default";
  const std::string pair = "client-certificate-data: Yw==, client-key-data: aw==";
  const std::string files = "client-certificate: /dev/null, client-key: /dev/null";
  const std::string as = "as: a, as-uid: '1', as-groups: [g], as-user-extra: {k: [v], l: [w]}";
  ExpectOutcomes({
      {OneUser("tokenFile: " + file), {}, host + " token=from-file token-file=" + file + kOrigin},
      {OneUser("tokenFile: " + file), {.token = "t"}, host + " token=t" + kOrigin},
      {OneUser("token: a"), {.token = "b"}, host + " token=b" + kOrigin},
      {OneUser("token: a, token: b"), {}, host + " token=b" + kOrigin},
      {OneUser("token: a, tokenFile: /nonexistent"),
       {},
       host + " token=a token-file=/nonexistent" + kOrigin},
      {OneUser("tokenFile: /nonexistent"),
       {},
       "user \"u\" of the kubeconfig: cannot read tokenFile /nonexistent: No such file or "
       "directory"},
      {OneUser("username: a, password: b"), {}, host + " username=a password=b" + kOrigin},
      {OneUser("username: a, password: b"),
       {.username = "c"},
       host + " username=c password=b" + kOrigin},
      {OneUser("username: a, password: b"),
       {.password = "c"},
       host + " username=a password=c" + kOrigin},
      {OneUser("tokenFile: " + file + ", username: a, password: b"),
       {},
       host + " token=from-file token-file=" + file + kOrigin},
      {OneUser(pair), {}, host + " cert=c key=k" + kOrigin},
      {OneUser(pair),
       {.client_certificate = "/dev/null"},
       host + " cert-file=/dev/null key=k" + kOrigin},
      {OneUser(pair), {.client_key = "/dev/null"}, host + " key-file=/dev/null cert=c" + kOrigin},
      {OneUser(files), {}, host + " cert-file=/dev/null key-file=/dev/null" + kOrigin},
      {OneUser(as), {}, host + " as=a uid=1 group=g extra-k=v extra-l=w" + kOrigin},
      {OneUser(as),
       {.impersonate = {.user_name = "b"}},
       host + " as=b uid=1 group=g extra-k=v extra-l=w" + kOrigin},
      {OneUser(as),
       {.impersonate = {.uid = "2"}},
       host + " as=a uid=2 group=g extra-k=v extra-l=w" + kOrigin},
      {OneUser(as),
       {.impersonate = {.groups = {"h", "i"}}},
       host + " as=a uid=1 group=h group=i extra-k=v extra-l=w" + kOrigin},
      {OneUser(as),
       {.impersonate = {.extra = {{"k", {"x"}}, {"m", {"z"}}}}},
       host + " as=a uid=1 group=g extra-k=x extra-l=w extra-m=z" + kOrigin},
  });
}

TEST(Resolve, IdToken_ServesOnlyWhereNothingElseDoes) {
  const std::string oidc = "auth-provider: {name: oidc, config: {id-token: i}}";
  const std::string renewed =
      "auth-provider: {name: oidc, config: {refresh-token: r, client-id: c, idp-issuer-url: i}}";
  const std::string host = "host=https://s namespace=default";
  ExpectOutcomes({
      {OneUser(oidc), {}, host + " id-token=i" + kOrigin},
      {OneUser(renewed), {}, host + " issuer=i client-id=c refresh-token=r" + kOrigin},
      {OneUser(renewed + ", token: t"), {}, host + " token=t" + kOrigin},
      {OneUser("auth-provider: {name: oidc, config: {id-token: i, client-id: c}}"),
       {},
       host + " id-token=i" + kOrigin},
      {OneUser(oidc + ", token: t"), {}, host + " token=t" + kOrigin},
      {OneUser(oidc + ", username: u"), {}, host + " username=u" + kOrigin},
      {OneUser(oidc + ", password: p"), {}, host + " password=p" + kOrigin},
  });
}

TEST(Resolve, PlainServer_GetsNoCredentials) {
  const std::string no_scheme =
      "cluster \"k\" of the kubeconfig: server \"h:1\" has no scheme, so certificates and "
      "credentials would not be used; write https://h:1";
  for (const std::string user : {"token: t", "tokenFile: /nonexistent",
                                 "client-certificate: /dev/null, client-key: "
                                 "/dev/null",
                                 "client-certificate-data: Yw==, client-key-data: aw==",
                                 "auth-provider: {name: oidc, config: {id-token: i}}",
                                 "auth-provider: {name: oidc, config: {refresh-token: r, "
                                 "client-id: c, idp-issuer-url: i}}"}) {
    EXPECT_EQ(Outcome(OneUser(user, "server: 'h:1'")), no_scheme) << user;
    EXPECT_EQ(Outcome(OneUser(user, "server: 'http://h:1'")),
              std::string("host=http://h:1 namespace=default") + kOrigin)
        << user;
  }
  for (const char* ca : {"certificate-authority: /dev/null", "certificate-authority-data: Y2E="}) {
    EXPECT_EQ(Outcome(OneCluster(std::string("server: 'h:1', ") + ca)), no_scheme) << ca;
    EXPECT_EQ(Outcome(OneCluster(std::string("server: 'http://h:1', ") + ca)),
              std::string("host=http://h:1 namespace=default") + kOrigin)
        << ca;
  }
  // The case of the scheme does not matter.
  EXPECT_EQ(Outcome(OneUser("token: t", "server: 'HTTPS://h:1'")),
            std::string("host=https://h:1 namespace=default token=t") + kOrigin);
  EXPECT_EQ(Outcome(OneCluster("server: 'HTTPS://h:1', certificate-authority-data: Y2E=")),
            std::string("host=https://h:1 namespace=default ca=ca") + kOrigin);
  EXPECT_EQ(Outcome(OneCluster("server: 'h:1'")),
            std::string("host=h:1 namespace=default") + kOrigin);
  EXPECT_EQ(Outcome(OneUser("username: a, password: b", "server: 'h:1'")),
            std::string("host=h:1 namespace=default") + kOrigin);
}

TEST(Resolve, Server_LosesItsQueryAndFragment) {
  const std::pair<const char*, const char*> rows[] = {
      {"https://s/p?q=1#f", "https://s/p"}, {"https://s#f", "https://s"},
      {"https://s?q", "https://s"},         {"HTTPS://S:1/", "https://S:1/"},
      {"http://s/p?q", "http://s/p"},       {"s:1", "s:1"},
  };
  for (const auto& [server, want] : rows) {
    EXPECT_EQ(Outcome(OneCluster("server: '" + std::string(server) + "'")),
              std::string("host=") + want + " namespace=default" + kOrigin);
  }
}

TEST(Resolve, Namespace_IsALabel) {
  const std::string most(63, 'a');
  for (const std::string& good :
       {std::string("a"), std::string("az09"), std::string("0-9"), std::string("z--a"), most}) {
    EXPECT_EQ(Outcome(OneCluster("server: https://s"), {.namespace_ = good}),
              "host=https://s namespace=" + good + kOrigin);
  }
  for (const std::string& bad :
       {std::string("-a"), std::string("a-"), std::string("-"), std::string("A"),
        std::string("aZa"), std::string("a_a"), std::string("a.a"), std::string("a`"),
        std::string("a{a"), std::string("a/a"), std::string("a:a"), std::string("`"),
        std::string("a b"), most + "a"}) {
    EXPECT_EQ(Outcome(OneCluster("server: https://s"), {.namespace_ = bad}),
              "invalid configuration: namespace \"" + bad +
                  "\" is not a valid name: lower case letters, digits and '-', at most 63");
  }
}

TEST(Resolve, Timeout_IsSecondsOrADuration) {
  using std::chrono::nanoseconds;
  using std::chrono::seconds;
  const std::pair<const char*, Duration> good[] = {
      {"0", seconds(0)},       {"1", seconds(1)},
      {"30", seconds(30)},     {"999999999", seconds(999999999)},
      {"1m30s", seconds(90)},  {"0s", seconds(0)},
      {"1ns", nanoseconds(1)}, {"1.5s", std::chrono::milliseconds(1500)},
      {"007", seconds(7)},
  };
  for (const auto& [text, want] : good) {
    const auto got = ParseTimeout(text);
    ASSERT_TRUE(got.ok()) << text;
    EXPECT_EQ(*got, want) << text;
  }
  for (const char* text : {"", "1000000000", "-1", "-1s", "-1ns", "soon", "30x", "1 s", " 1", "+1",
                           "9223372036854775808", "-9223372036854775807", "1.5"}) {
    const auto got = ParseTimeout(text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_EQ(got.error().message(), "request timeout \"" + std::string(text) +
                                         "\" is not a duration; examples: 0, 30, 90s, 1m30s");
  }
  EXPECT_EQ(Outcome(OneCluster("server: https://s"), {.timeout = "90s"}),
            std::string("host=https://s namespace=default timeout-ms=90000") + kOrigin);
}

}  // namespace
}  // namespace kinformer::internal::config

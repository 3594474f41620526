// Options of the transport made from a Config: every field, and what is refused.

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/config.h"
#include "kinformer/client/http_transport.h"

#include "config/credentials.h"
#include "config/testing/kubeconfig_texts.h"
#include "config/testing/plugins.h"

namespace kinformer {
namespace {

Config Of(const std::string& host) {
  Config config;
  config.host = host;
  return config;
}

TEST(ServerUrl, WithoutScheme_IsSecureIfTlsIsConfigured_RC01) {
  const auto with = [](const auto& set) {
    Config config = Of("h:1");
    set(config);
    return ServerUrlFor(config).OrExit();
  };
  EXPECT_EQ(with([](Config&) {}), "http://h:1");
  EXPECT_EQ(with([](Config& c) { c.tls.insecure = true; }), "https://h:1");
  EXPECT_EQ(with([](Config& c) { c.tls.ca_data = "x"; }), "https://h:1");
  EXPECT_EQ(with([](Config& c) { c.tls.ca_file = "x"; }), "https://h:1");
  EXPECT_EQ(with([](Config& c) { c.tls.cert_data = "x"; }), "https://h:1");
  EXPECT_EQ(with([](Config& c) { c.tls.cert_file = "x"; }), "https://h:1");
  EXPECT_EQ(with([](Config& c) { c.tls.key_data = "x"; }), "http://h:1");
  EXPECT_EQ(with([](Config& c) { c.tls.server_name = "x"; }), "http://h:1");
  EXPECT_EQ(with([](Config& c) { c.bearer_token = "x"; }), "http://h:1");
}

TEST(ServerUrl, OnlySchemeHostAndPathStay_RC11) {
  const std::pair<const char*, const char*> rows[] = {
      {"", "http://localhost"},
      {"https://h", "https://h"},
      {"https://h/", "https://h"},
      {"https://h//", "https://h"},
      {"https://h/p/q//", "https://h/p/q"},
      {"https://h/p?q=1", "https://h/p"},
      {"https://h/p#f", "https://h/p"},
      {"https://h?q#f", "https://h"},
      {"http://u@h:1", "http://u@h:1"},
      {"h?q", "http://h"},
      {"h#f", "http://h"},
      {"[::1]:6443", "http://[::1]:6443"},
  };
  for (const auto& [host, want] : rows) {
    const auto got = ServerUrlFor(Of(host));
    ASSERT_TRUE(got.ok()) << host;
    EXPECT_EQ(*got, want) << host;
  }
}

TEST(ServerUrl, TextThatIsNoUrl_IsRefused_RC11) {
  const std::pair<const char*, const char*> rows[] = {
      {"h/p", "host \"h/p\" must be a URL or a host:port pair; write https://h/p"},
      {"h/", "host \"h/\" must be a URL or a host:port pair; write https://h/"},
      {"https:/h",
       "host \"https:/h\" is no URL: a colon and two slashes stand behind the scheme; write "
       "https://h"},
      {" h", "host \" h\" is no URL: it begins with a blank; remove it"},
  };
  for (const auto& [host, want] : rows) {
    for (const std::string& got : {ServerUrlFor(Of(host)).error().message(),
                                   TransportOptionsFor(Of(host)).error().message()}) {
      EXPECT_EQ(got, want);
    }
  }
}

TEST(TransportTls, FieldsAreUsedWithHttpsOnly) {
  Config config = Of("https://h:1/p/");
  config.user_agent = "agent";
  config.proxy_url = "http://proxy";
  config.dial = DialUnixSocket("/s");
  config.tls = {.server_name = "name",
                .cert_file = "cf",
                .key_file = "kf",
                .ca_file = "af",
                .cert_data = "cd",
                .key_data = "kd",
                .ca_data = "ad"};
  const HttpTransportOptions secure = TransportOptionsFor(config).OrExit();
  EXPECT_EQ(secure.base_url, "https://h:1/p");
  EXPECT_EQ(secure.user_agent, "agent");
  EXPECT_EQ(secure.proxy_url, "http://proxy");
  EXPECT_TRUE(secure.dial);
  EXPECT_FALSE(secure.tls.insecure_skip_verify);
  EXPECT_EQ(secure.tls.server_name, "name");
  EXPECT_EQ(secure.tls.cert_file, "cf");
  EXPECT_EQ(secure.tls.key_file, "kf");
  EXPECT_EQ(secure.tls.ca_file, "af");
  EXPECT_EQ(secure.tls.cert_pem, "cd");
  EXPECT_EQ(secure.tls.key_pem, "kd");
  EXPECT_EQ(secure.tls.ca_pem, "ad");
  EXPECT_EQ(secure.headers.size(), 0U);
  config.host = "http://h:1";
  config.tls.insecure = true;
  const HttpTransportOptions plain = TransportOptionsFor(config).OrExit();
  EXPECT_EQ(plain.base_url, "http://h:1");
  EXPECT_FALSE(plain.tls.insecure_skip_verify);
  EXPECT_EQ(plain.tls.server_name + plain.tls.cert_file + plain.tls.key_file + plain.tls.ca_file +
                plain.tls.cert_pem + plain.tls.key_pem + plain.tls.ca_pem,
            "");
}

TEST(TransportTls, InsecureAndCa_ExcludeEachOther) {
  Config config = Of("https://h");
  config.tls.insecure = true;
  EXPECT_TRUE(TransportOptionsFor(config).OrExit().tls.insecure_skip_verify);
  const char* const both =
      "certificate-authority and insecure-skip-tls-verify exclude each other: remove one";
  config.tls.ca_data = "x";
  EXPECT_EQ(TransportOptionsFor(config).error().message(), both);
  config.tls.ca_file = "x";
  EXPECT_EQ(TransportOptionsFor(config).error().message(), both);
  config.tls.ca_data.clear();
  EXPECT_EQ(TransportOptionsFor(config).error().message(), both);
  config.tls.insecure = false;
  EXPECT_TRUE(TransportOptionsFor(config).ok());
}

TEST(TransportCredentials, TokenAndPassword_AreRefusedTogether) {
  const char* const both = "a bearer token and username/password are both given: remove one";
  for (const bool file : {false, true}) {
    for (const bool username : {false, true}) {
      for (const bool password : {false, true}) {
        Config config = Of("https://h");
        (file ? config.bearer_token_file : config.bearer_token) = "/dev/null";
        if (username) config.username = "u";
        if (password) config.password = "p";
        const auto got = TransportOptionsFor(config);
        EXPECT_EQ(got ? "" : got.error().message(), username || password ? both : "");
      }
    }
  }
}

std::string Authorization(const Config& config) {
  const auto options = TransportOptionsFor(config);
  if (!options) return options.error().message();
  if (options->credentials == nullptr) return "(none)";
  Simulation sim;
  std::string out = "(no answer)";
  options->credentials->Fetch(sim.env(), [&out](const Result<Credentials>& got) {
    out = got ? got->authorization : got.error().message();
  });
  sim.RunReady();
  return out;
}

TEST(TransportCredentials, EachKindAlone) {
  const Folder folder;
  Config config = Of("https://h");
  EXPECT_EQ(Authorization(config), "(none)");
  config.username = "u";
  EXPECT_EQ(Authorization(config), "Basic dTo=");
  config.id_token = "i";
  EXPECT_EQ(Authorization(config), "Basic dTo=");
  config.username.clear();
  config.password = "p";
  EXPECT_EQ(Authorization(config), "Basic OnA=");
  config.password.clear();
  EXPECT_EQ(Authorization(config), "Bearer i");
  config.bearer_token = "t";
  EXPECT_EQ(Authorization(config), "Bearer t");
  config.bearer_token_file = folder.Write("t", "f");
  EXPECT_EQ(Authorization(config), "Bearer f");
  config.credentials = internal::config::NewStaticCredentials("Own o");
  EXPECT_EQ(Authorization(config), "Own o") << "in the place of all others";
  config.credentials.reset();
  config.bearer_token_file = "/nonexistent";
  EXPECT_EQ(Authorization(config), "Bearer t") << "the literal one serves until there is a file";
  config.bearer_token.clear();
  EXPECT_EQ(Authorization(config),
            "cannot read token file /nonexistent: No such file or directory");
}

TEST(TransportCredentials, EmptyToken_NamesItsPlace) {
  Config config = Of("https://h");
  config.bearer_token = " ";
  EXPECT_EQ(Authorization(config), "Config::bearer_token: the token is empty");
  config.origin = "kc";
  EXPECT_EQ(Authorization(config), "kc: the token is empty");
  config.bearer_token.clear();
  config.id_token = " ";
  EXPECT_EQ(Authorization(config), "kc: the user's id-token: the token is empty");
}

TEST(TransportCredentials, PluginIsToldTheClusterIfItAsks_EX10_RC10) {
  const Folder folder;
  const std::string told = folder.path() + "/told";
  Config config = Of("https://h:1/p/");
  config.exec =
      ScriptPlugin(folder, "printf %s \"$KUBERNETES_EXEC_INFO\" > " + told + "\n" + EchoToken("t"));
  const auto info = [&] {
    if (const std::string got = Authorization(config); got != "Bearer t") return got;
    std::ifstream in(told);
    return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  };
  const auto cluster = [](const std::string& text) {
    return std::string(R"({"kind":"ExecCredential","apiVersion":")") + kPluginVersion +
           R"(","spec":{"interactive":false)" + text + "}}";
  };
  config.tls.ca_file = "/nonexistent";
  EXPECT_EQ(info(), cluster("")) << "it does not ask, so that the file is not read";
  config.exec->provide_cluster_info = true;
  EXPECT_EQ(info(), "cannot read certificate-authority /nonexistent: No such file or directory");
  config.tls.ca_data = "B";
  const std::string server = R"(,"cluster":{"server":"https://h:1/p")";
  const std::string ca = R"(,"certificate-authority-data":")";
  EXPECT_EQ(info(), cluster(server + ca + "Qg==\"}"));
  config.tls.ca_data.clear();
  config.tls.ca_file = folder.Write("ca", "A");
  EXPECT_EQ(info(), cluster(server + ca + "QQ==\"}"));
  config.tls.ca_file.clear();
  EXPECT_EQ(info(), cluster(server + "}"));
  config.tls.insecure = true;
  config.tls.server_name = "n";
  config.proxy_url = "http://proxy";
  config.disable_compression = true;
  config.exec->cluster_config = R"({"a":1})";
  EXPECT_EQ(info(), cluster(server + R"(,"tls-server-name":"n","insecure-skip-tls-verify":true,)"
                                     R"("proxy-url":"http://proxy","disable-compression":true,)"
                                     R"("config":{"a":1}})"));
}

TEST(Impersonation, NeedsAUserName) {
  const char* const needs = "impersonating a uid, groups or extra fields needs a user name, too";
  for (const ImpersonationConfig& as :
       {ImpersonationConfig{.uid = "1"}, ImpersonationConfig{.groups = {"g"}},
        ImpersonationConfig{.extra = {{"k", {"v"}}}}}) {
    Config config = Of("https://h");
    config.impersonate = as;
    EXPECT_EQ(TransportOptionsFor(config).error().message(), needs);
    config.impersonate.user_name = "u";
    EXPECT_TRUE(TransportOptionsFor(config).ok());
  }
}

TEST(Impersonation, KeysOfExtraFields_AreEscapedInHeaders) {
  const std::pair<std::string, std::string> rows[] = {
      {"abcxyz", "abcxyz"},   {"AMZ", "amz"},
      {"09", "09"},           {"!#$&'*+-.^_`|~", "!#$&'*+-.^_`|~"},
      {"a/b", "a%2Fb"},       {"@[{", "%40%5B%7B"},
      {"%:", "%25%3A"},       {"\xc3\xa9", "%C3%A9"},
      {"\x01\x7f", "%01%7F"}, {" ", "%20"},
  };
  for (const auto& [key, want] : rows) {
    Config config = Of("https://h");
    config.impersonate = {.user_name = "u", .extra = {{key, {"v", "w"}}}};
    const auto got = TransportOptionsFor(config).OrExit();
    std::string all;
    for (const auto& [name, value] : got.headers)
      all.append(name).append("=").append(value).append(";");
    EXPECT_EQ(all, "Impersonate-User=u;Impersonate-Extra-" + want + "=v;Impersonate-Extra-" + want +
                       "=w;");
  }
}

}  // namespace
}  // namespace kinformer

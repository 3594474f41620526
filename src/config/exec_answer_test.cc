// Texts of the ExecCredential protocol: what a plugin is told, and its answers.

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "config/exec_plugin.h"
#include "config/testing/plugins.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer::internal::config {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;

const ExecConfig& Plug() {
  static const ExecConfig exec{.command = "plug", .api_version = kPluginVersion};
  return exec;
}

TEST(ExecInfo, NamesTheClusterWhereAskedFor) {
  ExecConfig exec = Plug();
  const ExecCluster full{.server = "https://s",
                         .tls_server_name = "name",
                         .insecure = true,
                         .ca_data = "ca",
                         .proxy_url = "http://p",
                         .disable_compression = true,
                         .config = R"({"a":[1]})"};
  const std::string head = R"({"kind":"ExecCredential","apiVersion":")" +
                           std::string(kPluginVersion) + R"(","spec":{"interactive":)";
  EXPECT_EQ(ExecInfoJson(exec, full, false), head + "false}}");
  EXPECT_EQ(ExecInfoJson(exec, full, true), head + "true}}");
  exec.provide_cluster_info = true;
  EXPECT_EQ(ExecInfoJson(exec, full, true),
            head + R"(true,"cluster":{"server":"https://s","tls-server-name":"name",)"
                   R"("insecure-skip-tls-verify":true,"certificate-authority-data":"Y2E=",)"
                   R"("proxy-url":"http://p","disable-compression":true,"config":{"a":[1]}}}})");
  EXPECT_EQ(ExecInfoJson(exec, {.server = "https://s"}, false),
            head + R"(false,"cluster":{"server":"https://s"}}})");
  EXPECT_EQ(ExecInfoJson(exec, {.server = "https://s", .config = "{"}, false),
            head + R"(false,"cluster":{"server":"https://s"}}})");
  exec.api_version = "v";
  EXPECT_EQ(ExecInfoJson(exec, {}, false),
            R"({"kind":"ExecCredential","apiVersion":"v",)"
            R"("spec":{"interactive":false,"cluster":{"server":""}}})");
}

TEST(ExecAnswers, MalformedOnes_AreNamed) {
  const std::string version = std::string("{\"apiVersion\":\"") + kPluginVersion + "\"";
  const std::string pair_wanted =
      "its answer has only one of clientCertificateData and clientKeyData";
  const std::string not_pem = "clientCertificateData or clientKeyData is not PEM";
  const std::string cert = R"("clientCertificateData":"-----BEGIN CERTIFICATE-----")";
  const std::string key = R"("clientKeyData":"-----BEGIN EC PRIVATE KEY-----")";
  const std::pair<std::string, std::string> rows[] = {
      {"", "its output is not JSON"},
      {"{", "its output is not JSON"},
      {"{}", "it answered with apiVersion \"\", the kubeconfig says \"" +
                 std::string(kPluginVersion) + "\""},
      {R"({"apiVersion":"v2","status":{"token":"t"}})",
       "it answered with apiVersion \"v2\", the kubeconfig says \"" + std::string(kPluginVersion) +
           "\""},
      {version + "}", "its answer has no status"},
      {version + R"(,"status":"x"})", "its answer has no status"},
      {version + R"(,"status":null})", "its answer has no status"},
      {PluginAnswer("{}"), "its answer has neither a token nor a client certificate"},
      {PluginAnswer(R"({"token":""})"), "its answer has neither a token nor a client certificate"},
      {PluginAnswer(R"({"token":" "})"), "its answer: the token is empty"},
      {PluginAnswer("{" + cert + "}"), pair_wanted},
      {PluginAnswer("{" + key + "}"), pair_wanted},
      {PluginAnswer(R"({"token":"t",)" + cert + "}"), pair_wanted},
      {PluginAnswer(R"({"token":"t",)" + key + "}"), pair_wanted},
      {PluginAnswer("{" + cert + R"(,"clientKeyData":"k"})"), not_pem},
      {PluginAnswer(R"({"clientCertificateData":"c",)" + key + "}"), not_pem},
      {PluginAnswer(R"({"token":"t","clientCertificateData":"c","clientKeyData":"k"})"), not_pem},
      {PluginAnswer("{" + cert + "," + key + "}"),
       "clientCertificateData: the certificate is not PEM (-----BEGIN CERTIFICATE-----)"},
      {PluginAnswer(R"({"token":"t","expirationTimestamp":"soon"})"),
       "expirationTimestamp \"soon\" is not a time"},
  };
  for (const auto& [text, want] : rows) {
    const auto got = ParseExecAnswer(Plug(), text);
    ASSERT_FALSE(got.ok()) << text;
    EXPECT_EQ(got.error().reason(), Reason::kConfig) << text;
    EXPECT_EQ(got.error().message(), "credential plugin plug: " + want) << text;
  }
  ExecConfig hinting = Plug();
  hinting.install_hint = "Get it";
  EXPECT_EQ(ParseExecAnswer(hinting, "").error().message(),
            "credential plugin plug: its output is not JSON. Get it");
}

TEST(ExecAnswers, TokenAndCertificate_AreRead) {
  const transport::TestCertificate made =
      transport::MakeTestCertificate(transport::MakeTestCa("ca"), "client");
  const std::string pair = "\"clientCertificateData\":" + json::Value(made.cert).Dump() +
                           ",\"clientKeyData\":" + json::Value(made.key).Dump();
  const auto token = ParseExecAnswer(Plug(), PluginAnswer(R"({"token":" t\n"})"));
  ASSERT_TRUE(token.ok()) << token.error();
  EXPECT_EQ(token->credentials.authorization, "Bearer t");
  EXPECT_EQ(token->credentials.cert_pem, "");
  EXPECT_EQ(token->credentials.key_pem, "");
  EXPECT_FALSE(token->expires.has_value());
  const auto certificate = ParseExecAnswer(Plug(), PluginAnswer("{" + pair + "}"));
  ASSERT_TRUE(certificate.ok()) << certificate.error();
  EXPECT_EQ(certificate->credentials.authorization, "");
  EXPECT_EQ(certificate->credentials.cert_pem, made.cert);
  EXPECT_EQ(certificate->credentials.key_pem, made.key);
  const auto both = ParseExecAnswer(Plug(), PluginAnswer(R"({"token":"t",)" + pair + "}"));
  ASSERT_TRUE(both.ok()) << both.error();
  EXPECT_EQ(both->credentials.authorization, "Bearer t");
  EXPECT_EQ(both->credentials.key_pem, made.key);
}

TEST(ExecAnswers, Expiry_IsATimeWithinTheClocksRange) {
  const std::pair<const char*, WallTime> rows[] = {
      {"1970-01-01T00:00:00Z", WallTime()},
      {"1970-01-01T00:01:40Z", WallTime(seconds(100))},
      {"1970-01-01T01:00:00+01:00", WallTime()},
      {"1970-01-01T00:00:01.25Z", WallTime(std::chrono::milliseconds(1250))},
      {"1969-12-31T23:59:59Z", WallTime(seconds(-1))},
      {"2262-04-11T23:47:15.5Z", WallTime(seconds(9223372035) + std::chrono::milliseconds(500))},
      {"2262-04-11T23:47:16Z", WallTime::max()},
      {"2262-04-11T23:47:17Z", WallTime::max()},
      {"9999-12-31T23:59:59Z", WallTime::max()},
      {"1677-09-21T00:12:45Z", WallTime(seconds(-9223372035))},
      {"1677-09-21T00:12:44Z", WallTime::min()},
      {"1677-09-21T00:12:43Z", WallTime::min()},
      {"0001-01-01T00:00:00Z", WallTime::min()},
  };
  for (const auto& [time, want] : rows) {
    const auto got = ParseExecAnswer(
        Plug(),
        PluginAnswer(R"({"token":"t","expirationTimestamp":")" + std::string(time) + "\"}"));
    ASSERT_TRUE(got.ok()) << got.error();
    EXPECT_EQ(got->expires, want) << time;
  }
}

TEST(ExecModes, DecideAboutTheTerminal_EX04EX05EX06) {
  ExecConfig exec = Plug();
  const auto text = [&exec](const char* mode, bool terminal) {
    exec.interactive_mode = mode;
    const auto got = ExecInteractive(exec, terminal);
    return got.ok() ? std::string(*got ? "yes" : "no") : got.error().message();
  };
  for (const bool terminal : {false, true}) {
    EXPECT_EQ(text("Never", terminal), "no");
    EXPECT_EQ(text("IfAvailable", terminal), terminal ? "yes" : "no");
    EXPECT_EQ(text("never", terminal), "credential plugin plug: unknown interactiveMode \"never\"");
  }
  EXPECT_EQ(text("Always", true), "yes");
  exec.stdin_unavailable = true;
  EXPECT_EQ(text("Never", true), "no");
  EXPECT_EQ(text("IfAvailable", true), "no");
  EXPECT_EQ(text("Always", true),
            "credential plugin plug: it needs a terminal (interactiveMode Always): standard input "
            "is unavailable");
  exec.stdin_unavailable_message = "used by -f -";
  EXPECT_EQ(text("Always", true),
            "credential plugin plug: it needs a terminal (interactiveMode Always): standard input "
            "is unavailable: used by -f -");
  EXPECT_EQ(text("Always", false),
            "credential plugin plug: it needs a terminal (interactiveMode Always): standard input "
            "is not a terminal");
}

}  // namespace
}  // namespace kinformer::internal::config

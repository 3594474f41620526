// Transport options made from a Config, token files, credential plugins.

#include "config/credentials.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/config.h"
#include "kinformer/json/json.h"

#include "config/exec_plugin.h"
#include "transport/awaited_source.h"

namespace kinformer {
namespace {

using internal::config::ExecCluster;
using std::chrono::seconds;
using testing::HasSubstr;
using testing::Not;

std::string TempFile(const std::string& text, bool executable = false) {
  static int count = 0;
  const std::string path = testing::TempDir() + "kinformer-cred-" + std::to_string(getpid()) + "-" +
                           std::to_string(count++);
  std::ofstream(path) << text;
  if (executable) chmod(path.c_str(), 0700);
  return path;
}

struct UrlCase {
  const char* host;
  bool ca;
  const char* want;
};

TEST(TransportOptions, ServerUrl) {
  const UrlCase cases[] = {
      {"", false, "http://localhost"},
      {"h:1", false, "http://h:1"},
      {"h:1", true, "https://h:1"},
      {"https://h/prefix/", false, "https://h/prefix"},
      {"https://h/p?q=1", false, "https://h/p"},
  };
  for (const auto& c : cases) {
    Config config;
    config.host = c.host;
    if (c.ca) config.tls.ca_data = "x";
    EXPECT_EQ(*ServerUrlFor(config), c.want) << c.host;
  }
  Config config;
  config.host = "h/path";
  EXPECT_THAT(ServerUrlFor(config).error().message(), HasSubstr("URL or a host:port"));
}

TEST(TransportOptions, ImpersonationBecomesHeaders_TR13) {
  Config config;
  config.host = "https://h";
  config.impersonate = {
      .user_name = "u", .uid = "7", .groups = {"g", "h"}, .extra = {{"A/b c", {"v"}}}};
  const auto got = TransportOptionsFor(config);
  ASSERT_TRUE(got.ok());
  std::string all;
  for (const auto& [name, value] : got->headers)
    all.append(name).append("=").append(value).append(";");
  EXPECT_EQ(all,
            "Impersonate-User=u;Impersonate-Uid=7;Impersonate-Group=g;Impersonate-Group=h;"
            "Impersonate-Extra-a%2Fb%20c=v;");
  config.impersonate.user_name.clear();
  EXPECT_FALSE(TransportOptionsFor(config).ok());
}

std::string Authorization(CredentialSource& source, Simulation& sim) {
  std::string out = "(none)";
  source.Fetch(sim.env(), [&](Result<Credentials> got) {
    out = got ? got->authorization : "error: " + got.error().message();
  });
  sim.RunReady();
  return out;
}

TEST(TransportOptions, Credentials_OneMethodIsUsed_TwoAreRefused_TR12) {
  Simulation sim;
  Config config;
  config.host = "https://h";
  EXPECT_EQ(TransportOptionsFor(config)->credentials, nullptr);
  config.username = "u";
  config.password = "p";
  EXPECT_EQ(Authorization(*TransportOptionsFor(config)->credentials, sim), "Basic dTpw");
  config.bearer_token = "t";
  EXPECT_FALSE(TransportOptionsFor(config).ok()) << "TR-12: two methods";
  config.username = config.password = "";
  EXPECT_EQ(Authorization(*TransportOptionsFor(config)->credentials, sim), "Bearer t");
  config.bearer_token.clear();
  config.exec =
      ExecConfig{.command = "/nonexistent", .api_version = "client.authentication.k8s.io/v1alpha1"};
  EXPECT_THAT(TransportOptionsFor(config).error().message(), HasSubstr("v1alpha1"));
  config.exec.reset();
  config.bearer_token_file = "/nonexistent/token";
  EXPECT_THAT(TransportOptionsFor(config).error().message(), HasSubstr("/nonexistent/token"));
}

// The names are client-go's.
TEST(TransportOptions, Switches_InTheEnvironment_AreWholeSecondsOrLeftOut) {
  const HttpTransportOptions usual;
  Config config;
  config.host = "https://h";
  const auto with = [&](const char* name, const char* value) {
    setenv(name, value, 1);
    HttpTransportOptions options = TransportOptionsFor(config).OrExit();
    unsetenv(name);
    return options;
  };
  const std::pair<const char*, Duration> idle[] = {
      {"7", seconds(7)},
      {"0", Duration::zero()},
      {"9223372036854775807", Duration::max()},
      {"", usual.read_idle_timeout},
      {"-1", usual.read_idle_timeout},
      {"x", usual.read_idle_timeout},
      {"7x", usual.read_idle_timeout},
      {"7.5", usual.read_idle_timeout},
      {" 7", usual.read_idle_timeout},
      {"9223372036854775808", usual.read_idle_timeout},
  };
  for (const auto& [value, want] : idle) {
    const HttpTransportOptions options = with("HTTP2_READ_IDLE_TIMEOUT_SECONDS", value);
    EXPECT_EQ(options.read_idle_timeout, want) << value;
    EXPECT_EQ(options.ping_timeout, usual.ping_timeout) << value;
  }
  // A ping has to end at some time.
  const std::pair<const char*, Duration> ping[] = {
      {"1", seconds(1)},          {"7", seconds(7)},          {"0", usual.ping_timeout},
      {"-1", usual.ping_timeout}, {"7x", usual.ping_timeout},
  };
  for (const auto& [value, want] : ping) {
    const HttpTransportOptions options = with("HTTP2_PING_TIMEOUT_SECONDS", value);
    EXPECT_EQ(options.ping_timeout, want) << value;
    EXPECT_EQ(options.read_idle_timeout, usual.read_idle_timeout) << value;
  }
  EXPECT_FALSE(TransportOptionsFor(config).OrExit().disable_http2);
  EXPECT_FALSE(with("DISABLE_HTTP2", "").disable_http2);
  EXPECT_TRUE(with("DISABLE_HTTP2", "0").disable_http2) << "whatever it says";
}

// A token with a line break could add headers. The error must not contain any part of it.
TEST(TransportOptions, ATokenOfTwoLines_IsRefusedWhereverItComesFrom) {
  Simulation sim;
  const std::string two = "secret\r\nX-Remote-User: admin";
  Config config;
  config.host = "https://h";
  config.origin = "the file kc";
  const auto refused = [&] {
    const auto options = TransportOptionsFor(config);
    ASSERT_FALSE(options.ok());
    EXPECT_THAT(options.error().message(), HasSubstr("the file kc"));
    EXPECT_THAT(options.error().message(), HasSubstr("a token is one line"));
    EXPECT_THAT(options.error().message(), Not(HasSubstr("secret")));
  };
  config.bearer_token = two;
  refused();
  config.bearer_token.clear();
  config.id_token = two;
  refused();
  const std::string path = TempFile(two);
  const auto file = internal::config::NewTokenFileCredentials(path, "");
  EXPECT_THAT(Authorization(*file, sim), HasSubstr(path + ": the token has a line break"));
  const auto answer = internal::config::ParseExecAnswer(
      {.command = "plugin", .api_version = "client.authentication.k8s.io/v1"},
      R"({"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"a\u0000b"}})");
  ASSERT_FALSE(answer.ok());
  EXPECT_THAT(answer.error().message(), HasSubstr("plugin: its answer: the token has a line"));
}

// As in kubeconfigs whose token file ends with a line break.
TEST(TransportOptions, LineEndsAroundAToken_AreNoPartOfIt) {
  Simulation sim;
  Config config;
  config.host = "https://h";
  config.bearer_token = "one\n";
  EXPECT_EQ(Authorization(*TransportOptionsFor(config)->credentials, sim), "Bearer one");
  const auto source = internal::config::NewTokenFileCredentials(TempFile(""), "literal\n");
  EXPECT_EQ(Authorization(*source, sim), "Bearer literal");
}

TEST(TokenFile, IsReadAgainAndKeptWhenUnreadable_TR17) {
  Simulation sim;
  const std::string path = TempFile(" one \n");
  const auto source = internal::config::NewTokenFileCredentials(path, "");
  EXPECT_TRUE(source->CanRefresh());
  EXPECT_EQ(Authorization(*source, sim), "Bearer one");
  std::ofstream(path) << "two";
  EXPECT_EQ(Authorization(*source, sim), "Bearer one") << "fresh for 50 s";
  sim.RunFor(seconds(51));
  EXPECT_EQ(Authorization(*source, sim), "Bearer two");
  std::ofstream(path) << "three";
  source->Rejected("Bearer one");
  EXPECT_EQ(Authorization(*source, sim), "Bearer two") << "an old token's 401 says nothing";
  source->Rejected("Bearer two");
  EXPECT_EQ(Authorization(*source, sim), "Bearer three");
  std::filesystem::remove(path);
  sim.RunFor(seconds(51));
  EXPECT_EQ(Authorization(*source, sim), "Bearer three");
  std::ofstream(path) << "\n";
  sim.RunFor(seconds(51));
  EXPECT_EQ(Authorization(*source, sim), "Bearer three") << "an empty file is no token";
}

TEST(TokenFile, LiteralToken_IsUsedUntilFileIsReadable) {
  Simulation sim;
  const std::string path = TempFile("");
  const auto source = internal::config::NewTokenFileCredentials(path, "literal");
  EXPECT_EQ(Authorization(*source, sim), "Bearer literal");
  std::ofstream(path) << "file";
  EXPECT_EQ(Authorization(*source, sim), "Bearer file");
  const auto alone = internal::config::NewTokenFileCredentials("/nonexistent/t", "");
  EXPECT_THAT(Authorization(*alone, sim), HasSubstr("/nonexistent/t"));
}

TEST(TokenFile, ManyCallersOneRead_TR18) {
  Simulation sim;
  const auto source = internal::config::NewTokenFileCredentials(TempFile("x"), "");
  int answers = 0;
  for (int i = 0; i < 5; ++i) {
    source->Fetch(sim.env(), [&](const Result<Credentials>& got) { answers += got.ok() ? 1 : 0; });
  }
  EXPECT_EQ(answers, 0) << "nothing is read on the loop";
  sim.RunReady();
  EXPECT_EQ(answers, 5);
}

TEST(TokenFile, Forget_OfOneWhoWaits_LeavesTheOthersTheirAnswer) {
  Simulation sim;
  const auto source = internal::config::NewTokenFileCredentials(TempFile("x"), "");
  auto* const awaited = dynamic_cast<internal::transport::AwaitedSource*>(source.get());
  ASSERT_NE(awaited, nullptr);
  std::string answered;
  const int who[2] = {};
  for (const int& one : who) {
    awaited->FetchFor(&one, sim.env(), [&answered, first = &one == who](const auto&) {
      answered += first ? "first " : "second ";
    });
  }
  awaited->Forget(&who[0], sim.env());
  sim.RunReady();
  EXPECT_EQ(answered, "second ");
}

TEST(TokenFile, IsReadWhileUserFunctionsHoldEveryThreadOfThePool) {
  // The threads of the pool, which end with the Runtime, use these until then.
  std::promise<void> release;
  const auto released = release.get_future().share();
  std::promise<void> held;
  std::promise<std::string> got;
  Runtime runtime({.max_handler_threads = 1});
  runtime.env().pool().Post([&] {
    held.set_value();
    released.wait();
  });
  held.get_future().wait();
  const auto source = internal::config::NewTokenFileCredentials(TempFile("t"), "");
  runtime.env().loop().Post([&] {
    source->Fetch(runtime.env(), [&](const Result<Credentials>& answer) {
      got.set_value(answer ? answer->authorization : answer.error().message());
    });
  });
  auto future = got.get_future();
  const bool answered = future.wait_for(seconds(30)) == std::future_status::ready;
  release.set_value();
  ASSERT_TRUE(answered);
  EXPECT_EQ(future.get(), "Bearer t");
}

// ---- exec plugins

constexpr char kV1[] = "client.authentication.k8s.io/v1";

ExecConfig Plugin(const std::string& script) {
  return {.command = TempFile("#!/bin/sh\n" + script, true),
          .api_version = kV1,
          .interactive_mode = "Never"};
}

std::string AnswerText(const std::string& status) {
  return std::string("{\"apiVersion\":\"") + kV1 +
         "\",\"kind\":\"ExecCredential\",\"status\":" + status + "}";
}

Result<internal::config::ExecAnswer> RunPlugin(const ExecConfig& exec,
                                               const ExecCluster& cluster = {}) {
  Simulation sim;
  return internal::config::RunExecPlugin(sim.env(), exec, cluster);
}

TEST(ExecPlugin, DoesNotRunWhereThereIsAnotherCredential_EX14) {
  const std::string ran = TempFile("");
  Config config;
  config.host = "https://h";
  config.exec = Plugin("echo ran >> " + ran + "; echo '" + AnswerText("{\"token\":\"x\"}") + "'");
  const auto runs = [&ran] {
    std::ifstream in(ran);
    return std::count(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), '\n');
  };
  Simulation sim;
  Config other = config;
  other.bearer_token = "t";
  EXPECT_EQ(Authorization(*TransportOptionsFor(other)->credentials, sim), "Bearer t");
  other = config;
  other.bearer_token_file = TempFile("f");
  EXPECT_EQ(Authorization(*TransportOptionsFor(other)->credentials, sim), "Bearer f");
  other = config;
  other.username = "u";
  other.password = "p";
  EXPECT_EQ(Authorization(*TransportOptionsFor(other)->credentials, sim), "Basic dTpw");
  other = config;
  other.tls.cert_file = "/c";
  other.tls.key_file = "/k";
  EXPECT_EQ(TransportOptionsFor(other)->credentials, nullptr);
  EXPECT_EQ(runs(), 0);
  EXPECT_EQ(Authorization(*TransportOptionsFor(config)->credentials, sim), "Bearer x");
  EXPECT_EQ(runs(), 1) << "alone it runs";
}

TEST(ExecPlugin, GivesATokenAndGetsItsInfo_EX03EX10) {
  ExecConfig exec =
      Plugin("echo '{\"apiVersion\":\"" + std::string(kV1) +
             "\",\"status\":{\"token\":\"'$1-$EXTRA'\"}}'; echo \"$KUBERNETES_EXEC_INFO\" > $2");
  const std::string info = TempFile("");
  exec.args = {"arg", info};
  exec.env = {{"EXTRA", "var"}};
  exec.provide_cluster_info = true;
  const auto got = RunPlugin(exec, {.server = "https://s", .ca_data = "ca", .config = "{\"a\":1}"});
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->credentials.authorization, "Bearer arg-var");
  EXPECT_FALSE(got->expires.has_value());
  std::ifstream in(info);
  std::string text;
  std::getline(in, text);
  const auto parsed = json::Parse(text);
  ASSERT_TRUE(parsed.ok()) << text;
  EXPECT_EQ(parsed->At("/apiVersion").StringOrEmpty(), kV1);
  EXPECT_EQ(parsed->At("/spec/interactive").AsBool(), false);
  EXPECT_EQ(parsed->At("/spec/cluster/server").StringOrEmpty(), "https://s");
  EXPECT_EQ(parsed->At("/spec/cluster/certificate-authority-data").StringOrEmpty(), "Y2E=");
  EXPECT_EQ(parsed->At("/spec/cluster/config/a").AsInt64(), 1);
  exec.provide_cluster_info = false;
  EXPECT_THAT(internal::config::ExecInfoJson(exec, {.server = "https://s"}, true),
              Not(HasSubstr("cluster")))
      << "only where it is asked for";
}

struct AnswerCase {
  const char* id;
  std::string text;
  const char* want;
};

TEST(ExecPlugin, BadAnswersAreNamed_EX02) {
  const AnswerCase cases[] = {
      {"not JSON", "SECRETTOKEN", "not JSON"},
      {"no version", "{\"status\":{\"token\":\"t\"}}", "apiVersion \"\""},
      {"no status", std::string("{\"apiVersion\":\"") + kV1 + "\"}", "no status"},
      {"nothing in it", AnswerText("{}"), "neither a token nor a client certificate"},
      {"half a pair", AnswerText("{\"clientCertificateData\":\"x\"}"), "only one of"},
      {"bad PEM", AnswerText("{\"clientCertificateData\":\"x\",\"clientKeyData\":\"y\"}"),
       "not PEM"},
      {"bad time", AnswerText("{\"token\":\"t\",\"expirationTimestamp\":\"soon\"}"), "\"soon\""},
  };
  for (const auto& c : cases) {
    const auto got =
        internal::config::ParseExecAnswer({.command = "plug", .api_version = kV1}, c.text);
    ASSERT_FALSE(got.ok()) << c.id;
    EXPECT_THAT(got.error().message(), HasSubstr(c.want)) << c.id;
    EXPECT_THAT(got.error().message(), HasSubstr("credential plugin plug")) << c.id;
    EXPECT_THAT(got.error().message(), Not(HasSubstr("SECRETTOKEN"))) << c.id;
  }
}

TEST(ExecPlugin, ExpiryBeyondClockRange_Saturates) {
  const auto answer = internal::config::ParseExecAnswer(
      {.command = "plug", .api_version = kV1},
      "{\"apiVersion\":\"" + std::string(kV1) +
          R"(","status":{"token":"t","expirationTimestamp":"9999-12-31T23:59:59Z"}})");
  ASSERT_TRUE(answer.ok()) << answer.error();
  EXPECT_EQ(answer->expires, WallTime::max());
}

TEST(ExecPlugin, FailuresNameCodeAndHint_EX08EX09) {
  ExecConfig missing{.command = "no-such-plugin-here",
                     .api_version = kV1,
                     .install_hint = "apt it",
                     .interactive_mode = "Never"};
  EXPECT_THAT(RunPlugin(missing).error().message(),
              testing::AllOf(HasSubstr("not found"), HasSubstr("apt it")));
  EXPECT_THAT(RunPlugin(Plugin("exit 73")).error().message(), HasSubstr("73"));
  EXPECT_THAT(RunPlugin(Plugin("kill -9 $$")).error().message(), HasSubstr("signal 9"));
}

TEST(ExecPlugin, InteractiveModes_EX04EX05EX06EX11) {
  ExecConfig exec{.command = "plug", .api_version = kV1};
  for (const bool terminal : {false, true}) {
    exec.interactive_mode = "Never";
    EXPECT_EQ(*internal::config::ExecInteractive(exec, terminal), false);
    exec.interactive_mode = "IfAvailable";
    EXPECT_EQ(*internal::config::ExecInteractive(exec, terminal), terminal);
  }
  exec.interactive_mode = "Always";
  EXPECT_TRUE(*internal::config::ExecInteractive(exec, true));
  EXPECT_THAT(internal::config::ExecInteractive(exec, false).error().message(),
              HasSubstr("standard input is not a terminal"));
  exec.interactive_mode = "";
  EXPECT_THAT(internal::config::ExecInteractive(exec, true).error().message(),
              HasSubstr("unknown interactiveMode \"\""));
}

TEST(ExecPlugin, InheritsNothingButItsOutput) {
  int ends[2];
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  ASSERT_EQ(dup2(ends[0], 77), 77);
  const auto got =
      RunPlugin(Plugin("[ -e /proc/$$/fd/77 ] && t=inherited || t=clean; echo '{\"apiVersion\":\"" +
                       std::string(kV1) + "\",\"status\":{\"token\":\"'$t'\"}}'"));
  for (const int fd : {ends[0], ends[1], 77}) close(fd);
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_EQ(got->credentials.authorization, "Bearer clean");
}

// Time does not pass in a simulation: with a timeout of zero a plugin must fail at once, unless it
// is interactive and so has no limit.
TEST(ExecPlugin, InteractivePlugin_HasNoTimeout) {
  ExecConfig exec = Plugin("echo '" + AnswerText("{\"token\":\"t\"}") + "'");
  exec.timeout = Duration(0);
  EXPECT_THAT(RunPlugin(exec).error().message(), HasSubstr("no answer within"));

  const int terminal = posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(terminal, 0);
  ASSERT_EQ(grantpt(terminal), 0);
  ASSERT_EQ(unlockpt(terminal), 0);
  const int other_end = open(ptsname(terminal), O_RDWR | O_NOCTTY);
  const int before = dup(STDIN_FILENO);
  ASSERT_EQ(dup2(other_end, STDIN_FILENO), STDIN_FILENO);
  exec.interactive_mode = "Always";
  const auto got = RunPlugin(exec);
  dup2(before, STDIN_FILENO);
  for (const int fd : {before, other_end, terminal}) close(fd);
  EXPECT_TRUE(got.ok()) << got.error();
}

TEST(ExecPlugin, EndedPlugin_ChildHoldingItsOutputIsNotAwaited) {
  const std::string answer = AnswerText("{\"token\":\"t\"}");
  const ExecConfig exec = Plugin("sleep 40 2>/dev/null & echo '" + answer + "'");
  Runtime runtime;
  const SteadyTime begin = runtime.env().Now();
  const auto got = internal::config::RunExecPlugin(runtime.env(), exec, {});
  ASSERT_TRUE(got.ok()) << got.error();
  EXPECT_LT(runtime.env().Now() - begin, seconds(20));
}

TEST(TransportOptions, ASchemeInLargeLettersIsTheSame) {
  Config config;
  config.host = "HTTPS://h:1/p/";
  config.tls.ca_data = "x";
  EXPECT_EQ(*ServerUrlFor(config), "https://h:1/p");
  EXPECT_EQ(TransportOptionsFor(config)->tls.ca_pem, "x");
  config.host = " https://h";
  EXPECT_THAT(ServerUrlFor(config).error().message(), HasSubstr("blank"));
}

TEST(IdToken, IsUsedUntilItExpires) {
  Simulation sim;
  // {"exp":100}
  const auto source =
      internal::config::NewIdTokenCredentials("h.eyJleHAiOjEwMH0.s", "here").OrExit();
  EXPECT_EQ(Authorization(*source, sim), "Bearer h.eyJleHAiOjEwMH0.s");
  sim.RunFor(seconds(100));
  EXPECT_THAT(Authorization(*source, sim), HasSubstr("log in again"));
}

// As in client-go, which runs the plugin under a mutex and shares a credential that is valid.
TEST(ExecPlugin, Fetch_ByManyWhileACredentialIsGood_RunsThePluginOnce) {
  for (const char* expires : {"", R"(,"expirationTimestamp":"1970-01-01T01:00:00Z")"}) {
    Simulation sim;
    const std::string count = TempFile("");
    const auto source = internal::config::NewExecCredentials(
        Plugin("echo x >> " + count + "; echo '{\"apiVersion\":\"" + std::string(kV1) +
               R"(","status":{"token":"t")" + expires + "}}'"),
        {});
    int answers = 0;
    const auto fetch = [&] {
      source->Fetch(sim.env(), [&](const Result<Credentials>& got) {
        if (got && got->authorization == "Bearer t") ++answers;
      });
    };
    for (int i = 0; i < 100; ++i) fetch();  // all at once
    sim.RunReady();
    for (int i = 0; i < 100; ++i) {
      fetch();
      sim.RunFor(seconds(30));
    }
    EXPECT_EQ(answers, 200);
    EXPECT_EQ(std::filesystem::file_size(count), 2U) << "a line for each run";
  }
}

// A plugin whose answers expire at once runs again for later callers. Waiting callers share one
// run; in client-go each of them runs the plugin.
TEST(ExecPlugin, Fetch_ByManyWhereNothingIsGood_SharesTheRunThatIsUnderWay) {
  Simulation sim;
  sim.RunFor(std::chrono::hours(1));
  const std::string count = TempFile("");
  const auto source = internal::config::NewExecCredentials(
      Plugin("echo x >> " + count + "; echo '{\"apiVersion\":\"" + std::string(kV1) +
             R"(","status":{"token":"t","expirationTimestamp":"1970-01-01T00:00:01Z"}}')"),
      {});
  int answers = 0;
  for (int i = 0; i < 100; ++i) {
    source->Fetch(sim.env(), [&](const Result<Credentials>& got) { answers += got ? 1 : 0; });
  }
  sim.RunReady();
  EXPECT_EQ(answers, 100);
  EXPECT_EQ(std::filesystem::file_size(count), 2U);
  EXPECT_EQ(Authorization(*source, sim), "Bearer t");
  EXPECT_EQ(std::filesystem::file_size(count), 4U);
}

TEST(ExecPlugin, RunsAtFirstAfter401AndAfterExpiry_EX07EX13) {
  // The simulation's wall clock begins at 1970-01-01.
  Simulation sim;
  const std::string count = TempFile("");
  ExecConfig exec = Plugin("echo x >> " + count + "; n=$(wc -l < " + count +
                           "); echo '{\"apiVersion\":\"" + std::string(kV1) +
                           "\",\"status\":{\"token\":\"t'$n'\",\"expirationTimestamp\":\"1970-01-"
                           "01T00:'$((10*n))':00Z\"}}'");
  const auto source = internal::config::NewExecCredentials(exec, {});
  EXPECT_EQ(Authorization(*source, sim), "Bearer t1");
  EXPECT_EQ(Authorization(*source, sim), "Bearer t1");
  source->Rejected("Bearer t1");
  EXPECT_EQ(Authorization(*source, sim), "Bearer t2");
  source->Rejected("Bearer t1");
  EXPECT_EQ(Authorization(*source, sim), "Bearer t2");
  sim.RunFor(std::chrono::minutes(21));
  EXPECT_EQ(Authorization(*source, sim), "Bearer t3");
}

}  // namespace
}  // namespace kinformer

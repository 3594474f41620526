// Messages of `kinformer` when the server refuses it: one line with the remedy, and the exit
// status.

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>
#include <vector>

#include "kinformer/client/clientcmd.h"
#include "kinformer/client/config.h"

#include "integration/embedded_server.h"
#include "support/child_process.h"

namespace kinformer::testing {
namespace {

using namespace std::chrono_literals;
using apiserver::FaultAction;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

class CliMessages : public ::testing::Test {
 protected:
  CliMessages()
      : kubeconfig_(std::filesystem::temp_directory_path() /
                    ("kinformer-cli-messages-" + std::to_string(getpid()))) {
    std::ofstream(kubeconfig_) << KubeconfigYaml(server_.ClientConfig(), "embedded");
  }
  ~CliMessages() override { std::filesystem::remove(kubeconfig_); }

  std::vector<std::string> Command(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {KINFORMER_CLI_PATH, "--kubeconfig", kubeconfig_.string()});
    return arguments;
  }
  void Fault(apiserver::FaultRule rule) {
    server_.With([&](apiserver::ApiServer& api) {
      api.faults().Clear();
      api.faults().Add(std::move(rule));
    });
  }
  // Both commands must fail at once, with status 1 and one line that contains all of `parts`.
  void ExpectRefused(const std::vector<std::string>& parts) {
    for (const char* command : {"get", "watch"}) {
      SCOPED_TRACE(command);
      ChildProcess process(Command({command, "configmaps"}), {}, /*read_stderr=*/true);
      std::vector<std::string> lines;
      while (const auto line = process.ReadLine(20s)) lines.push_back(*line);
      EXPECT_EQ(process.Wait(20s), 1);
      ASSERT_THAT(lines, SizeIs(1));
      EXPECT_EQ(lines.front().rfind("error: ", 0), 0U) << lines.front();
      for (const std::string& part : parts) EXPECT_THAT(lines.front(), HasSubstr(part));
    }
  }

  // Runs a command that must end with status 1, and returns its single line.
  std::string Run(std::vector<std::string> arguments) {
    ChildProcess process(Command(std::move(arguments)), {}, /*read_stderr=*/true);
    std::vector<std::string> lines;
    while (const auto line = process.ReadLine(20s)) lines.push_back(*line);
    EXPECT_EQ(process.Wait(20s), 1);
    EXPECT_THAT(lines, SizeIs(1));
    return lines.empty() ? std::string() : lines.front();
  }

  EmbeddedServer server_;
  const std::filesystem::path kubeconfig_;
};

TEST_F(CliMessages, Forbidden) {
  server_.AnswerWith([](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (request.target.find("/configmaps") == std::string::npos) return std::nullopt;
    return StatusFailure(403, "Forbidden",
                         R"(configmaps is forbidden: User \"jane\" cannot list resource)");
  });
  ExpectRefused({"User \"jane\" cannot list resource", "Ask for a role", "auth can-i"});
}

TEST_F(CliMessages, Unauthorized) {
  // Fails at discovery, before the list, as with a real server.
  server_.AnswerWith([](const HttpRequest&) -> std::optional<ScriptedResponse> {
    return StatusFailure(401, "Unauthorized", "Unauthorized");
  });
  ExpectRefused({"does not accept the credentials of context embedded", kubeconfig_.string(),
                 "log in again"});
}

TEST_F(CliMessages, ARefusedSelector) {
  Fault({.resource = "configmaps", .status = 400, .text = "field label not supported: spec.x"});
  ExpectRefused({"field label not supported: spec.x"});
}

TEST_F(CliMessages, ANameThatIsMissing_SaysWhereItWasLookedFor) {
  EXPECT_THAT(Run({"get", "configmaps", "a"}),
              HasSubstr("configmaps \"a\" not found in namespace default; -n NS looks in another"));
  EXPECT_THAT(Run({"get", "namespaces", "a"}), EndsWith("namespaces \"a\" not found"));
  EXPECT_THAT(Run({"get", "configmaps", "a=b"}), HasSubstr("configmaps \"a=b\" not found"));
  EXPECT_THAT(Run({"get", "widgets"}), HasSubstr("`kinformer api-resources` lists"));
}

TEST_F(CliMessages, AllNamespacesForbidden_SaysToAskForOne) {
  server_.AnswerWith([](const HttpRequest& request) -> std::optional<ScriptedResponse> {
    if (request.target.find("/configmaps") == std::string::npos) return std::nullopt;
    return StatusFailure(403, "Forbidden", "configmaps is forbidden");
  });
  EXPECT_THAT(Run({"get", "configmaps", "-A"}), HasSubstr("-n NS in place of -A"));
  EXPECT_THAT(Run({"watch", "configmaps", "-A"}), HasSubstr("-n NS in place of -A"));
  EXPECT_THAT(Run({"get", "configmaps"}), Not(HasSubstr("in place of -A")));
}

// The lines of `kubectl get -w`.
TEST_F(CliMessages, GetThatWatches_PrintsALineForEachChange) {
  server_.Put("a", "1");
  ChildProcess get(Command({"get", "configmaps", "-w"}), {}, /*read_stderr=*/true);
  EXPECT_TRUE(get.WaitForLine("a ", 60s));
  server_.Put("b", "1");
  EXPECT_TRUE(get.WaitForLine("b ", 60s));
  get.Signal(SIGTERM);
  EXPECT_EQ(get.Wait(20s), 0);
}

TEST_F(CliMessages, NotAnApiServer) {
  server_.AnswerWith([](const HttpRequest&) -> std::optional<ScriptedResponse> {
    return ScriptedResponse{.headers = {{"Content-Type", "text/html"}}, .body = "<html>hello"};
  });
  ExpectRefused({server_.ClientConfig().host});
}

// A busy server is waited for, and the wait is reported only once.
TEST_F(CliMessages, ABusyServerIsWaitedForUntilInterrupted) {
  Fault({.resource = "configmaps", .status = 503});
  ChildProcess watch(Command({"watch", "configmaps"}), {}, /*read_stderr=*/true);
  const auto line = watch.ReadLine(20s);
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->rfind("warning: ", 0), 0U) << *line;
  EXPECT_THAT(*line, HasSubstr("trying again"));
  server_.Put("a", "1");
  server_.With([](apiserver::ApiServer& api) { api.faults().Clear(); });
  EXPECT_TRUE(watch.WaitForLine("+ a ", 60s));
  watch.Signal(SIGTERM);
  EXPECT_EQ(watch.Wait(20s), 0);
}

}  // namespace
}  // namespace kinformer::testing

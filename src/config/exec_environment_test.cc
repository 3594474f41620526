// Environment of a credential plugin: variables, standard input, descriptors, signals, its group.

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "kinformer/base/simulation.h"

#include "config/exec_plugin.h"
#include "config/testing/plugins.h"
#include "config/testing/terminal_on_stdin.h"

namespace kinformer::internal::config {
namespace {

class ExecEnvironment : public ::testing::Test {
 protected:
  // Runs a script that answers with a token, and returns the token.
  std::string Token(const ExecConfig& exec) {
    const auto got = RunExecPlugin(sim_.env(), exec, {});
    return got ? got->credentials.authorization.substr(sizeof "Bearer " - 1)
               : got.error().message();
  }
  std::string Token(const std::string& script) { return Token(ScriptPlugin(folder_, script)); }

  Simulation sim_;
  const Folder folder_;
};

TEST_F(ExecEnvironment, Variables_AreInheritedAndReplaced) {
  setenv("KINFORMER_EXEC_KEPT", "kept=1", 1);
  setenv("KINFORMER_EXEC_KEPT_TOO", "2", 1);
  setenv("KINFORMER_EXEC_OVER", "old", 1);
  setenv("KUBERNETES_EXEC_INFO", "old", 1);
  const std::string variables = folder_.path() + "/variables";
  ExecConfig exec = ScriptPlugin(
      folder_,
      "tr '\\0' '\\n' < /proc/$$/environ | grep -E '^(KINFORMER|KUBERNETES)_EXEC' | sort > " +
          variables + "\n" + EchoToken("t"));
  exec.env = {{"KINFORMER_EXEC_NEW", "a b"}, {"KINFORMER_EXEC_OVER", "new"}, {"Z", ""}};
  EXPECT_EQ(Token(exec), "t");
  std::ifstream in(variables);
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  EXPECT_EQ(text,
            "KINFORMER_EXEC_KEPT=kept=1\nKINFORMER_EXEC_KEPT_TOO=2\n"
            "KINFORMER_EXEC_NEW=a b\nKINFORMER_EXEC_OVER=new\n"
            "KUBERNETES_EXEC_INFO=" +
                ExecInfoJson(exec, {}, false) + "\n");
  for (const char* name : {"KINFORMER_EXEC_KEPT", "KINFORMER_EXEC_KEPT_TOO", "KINFORMER_EXEC_OVER",
                           "KUBERNETES_EXEC_INFO"}) {
    unsetenv(name);
  }
}

TEST_F(ExecEnvironment, Arguments_ArePassedAsTheyAre) {
  ExecConfig exec = ScriptPlugin(folder_, EchoToken("$#|$1|$2|$3"));
  EXPECT_EQ(Token(exec), "0|||");
  exec.args = {"a b", "", "$x"};
  EXPECT_EQ(Token(exec), "3|a b||$x");
}

TEST_F(ExecEnvironment, StandardInput_IsEmptyAndReadOnly) {
  const int before = dup(STDIN_FILENO);
  const int file = open(folder_.Write("input", "typed\n").c_str(), O_RDWR);
  ASSERT_EQ(dup2(file, STDIN_FILENO), STDIN_FILENO);
  const std::string got =
      Token("read -r line; input=$(readlink /proc/$$/fd/0)\n" + EchoToken("$line|$input"));
  dup2(before, STDIN_FILENO);
  close(before);
  close(file);
  EXPECT_EQ(got, "|/dev/null");
}

TEST_F(ExecEnvironment, Descriptor3_IsNotInherited) {
  const int flags = fcntl(3, F_GETFD);
  if (flags < 0) {
    ASSERT_EQ(dup2(STDERR_FILENO, 3), 3);
  } else {
    ASSERT_EQ(fcntl(3, F_SETFD, 0), 0);
  }
  const std::string got = Token(
      "[ -e /proc/$$/fd/3 ] && three=open || three=closed\n"
      "[ -e /proc/$$/fd/2 ] && two=open || two=closed\n" +
      EchoToken("$three $two"));
  if (flags < 0) {
    close(3);
  } else {
    fcntl(3, F_SETFD, flags);
  }
  EXPECT_EQ(got, "closed open");
}

// The shell reads its own status without a child process.
constexpr char kReadStatus[] =
    "while read -r name value; do case $name in SigBlk:) blocked=$value;; SigIgn:) "
    "ignored=$value;; esac; done < /proc/self/status\n";

TEST_F(ExecEnvironment, Signals_AreNotBlockedAndSigpipeEndsIt) {
  sigset_t blocked;
  sigset_t before;
  sigemptyset(&blocked);
  for (const int signal : {SIGUSR1, SIGTERM, SIGALRM}) sigaddset(&blocked, signal);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  void (*const pipe_before)(int) = std::signal(SIGPIPE, SIG_IGN);
  void (*const user_before)(int) = std::signal(SIGUSR2, SIG_IGN);
  const std::string got = Token(kReadStatus + EchoToken("$blocked $ignored"));
  std::signal(SIGUSR2, user_before);
  std::signal(SIGPIPE, pipe_before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  ASSERT_EQ(got.size(), 33U) << got;
  EXPECT_EQ(got.substr(0, 16), "0000000000000000");
  const std::uint64_t ignored = std::stoull(got.substr(17), nullptr, 16);
  EXPECT_EQ(ignored >> (SIGPIPE - 1) & 1U, 0U);
  EXPECT_EQ(ignored >> (SIGUSR2 - 1) & 1U, 1U) << "others stay as they are";
}

constexpr char kReadGroup[] =
    "read -r pid command state parent group rest < /proc/self/stat\n"
    "[ -t 0 ] && input=terminal || input=other\n";

TEST_F(ExecEnvironment, ProcessGroup_IsItsOwnWithoutTerminal) {
  const std::string own = std::to_string(getpgrp());
  const std::string script =
      kReadGroup + EchoToken("$([ $pid = $group ] && echo leader) $group $input");
  ExecConfig exec = ScriptPlugin(folder_, script);
  std::string got = Token(exec);
  EXPECT_TRUE(got.starts_with("leader ")) << got;
  EXPECT_TRUE(got.ends_with(" other")) << got;
  const TerminalOnStdin terminal;
  got = Token(exec);
  EXPECT_TRUE(got.starts_with("leader ")) << got;
  EXPECT_TRUE(got.ends_with(" other")) << got;
  for (const char* mode : {"IfAvailable", "Always"}) {
    exec.interactive_mode = mode;
    EXPECT_EQ(Token(exec), own + " terminal");
  }
}

}  // namespace
}  // namespace kinformer::internal::config

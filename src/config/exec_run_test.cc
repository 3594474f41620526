// Processes of credential plugins: their ends, their output, and that nothing of them is left.

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <sstream>
#include <stop_token>
#include <string>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"

#include "base/core/testing/ticking_env.h"
#include "config/exec_plugin.h"
#include "config/testing/plugins.h"

namespace kinformer::internal::config {
namespace {

using std::chrono::seconds;

std::ptrdiff_t OpenDescriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"),
                       std::filesystem::directory_iterator());
}

// Expects that each plugin is reaped and each pipe closed at the end of a test.
class ExecRun : public ::testing::Test {
 protected:
  ~ExecRun() override {
    EXPECT_EQ(OpenDescriptors(), open_);
    EXPECT_EQ(waitpid(-1, nullptr, WNOHANG), -1) << "a process is left";
    EXPECT_EQ(errno, ECHILD);
  }
  // Time stands still meanwhile.
  std::string Run(const ExecConfig& exec) { return Text(RunExecPlugin(sim_.env(), exec, {})); }
  std::string RunScript(const std::string& script) { return Run(ScriptPlugin(folder_, script)); }

  static std::string Text(const Result<ExecAnswer>& got) {
    return got ? got->credentials.authorization : got.error().message();
  }
  [[nodiscard]] std::string Named() const {
    return "credential plugin " + folder_.path() + "/plugin: ";
  }

  Simulation sim_;
  const Folder folder_;

 private:
  const std::ptrdiff_t open_ = OpenDescriptors();
};

TEST_F(ExecRun, EndOfThePlugin_IsReported) {
  const std::string answer = EchoToken("t");
  const std::pair<std::string, std::string> rows[] = {
      {answer, "Bearer t"},
      {answer + "exit 0", "Bearer t"},
      {answer + "exit 1", Named() + "failed with exit code 1"},
      {"exit 73", Named() + "failed with exit code 73"},
      {"exit 126", Named() + "failed with exit code 126"},
      {"exit 127", Named() + "executable not found, or exit code 127"},
      {"echo x; exit 127", Named() + "failed with exit code 127"},
      {"exit 255", Named() + "failed with exit code 255"},
      {"kill -9 $$", Named() + "killed by signal 9"},
      {answer + "kill -15 $$", Named() + "killed by signal 15"},
      {"exit 0", Named() + "its output is not JSON"},
      {"echo x", Named() + "its output is not JSON"},
      // It closes its output a while before it fails.
      {answer + "exec 1>&-; sleep 0.05; exit 3", Named() + "failed with exit code 3"},
      {answer + "exec 1>&-; sleep 0.05", "Bearer t"},
  };
  for (const auto& [script, want] : rows) EXPECT_EQ(RunScript(script), want) << script;
}

TEST_F(ExecRun, CommandThatCannotRun_IsReported) {
  ExecConfig exec = ScriptPlugin(folder_, "");
  exec.install_hint = "Get it";
  exec.command = "/nonexistent/plugin";
  EXPECT_EQ(Run(exec),
            "credential plugin /nonexistent/plugin: executable not found; install it, or correct "
            "users[].user.exec.command. Get it");
  exec.command = folder_.Write("text", "no program");
  EXPECT_EQ(Run(exec),
            "credential plugin " + exec.command + ": cannot be run: Permission denied. Get it");
  exec.interactive_mode = "Maybe";
  EXPECT_EQ(Run(exec),
            "credential plugin " + exec.command + ": unknown interactiveMode \"Maybe\". Get it");
}

TEST_F(ExecRun, EachCallIsCountedByItsOutcome_EX20) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim({.seed = 1, .metrics = metrics});
  ExecConfig missing = ScriptPlugin(folder_, "");
  missing.command = "/nonexistent/plugin";
  ExecConfig stopped = ScriptPlugin(folder_, EchoToken("t"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_FALSE(RunExecPlugin(sim.env(), stopped, {}, stop.get_token()).ok());
  EXPECT_FALSE(RunExecPlugin(sim.env(), missing, {}).ok());
  missing.interactive_mode = "Maybe";
  EXPECT_FALSE(RunExecPlugin(sim.env(), missing, {}).ok()) << "which calls nothing";
  for (const std::string& script :
       {EchoToken("t"), EchoToken("t"), std::string("exit 0"), std::string("exit 73"),
        std::string("exit 127"), std::string("kill -9 $$")}) {
    (void)RunExecPlugin(sim.env(), ScriptPlugin(folder_, script), {});
  }
  std::string counts;
  std::istringstream text(metrics->Text());
  for (std::string line; std::getline(text, line);) {
    if (line.starts_with("rest_client_exec_plugin_call_total")) counts += line + "\n";
  }
  const std::string name = "rest_client_exec_plugin_call_total{code=";
  EXPECT_EQ(counts, name + "\"-1\",call_status=\"plugin_execution_error\"} 1\n" +     //
                        name + "\"0\",call_status=\"no_error\"} 3\n" +                //
                        name + "\"1\",call_status=\"client_internal_error\"} 1\n" +   //
                        name + "\"1\",call_status=\"plugin_not_found_error\"} 1\n" +  //
                        name + "\"127\",call_status=\"plugin_execution_error\"} 1\n" + name +
                        "\"73\",call_status=\"plugin_execution_error\"} 1\n");
}

TEST_F(ExecRun, WithoutFreeDescriptors_IsReported) {
  const ExecConfig exec = ScriptPlugin(folder_, EchoToken("t"));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  rlimit none = before;
  none.rlim_cur = 0;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  const auto got = RunExecPlugin(sim_.env(), exec, {});
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_EQ(Text(got), Named() + "cannot be run: Too many open files");
}

TEST_F(ExecRun, OutputUpTo16MiB_IsRead) {
  const std::string answer = PluginAnswer("{\"token\":\"t\"}");
  const std::size_t limit = std::size_t{16} << 20;
  const std::string most = folder_.Write("most", answer + std::string(limit - answer.size(), ' '));
  EXPECT_EQ(RunScript("exec cat " + most), "Bearer t");
  const std::string more =
      folder_.Write("more", answer + std::string(limit + 1 - answer.size(), ' '));
  ASSERT_EQ(RunScript("exec cat " + more), Named() + "its output does not end");
  EXPECT_EQ(RunScript("exec cat /dev/zero"), Named() + "its output does not end");
}

TEST_F(ExecRun, OutputInPieces_IsOneAnswer) {
  const std::string answer = PluginAnswer("{\"token\":\"t\"}");
  std::string script;
  for (std::size_t at = 0; at < answer.size(); at += 20) {
    script += "printf %s '" + answer.substr(at, 20) + "'; sleep 0.01\n";
  }
  EXPECT_EQ(RunScript(script), "Bearer t");
}

// A clock that calls a function each time that it is read, and goes forward by what that returns.
class WatchedClock final : public base::EnvView {
 public:
  WatchedClock(Env& env, std::function<Duration()> read)
      : EnvView(env, env.loop()), read_(std::move(read)) {}
  [[nodiscard]] SteadyTime Now() const override { return EnvView::Now() + read_(); }

 private:
  const std::function<Duration()> read_;
};

// The clock is read once for the deadline, and before each wait for output. At its third read with
// the file there, a wait has returned the byte that was written before the file.
TEST_F(ExecRun, OutputThatBeginsWithOneByte_IsReadToItsEnd) {
  const std::string wrote = folder_.path() + "/wrote";
  const std::string go = folder_.path() + "/go";
  int reads = 0;
  WatchedClock clock(sim_.env(), [&] {
    if (std::filesystem::exists(wrote) && ++reads == 3) static_cast<void>(folder_.Write("go", ""));
    return Duration(0);
  });
  const std::string script =
      "printf '{'; echo > " + wrote + "\ni=0; while [ ! -e " + go +
      " ] && [ $i -lt 2000 ]; do sleep 0.01; i=$((i + 1)); done\nprintf %s '" +
      PluginAnswer("{\"token\":\"t\"}").substr(1) + "'";
  EXPECT_EQ(Text(RunExecPlugin(clock, ScriptPlugin(folder_, script), {})), "Bearer t");
  EXPECT_GE(reads, 3);
}

// The clock advances by a second each time that it is read.
TEST_F(ExecRun, TimeIsUp_PluginIsKilled) {
  base::TickingEnv env(sim_.env(), seconds(1));
  ExecConfig exec = ScriptPlugin(folder_, "exec sleep 100");
  exec.timeout = seconds(4);
  EXPECT_EQ(Text(RunExecPlugin(env, exec, {})), Named() + "no answer within 4 s");
  exec = ScriptPlugin(folder_, EchoToken("t") + "exec sleep 100 1>&-");
  exec.timeout = seconds(100);
  EXPECT_EQ(Text(RunExecPlugin(env, exec, {})), Named() + "it does not end");
}

// The third read with the file there comes after the output, which was closed before.
TEST_F(ExecRun, PluginThatRunsAtItsDeadline_IsKilled) {
  const std::string closed = folder_.path() + "/closed";
  const ExecConfig exec = ScriptPlugin(folder_, "exec 1>&-\necho > " + closed + "\nexec sleep 100");
  int reads = 0;
  WatchedClock clock(sim_.env(), [&] {
    return std::filesystem::exists(closed) && ++reads > 2 ? Duration(exec.timeout) : Duration(0);
  });
  EXPECT_EQ(Text(RunExecPlugin(clock, exec, {})), Named() + "it does not end");
}

TEST_F(ExecRun, Timeout_OfOneMillisecondOutlastsAClockThatStands) {
  ExecConfig exec = ScriptPlugin(folder_, EchoToken("t"));
  exec.timeout = std::chrono::milliseconds(1);
  EXPECT_EQ(Run(exec), "Bearer t");
  exec.timeout = Duration(0);
  EXPECT_EQ(Run(exec), Named() + "no answer within 0 s");
}

TEST_F(ExecRun, StopBeforeItsEnd_KillsIt) {
  std::stop_source stop;
  stop.request_stop();
  const auto got =
      RunExecPlugin(sim_.env(), ScriptPlugin(folder_, "exec sleep 100"), {}, stop.get_token());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().reason(), Reason::kStopped);
  EXPECT_EQ(got.error().message(), Named() + "stopped before it had answered");
}

TEST_F(ExecRun, StopAfterItsOutput_KillsIt) {
  std::stop_source stop;
  const std::string file = folder_.path() + "/closed";
  WatchedClock clock(sim_.env(), [&] {
    if (std::filesystem::exists(file)) stop.request_stop();
    return Duration(0);
  });
  const ExecConfig exec =
      ScriptPlugin(folder_, EchoToken("t") + "exec 1>&-\necho > " + file + "\nexec sleep 100");
  const auto got = RunExecPlugin(clock, exec, {}, stop.get_token());
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().reason(), Reason::kStopped);
  EXPECT_EQ(got.error().message(), Named() + "stopped before it had answered");
}

// A host that ignores SIGCHLD gets no exit codes.
TEST_F(ExecRun, WhereChildrenAreNotReaped_OutputDecides) {
  void (*const before)(int) = std::signal(SIGCHLD, SIG_IGN);
  const std::string failed = RunScript(EchoToken("t") + "exit 3");
  const std::string silent = RunScript("exit 0");
  const std::string pid_file = folder_.path() + "/pid";
  const std::string held = RunScript("sleep 100 &\necho $! > " + pid_file + "\n" + EchoToken("t"));
  std::signal(SIGCHLD, before);
  EXPECT_EQ(failed, "Bearer t");
  EXPECT_EQ(silent, Named() + "its output is not JSON");
  EXPECT_EQ(held, "Bearer t");
  pid_t pid = 0;
  ASSERT_TRUE(std::ifstream(pid_file) >> pid);
  EXPECT_TRUE(Runs(pid)) << "what holds the output is not awaited";
  kill(pid, SIGKILL);
}

// Signals interrupt the wait for the output.
TEST_F(ExecRun, SignalsOfTheHost_DoNotEndTheWait) {
  struct sigaction handler{};
  struct sigaction before{};
  handler.sa_handler = [](int) {};
  ASSERT_EQ(sigaction(SIGUSR1, &handler, &before), 0);
  const std::string got =
      RunScript("for i in 1 2 3 4 5; do kill -USR1 $PPID; sleep 0.01; done\n" + EchoToken("t"));
  ASSERT_EQ(sigaction(SIGUSR1, &before, nullptr), 0);
  EXPECT_EQ(got, "Bearer t");
}

}  // namespace
}  // namespace kinformer::internal::config

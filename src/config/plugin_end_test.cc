// Credential plugins that hang: when they are killed, and that no process is left.

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/runtime.h"

#include "base/core/env_view.h"
#include "base/loop/own_work.h"
#include "config/credentials.h"
#include "config/exec_plugin.h"
#include "config/testing/kubeconfig_texts.h"
#include "config/testing/plugins.h"
#include "config/testing/terminal_on_stdin.h"
#include "transport/awaited_source.h"

namespace kinformer {
namespace {

using internal::transport::AwaitedSource;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

void Pause(milliseconds time = milliseconds(1)) { std::this_thread::sleep_for(time); }

// A loop on which a task is due at once, if its delay is at most the time after which an unused
// plugin is killed.
class HurriedLoop final : public Executor, public internal::base::HasOwnWork {
 public:
  explicit HurriedLoop(Env& env) : env_(env) {}
  void Post(Closure task) override { env_.loop().Post(std::move(task)); }
  [[nodiscard]] Timer RunAt(SteadyTime when, Closure task) override {
    return env_.loop().RunAt(when - seconds(10), std::move(task));
  }
  [[nodiscard]] bool InThisExecutor() const override { return env_.loop().InThisExecutor(); }
  [[nodiscard]] internal::base::OwnWork own_work() override {
    return internal::base::OwnWorkOf(env_);
  }

 private:
  Env& env_;
};

// Behaves like another Env, but has a different loop.
class HurriedEnv final : public internal::base::EnvView {
 public:
  explicit HurriedEnv(Env& env) : EnvView(env, loop_), loop_(env) {}

 private:
  HurriedLoop loop_;
};

// Parameter: whether the plugin may use the terminal. If so, it is in our process group, since it
// could not read from the terminal elsewhere, and only the plugin's own process can be killed.
class HangingPlugin : public testing::TestWithParam<bool> {
 protected:
  HangingPlugin() {
    if (GetParam()) terminal_.emplace();
  }
  // Hangs much longer than a test, but ends at some time, in case a test fails.
  [[nodiscard]] ExecConfig Plugin() const {
    const std::string script = GetParam() ? "echo $$ > " + pid_file_ + "; exec sleep 100\n"
                                          : "sleep 100 & echo $! > " + pid_file_ + "; wait\n";
    const std::string path = folder_.Write("plugin", "#!/bin/sh\n" + script);
    chmod(path.c_str(), 0700);
    return {.command = path,
            .api_version = "client.authentication.k8s.io/v1",
            .interactive_mode = GetParam() ? "Always" : "Never",
            .timeout = seconds(100)};
  }
  // Waits until the plugin hangs.
  void AwaitHang() {
    while (!(std::ifstream(pid_file_) >> pid_)) Pause();
  }
  [[nodiscard]] bool Runs() const { return kinformer::Runs(pid_); }
  void ExpectKilled() const {
    for (int i = 0; i < 5000 && Runs(); ++i) Pause();
    EXPECT_FALSE(Runs());
  }
  template <class Work>
  void OnLoop(const Work& work) {
    std::promise<void> done;
    runtime_->env().loop().Post([&] {
      work();
      done.set_value();
    });
    done.get_future().get();
  }

  std::unique_ptr<Runtime> runtime_ = std::make_unique<Runtime>();

 private:
  std::optional<TerminalOnStdin> terminal_{};
  const Folder folder_;
  const std::string pid_file_ = folder_.path() + "/pid";
  pid_t pid_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Modes, HangingPlugin, testing::Bool(), [](const auto& param) {
  return std::string(param.param ? "Interactive" : "NotInteractive");
});

TEST_P(HangingPlugin, IsKilledByAStop) {
  std::stop_source stop;
  auto run = std::async(std::launch::async, [&] {
    return internal::config::RunExecPlugin(runtime_->env(), Plugin(), {}, stop.get_token());
  });
  AwaitHang();
  stop.request_stop();
  EXPECT_THAT(run.get().error().message(), HasSubstr("stopped"));
  ExpectKilled();
}

TEST_P(HangingPlugin, IsKilledSomeTimeAfterTheLastCallThatWaitedForIt) {
  HurriedEnv env(runtime_->env());
  const auto source = internal::config::NewExecCredentials(Plugin(), {});
  auto* const awaited = dynamic_cast<AwaitedSource*>(source.get());
  ASSERT_NE(awaited, nullptr);
  const std::array<int, 2> calls{};
  int answers = 0;
  OnLoop([&] {
    for (const int& call : calls) {
      awaited->FetchFor(&call, env, [&answers](const auto&) { ++answers; });
    }
  });
  AwaitHang();
  OnLoop([&] { awaited->Forget(&calls[0], env); });
  // Waits long enough for a plugin without waiters to be killed.
  for (int i = 0; i < 20; ++i) {
    Pause(milliseconds(5));
    OnLoop([] {});
  }
  EXPECT_TRUE(Runs()) << "another call waits for it";
  OnLoop([&] { awaited->Forget(&calls[1], env); });
  ExpectKilled();
  EXPECT_EQ(answers, 0);
}

// The end of a Client also ends its source.
TEST_P(HangingPlugin, IsKilledByTheEndOfItsSource) {
  auto source = internal::config::NewExecCredentials(Plugin(), {});
  OnLoop([&] { source->Fetch(runtime_->env(), [](const auto&) {}); });
  AwaitHang();
  OnLoop([&] { source.reset(); });
  ExpectKilled();
}

// The source is destroyed with the loop, after the threads on which plugins run.
TEST_P(HangingPlugin, IsKilledByTheEndOfItsRuntime) {
  std::promise<Timer> kept;
  OnLoop([&] {
    Env& env = runtime_->env();
    const auto source = internal::config::NewExecCredentials(Plugin(), {});
    source->Fetch(env, [](const auto&) {});
    kept.set_value(env.loop().RunAt(env.Now() + std::chrono::hours(1), [source] {}));
  });
  const Timer timer = kept.get_future().get();
  AwaitHang();
  const SteadyTime begin = std::chrono::steady_clock::now();
  runtime_.reset();
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(20));
  ExpectKilled();
}

// An agent that keeps the login, say.
TEST(EndedPlugin, ProcessLeftBehind_GoesOn) {
  const Folder folder;
  const std::string go = folder.path() + "/go";
  const std::string said = folder.path() + "/said";
  const std::string path = folder.Write(
      "plugin",
      "#!/bin/sh\n"
      "(i=0; while [ ! -e " +
          go +
          " ] && [ $i -lt 2000 ]; do sleep 0.01; i=$((i + 1)); done\n"
          " echo on > " +
          said +
          ") > /dev/null &\n"
          R"(echo '{"apiVersion":"client.authentication.k8s.io/v1","status":{"token":"t"}}')");
  chmod(path.c_str(), 0700);
  Runtime runtime;
  const auto got =
      internal::config::RunExecPlugin(runtime.env(),
                                      {.command = path,
                                       .api_version = "client.authentication.k8s.io/v1",
                                       .interactive_mode = "Never"},
                                      {});
  ASSERT_TRUE(got.ok()) << got.error();
  static_cast<void>(folder.Write("go", ""));
  std::string word;
  for (int i = 0; i < 5000 && !(std::ifstream(said) >> word); ++i) Pause();
  EXPECT_EQ(word, "on");
}

}  // namespace
}  // namespace kinformer

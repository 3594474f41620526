// Logs, commands and ports of pods that the embedded server has from a kubelet of the program.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/apiserver/fake_kubelet.h"
#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/pod_logs.h"
#include "kinformer/client/port_forward.h"
#include "kinformer/client/remote_command.h"

#include "base/loop/signal.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr const char* kPod = R"(
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: default}
spec: {containers: [{name: app, image: i}]}
)";
const ObjectName kName{.namespace_ = "default", .name = "web-0"};

// Counts what goes in and out of its commands.
class CountingKubelet final : public apiserver::FakeKubelet {
 public:
  using FakeKubelet::FakeKubelet;
  std::atomic<std::size_t> written{0};
  std::atomic<std::size_t> read{0};
  std::atomic<bool> reads{false};
  internal::base::Signal go{};
  std::vector<apiserver::WindowSize> sizes{};

  Task<Result<int>> Exec(apiserver::PodContainer container, apiserver::ExecRequest request,
                         apiserver::ContainerStreams streams) override {
    if (request.command[0] == "write") {
      for (int i = 0; i < 100; ++i) {
        std::string piece(100'000, 'o');
        Result<void> taken = co_await streams.out.Write(std::move(piece));
        if (!taken) co_return taken.error();
        written += 100'000;
      }
      co_return 0;
    }
    if (request.command[0] == "read") {
      while (!reads) co_await go.Wait();
      for (;;) {
        Result<std::string> text = co_await streams.in.Read();
        if (!text) co_return text.error();
        if (text->empty()) co_return 0;
        read += text->size();
      }
    }
    if (request.command[0] == "size") {
      for (int i = 0; i < 2; ++i) {
        Result<apiserver::WindowSize> size = co_await streams.NextSize();
        if (!size) co_return size.error();
        sizes.push_back(*size);
        Result<void> told = co_await streams.out.Write("seen");
        if (!told) co_return told.error();
      }
      co_return 0;
    }
    co_return co_await FakeKubelet::Exec(std::move(container), std::move(request),
                                         std::move(streams));
  }
};

class KubeletStreamsTest : public ::testing::Test {
 protected:
  KubeletStreamsTest() {
    server_.Load(kPod).OrExit();
    client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = -1}));
    pods_.emplace(client_->For<corev1::Pod>("default"));
  }
  void Run(const std::function<void()>& body) { EXPECT_TRUE(sim_.RunBlocking(body, minutes(10))); }
  Result<ExecResult> Exec(std::vector<std::string> command, const std::string& input = {}) {
    corev1::PodExecOptions::Mutable options;
    options.command = std::move(command);
    std::optional<Result<ExecResult>> result;
    Run([&] { result.emplace(kinformer::Exec(*pods_, "web-0", options, input)); });
    return *std::move(result);
  }
  std::string Log(const corev1::PodLogOptions::Mutable& options) {
    std::string text;
    Run([&] { text = GetLogs(*pods_, "web-0", options).Do().OrExit().body; });
    return text;
  }

  Simulation sim_{{.seed = 9}};
  const std::shared_ptr<CountingKubelet> kubelet_ = std::make_shared<CountingKubelet>(sim_.env());
  apiserver::ApiServer server_{sim_.env(), {.kubelet = kubelet_}};
  const std::shared_ptr<InMemoryTransport> transport_ = NewInMemoryTransport(sim_.env(), server_);
  std::optional<Client> client_;
  std::optional<ResourceClient<corev1::Pod>> pods_;
};

TEST_F(KubeletStreamsTest, ACommandReadsItsInputToTheEnd) {
  const std::string input(1'000'000, 'i');
  const Result<ExecResult> result = Exec({"cat"}, input);
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_EQ(result->stdout_text, input);
}

TEST_F(KubeletStreamsTest, ACommandsExitCodeComesBack) {
  const Result<ExecResult> failed = Exec({"exit", "7"});
  ASSERT_TRUE(failed.ok()) << failed.error();
  EXPECT_EQ(failed->exit_code, 7);
  EXPECT_EQ(Exec({"echo", "hello"}).value_or({}).stdout_text, "echo hello\n");
}

TEST_F(KubeletStreamsTest, AKubeletThatSupportsNothingSaysSo) {
  apiserver::ApiServer server(sim_.env(), {.kubelet = std::make_shared<apiserver::Kubelet>()});
  server
      .Load(
          "{apiVersion: v1, kind: Pod, metadata: {name: web-0, namespace: default}, "
          "spec: {nodeName: node, containers: [{name: app, image: i}]}}")
      .OrExit();
  transport_->Replace(server);
  const Result<ExecResult> result = Exec({"c"});
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().message(), HasSubstr("this kubelet does not support exec"));
  Run([&] {
    const auto log = GetLogs(*pods_, "web-0").Do();
    ASSERT_FALSE(log.ok());
    EXPECT_EQ(log.error().http_status(), 501);
  });
  transport_->Replace(server_);
}

TEST_F(KubeletStreamsTest, ASlowClientHoldsUpTheCommand) {
  StreamOptions streams;
  std::size_t seen = 0;
  std::size_t ahead = 0;
  streams.on_stdout = [&](std::string_view text) {
    sim_.env().SleepFor(seconds(1));
    ahead = std::max(ahead, kubelet_->written - seen);
    seen += text.size();
  };
  corev1::PodExecOptions::Mutable options;
  options.command = {"write"};
  Run([&] {
    EXPECT_EQ(ExecIn(*pods_, "web-0", options, streams).Stream(streams).value_or(-1), 0);
  });
  EXPECT_EQ(seen, 10'000'000U);
  EXPECT_LT(ahead, 3'000'000U) << "about a megabyte waits in the client, and 256 KB in the server";
}

TEST_F(KubeletStreamsTest, ACommandThatDoesNotReadHoldsUpItsClient) {
  const CommandInput input(sim_.env());
  StreamOptions streams;
  streams.input = input;
  corev1::PodExecOptions::Mutable options;
  options.command = {"read"};
  std::size_t sent = 0;
  std::optional<Result<int>> code;
  const std::unique_ptr<Thread> writer = sim_.env().NewThread("writer", [&] {
    for (int i = 0; i < 100; ++i) {
      CommandInput copy = input;
      if (!copy.Write(std::string(100'000, 'i'))) return;
      sent += 100'000;
    }
    CommandInput(input).Close();
  });
  const std::unique_ptr<Thread> command = sim_.env().NewThread(
      "command", [&] { code.emplace(ExecIn(*pods_, "web-0", options, streams).Stream(streams)); });
  sim_.RunFor(minutes(1));
  EXPECT_GT(sent, 0U);
  EXPECT_LT(sent, 3'000'000U);
  kubelet_->reads = true;
  kubelet_->go.Notify();
  EXPECT_TRUE(sim_.RunUntil([&] { return code.has_value(); }, minutes(10)));
  EXPECT_EQ(kubelet_->read, 10'000'000U);
  EXPECT_EQ(code->value_or(-1), 0);
}

TEST_F(KubeletStreamsTest, TheTerminalsSizesReachTheCommand) {
  CommandInput input(sim_.env());
  input.Resize({.width = 80, .height = 24});
  StreamOptions streams;
  streams.input = input;
  streams.on_stdout = [&](std::string_view) { input.Resize({.width = 100, .height = 30}); };
  corev1::PodExecOptions::Mutable options;
  options.command = {"size"};
  options.tty = true;
  Run([&] {
    EXPECT_EQ(ExecIn(*pods_, "web-0", options, streams).Stream(streams).value_or(-1), 0);
  });
  EXPECT_THAT(kubelet_->sizes, ElementsAre(apiserver::WindowSize{.width = 80, .height = 24},
                                           apiserver::WindowSize{.width = 100, .height = 30}));
}

TEST_F(KubeletStreamsTest, LogsAreCutAsTheRequestSays) {
  for (const char* line : {"first", "second", "third"}) kubelet_->AddLogLine(kName, "app", line);
  corev1::PodLogOptions::Mutable options;
  EXPECT_EQ(Log(options), "first\nsecond\nthird\n");
  options.tailLines = 2;
  EXPECT_EQ(Log(options), "second\nthird\n");
  options.limitBytes = 9;
  EXPECT_EQ(Log(options), "second\nth");
  options = {};
  options.tailLines = 1;
  options.timestamps = true;
  EXPECT_EQ(Log(options), "1970-01-01T00:00:00.000000000Z third\n");
  sim_.RunFor(minutes(2));
  kubelet_->AddLogLine(kName, "app", "fourth");
  options = {};
  options.sinceSeconds = 60;
  EXPECT_EQ(Log(options), "fourth\n");
}

TEST_F(KubeletStreamsTest, AFollowedLogGrowsUntilItsContainerEnds) {
  kubelet_->AddLogLine(kName, "app", "first");
  corev1::PodLogOptions::Mutable options;
  options.follow = true;
  std::vector<std::string> lines;
  std::optional<Result<void>> end;
  const std::unique_ptr<Thread> reader = sim_.env().NewThread("reader", [&] {
    end.emplace(StreamLogLines(*pods_, "web-0", {"app"}, options, [&](const LogLine& line) {
      lines.emplace_back(line.text);
      return true;
    }));
  });
  sim_.RunFor(seconds(1));
  EXPECT_THAT(lines, ElementsAre("first"));
  kubelet_->AddLogLine(kName, "app", "second");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(lines, ElementsAre("first", "second"));
  EXPECT_FALSE(end.has_value());
  kubelet_->EndLog(kName, "app");
  EXPECT_TRUE(sim_.RunUntil([&] { return end.has_value(); }, minutes(1)));
  EXPECT_TRUE(end->ok());
}

TEST_F(KubeletStreamsTest, APortSendsBackWhatItIsSent) {
  Run([&] {
    Result<PodConnection> connection = PodConnection::Dial(*pods_, "web-0", 80);
    ASSERT_TRUE(connection.ok()) << connection.error();
    ASSERT_TRUE(connection->Write("ping").ok());
    EXPECT_EQ(connection->Read().value_or("none"), "ping");
    connection->Close();
  });
}

class ThrowingKubelet final : public apiserver::Kubelet {
 public:
  Task<Result<void>> Logs(apiserver::PodContainer, apiserver::LogRequest,
                          apiserver::StreamOutput) override {
    throw std::runtime_error("logs");
  }
  Task<Result<int>> Exec(apiserver::PodContainer, apiserver::ExecRequest,
                         apiserver::ContainerStreams) override {
    throw std::runtime_error("exec");
  }
  Task<Result<int>> Attach(apiserver::PodContainer, apiserver::ExecRequest,
                           apiserver::ContainerStreams) override {
    throw std::runtime_error("attach");
  }
  Task<Result<void>> PortForward(apiserver::PodPlace, std::uint16_t, apiserver::StreamInput,
                                 apiserver::StreamOutput) override {
    throw std::runtime_error("port");
  }
  [[nodiscard]] bool RunsUnscheduledPods() const override {
    if (asked) throw std::runtime_error("asked");
    return true;
  }
  bool asked = false;
};

TEST(ThrowingKubeletTest, AnExceptionOfAKubeletEndsItsStream) {
  Simulation sim({.seed = 2});
  const auto kubelet = std::make_shared<ThrowingKubelet>();
  apiserver::ApiServer server(sim.env(), {.kubelet = kubelet});
  server.Load(kPod).OrExit();
  const std::shared_ptr<InMemoryTransport> transport = NewInMemoryTransport(sim.env(), server);
  const Client client = Client::ForTransport(sim.env(), transport, {.qps = -1});
  const auto pods = client.For<corev1::Pod>("default");
  StreamOptions streams;
  streams.on_stdout = [](std::string_view) {};
  EXPECT_TRUE(sim.RunBlocking(
      [&] {
        EXPECT_EQ(GetLogs(pods, "web-0").Do().error().http_status(), 500);
        corev1::PodExecOptions::Mutable options;
        options.command = {"c"};
        EXPECT_THAT(ExecIn(pods, "web-0", options, streams).Stream(streams).error().message(),
                    HasSubstr("exec"));
        EXPECT_THAT(AttachTo(pods, "web-0", {}, streams).Stream(streams).error().message(),
                    HasSubstr("attach"));
        Result<PodConnection> connection = PodConnection::Dial(pods, "web-0", 80);
        ASSERT_TRUE(connection.ok());
        EXPECT_THAT(connection->Read().error().message(), HasSubstr("port"));
        kubelet->asked = true;
        EXPECT_EQ(GetLogs(pods, "web-0").Do().error().http_status(), 500);
      },
      minutes(10)));
}

// The same over HTTP/1.1, beside other requests of the server.
TEST(KubeletOverHttp, ACommandAndAPortAreReachedOverTls) {
  Runtime runtime({.log = NewNullLog()});
  Env& env = runtime.env();
  const auto on_loop = [&](const std::function<void()>& work) {
    std::promise<void> done;
    env.loop().Post([&] {
      work();
      done.set_value();
    });
    done.get_future().wait();
  };
  const auto kubelet = std::make_shared<apiserver::FakeKubelet>(env);
  std::unique_ptr<apiserver::ApiServer> server;
  on_loop([&] {
    server = std::make_unique<apiserver::ApiServer>(
        env, apiserver::ApiServerOptions{.kubelet = kubelet});
    server->Load(kPod).OrExit();
  });
  {
    const auto http = apiserver::HttpServer::Listen(env, *server, {.tls = true}).OrExit();
    Config config;
    config.host = http->url();
    config.tls.ca_data = http->ca_pem();
    const Client client = Client::NewForConfig(env, config, {.qps = -1}).OrExit();
    const auto pods = client.For<corev1::Pod>("default");
    corev1::PodExecOptions::Mutable options;
    options.command = {"cat"};
    const std::string input(3'000'000, 'i');
    const Result<ExecResult> result = kinformer::Exec(pods, "web-0", options, input);
    ASSERT_TRUE(result.ok()) << result.error();
    EXPECT_EQ(result->stdout_text, input);
    Result<PodConnection> connection = PodConnection::Dial(pods, "web-0", 80);
    ASSERT_TRUE(connection.ok()) << connection.error();
    ASSERT_TRUE(connection->Write("ping").ok());
    EXPECT_EQ(connection->Read().value_or("none"), "ping");
    connection->Close();
  }
  on_loop([&] { server.reset(); });
}

}  // namespace
}  // namespace kinformer

#include "kinformer/client/remote_command.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/client/transport_wrapper.h"

#include "client/testing/websocket_server.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Stream = testing::WebSocketServer::Stream;

constexpr const char* kSuccess = R"({"metadata":{},"status":"Success"})";

std::string Exit(int code) {
  return R"({"metadata":{},"status":"Failure","reason":"NonZeroExitCode","message":"command )"
         R"(terminated","details":{"causes":[{"reason":"ExitCode","message":")" +
         std::to_string(code) + R"("}]}})";
}

class RemoteCommandTest : public ::testing::Test {
 protected:
  void SetUp() override {
    transport_ = NewInMemoryTransport(sim_.env(), server_, {.max_chunk_bytes = 7});
    client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = -1}));
    pods_.emplace(client_->For<corev1::Pod>("default"));
    options_.command = {"sh", "-c", "x y"};
  }
  Result<ExecResult> Run(const std::string& input = {}, const CallOptions& call = {}) {
    std::optional<Result<ExecResult>> result;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] { result.emplace(Exec(*pods_, "web-0", options_, input, call)); }, minutes(10)));
    return *std::move(result);
  }
  // A command that echoes its stdin until that ends.
  void ServeEcho() {
    server_.on_message = [this](Stream& stream, const std::string& message) {
      messages_.push_back(message);
      if (message == "\xff" + std::string(1, '\0')) {
        stream.Send(3, kSuccess);
        stream.Close();
      } else if (message[0] == '\0') {
        stream.Send(1, message.substr(1));
      }
    };
  }

  Simulation sim_{{.seed = 4}};
  testing::WebSocketServer server_;
  std::shared_ptr<InMemoryTransport> transport_;
  std::optional<Client> client_;
  std::optional<ResourceClient<corev1::Pod>> pods_;
  corev1::PodExecOptions::Mutable options_;
  std::vector<std::string> messages_;
};

TEST_F(RemoteCommandTest, ACommandsOutputAndExitCodeComeBack) {
  server_.on_open = [](Stream& stream) {
    stream.Send(1, "");  // kubelets begin with empty messages
    stream.Send(1, "out ");
    stream.Send(2, "err");
    stream.Send(1, "put");
    stream.Send(3, Exit(7));
    stream.Close();
  };
  options_.container = "app";
  const Result<ExecResult> result = Run();
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(result->exit_code, 7);
  EXPECT_EQ(result->stdout_text, "out put");
  EXPECT_EQ(result->stderr_text, "err");
  const HttpRequest& request = server_.requests.at(0);
  EXPECT_EQ(request.method, "GET");
  EXPECT_EQ(request.target,
            "/api/v1/namespaces/default/pods/web-0/exec?command=sh&command=-c&command=x%20y"
            "&container=app&stderr=true&stdout=true");
  EXPECT_EQ(request.headers.Get("Sec-WebSocket-Protocol"), "v5.channel.k8s.io, v4.channel.k8s.io");
  EXPECT_EQ(request.headers.Get("Sec-WebSocket-Version"), "13");
  EXPECT_EQ(request.headers.Get("Sec-WebSocket-Key").size(), 24U);
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(server_.streams.empty());
}

TEST_F(RemoteCommandTest, InputIsPassedOnAndEnded) {
  ServeEcho();
  const std::string input(100'000, 'i');
  const Result<ExecResult> result = Run(input);
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_EQ(result->stdout_text, input);
  EXPECT_THAT(server_.requests.at(0).target, HasSubstr("&stdin=true"));
}

TEST_F(RemoteCommandTest, AnAwaitedCommandIsTheSame) {
  ServeEcho();
  std::optional<Result<ExecResult>> result;
  AsyncExec(*pods_, "web-0", options_, "hello").Start([&](Result<ExecResult> r) { result = r; });
  ASSERT_TRUE(sim_.RunUntil([&] { return result.has_value(); }, minutes(1)));
  ASSERT_TRUE(result->ok()) << result->error();
  EXPECT_EQ((*result)->stdout_text, "hello");
}

TEST_F(RemoteCommandTest, ATerminalHasItsSizeAndNoStderr) {
  server_.on_message = [this](Stream& stream, const std::string& message) {
    messages_.push_back(message);
    if (messages_.size() < 3) return;
    stream.Send(3, kSuccess);
    stream.Close();
  };
  StreamOptions streams;
  streams.input.emplace(sim_.env());
  streams.input->Resize({.width = 80, .height = 24});
  std::string seen;
  streams.on_stdout = [&](std::string_view text) { seen += text; };
  streams.on_stderr = [](std::string_view) {};
  options_.tty = true;
  server_.on_open = [&](Stream& stream) { stream.Send(1, "$ "); };
  streams.on_stdout = [&](std::string_view text) {
    seen += text;
    streams.input->Resize({.width = 100, .height = 30});
    EXPECT_TRUE(streams.input->Write("ls\n").ok());
  };
  Result<int> code = 1;
  EXPECT_TRUE(sim_.RunBlocking(
      [&] { code = ExecIn(*pods_, "web-0", options_, streams).Stream(streams); }, minutes(1)));
  EXPECT_EQ(code.value_or(1), 0);
  EXPECT_EQ(seen, "$ ");
  EXPECT_THAT(messages_,
              ElementsAre("\x04{\"Width\":80,\"Height\":24}", "\x04{\"Width\":100,\"Height\":30}",
                          std::string("\0ls\n", 4)));
  EXPECT_THAT(server_.requests.at(0).target, HasSubstr("stdin=true&stdout=true&tty=true"));
}

TEST_F(RemoteCommandTest, AttachCarriesTheSameStreams) {
  server_.on_open = [](Stream& stream) {
    stream.Send(1, "log line");
    stream.Send(3, kSuccess);
    stream.Close();
  };
  StreamOptions streams;
  std::string seen;
  streams.on_stdout = [&](std::string_view text) { seen += text; };
  corev1::PodAttachOptions::Mutable options;
  options.container = "app";
  Result<int> code = 1;
  EXPECT_TRUE(sim_.RunBlocking(
      [&] { code = AttachTo(*pods_, "web-0", options, streams).Stream(streams); }, minutes(1)));
  EXPECT_EQ(code.value_or(1), 0);
  EXPECT_EQ(seen, "log line");
  EXPECT_EQ(server_.requests.at(0).target,
            "/api/v1/namespaces/default/pods/web-0/attach?container=app&stdout=true");
}

TEST_F(RemoteCommandTest, WithV4TheEndOfTheInputIsNotSent) {
  server_.protocol = "v4.channel.k8s.io";
  server_.on_message = [this](Stream& stream, const std::string& message) {
    messages_.push_back(message);
    stream.Send(3, kSuccess);
    stream.Close();
  };
  EXPECT_TRUE(Run("text").ok());
  EXPECT_THAT(messages_, ElementsAre(std::string("\0text", 5)));
}

TEST_F(RemoteCommandTest, ARefusalIsItsErrorAndIsNotRepeated) {
  server_.refusal = testing::Busy(503, "1", "the kubelet is busy");
  const Result<ExecResult> busy = Run();
  ASSERT_FALSE(busy.ok());
  EXPECT_EQ(busy.error().http_status(), 503);
  EXPECT_EQ(server_.requests.size(), 1U);
  server_.refusal = testing::Json("{}");
  const Result<ExecResult> ignored = Run();
  ASSERT_FALSE(ignored.ok());
  EXPECT_THAT(ignored.error().message(), HasSubstr("does not change to a WebSocket"));
}

TEST_F(RemoteCommandTest, AFailureWithoutAnExitCodeIsAnError) {
  struct Row {
    std::string status;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {R"({"status":"Failure","reason":"InternalError","message":"no such container",)"
            R"("code":500})",
            "no such container"},
           {R"({"status":"Failure","reason":"NonZeroExitCode","message":"ended oddly"})",
            "ended oddly"},
           {"not json", "no Status that can be read"},
           {"", "without saying how the command ended"}}) {
    server_.on_open = [&](Stream& stream) {
      if (!row.status.empty()) stream.Send(3, row.status);
      stream.Close();
    };
    const Result<ExecResult> result = Run();
    ASSERT_FALSE(result.ok()) << row.status;
    EXPECT_THAT(result.error().message(), HasSubstr(row.message));
  }
}

TEST_F(RemoteCommandTest, AStrangeServerIsAnError) {
  struct Row {
    std::function<void()> set;
    std::string message;
  };
  for (const Row& row : std::vector<Row>{
           {[this] { server_.on_open = [](Stream& s) { s.Cut(); }; }, "ended without a close"},
           {[this] { server_.on_open = [](Stream& s) { s.Close(1011); }; }, "with code 1011"},
           {[this] { server_.on_open = [](Stream& s) { s.Raw("\x82\x85"); }; }, "masked"},
           {[this] { server_.protocol = "channel.k8s.io"; }, "chose the protocol"},
           {[this] { server_.wrong_key = true; }, "Sec-WebSocket-Accept"}}) {
    server_.on_open = nullptr;
    row.set();
    const Result<ExecResult> result = Run();
    ASSERT_FALSE(result.ok()) << row.message;
    EXPECT_THAT(result.error().message(), HasSubstr(row.message));
    sim_.RunFor(seconds(1));
    EXPECT_TRUE(server_.streams.empty());
  }
}

TEST_F(RemoteCommandTest, AServerWithoutASignOfLifeIsGivenUp) {
  server_.answers_pings = false;
  const SteadyTime begun = sim_.env().Now();
  const Result<ExecResult> result = Run();
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(result.error().message(), HasSubstr("no sign of life"));
  EXPECT_NEAR(static_cast<double>((sim_.env().Now() - begun) / seconds(1)), 65, 5);
  server_.answers_pings = true;
  server_.pings = 0;
  const Result<ExecResult> patient = Run("", {.timeout = minutes(5)});
  ASSERT_FALSE(patient.ok());
  EXPECT_THAT(patient.error().message(), HasSubstr("longer than the caller allows"));
  EXPECT_NEAR(server_.pings, 60, 2);
}

TEST_F(RemoteCommandTest, ACallerEndsItByItsStopRequestOrItsException) {
  std::stop_source stop;
  const Timer timer =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(3), [&] { stop.request_stop(); });
  const Result<ExecResult> stopped = Run("", {.stop = stop.get_token()});
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().reason(), Reason::kCanceled);
  server_.on_open = [](Stream& stream) { stream.Send(1, "text"); };
  StreamOptions streams;
  streams.on_stdout = [](std::string_view) { throw std::runtime_error("enough"); };
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        EXPECT_THROW(static_cast<void>(ExecIn(*pods_, "web-0", options_, streams).Stream(streams)),
                     std::runtime_error);
      },
      minutes(1)));
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(server_.streams.empty());
}

TEST_F(RemoteCommandTest, InputOfACommandThatIsOverIsRefused) {
  server_.on_open = [](Stream& stream) {
    stream.Send(3, kSuccess);
    stream.Close();
  };
  StreamOptions streams;
  streams.input.emplace(sim_.env());
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        const RemoteExecutor executor = ExecIn(*pods_, "web-0", options_, streams);
        EXPECT_EQ(executor.Stream(streams).value_or(1), 0);
        EXPECT_EQ(streams.input->Write("x").error().reason(), Reason::kStopped);
        const Result<int> again = executor.Stream(streams);
        EXPECT_EQ(again.ok() ? Reason::kUnknown : again.error().reason(), Reason::kInvalidArgument);
      },
      minutes(1)));
  EXPECT_EQ(server_.requests.size(), 1U);
}

TEST_F(RemoteCommandTest, AWriterWaitsForAServerThatDoesNotRead) {
  transport_ = NewInMemoryTransport(sim_.env(), server_,
                                    {.min_latency = seconds(1), .max_latency = seconds(1)});
  client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = -1}));
  pods_.emplace(client_->For<corev1::Pod>("default"));
  ServeEcho();
  StreamOptions streams;
  streams.input.emplace(sim_.env());
  const std::string piece(200'000, 'p');
  constexpr int kPieces = 40;
  std::size_t seen = 0;
  streams.on_stdout = [&](std::string_view text) { seen += text.size(); };
  const std::unique_ptr<Thread> writer = sim_.env().NewThread("writer", [&] {
    const SteadyTime begun = sim_.env().Now();
    for (int i = 0; i < kPieces; ++i) EXPECT_TRUE(streams.input->Write(piece).ok());
    EXPECT_GT(sim_.env().Now() - begun, seconds(5)) << "it was held up";
    streams.input->Close();
  });
  Result<int> code = 1;
  EXPECT_TRUE(sim_.RunBlocking(
      [&] { code = ExecIn(*pods_, "web-0", options_, streams).Stream(streams); }, minutes(60)));
  EXPECT_EQ(code.value_or(1), 0);
  EXPECT_EQ(seen, piece.size() * kPieces);
}

// A transport of the program's own, whose calls throw.
class ThrowingCall final : public HttpCall {
 public:
  explicit ThrowingCall(std::unique_ptr<HttpCall> inner) : inner_(std::move(inner)) {}
  void Send(std::string_view) override { throw std::runtime_error("Send"); }
  [[nodiscard]] std::size_t unsent() const override { throw std::runtime_error("unsent"); }

 private:
  const std::unique_ptr<HttpCall> inner_;
};

class ThrowingTransport final : public ForwardingTransport {
 public:
  using ForwardingTransport::ForwardingTransport;
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    return std::make_unique<ThrowingCall>(inner().Start(std::move(request), receiver));
  }
};

TEST_F(RemoteCommandTest, ATransportThatThrowsWhileSendingHarmsNothingElse) {
  server_.on_open = [](Stream& stream) {
    stream.Send(1, "text");
    stream.Send(3, kSuccess);
    stream.Close();
  };
  client_.emplace(Client::ForTransport(sim_.env(), std::make_shared<ThrowingTransport>(transport_),
                                       {.qps = -1}));
  pods_.emplace(client_->For<corev1::Pod>("default"));
  const Result<ExecResult> result = Run("input");
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(result->stdout_text, "text");
}

}  // namespace
}  // namespace kinformer

// Exec and port-forward over real sockets: libcurl on one side, the HTTP front end on the other.

#include <atomic>
#include <chrono>
#include <future>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/config.h"
#include "kinformer/client/port_forward.h"
#include "kinformer/client/remote_command.h"

#include "client/testing/websocket_server.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;
using Stream = testing::WebSocketServer::Stream;

constexpr const char* kSuccess = R"({"metadata":{},"status":"Success"})";
const std::string kEndOfInput = "\xff" + std::string(1, '\0');

// A kubelet whose commands echo their input, and whose pods echo what they are sent.
class PodStreamsTest : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    kubelet_.on_message = [](Stream& stream, const std::string& message) {
      if (message == kEndOfInput) {
        stream.Send(3, kSuccess);
        stream.Close();
      } else if (message[0] == 0) {
        stream.Message("\x01" + message.substr(1));
      }
    };
    http_ = apiserver::HttpServer::Listen(runtime_.env(), kubelet_, {.tls = GetParam()}).OrExit();
    Config config;
    config.host = http_->url();
    config.tls.ca_data = http_->ca_pem();
    client_.emplace(Client::NewForConfig(runtime_.env(), config, {.qps = -1}).OrExit());
    pods_.emplace(client_->For<corev1::Pod>("default"));
    options_.command = {"cat"};
  }

  // Waits while the loop turns more often than it needs to read everything that it may.
  void LetTheLoopTurn() {
    for (int i = 0; i < 3000; ++i) {
      std::promise<void> turned;
      runtime_.env().loop().Post([&] { turned.set_value(); });
      turned.get_future().wait();
    }
  }

  testing::WebSocketServer kubelet_;
  Runtime runtime_{{.log = NewNullLog()}};
  std::unique_ptr<apiserver::HttpServer> http_;
  std::optional<Client> client_;
  std::optional<ResourceClient<corev1::Pod>> pods_;
  corev1::PodExecOptions::Mutable options_;
};
INSTANTIATE_TEST_SUITE_P(Tls, PodStreamsTest, ::testing::Bool());

TEST_P(PodStreamsTest, ACommandEchoesMegabytes) {
  const std::string input(5'000'000, 'i');
  const Result<ExecResult> result = Exec(*pods_, "web-0", options_, input);
  ASSERT_TRUE(result.ok()) << result.error();
  EXPECT_EQ(result->exit_code, 0);
  EXPECT_EQ(result->stdout_text.size(), input.size());
  EXPECT_EQ(result->stdout_text, input);
}

TEST_P(PodStreamsTest, ManyAwaitedCommandsNeedNoThreadEach) {
  constexpr int kCommands = 50;
  std::atomic<int> done{0};
  std::promise<void> all;
  for (int i = 0; i < kCommands; ++i) {
    const std::string input = "input of " + std::to_string(i);
    AsyncExec(*pods_, "web-0", options_, input).Start([&, input](Result<ExecResult> result) {
      EXPECT_TRUE(result.ok()) << result.error();
      EXPECT_EQ(result.value_or({}).stdout_text, input);
      if (++done == kCommands) all.set_value();
    });
  }
  ASSERT_EQ(all.get_future().wait_for(std::chrono::seconds(60)), std::future_status::ready);
}

TEST_P(PodStreamsTest, ASlowReaderMakesTheCommandWait) {
  kubelet_.on_open = [](Stream& stream) {
    for (int i = 0; i < 100; ++i) stream.Message("\x01" + std::string(100'000, 'o'));
    stream.Send(3, kSuccess);
    stream.Close();
  };
  StreamOptions streams;
  std::size_t seen = 0;
  std::size_t longest = 0;
  streams.on_stdout = [&](std::string_view text) {
    if (seen == 0) LetTheLoopTurn();
    seen += text.size();
    longest = std::max(longest, text.size());
  };
  const Result<int> code = ExecIn(*pods_, "web-0", options_, streams).Stream(streams);
  EXPECT_EQ(code.value_or(-1), 0);
  EXPECT_EQ(seen, 10'000'000U);
  EXPECT_LT(longest, std::size_t{3} << 20) << "at most about a megabyte waits";
}

TEST_P(PodStreamsTest, AServerThatGoesAwayEndsTheCommand) {
  kubelet_.on_open = [this](Stream& stream) {
    stream.Send(1, "started");
    http_->CloseConnections();
  };
  const Result<ExecResult> result = Exec(*pods_, "web-0", options_);
  ASSERT_FALSE(result.ok());
  const Reason reason = result.error().reason();
  EXPECT_TRUE(reason == Reason::kUnexpectedEof || reason == Reason::kTransport) << result.error();
}

TEST_P(PodStreamsTest, APodsPortIsReachedFromThisProgram) {
  testing::ServePort(kubelet_, 80,
                     [](Stream& stream, const std::string& text) { stream.Send(0, text); });
  Result<PodConnection> connection = PodConnection::Dial(*pods_, "web-0", 80);
  ASSERT_TRUE(connection.ok()) << connection.error();
  const std::string piece(300'000, 'p');
  std::string seen;
  for (std::size_t i = 1; i <= 5; ++i) {
    ASSERT_TRUE(connection->Write(piece).ok());
    while (seen.size() < piece.size() * i) {
      const Result<std::string> text = connection->Read();
      ASSERT_TRUE(text.ok()) << text.error();
      ASSERT_FALSE(text->empty());
      seen += *text;
    }
  }
}

TEST_P(PodStreamsTest, ARefusalHasItsStatus) {
  kubelet_.refusal = testing::StatusFailure(404, "NotFound", "pods web-0 not found");
  const Result<ExecResult> result = Exec(*pods_, "web-0", options_);
  ASSERT_FALSE(result.ok());
  EXPECT_TRUE(IsNotFound(result.error())) << result.error();
  EXPECT_THAT(result.error().message(), HasSubstr("not found"));
}

}  // namespace
}  // namespace kinformer

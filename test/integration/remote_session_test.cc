#include "cli/remote_session.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/object/object_from_json.h"

#include "client/testing/websocket_server.h"

namespace kinformer::cli {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;
using ::testing::Not;
using Stream = kinformer::testing::WebSocketServer::Stream;

class RemoteSessionTest : public ::testing::Test {
 protected:
  void SetUp() override {
    transport_ = NewInMemoryTransport(sim_.env(), server_);
    client_.emplace(Client::ForTransport(sim_.env(), transport_, {.qps = -1}));
    // Echoes its input, and ends with it.
    server_.on_message = [this](Stream& stream, const std::string& message) {
      if (message[0] == 4) sizes_ += message.substr(1);
      if (message[0] == 0) stream.Send(1, message.substr(1));
      if (message == "\xff" + std::string(1, '\0')) {
        stream.Send(2, "bye");
        stream.Send(3, R"({"status":"Failure","reason":"NonZeroExitCode","details":{"causes":[)"
                       R"({"reason":"ExitCode","message":"7"}]}})");
        stream.Close();
      }
    };
    io_.on_stdout = [this](std::string_view text) { out_ += text; };
    io_.on_stderr = [this](std::string_view text) { err_ += text; };
    io_.feed = [this](CommandInput input) {
      EXPECT_TRUE(input.Write("hello").ok());
      input.Resize({.width = 80, .height = 24});
      input.Close();
      feeding_ = std::make_shared<int>(1);
      return std::shared_ptr<void>(feeding_);
    };
  }
  Result<int> Run(const SessionPlan& plan) {
    std::optional<Result<int>> code;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] { code.emplace(RunSession(client_->For<corev1::Pod>("default"), plan, io_, {})); },
        minutes(1)));
    return *std::move(code);
  }

  Simulation sim_{{.seed = 3}};
  kinformer::testing::WebSocketServer server_;
  std::shared_ptr<InMemoryTransport> transport_;
  std::optional<Client> client_;
  SessionIo io_;
  std::shared_ptr<int> feeding_;
  std::string out_;
  std::string err_;
  std::string sizes_;
};

TEST_F(RemoteSessionTest, ACommandHasItsStreamsAndItsExitCode) {
  const Result<int> code =
      Run({.pod = "web-0", .container = "app", .command = {"cat", "-n"}, .input = true});
  ASSERT_TRUE(code.ok()) << code.error();
  EXPECT_EQ(*code, 7);
  EXPECT_EQ(out_, "hello");
  EXPECT_EQ(err_, "bye");
  EXPECT_EQ(feeding_.use_count(), 1) << "nothing feeds it any more";
  EXPECT_THAT(server_.requests.at(0).target,
              HasSubstr("/pods/web-0/exec?command=cat&command=-n&container=app&stderr=true"));
}

TEST_F(RemoteSessionTest, ATerminalHasASizeAndNoStandardErrorOfItsOwn) {
  const Result<int> code =
      Run({.pod = "web-0", .container = "app", .command = {"sh"}, .input = true, .tty = true});
  EXPECT_EQ(code.value_or(-1), 7);
  EXPECT_THAT(sizes_, HasSubstr("80"));
  EXPECT_THAT(server_.requests.at(0).target, HasSubstr("tty=true"));
  EXPECT_THAT(server_.requests.at(0).target, Not(HasSubstr("stderr=true")));
}

TEST_F(RemoteSessionTest, AttachHasNoCommandAndWithoutInputNothingIsFed) {
  server_.on_open = [](Stream& stream) {
    stream.Send(1, "log line");
    stream.Send(3, R"({"metadata":{},"status":"Success"})");
    stream.Close();
  };
  const Result<int> code = Run({.pod = "web-0", .container = "app"});
  EXPECT_EQ(code.value_or(-1), 0);
  EXPECT_EQ(out_, "log line");
  EXPECT_EQ(feeding_, nullptr);
  EXPECT_THAT(server_.requests.at(0).target, HasSubstr("/pods/web-0/attach?container=app"));
  EXPECT_THAT(server_.requests.at(0).target, Not(HasSubstr("stdin=true")));
}

TEST(RemoteSession, ATerminalIsDroppedWhereOneOfTheSidesHasNone) {
  const Ref<corev1::Pod> pod =
      ObjectFromJson(corev1::Pod::kind_info(),
                     R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"},"spec":)"
                     R"({"containers":[{"name":"plain"},{"name":"shell","tty":true}]}})")
          .OrExit()
          .As<corev1::Pod>();
  const auto drop = [&](SessionPlan plan, bool is_terminal) {
    const std::string why = DropTerminal(plan, *pod, is_terminal);
    EXPECT_EQ(plan.tty, why.empty());
    return why;
  };
  EXPECT_THAT(drop({.container = "shell", .command = {"sh"}, .tty = true}, false),
              HasSubstr("input is not a terminal"));
  EXPECT_EQ(drop({.container = "plain", .command = {"sh"}, .tty = true}, true), "");
  EXPECT_THAT(drop({.container = "plain", .tty = true}, true), HasSubstr("container plain"));
  EXPECT_EQ(drop({.container = "shell", .tty = true}, true), "");
}

}  // namespace
}  // namespace kinformer::cli

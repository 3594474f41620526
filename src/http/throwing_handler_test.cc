// Exceptions from all methods of a program's handler and its streams: the connection is answered or
// cut, other connections are served, and the log names the method.

#include <atomic>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>

#include "http/server_for_test.h"

namespace kinformer::internal::http {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

[[noreturn]] void Throw() { throw std::runtime_error("by the program"); }

// Throws in the method that the path names.
class Thrower final : public ResponseStream {
 public:
  Thrower(std::string where, std::atomic<int>& alive) : where_(std::move(where)), alive_(alive) {
    ++alive_;
  }
  ~Thrower() override { --alive_; }
  Thrower(const Thrower&) = delete;
  Thrower& operator=(const Thrower&) = delete;

  [[nodiscard]] bool ready() const override {
    MayThrow("ready");
    return true;
  }
  [[nodiscard]] int status() const override {
    MayThrow("status");
    return 200;
  }
  [[nodiscard]] const HttpHeaders& headers() const override {
    MayThrow("headers");
    return headers_;
  }
  State Read(std::size_t, std::vector<BodyChunk>& out) override {
    MayThrow("Read");
    if (++reads_ > 1) MayThrow("SecondRead");
    out.push_back(BodyChunk::Of(std::string(100000, 'x')));
    MayThrow("ReadWithBytes");
    if (where_ == "resumes_soon" && reads_ == 1) {
      wake_();
      return State::kWait;
    }
    if (where_ == "effect") return State::kAbort;
    return reads_ == 3 ? State::kEnd : State::kMore;
  }
  void SetWake(std::function<void()> wake) override {
    MayThrow("SetWake");
    wake_ = std::move(wake);
  }
  [[nodiscard]] bool resumes_soon() const override {
    MayThrow("resumes_soon");
    return false;
  }
  [[nodiscard]] ConnectionEffect effect() const override {
    MayThrow("effect");
    return {};
  }

 private:
  void MayThrow(std::string_view method) const {
    if (where_ == method) Throw();
  }
  const std::string where_;
  std::atomic<int>& alive_;
  HttpHeaders headers_{};
  std::function<void()> wake_{};
  int reads_ = 0;
};

class Moody final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (request.target == "/Handle?secret") Throw();
    if (request.target == "/well") return Text(200, "well\n");
    if (request.target == "/null") return nullptr;
    return std::make_unique<Thrower>(request.target.substr(1), alive);
  }
  std::atomic<int> alive{0};
};

struct Case {
  const char* path;
  const char* log;
  int status;  // 0: the response is cut off, or never begins
};

class ThrowingHandlerTest : public ::testing::TestWithParam<Protocol> {};

TEST_P(ThrowingHandlerTest, EachMethodIsContained) {
  for (const Case& c : std::initializer_list<Case>{
           {"/Handle?secret", "function=Handler::Handle of=GET /Handle err=", 500},
           {"/SetWake", "function=ResponseStream::SetWake of=GET /SetWake", 500},
           {"/ready", "function=ResponseStream::ready of=GET /ready", 500},
           {"/status", "function=ResponseStream::status of=GET /status", 500},
           {"/headers", "function=ResponseStream::headers of=GET /headers", 500},
           {"/Read", "function=ResponseStream::Read of=GET /Read", 500},
           {"/SecondRead", "function=ResponseStream::Read of=GET /SecondRead", 0},
           {"/ReadWithBytes", "function=ResponseStream::Read of=GET /ReadWithBytes", 0},
           {"/resumes_soon", "function=ResponseStream::resumes_soon of=GET /resumes_soon", 200},
           {"/effect", "function=ResponseStream::effect of=GET /effect", 0}}) {
    SCOPED_TRACE(c.path);
    Moody handler;
    ServerForTest server(GetParam(), handler);
    const Reply reply = server.Ask(c.path, "right");
    if (c.status == 0) {
      EXPECT_NE(reply.code, CURLE_OK) << "an answer that breaks off does not look complete";
    } else {
      EXPECT_EQ(reply.code, CURLE_OK);
      EXPECT_EQ(reply.status, c.status);
      if (c.status == 200) {
        EXPECT_EQ(reply.body.size(), 300000U);
      } else {
        EXPECT_THAT(reply.body, HasSubstr("has thrown an exception"));
      }
      EXPECT_THAT(reply.body, Not(HasSubstr("by the program")));
    }
    EXPECT_EQ(server.Ask("/well", "right").status, 200);
    EXPECT_THAT(server.log(), HasSubstr(c.log));
    EXPECT_THAT(server.log(), HasSubstr("err=by the program"));
    EXPECT_THAT(server.log(), Not(HasSubstr("secret")));
    EXPECT_THAT(server.metrics(), HasSubstr("kinformer_user_exceptions_total{function=\""));
    const SteadyTime deadline = server.env().Now() + std::chrono::seconds(20);
    while ((handler.alive != 0 || server.server().Stats().connections_open != 0) &&
           server.env().Now() < deadline) {
      server.env().SleepFor(std::chrono::milliseconds(2));
    }
    EXPECT_EQ(handler.alive, 0) << "the stream is gone";
    EXPECT_EQ(server.server().Stats().connections_open, 0U) << "no connection is kept";
  }
}

TEST_P(ThrowingHandlerTest, AHandlerThatGivesNothingIsA500) {
  Moody handler;
  ServerForTest server(GetParam(), handler);
  EXPECT_EQ(server.Ask("/null", "right").status, 500);
}

INSTANTIATE_TEST_SUITE_P(All, ThrowingHandlerTest,
                         ::testing::Values(Protocol::kHttp1, Protocol::kHttp1Tls, Protocol::kHttp2),
                         &NameOf);

}  // namespace
}  // namespace kinformer::internal::http

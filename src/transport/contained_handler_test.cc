// Exceptions from handlers, their streams and receivers over the in-memory transport.

#include "transport/contained_handler.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal::transport {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

[[noreturn]] void Throw() { throw std::runtime_error("by the program"); }

// Throws in the named method.
class Thrower final : public ResponseStream {
 public:
  explicit Thrower(std::string where) : where_(std::move(where)) {}
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
    out.push_back(BodyChunk::Of(std::string(20000, 'x')));
    return reads_ == 3 ? State::kEnd : State::kMore;
  }
  void SetWake(std::function<void()>) override { MayThrow("SetWake"); }

 private:
  void MayThrow(std::string_view method) const {
    if (where_ == method) Throw();
  }
  const std::string where_;
  HttpHeaders headers_{};
  int reads_ = 0;
};

class Moody final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    if (request.target.starts_with("/Handle")) Throw();
    return std::make_unique<Thrower>(request.target.substr(1));
  }
  [[nodiscard]] bool Accepts(const std::string& token) const override {
    throw std::runtime_error("no token " + token);
  }
};

class Receiver final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders&) override {
    if (throws_in == "OnHeaders") Throw();
    got = status;
  }
  void OnData(std::string_view data) override {
    if (throws_in == "OnData") Throw();
    bytes += data.size();
  }
  void OnDone(Result<void> result) override {
    done = std::move(result);
    if (throws_in == "OnDone") Throw();
  }
  std::string throws_in{};
  int got = 0;
  std::size_t bytes = 0;
  std::optional<Result<void>> done{};
};

class ContainedHandlerTest : public ::testing::Test {
 protected:
  void Ask(const std::string& target, Receiver& receiver) {
    const std::unique_ptr<InMemoryTransport> transport = NewInMemoryTransport(sim_.env(), handler_);
    const std::unique_ptr<HttpCall> call = transport->Start({.target = target}, receiver);
    sim_.RunFor(seconds(1));
  }
  const std::shared_ptr<base::FieldsLog> log_ =
      std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
  Moody handler_;
};

TEST_F(ContainedHandlerTest, EachMethodOfAHandlerAndItsStreamEndsTheCall) {
  for (const auto& [target, function, status] :
       std::initializer_list<std::tuple<std::string, std::string, int>>{
           {"/Handle?secret", "Handler::Handle", 500},
           {"/SetWake", "ResponseStream::SetWake", 500},
           {"/ready", "ResponseStream::ready", 500},
           {"/status", "ResponseStream::status", 500},
           {"/headers", "ResponseStream::headers", 500},
           {"/Read", "ResponseStream::Read", 200},
           {"/SecondRead", "ResponseStream::Read", 200}}) {
    SCOPED_TRACE(target);
    Receiver receiver;
    Ask(target, receiver);
    ASSERT_TRUE(receiver.done) << "the call never ended";
    EXPECT_EQ(receiver.got, status);
    EXPECT_EQ(receiver.done->ok(), status == 500) << "else it is cut in its middle";
    EXPECT_THAT(log_->text(), HasSubstr(function));
    EXPECT_THAT(log_->text(), HasSubstr("by the program"));
    EXPECT_THAT(log_->text(), Not(HasSubstr("secret")));
    EXPECT_THAT(metrics_->Text(),
                HasSubstr("kinformer_user_exceptions_total{function=\"" + function + "\"}"));
  }
}

TEST_F(ContainedHandlerTest, AReceiverThatThrowsIsToldTheEndAndNoMore) {
  for (const char* where : {"OnHeaders", "OnData", "OnDone"}) {
    SCOPED_TRACE(where);
    Receiver receiver;
    receiver.throws_in = where;
    Ask("/well", receiver);
    ASSERT_TRUE(receiver.done);
    EXPECT_EQ(receiver.done->ok(), receiver.throws_in == "OnDone");
    EXPECT_THAT(log_->text(), HasSubstr("a response's receiver"));
  }
}

TEST_F(ContainedHandlerTest, AcceptsThatThrowsDoesNotAcceptAndItsWordsAreInNoLog) {
  EXPECT_FALSE(AcceptsContained(sim_.env(), handler_, "t-secret"));
  EXPECT_THAT(log_->text(), HasSubstr("Handler::Accepts"));
  EXPECT_THAT(log_->text(), Not(HasSubstr("t-secret")));
}

TEST_F(ContainedHandlerTest, NullStaysNull) {
  EXPECT_EQ(Contained(sim_.env(), "GET /", nullptr), nullptr);
}

}  // namespace
}  // namespace kinformer::internal::transport

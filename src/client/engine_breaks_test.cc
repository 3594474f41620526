// Requests whose connection breaks before an answer.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "client/engine.h"

namespace kinformer::internal::client {
namespace {

using std::chrono::seconds;

// Each call fails a fixed time after its start, with the given errors in turn; the last one
// repeats.
class Breaks final : public Transport {
 public:
  Breaks(Env& env, Duration after, std::vector<Error> why)
      : env_(env), after_(after), why_(std::move(why)) {}
  std::size_t calls = 0;

  std::unique_ptr<HttpCall> Start(HttpRequest, ResponseReceiver& receiver) override {
    const Error why = why_[std::min(calls++, why_.size() - 1)];
    return std::make_unique<Call>(
        env_.loop().RunAt(env_.Now() + after_, [&receiver, why] { receiver.OnDone(Error(why)); }));
  }
  TransportStats Stats() const override { return {}; }
  std::string Describe() const override { return "breaks"; }

 private:
  class Call final : public HttpCall {
   public:
    explicit Call(Timer timer) : timer_(std::move(timer)) {}

   private:
    Timer timer_;
  };

  Env& env_;
  const Duration after_;
  const std::vector<Error> why_;
};

class EngineBreaksTest : public ::testing::Test, public ResponseReceiver {
 protected:
  void Use(std::shared_ptr<Transport> transport, const ClientOptions& options) {
    engine_ = std::make_shared<Engine>(sim_.env(), std::move(transport), options);
  }
  void Run(ExchangeRequest request) {
    result_.reset();
    sim_.env().loop().Post([&] {
      exchange_ = std::make_unique<Exchange>(engine_, std::move(request), *this);
      exchange_->Start();
    });
    ASSERT_TRUE(sim_.RunUntil([&] { return result_.has_value(); }, std::chrono::minutes(5)));
    sim_.env().loop().Post([&] { exchange_.reset(); });
    sim_.RunReady();
  }
  void TearDown() override {
    sim_.env().loop().Post([&] { engine_->ShutDown(); });
    sim_.RunReady();
  }

  Simulation sim_{{.seed = 7}};
  std::shared_ptr<Engine> engine_;
  std::unique_ptr<Exchange> exchange_;
  std::optional<Result<void>> result_;

 private:
  void OnHeaders(int, const HttpHeaders&) override {}
  void OnData(std::string_view) override {}
  void OnDone(Result<void> result) override { result_ = std::move(result); }
};

// A connection that broke after twenty seconds would probably break again that late.
TEST_F(EngineBreaksTest, BrokenConnection_IsRetriedOnlyWithin20Seconds_H7) {
  for (const bool quick : {true, false}) {
    const auto breaks =
        std::make_shared<Breaks>(sim_.env(), quick ? seconds(20) - Duration(1) : seconds(20),
                                 std::vector{Error(Reason::kUnexpectedEof, "cut")});
    Use(breaks, {.qps = -1, .max_retries = 1});
    Run({.target = "/x"});
    EXPECT_EQ(result_->error().reason(), Reason::kUnexpectedEof);
    EXPECT_EQ(breaks->calls, quick ? 2U : 1U);
  }
}

TEST_F(EngineBreaksTest, RetryFails_MessageNamesThePreviousErrorIfItDiffers_RR09) {
  const Error one(Reason::kUnexpectedEof, "one");
  const Error two(Reason::kUnexpectedEof, "two");
  Use(std::make_shared<Breaks>(sim_.env(), seconds(1), std::vector{one, two}),
      {.qps = -1, .max_retries = 1});
  Run({.target = "/x"});
  EXPECT_EQ(result_->error().message(), "two - error from a previous attempt: one");
  Run({.target = "/x"});
  EXPECT_EQ(result_->error().message(), "two");
}

// A watch that times out is an empty watch; a connection failure is an error.
TEST_F(EngineBreaksTest, Watch_OnlyTimeoutsAreRetried_RR16) {
  struct Case {
    Reason reason;
    bool watch;
    std::size_t calls;
  };
  for (const Case c :
       {Case{Reason::kDeadlineExceeded, true, 3}, Case{Reason::kDeadlineExceeded, false, 1},
        Case{Reason::kTransport, true, 1}, Case{Reason::kConnectionRefused, true, 1}}) {
    const auto breaks = std::make_shared<Breaks>(sim_.env(), seconds(30),
                                                 std::vector{Error(c.reason, "nothing came")});
    Use(breaks, {.qps = -1, .max_retries = 2});
    Run({.target = "/x", .watch = c.watch});
    EXPECT_EQ(breaks->calls, c.calls);
    EXPECT_EQ(result_->ok(), c.calls > 1);
  }
}

}  // namespace
}  // namespace kinformer::internal::client

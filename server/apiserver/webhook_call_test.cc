// WebhookCall: one call over a transport whose answers the test gives.

#include "apiserver/webhook/webhook_call.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Keeps the last request, and counts the calls under way.
class FakeTransport final : public Transport {
 public:
  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    if (throws) throw std::runtime_error("no start");
    last = std::move(request);
    receiver_ = &receiver;
    return std::make_unique<Call>(*this);
  }
  [[nodiscard]] TransportStats Stats() const override { return {}; }
  [[nodiscard]] std::string Describe() const override { return "fake"; }
  ResponseReceiver& receiver() { return *receiver_; }

  bool throws = false;
  int open = 0;
  HttpRequest last{};

 private:
  struct Call final : HttpCall {
    explicit Call(FakeTransport& owner) : transport(owner) { ++transport.open; }
    ~Call() override { --transport.open; }
    FakeTransport& transport;
  };
  ResponseReceiver* receiver_ = nullptr;
};

class WebhookCalls : public ::testing::Test {
 protected:
  enum class Way { kTransport, kNone, kNoOption, kThrows };

  void Call(Way way = Way::kTransport) {
    ApiServerOptions options;
    if (way != Way::kNoOption) {
      options.webhook_transport = [this, way](const WebhookAddress&) -> std::shared_ptr<Transport> {
        if (way == Way::kThrows) throw std::runtime_error("no way");
        return way == Way::kNone ? nullptr : transport_;
      };
    }
    call_.reset();
    state_.emplace(sim_.env(), options);
    const WebhookPlace place =
        PlaceOf(json::Value::MakeObject({{"url", "https://h:1/c"}}), seconds(5));
    call_.emplace(*state_, place, "question", [this](Result<std::string> body) {
      answers_.push_back(std::move(body));
      open_when_done_ = transport_->open;
    });
    EXPECT_TRUE(answers_.empty()) << "never before the constructor returns";
  }
  // Returns the only answer: the body, or its reason and message.
  std::string Answer() {
    sim_.RunReady();
    if (answers_.size() != 1) return std::to_string(answers_.size()) + " answers";
    const Result<std::string>& answer = answers_.front();
    if (answer.ok()) return *answer;
    return std::string(ReasonName(answer.error().reason())) + " " + answer.error().message();
  }
  std::string AnswerOf(int status, const std::string& body) {
    answers_.clear();
    Call();
    transport_->receiver().OnHeaders(status, {});
    transport_->receiver().OnData(body);
    transport_->receiver().OnDone({});
    return Answer();
  }

  Simulation sim_;
  std::shared_ptr<FakeTransport> transport_ = std::make_shared<FakeTransport>();
  std::optional<ServerState> state_;
  std::optional<WebhookCall> call_;
  std::vector<Result<std::string>> answers_;
  int open_when_done_ = -1;
};

TEST_F(WebhookCalls, Question_IsPosted) {
  Call();
  EXPECT_EQ(transport_->last.method, "POST");
  EXPECT_EQ(transport_->last.target, "/c?timeout=5s");
  EXPECT_EQ(transport_->last.body, "question");
  EXPECT_EQ(transport_->last.headers.Get("Content-Type"), "application/json");
  EXPECT_EQ(transport_->last.headers.Get("Accept"), "application/json");
  EXPECT_EQ(transport_->last.headers.Get("User-Agent"), "kube-apiserver-admission");
  transport_->receiver().OnHeaders(200, {});
  transport_->receiver().OnData("an");
  transport_->receiver().OnData("swer");
  EXPECT_TRUE(answers_.empty());
  transport_->receiver().OnDone({});
  EXPECT_EQ(Answer(), "answer");
  EXPECT_EQ(open_when_done_, 0) << "the connection is released before";
  sim_.RunFor(seconds(10));
  EXPECT_EQ(answers_.size(), 1U) << "the timeout is over, too";
}

TEST_F(WebhookCalls, OtherStatuses_AreErrors) {
  EXPECT_EQ(AnswerOf(404, "body"), "Unknown the server could not find the requested resource");
  EXPECT_EQ(
      AnswerOf(500, "b\"d"),
      "Unknown an error on the server (\"b\\\"d\") has prevented the request from succeeding");
  EXPECT_EQ(AnswerOf(503, ""),
            "Unknown an error on the server (\"\") has prevented the request from succeeding");
  EXPECT_EQ(AnswerOf(499, "why"), "Unknown the server answered with status 499: why");
  EXPECT_EQ(AnswerOf(201, ""), "Unknown the server answered with status 201");
  EXPECT_EQ(AnswerOf(400, std::string(1025, 'x')),
            "Unknown the server answered with status 400: " + std::string(1024, 'x'));
}

TEST_F(WebhookCalls, Answer_HasALimitOfBytesAndValues) {
  constexpr std::size_t kBytes = std::size_t{16} << 20;
  EXPECT_EQ(AnswerOf(200, std::string(kBytes, 'x')).size(), kBytes);
  constexpr const char* kTooLong =
      "RequestEntityTooLarge Post \"https://h:1/c?timeout=5s\": the webhook's answer is longer "
      "than "
      "16777216 bytes: a webhook answers with what it changes";
  EXPECT_EQ(AnswerOf(200, std::string(kBytes + 1, 'x')), kTooLong);
  // Once it is too long, what follows is ignored.
  answers_.clear();
  Call();
  transport_->receiver().OnHeaders(200, {});
  transport_->receiver().OnData(std::string(kBytes - 1, 'x'));
  transport_->receiver().OnData("xx");
  transport_->receiver().OnData("x");
  transport_->receiver().OnDone({});
  EXPECT_EQ(Answer(), kTooLong);

  constexpr std::size_t kValues = std::size_t{1} << 20;
  EXPECT_EQ(AnswerOf(200, std::string(kValues - 1, ',')).size(), kValues - 1);
  EXPECT_EQ(
      AnswerOf(200, std::string(kValues, ',')),
      "RequestEntityTooLarge Post \"https://h:1/c?timeout=5s\": the webhook's answer has more "
      "than 1048576 values: a webhook answers with what it changes");
  EXPECT_EQ(AnswerOf(404, std::string(kBytes + 1, ',')),
            "Unknown the server could not find the requested resource");
}

TEST_F(WebhookCalls, Timeout_EndsTheCall) {
  Call();
  EXPECT_EQ(transport_->open, 1);
  sim_.RunFor(seconds(5) - milliseconds(1));
  EXPECT_TRUE(answers_.empty());
  sim_.RunFor(milliseconds(1));
  EXPECT_EQ(Answer(),
            "DeadlineExceeded Post \"https://h:1/c?timeout=5s\": context deadline exceeded");
  EXPECT_EQ(open_when_done_, 0);
}

TEST_F(WebhookCalls, Failures_NameTheAddress) {
  const std::string refused = "ConnectionRefused Post \"https://h:1/c?timeout=5s\": ";
  Call();
  transport_->receiver().OnDone(Error(Reason::kConnectionRefused, "refused"));
  EXPECT_EQ(Answer(), refused + "refused");

  for (const Way way : {Way::kNone, Way::kNoOption}) {
    answers_.clear();
    Call(way);
    EXPECT_EQ(Answer(), refused +
                            "no transport leads there: ApiServerOptions::webhook_transport gives "
                            "none");
  }
  answers_.clear();
  Call(Way::kThrows);
  EXPECT_NE(Answer().find("no way"), std::string::npos) << Answer();
  answers_.clear();
  transport_->throws = true;
  Call();
  EXPECT_EQ(Answer().rfind(refused, 0), 0U);
  EXPECT_NE(Answer().find("no start"), std::string::npos) << Answer();
  sim_.RunFor(seconds(10));
  EXPECT_EQ(answers_.size(), 1U) << "no timeout afterwards";
}

TEST_F(WebhookCalls, CancelledCall_IsNotAnswered) {
  Call();
  call_.reset();
  EXPECT_EQ(transport_->open, 0);
  sim_.RunFor(seconds(10));
  EXPECT_TRUE(answers_.empty());
  Call(Way::kNone);
  call_.reset();
  sim_.RunFor(seconds(10));
  EXPECT_TRUE(answers_.empty());
}

TEST(ValueCounts, ValuesInAText_AreCounted) {
  const auto count = [](const std::vector<std::string>& parts) {
    ValueCount values;
    for (const std::string& part : parts) values.Add(part);
    return values.count();
  };
  EXPECT_EQ(count({}), 1U);
  EXPECT_EQ(count({"1"}), 1U);
  EXPECT_EQ(count({"[1,2]"}), 3U);
  EXPECT_EQ(count({R"({"a":1,"b":{}})"}), 4U);
  EXPECT_EQ(count({R"(["a,[{","\",["])"}), 3U) << "texts count once";
  EXPECT_EQ(count({"[\"\\", "\",,\",", "1]"}), 3U) << "split in the middle of an escape";
  EXPECT_EQ(count({R"(["\\",1])"}), 3U);
}

}  // namespace
}  // namespace kinformer::apiserver

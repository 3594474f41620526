// The in-memory transport in simulated time: order, chunks, latency, faults, abandoned calls.

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Body of the test server's response: text that the test appends until it ends it.
struct Body {
  std::vector<std::string> parts;
  std::optional<ResponseStream::State> end;
  bool ready = true;
  bool gone = false;
  int status = 200;
  HttpHeaders headers;
  std::function<void()> wake;

  void Append(std::string text) {
    parts.push_back(std::move(text));
    Wake();
  }
  void End(ResponseStream::State how = ResponseStream::State::kEnd) {
    end = how;
    Wake();
  }
  void Wake() {
    if (wake) wake();
  }
};

class BodyStream final : public ResponseStream {
 public:
  explicit BodyStream(std::shared_ptr<Body> body) : body_(std::move(body)) {}
  ~BodyStream() override {
    body_->gone = true;
    body_->wake = nullptr;
  }
  bool ready() const override { return body_->ready; }
  int status() const override { return body_->status; }
  const HttpHeaders& headers() const override { return body_->headers; }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    std::size_t given = 0;
    while (at_ < body_->parts.size() && given < max_bytes) {
      given += body_->parts[at_].size();
      out.push_back(BodyChunk::Of(body_->parts[at_++]));
    }
    if (at_ < body_->parts.size()) return State::kMore;
    return body_->end.value_or(State::kWait);
  }
  void SetWake(std::function<void()> wake) override { body_->wake = std::move(wake); }

 private:
  std::shared_ptr<Body> body_;
  std::size_t at_ = 0;
};

class TestServer final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    targets.push_back(request.target);
    return std::make_unique<BodyStream>(body);
  }
  std::vector<std::string> targets;
  std::shared_ptr<Body> body = std::make_shared<Body>();
};

class Recorder final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders& headers) override {
    EXPECT_FALSE(inside_start);
    EXPECT_EQ(status_code, 0);
    EXPECT_FALSE(done);
    status_code = status;
    content_type = headers.Get("content-TYPE");
  }
  void OnData(std::string_view data) override {
    EXPECT_FALSE(inside_start);
    EXPECT_NE(status_code, 0);
    EXPECT_FALSE(done);
    ++chunks;
    largest = std::max(largest, data.size());
    text += data;
    if (on_data) on_data();
  }
  void OnDone(Result<void> result) override {
    EXPECT_FALSE(inside_start);
    EXPECT_FALSE(done);
    done = std::move(result);
    call.reset();  // allowed here
  }
  [[nodiscard]] Reason reason() const {
    return done && !done->ok() ? done->error().reason() : Reason::kUnknown;
  }

  int status_code = 0;
  std::string content_type;
  int chunks = 0;
  std::size_t largest = 0;
  std::string text;
  std::optional<Result<void>> done;
  std::function<void()> on_data;
  bool inside_start = false;
  std::unique_ptr<HttpCall> call;
};

class InMemoryTransportTest : public testing::Test {
 protected:
  void Make(InMemoryTransportOptions options = {}) {
    transport_ = NewInMemoryTransport(sim_.env(), server_, options);
  }
  void Start(Recorder& recorder, HttpRequest request = {.target = "/api/v1/pods"}) {
    recorder.inside_start = true;
    recorder.call = transport_->Start(std::move(request), recorder);
    recorder.inside_start = false;
  }

  Simulation sim_;
  TestServer server_;
  std::unique_ptr<InMemoryTransport> transport_;
};

TEST_F(InMemoryTransportTest, DeliversHeadersDataAndEndInOrder) {
  Make();
  server_.body->headers.Add("Content-Type", "application/json");
  server_.body->parts = {"one ", "two ", "three"};
  server_.body->end = ResponseStream::State::kEnd;
  Recorder got;
  Start(got);
  EXPECT_TRUE(server_.targets.empty()) << "Start must not call the server before it returns";
  sim_.RunReady();
  EXPECT_EQ(server_.targets, std::vector<std::string>{"/api/v1/pods"});
  EXPECT_EQ(got.status_code, 200);
  EXPECT_EQ(got.content_type, "application/json");
  EXPECT_EQ(got.text, "one two three");
  ASSERT_TRUE(got.done.has_value());
  EXPECT_TRUE(got.done->ok());
  EXPECT_TRUE(server_.body->gone);
  EXPECT_EQ(transport_->Stats().requests, 1U);
  EXPECT_EQ(transport_->Stats().connections_open, 0U);
  EXPECT_EQ(transport_->Stats().bytes_received, 13U);
}

TEST_F(InMemoryTransportTest, AWatchWaitsAndIsWoken) {
  Make();
  Recorder got;
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.status_code, 200);
  EXPECT_EQ(got.text, "");
  server_.body->Append("a");
  EXPECT_EQ(got.text, "") << "a wake must not deliver from inside the server";
  sim_.RunReady();
  EXPECT_EQ(got.text, "a");
  server_.body->Append("b");
  server_.body->Append("c");
  sim_.RunReady();
  EXPECT_EQ(got.text, "abc");
  server_.body->End();
  sim_.RunReady();
  ASSERT_TRUE(got.done.has_value());
  EXPECT_TRUE(got.done->ok());
}

TEST_F(InMemoryTransportTest, AnAnswerMayBeginLater) {
  Make();
  server_.body->ready = false;
  server_.body->status = 504;
  Recorder got;
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.status_code, 0);
  server_.body->ready = true;
  server_.body->End();
  sim_.RunReady();
  EXPECT_EQ(got.status_code, 504);
  EXPECT_TRUE(got.done.has_value());
}

TEST_F(InMemoryTransportTest, RandomChunksCrossTheServersOwnBoundaries) {
  Make({.max_chunk_bytes = 64, .random_chunks = true});
  std::string sent;
  for (int i = 0; i < 200; ++i) {
    server_.body->parts.push_back(
        std::string(static_cast<std::size_t>(i % 37), static_cast<char>('a' + i % 26)));
    sent += server_.body->parts.back();
  }
  server_.body->end = ResponseStream::State::kEnd;
  Recorder got;
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.text, sent);
  EXPECT_LE(got.largest, 64U);
  EXPECT_GT(got.largest, 36U) << "chunks are joined as a socket would";
  EXPECT_GT(got.chunks, 60);
}

TEST_F(InMemoryTransportTest, LatencyKeepsOrderAndTakesTime) {
  Make({.max_chunk_bytes = 2, .min_latency = milliseconds(1), .max_latency = milliseconds(9)});
  server_.body->parts = {"abcdefghij"};
  server_.body->end = ResponseStream::State::kEnd;
  Recorder got;
  const SteadyTime before = sim_.env().Now();
  Start(got);
  EXPECT_TRUE(sim_.RunUntil([&] { return got.done.has_value(); }, seconds(1)));
  EXPECT_EQ(got.text, "abcdefghij");
  EXPECT_EQ(got.chunks, 5);
  EXPECT_GE(sim_.env().Now() - before, milliseconds(6));
}

TEST_F(InMemoryTransportTest, AbandonedCallsAreSilentAndTellTheServer) {
  Make();
  Recorder got;
  Start(got);
  sim_.RunReady();
  server_.body->Append("a");
  got.call.reset();
  EXPECT_TRUE(server_.body->gone);
  sim_.RunReady();
  EXPECT_EQ(got.text, "");
  EXPECT_FALSE(got.done.has_value());
}

TEST_F(InMemoryTransportTest, AbandonBeforeTheFirstStepNeverReachesTheServer) {
  Make();
  Recorder got;
  Start(got);
  got.call.reset();
  sim_.RunReady();
  EXPECT_TRUE(server_.targets.empty());
  EXPECT_FALSE(got.done.has_value());
}

TEST_F(InMemoryTransportTest, DownBreaksAndRefusesUntilUp) {
  Make();
  Recorder first;
  Recorder second;
  Recorder third;
  Start(first);
  sim_.RunReady();
  transport_->Down();
  EXPECT_TRUE(server_.body->gone) << "a server that is down holds no streams";
  EXPECT_FALSE(first.done.has_value()) << "Down must not call the receiver";
  Start(second);
  sim_.RunReady();
  EXPECT_EQ(first.reason(), Reason::kTransport);
  EXPECT_EQ(second.reason(), Reason::kConnectionRefused);
  EXPECT_EQ(second.status_code, 0);
  transport_->Up();
  server_.body = std::make_shared<Body>();
  server_.body->end = ResponseStream::State::kEnd;
  Start(third);
  sim_.RunReady();
  EXPECT_TRUE(third.done.has_value() && third.done->ok());
}

TEST_F(InMemoryTransportTest, CutSoonEndsTheBodyInTheMiddle) {
  Make({.max_chunk_bytes = 4});
  Recorder got;
  Start(got);
  server_.body->parts = {"0123456789"};
  sim_.RunReady();
  transport_->CutSoon(20);
  for (int i = 0; i < 25; ++i) server_.body->Append("x");
  sim_.RunReady();
  EXPECT_EQ(got.reason(), Reason::kUnexpectedEof);
  EXPECT_GE(got.text.size(), 10U);
  EXPECT_LE(got.text.size(), 30U);
  EXPECT_TRUE(server_.body->gone);
}

TEST_F(InMemoryTransportTest, CutSoonWithNothingCutsAtOnce) {
  Make();
  Recorder started;
  Start(started);
  sim_.RunReady();
  Recorder fresh;
  Start(fresh);
  transport_->CutSoon(0);
  sim_.RunReady();
  EXPECT_EQ(started.reason(), Reason::kUnexpectedEof);
  EXPECT_EQ(fresh.reason(), Reason::kTransport);
}

TEST_F(InMemoryTransportTest, AServersAbortDeliversWhatWasSentAndThenEof) {
  Make();
  server_.body->parts = {"half an obj"};
  server_.body->end = ResponseStream::State::kAbort;
  Recorder got;
  Start(got);
  sim_.RunReady();
  EXPECT_EQ(got.text, "half an obj");
  EXPECT_EQ(got.reason(), Reason::kUnexpectedEof);
}

TEST_F(InMemoryTransportTest, ReplaceBreaksCallsAndServesFromTheNewHandler) {
  Make();
  Recorder got;
  Start(got);
  sim_.RunReady();
  TestServer other;
  other.body->parts = {"other"};
  other.body->end = ResponseStream::State::kEnd;
  transport_->Replace(other);
  Recorder second;
  Start(second);
  sim_.RunReady();
  EXPECT_EQ(got.reason(), Reason::kTransport);
  EXPECT_EQ(second.text, "other");
}

TEST_F(InMemoryTransportTest, TimeoutCoversTheWholeExchange) {
  Make();
  Recorder got;
  const SteadyTime before = sim_.env().Now();
  Start(got, {.target = "/x", .timeout = seconds(3)});
  EXPECT_TRUE(sim_.RunUntil([&] { return got.done.has_value(); }, seconds(10)));
  EXPECT_EQ(got.reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(sim_.env().Now() - before, seconds(3));
  EXPECT_TRUE(server_.body->gone);
}

TEST_F(InMemoryTransportTest, DownFromInsideACallbackComesAfterIt) {
  Make();
  Recorder got;
  got.on_data = [&] {
    transport_->Down();
    EXPECT_FALSE(got.done.has_value());
  };
  Start(got);
  server_.body->parts = {"a"};
  sim_.RunReady();
  EXPECT_EQ(got.text, "a");
  EXPECT_EQ(got.reason(), Reason::kTransport);
}

TEST_F(InMemoryTransportTest, TransportMayGoBeforeItsCalls) {
  Make();
  Recorder got;
  Start(got);
  transport_.reset();
  server_.body->parts = {"a"};
  server_.body->end = ResponseStream::State::kEnd;
  sim_.RunReady();
  EXPECT_EQ(got.text, "a");
}

TEST(HttpHeadersTest, NamesCompareWithoutCaseAndTheFirstValueWins) {
  HttpHeaders headers;
  headers.Add("Warning", "one");
  headers.Add("warning", "two");
  EXPECT_EQ(headers.Get("WARNING"), "one");
  EXPECT_EQ(headers.Get("Warn"), "");
  EXPECT_FALSE(headers.Has("Warn"));
  EXPECT_EQ(headers.size(), 2U);
}

}  // namespace
}  // namespace kinformer

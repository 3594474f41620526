// Each method of a response that throws, once and for good, before and after its body has begun.

#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"

#include "base/core/testing/fields_log.h"
#include "transport/contained_handler.h"

namespace kinformer::internal::transport {
namespace {

using State = ResponseStream::State;

constexpr const char* kApology = "what answers this request has thrown an exception\n";

// Answers 201 with one header; each Read gives "ab".
class Moody final : public ResponseStream {
 public:
  explicit Moody(std::string& bad, std::vector<std::string>& calls) : bad_(bad), calls_(calls) {}
  [[nodiscard]] bool ready() const override {
    Enter("ready");
    return is_ready;
  }
  [[nodiscard]] int status() const override {
    Enter("status");
    return 201;
  }
  [[nodiscard]] const HttpHeaders& headers() const override {
    Enter("headers");
    return headers_;
  }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    if (max_bytes == 0) return State::kWait;
    Enter("Read");
    out.push_back(BodyChunk::Of("ab"));
    Enter("late Read");
    return max_bytes == 1 ? State::kMore : State::kEnd;
  }
  void SetWake(std::function<void()> wake) override {
    Enter("SetWake");
    if (wake) wake();
  }
  [[nodiscard]] bool resumes_soon() const override {
    Enter("resumes_soon");
    return true;
  }
  [[nodiscard]] ConnectionEffect effect() const override {
    Enter("effect");
    return {.cut = ConnectionEffect::Cut::kStall, .go_away = true, .max_streams = 7};
  }
  bool is_ready = false;

 private:
  void Enter(const char* method) const {
    calls_.emplace_back(method);
    if (bad_ == method) throw std::runtime_error("moody");
  }
  std::string& bad_;
  std::vector<std::string>& calls_;
  HttpHeaders headers_ = [] {
    HttpHeaders headers;
    headers.Add("X-Own", "own");
    return headers;
  }();
};

class ContainedStream : public ::testing::Test {
 protected:
  ContainedStream() {
    auto inner = std::make_unique<Moody>(bad_, calls_);
    inner_ = inner.get();
    stream_ = Contained(sim_.env(), "GET /x", std::move(inner));
  }
  std::string Read(std::size_t max_bytes = 100) {
    std::vector<BodyChunk> out;
    out.push_back(BodyChunk::Of("before "));
    const State state = stream_->Read(max_bytes, out);
    std::string text;
    for (const BodyChunk& chunk : out) text += chunk.bytes;
    const char* const names[] = {"more", "wait", "end", "abort"};
    return text + "|" + names[static_cast<int>(state)];
  }
  // The answer in place of one that has thrown before it began.
  void ExpectApology() {
    EXPECT_TRUE(stream_->ready());
    EXPECT_EQ(stream_->status(), 500);
    EXPECT_EQ(stream_->headers().Get("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(stream_->headers().size(), 1U);
    EXPECT_FALSE(stream_->resumes_soon());
    EXPECT_FALSE(stream_->effect().go_away);
    EXPECT_EQ(Read(), std::string("before ") + kApology + "|end");
  }

  const std::shared_ptr<base::FieldsLog> log_ = std::make_shared<base::FieldsLog>();
  Simulation sim_{{.log = log_}};
  std::string bad_;
  std::vector<std::string> calls_;
  Moody* inner_ = nullptr;
  std::unique_ptr<ResponseStream> stream_;
};

TEST_F(ContainedStream, WellBehaved_IsPassedOn) {
  EXPECT_FALSE(stream_->ready());
  inner_->is_ready = true;
  EXPECT_TRUE(stream_->ready());
  EXPECT_EQ(stream_->status(), 201);
  EXPECT_EQ(stream_->headers().Get("X-Own"), "own");
  EXPECT_TRUE(stream_->resumes_soon());
  EXPECT_EQ(stream_->effect().cut, ConnectionEffect::Cut::kStall);
  EXPECT_TRUE(stream_->effect().go_away);
  EXPECT_EQ(stream_->effect().max_streams, 7U);
  bool woken = false;
  stream_->SetWake([&] { woken = true; });
  EXPECT_TRUE(woken);
  EXPECT_EQ(Read(0), "before |wait");
  EXPECT_EQ(Read(1), "before ab|more");
  EXPECT_EQ(Read(), "before ab|end");
  EXPECT_TRUE(log_->lines.empty()) << log_->text();
}

TEST_F(ContainedStream, ExceptionBeforeTheBody_ReplacesTheResponse) {
  for (const char* method : {"ready", "status", "headers", "Read", "SetWake"}) {
    SCOPED_TRACE(method);
    bad_.clear();
    auto inner = std::make_unique<Moody>(bad_, calls_);
    inner->is_ready = true;
    stream_ = Contained(sim_.env(), "GET /x", std::move(inner));
    EXPECT_EQ(stream_->status(), 201);
    EXPECT_EQ(stream_->headers().Get("X-Own"), "own");
    EXPECT_EQ(Read(0), "before |wait");
    bad_ = method;
    if (bad_ == "Read") {
      EXPECT_EQ(Read(), std::string("before ") + kApology + "|end");
    } else if (bad_ == "SetWake") {
      stream_->SetWake([] {});
    } else if (bad_ == "ready") {
      EXPECT_TRUE(stream_->ready());
    } else if (bad_ == "status") {
      EXPECT_EQ(stream_->status(), 500);
    } else {
      EXPECT_EQ(stream_->headers().Get("X-Own"), "");
    }
    bad_.clear();
    calls_.clear();
    if (method != std::string("Read")) ExpectApology();
    EXPECT_EQ(stream_->status(), 500);
    stream_->SetWake([] {});
    EXPECT_TRUE(calls_.empty()) << calls_.front();
    EXPECT_EQ(log_->Count(std::string("ResponseStream::") + method), 1U) << log_->text();
    EXPECT_EQ(log_->Count("GET /x"), log_->lines.size());
    log_->lines.clear();
  }
}

// Its head may have been sent.
TEST_F(ContainedStream, ExceptionInTheBody_CutsTheResponse) {
  inner_->is_ready = true;
  EXPECT_EQ(stream_->status(), 201);
  EXPECT_EQ(stream_->headers().Get("X-Own"), "own");
  EXPECT_EQ(Read(1), "before ab|more");
  bad_ = "late Read";
  EXPECT_EQ(Read(), "before |abort") << "nothing of the Read that threw";
  bad_.clear();
  calls_.clear();
  EXPECT_TRUE(stream_->ready());
  EXPECT_EQ(stream_->status(), 201);
  EXPECT_EQ(stream_->headers().Get("X-Own"), "own");
  EXPECT_FALSE(stream_->resumes_soon());
  EXPECT_EQ(stream_->effect().max_streams, 0U);
  EXPECT_EQ(Read(), "before |abort");
  EXPECT_TRUE(calls_.empty());
}

TEST_F(ContainedStream, HeadThatWasNeverRead_IsAPlainOneAfterAnException) {
  EXPECT_EQ(Read(1), "before ab|more");
  bad_ = "Read";
  EXPECT_EQ(Read(), "before |abort");
  EXPECT_EQ(stream_->status(), 200);
  EXPECT_EQ(stream_->headers().Get("Content-Type"), "text/plain; charset=utf-8");
}

TEST_F(ContainedStream, ExceptionOfAHint_IsForgotten) {
  for (const char* method : {"resumes_soon", "effect"}) {
    bad_ = method;
    EXPECT_EQ(stream_->resumes_soon(), bad_ != "resumes_soon");
    EXPECT_EQ(stream_->effect().go_away, bad_ != "effect");
    bad_.clear();
    EXPECT_TRUE(stream_->resumes_soon());
    EXPECT_TRUE(stream_->effect().go_away);
    EXPECT_EQ(stream_->status(), 201);
    EXPECT_EQ(log_->Count(std::string("ResponseStream::") + method), 1U);
  }
}

class Throwing final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest) override { throw std::runtime_error("no"); }
  [[nodiscard]] bool Accepts(const std::string& token) const override {
    if (token == "bad") throw std::runtime_error("no " + token);
    return token == "good";
  }
};

TEST_F(ContainedStream, HandlerThatThrows_IsLoggedWithTheFront200BytesOfThePath) {
  Throwing handler;
  for (const std::size_t size : {199U, 200U, 201U, 1000U}) {
    const std::string path = "/" + std::string(size - 1, 'p');
    log_->lines.clear();
    stream_ = HandleContained(sim_.env(), handler, {.method = "PUT", .target = path});
    ExpectApology();
    ASSERT_EQ(log_->lines.size(), 1U);
    const std::string want = "PUT " + path.substr(0, 200);
    EXPECT_EQ(log_->Count(want), 1U) << log_->text();
    EXPECT_EQ(log_->Count(want + "p"), 0U) << log_->text();
  }
  log_->lines.clear();
  stream_ = HandleContained(sim_.env(), handler, {.target = "/path?query"});
  EXPECT_EQ(log_->Count("GET /path"), 1U);
  EXPECT_EQ(log_->Count("query"), 0U);
}

TEST_F(ContainedStream, Tokens_AreAcceptedByTheHandlerAlone) {
  const Throwing handler;
  EXPECT_TRUE(AcceptsContained(sim_.env(), handler, "good"));
  EXPECT_FALSE(AcceptsContained(sim_.env(), handler, "other"));
  EXPECT_TRUE(log_->lines.empty());
  EXPECT_FALSE(AcceptsContained(sim_.env(), handler, "bad"));
  EXPECT_EQ(log_->Count("an exception; its text is not shown"), 1U) << log_->text();
}

}  // namespace
}  // namespace kinformer::internal::transport

// Changes to another protocol in memory.

#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/transport.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Agrees, and answers what it receives with the same in brackets.
class Bracketing final : public Handler {
 public:
  int status = 101;
  bool throws = false;
  bool full = false;
  bool throws_when_asked = false;
  std::string received{};
  std::function<void()> wake{};

  std::unique_ptr<ResponseStream> Handle(HttpRequest) override {
    return std::make_unique<Stream>(*this);
  }

 private:
  class Stream final : public ResponseStream {
   public:
    explicit Stream(Bracketing& handler) : handler_(handler) {}
    [[nodiscard]] int status() const override { return handler_.status; }
    [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
    State Read(std::size_t, std::vector<BodyChunk>& out) override {
      if (out_.empty()) return State::kWait;
      out.push_back(BodyChunk::Of(std::exchange(out_, {})));
      return State::kMore;
    }
    void SetWake(std::function<void()> woken) override { wake_ = handler_.wake = std::move(woken); }
    [[nodiscard]] bool receives() const override {
      if (handler_.throws_when_asked) throw std::runtime_error("receives");
      return !handler_.full;
    }
    void Receive(std::string_view bytes) override {
      if (handler_.throws) throw std::runtime_error("Receive");
      handler_.received += bytes;
      out_ += "[" + std::string(bytes) + "]";
      wake_();
    }

   private:
    Bracketing& handler_;
    HttpHeaders headers_;
    std::string out_;
    std::function<void()> wake_;
  };
};

class Receiver final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders&) override {
    got += std::to_string(status) + " ";
    if (call != nullptr) call->Send("hello");
  }
  void OnData(std::string_view data) override { got += data; }
  void OnSent() override {
    got += "sent ";
    if (throws) throw std::runtime_error("OnSent");
  }
  void OnDone(Result<void> result) override { done = std::move(result); }

  bool throws = false;
  std::string got{};
  std::optional<Result<void>> done{};
  std::unique_ptr<HttpCall> call{};
};

class InMemoryUpgradeTest : public ::testing::Test {
 protected:
  void Begin(const InMemoryTransportOptions& options = {}) {
    transport_ = NewInMemoryTransport(sim_.env(), handler_, options);
    sim_.env().loop().Post([this] {
      receiver_.call = transport_->Start({.target = "/u"}, receiver_);
      receiver_.call->Send("too early, so it is dropped");
    });
    sim_.RunFor(seconds(1));
  }
  void Send(const std::string& text) {
    sim_.env().loop().Post([&] { receiver_.call->Send(text); });
    sim_.RunFor(milliseconds(1));
  }

  Simulation sim_{{.seed = 8}};
  Bracketing handler_;
  std::unique_ptr<InMemoryTransport> transport_;
  Receiver receiver_;
};

TEST_F(InMemoryUpgradeTest, BytesGoBothWays) {
  Begin();
  EXPECT_EQ(receiver_.got, "101 sent [hello]");
  Send("a");
  EXPECT_EQ(receiver_.got, "101 sent [hello]sent [a]");
  EXPECT_FALSE(receiver_.done.has_value());
}

TEST_F(InMemoryUpgradeTest, BytesTakeTheLatencyOfTheConnection_AndAreCountedUntilThen) {
  Begin({.min_latency = milliseconds(100), .max_latency = milliseconds(100)});
  sim_.RunFor(seconds(1));
  Send("a");
  Send("b");
  std::size_t unsent = 0;
  sim_.env().loop().Post([&] { unsent = receiver_.call->unsent(); });
  sim_.RunReady();
  EXPECT_EQ(unsent, 2U);
  EXPECT_EQ(handler_.received, "hello");
  sim_.RunFor(milliseconds(100));
  EXPECT_EQ(handler_.received, "helloab");
}

TEST_F(InMemoryUpgradeTest, AServerWithoutRoomHoldsUpTheBytes) {
  Begin();
  handler_.full = true;
  Send("a");
  Send("b");
  EXPECT_EQ(handler_.received, "hello");
  EXPECT_EQ(receiver_.call->unsent(), 2U);
  sim_.env().loop().Post([this] { handler_.wake(); });  // no room yet
  sim_.RunFor(milliseconds(1));
  EXPECT_EQ(handler_.received, "hello");
  handler_.full = false;
  sim_.env().loop().Post([this] { handler_.wake(); });
  sim_.RunFor(milliseconds(1));
  EXPECT_EQ(handler_.received, "helloab");
  EXPECT_EQ(receiver_.call->unsent(), 0U);
}

TEST_F(InMemoryUpgradeTest, AnAnswerOfHttpTakesNoBytes) {
  handler_.status = 200;
  Begin();
  Send("a");
  EXPECT_EQ(handler_.received, "");
}

TEST_F(InMemoryUpgradeTest, AServerThatThrowsBreaksTheConnection) {
  handler_.throws = true;
  Begin();
  ASSERT_TRUE(receiver_.done.has_value());
  EXPECT_FALSE(receiver_.done->ok());
}

TEST_F(InMemoryUpgradeTest, AServerThatThrowsWhenAskedForRoomBreaksTheConnection) {
  handler_.throws_when_asked = true;
  Begin();
  ASSERT_TRUE(receiver_.done.has_value());
  EXPECT_FALSE(receiver_.done->ok());
  EXPECT_EQ(handler_.received, "");
}

TEST_F(InMemoryUpgradeTest, AReceiverThatThrowsIsToldTheEnd) {
  receiver_.throws = true;
  Begin();
  ASSERT_TRUE(receiver_.done.has_value());
  EXPECT_FALSE(receiver_.done->ok());
}

}  // namespace
}  // namespace kinformer

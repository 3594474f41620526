// WebSockets over real loopback sockets: tests that server_checks.txt cannot express.

#include <atomic>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "apiserver/http/testing.h"

namespace kinformer::apiserver {
namespace {

constexpr std::string_view kHandshake =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    "Sec-WebSocket-Version: 13\r\nHost: localhost\r\nOrigin: http://localhost\r\n\r\n";

std::string Request(std::string_view target) {
  return "GET " + std::string(target) + " HTTP/1.1\r\n" + std::string(kHandshake);
}

// A watch whose body arrives in the pieces that the test gives.
class Fed final : public ResponseStream {
 public:
  explicit Fed(std::vector<std::string> pieces, State end, std::string type)
      : pieces_(std::move(pieces)), end_(end) {
    headers_.Add("Content-Type", type);
  }
  [[nodiscard]] int status() const override { return 200; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t, std::vector<BodyChunk>& out) override {
    if (next_ == pieces_.size()) return end_;
    out.push_back(BodyChunk::Of(pieces_[next_++]));
    return State::kMore;
  }
  void SetWake(std::function<void()>) override {}
  [[nodiscard]] ConnectionEffect effect() const override {
    return {.cut = ConnectionEffect::Cut::kConnection};
  }

 private:
  std::vector<std::string> pieces_;
  std::size_t next_ = 0;
  const State end_;
  HttpHeaders headers_{};
};

// An endless body of lines; counts the bytes that were pulled.
class Endless final : public ResponseStream {
 public:
  explicit Endless(std::atomic<std::size_t>& pulled) : pulled_(pulled) {
    headers_.Add("Content-Type", "application/json");
  }
  [[nodiscard]] int status() const override { return 200; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t, std::vector<BodyChunk>& out) override {
    out.push_back(BodyChunk::Of(std::string(1000, 'x') + "\n"));
    pulled_ += 1001;
    return State::kMore;
  }
  void SetWake(std::function<void()>) override {}

 private:
  std::atomic<std::size_t>& pulled_;
  HttpHeaders headers_{};
};

class FedHandler final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest) override { return make(); }
  std::function<std::unique_ptr<ResponseStream>()> make{};
};

class WebSocketTest : public ::testing::Test {
 protected:
  int Dial() { return Connect(server_->port()); }
  // Returns everything after the response's head.
  std::string Frames(std::vector<std::string> pieces,
                     ResponseStream::State end = ResponseStream::State::kEnd,
                     std::string type = "application/json") {
    handler_.make = [&] { return std::make_unique<Fed>(pieces, end, type); };
    const std::string all = HttpServerFixture::Talk(Dial(), Request("/api/v1/pods?watch=1"));
    EXPECT_TRUE(all.starts_with("HTTP/1.1 101 ")) << all;
    return all.substr(all.find("\r\n\r\n") + 4);
  }
  template <class Condition>
  bool Eventually(Condition condition) {
    return Becomes(runtime_.env(), condition);
  }

  Runtime runtime_{{.name = "http"}};
  FedHandler handler_{};
  std::atomic<std::size_t> pulled_ = 0;  // by responses, which may outlive a test
  std::unique_ptr<HttpServer> server_ = HttpServer::Listen(runtime_.env(), handler_, {}).OrExit();
};

const std::string kClosed("\x88\x02\x03\xe8", 4);

TEST_F(WebSocketTest, AMessageIsAFrameInWhateverPiecesItComes) {
  EXPECT_EQ(Frames({"a\nb", "c\n", "d\n"}),
            "\x81\x02"
            "a\n"
            "\x81\x03"
            "bc\n"
            "\x81\x02"
            "d\n" +
                kClosed);
  const std::string medium(200, 'm');
  EXPECT_EQ(Frames({medium + "\n"}), std::string("\x81\x7e\x00\xc9", 4) + medium + "\n" + kClosed);
  const std::string large(70'000, 'l');
  EXPECT_EQ(Frames({large, "\n"}),
            std::string("\x81\x7f\0\0\0\0\0\x01\x11\x71", 10) + large + "\n" + kClosed);
}

TEST_F(WebSocketTest, LengthsBeforeProtobufAreNotSent) {
  const std::string type = "application/vnd.kubernetes.protobuf;stream=watch";
  EXPECT_EQ(
      Frames({std::string("\0\0", 2), std::string("\0\3ab", 4), "c", std::string("\0\0\0\1d", 5)},
             ResponseStream::State::kEnd, type),
      "\x82\x03"
      "abc"
      "\x82\x01"
      "d" +
          kClosed);
}

TEST_F(WebSocketTest, AbortedResponse_SendsNoCloseFrame) {
  EXPECT_EQ(Frames({"a\n", "b"}, ResponseStream::State::kAbort),
            "\x81\x02"
            "a\n");
}

TEST_F(WebSocketTest, StalledReader_CostsABuffer) {
  handler_.make = [&] { return std::make_unique<Endless>(pulled_); };
  const int fd = Dial();
  const int small = 4096;
  ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
  // The client sends pings all the time.
  std::string text = Request("/api/v1/pods?watch=1");
  for (int i = 0; i < 1000; ++i) text += std::string("\x89\x83\0\0\0\0abc", 9);
  ::send(fd, text.data(), text.size(), MSG_NOSIGNAL);
  EXPECT_TRUE(Eventually([&] { return pulled_ > 100'000; }));
  std::size_t before = 0;
  EXPECT_TRUE(Eventually([&] {
    const bool same = pulled_ == before;
    before = pulled_;
    if (!same) runtime_.env().SleepFor(milliseconds(100));
    return same;
  })) << "the socket is full some time";
  EXPECT_LT(pulled_, std::size_t{20} << 20);
  EXPECT_EQ(server_->Stats().connections_open, 1U);
  ::close(fd);
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
}

TEST_F(WebSocketTest, EndsWithItsClientAndWithTheServer) {
  handler_.make = [] {
    return std::make_unique<Fed>(std::vector<std::string>{}, ResponseStream::State::kWait,
                                 "application/json");
  };
  const int gone = Dial();
  const std::string request = Request("/api/v1/pods?watch=1");
  ::send(gone, request.data(), request.size(), MSG_NOSIGNAL);
  EXPECT_TRUE(Eventually([&] { return server_->Stats().requests == 1; }));
  ::close(gone);
  EXPECT_TRUE(Eventually([&] { return server_->Stats().connections_open == 0; }));
  const int kept = Dial();
  ::send(kept, request.data(), request.size(), MSG_NOSIGNAL);
  EXPECT_TRUE(Eventually([&] { return server_->Stats().requests == 2; }));
  server_.reset();
  ::close(kept);
}

}  // namespace
}  // namespace kinformer::apiserver

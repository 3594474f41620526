// Bodies of requests that come piece by piece, from the client's transport to the server's front
// end.

#include <condition_variable>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/client/body_pipe.h"
#include "kinformer/client/http_transport.h"

#include "http/server_for_test.h"

namespace kinformer::internal::http {
namespace {

class EchoServer final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    return Text(200, std::move(request.body));
  }
};

// Keeps an answer, for which the test's thread waits.
class Answer final : public ResponseReceiver {
 public:
  void OnHeaders(int status, const HttpHeaders&) override { status_ = status; }
  void OnData(std::string_view data) override { text_ += data; }
  void OnDone(Result<void> result) override {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    changed_.notify_all();
  }
  bool done() {
    const std::lock_guard lock(mutex_);
    return result_.has_value();
  }
  // Returns the status and the text; or the error.
  std::string Wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return result_.has_value(); });
    return result_->ok() ? std::to_string(status_) + " " + text_ : result_->error().message();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int status_ = 0;
  std::string text_;
  std::optional<Result<void>> result_;
};

class StreamedBodiesTest : public ::testing::TestWithParam<Protocol> {
 protected:
  StreamedBodiesTest() : server_(GetParam(), echo_) {
    transport_ = NewHttpTransport(server_.env(), {.base_url = server_.url(),
                                                  .tls = {.ca_pem = server_.ca_pem()},
                                                  .disable_http2 = GetParam() != Protocol::kHttp2})
                     .OrExit();
  }
  ~StreamedBodiesTest() override {
    OnLoop([&] { call_.reset(); });
    transport_.reset();
  }
  StreamedBodiesTest(const StreamedBodiesTest&) = delete;
  StreamedBodiesTest& operator=(const StreamedBodiesTest&) = delete;

  template <class Body>
  void OnLoop(const Body& body) {
    std::promise<void> done;
    server_.env().loop().Post([&] {
      body();
      done.set_value();
    });
    done.get_future().wait();
  }
  void Put(std::shared_ptr<BodyPipe> pipe, ConnectionPool pool = ConnectionPool::kShort) {
    HttpRequest request{.method = "PUT", .target = "/x", .pool = pool};
    request.headers.Add("Authorization", "Bearer right");
    request.body_pipe = std::move(pipe);
    OnLoop([&] { call_ = transport_->Start(std::move(request), answer_); });
  }

  EchoServer echo_;
  ServerForTest server_;
  Answer answer_;
  std::unique_ptr<Transport> transport_;
  std::unique_ptr<HttpCall> call_;
};
INSTANTIATE_TEST_SUITE_P(Protocols, StreamedBodiesTest,
                         ::testing::Values(Protocol::kHttp1, Protocol::kHttp1Tls, Protocol::kHttp2),
                         NameOf);

TEST_P(StreamedBodiesTest, PiecesOfUnknownLengthArriveAsAWhole) {
  const auto pipe = std::make_shared<BodyPipe>();
  Put(pipe);
  std::string all;
  for (int i = 0; i < 50; ++i) {
    const std::string piece(1000 * static_cast<std::size_t>(i) + 1,
                            static_cast<char>('a' + i % 26));
    all += piece;
    OnLoop([] {});
    pipe->Write(piece);
  }
  pipe->Close();
  EXPECT_EQ(answer_.Wait(), "200 " + all);
}

TEST_P(StreamedBodiesTest, ABodyOfKnownLengthArrives) {
  const std::string text(std::size_t{1} << 20, 'x');
  const auto pipe = std::make_shared<BodyPipe>(text.size());
  Put(pipe, ConnectionPool::kStream);
  pipe->Write(text);
  pipe->Close();
  EXPECT_EQ(answer_.Wait(), "200 " + text);
}

TEST_P(StreamedBodiesTest, AnEmptyBodyArrives) {
  const auto pipe = std::make_shared<BodyPipe>();
  Put(pipe);
  OnLoop([] {});
  pipe->Close();
  EXPECT_EQ(answer_.Wait(), "200 ");
}

TEST_P(StreamedBodiesTest, ABodyThatIsTooLargeIsRefusedInItsMiddle) {
  const auto pipe = std::make_shared<BodyPipe>();
  Put(pipe);
  const std::string piece(std::size_t{64} << 10, 'x');
  while (!answer_.done()) {
    if (pipe->wants_more()) pipe->Write(piece);
    OnLoop([] {});
  }
  EXPECT_EQ(answer_.Wait().substr(0, 4), "413 ");
}

TEST_P(StreamedBodiesTest, AWriterThatFailsEndsOnlyItsRequest) {
  const auto pipe = std::make_shared<BodyPipe>();
  Put(pipe);
  pipe->Write("begun");
  pipe->Fail(Error(Reason::kUnreadable, "the disk is gone"));
  EXPECT_EQ(answer_.Wait(), server_.url() + "/x: the disk is gone");
}

}  // namespace
}  // namespace kinformer::internal::http

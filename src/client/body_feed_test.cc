// Bodies that many requests send at once, on real threads.

#include <array>
#include <atomic>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/client/client.h"
#include "kinformer/client/rest_request.h"
#include "kinformer/client/transport.h"

#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

class BodyFeedTest : public ::testing::Test {
 protected:
  void SetUp() override {
    server_.fallback = [](const HttpRequest& request) { return testing::Json(request.body); };
  }
  [[nodiscard]] RestRequest Post(const BodyStream& body) const {
    return RestClient(client_).Post().AbsPath("/upload").Body(body);
  }

  Runtime runtime_{{.log = NewNullLog()}};
  testing::ScriptedServer server_;
  Client client_ = Client::ForTransport(runtime_.env(),
                                        NewInMemoryTransport(runtime_.env(), server_), {.qps = -1});
};

// As many pieces of 1000 bytes; begins again for each attempt.
BodyStream Pieces(int count) {
  BodyStream body;
  body.open = [count] {
    return Result<BodyStream::Read>([left = count]() mutable -> Result<std::string> {
      return left-- > 0 ? std::string(1000, 'x') : std::string();
    });
  };
  return body;
}

TEST_F(BodyFeedTest, RequestsOfThreadsAndOfTheLoopSendTheirBodiesAtOnce) {
  constexpr int kEach = 20;
  constexpr int kPieces = 600;  // more than a pipe holds
  std::array<std::promise<Result<RestResponse>>, kEach> answers;
  for (auto& answer : answers) {
    Post(Pieces(kPieces)).AsyncDo().Start([&answer](Result<RestResponse> got) {
      answer.set_value(std::move(got));
    });
  }
  std::atomic<int> right{0};
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < kEach / 4; ++j) {
        const Result<RestResponse> got = Post(Pieces(kPieces)).Do();
        if (got && got->body.size() == std::size_t{1000} * kPieces) ++right;
      }
    });
  }
  threads.clear();
  for (auto& answer : answers) {
    const Result<RestResponse> got = answer.get_future().get();
    if (got && got->body.size() == std::size_t{1000} * kPieces) ++right;
  }
  EXPECT_EQ(right, 2 * kEach);
}

TEST_F(BodyFeedTest, RequestsEndWhileTheirBodiesAreRead) {
  for (int i = 0; i < 50; ++i) {
    std::stop_source stop;
    std::promise<Reason> ended;
    const auto begun = std::make_shared<std::promise<void>>();  // a reading may outlive the call
    BodyStream body;
    body.read = [begun, first = true]() mutable -> Result<std::string> {
      if (std::exchange(first, false)) begun->set_value();
      return std::string(1000, 'x');
    };
    Post(body)
        .AsyncDo()
        .WithStop(stop.get_token())
        .Start([&ended](const Result<RestResponse>& got) {
          ended.set_value(got ? Reason::kUnknown : got.error().reason());
        });
    begun->get_future().wait();
    stop.request_stop();
    EXPECT_EQ(ended.get_future().get(), Reason::kCanceled);
  }
}

}  // namespace
}  // namespace kinformer

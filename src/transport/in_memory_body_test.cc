// Bodies of requests that come piece by piece, in memory.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/body_pipe.h"

#include "transport/in_memory_scene_for_test.h"
#include "transport/responses.h"

namespace kinformer::internal::transport {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// Answers with the body of the request.
class EchoServer final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    EXPECT_EQ(request.body_pipe, nullptr);
    return std::make_unique<WholeBody>(200, HttpHeaders(), std::move(request.body));
  }
};

class InMemoryBodyTest : public ::testing::Test {
 protected:
  void Start(InMemoryTransportOptions options = {}, TimeSpan timeout = {}) {
    transport_ = NewInMemoryTransport(sim_.env(), server_, options);
    HttpRequest request{.method = "POST", .target = "/x", .timeout = timeout};
    request.body_pipe = pipe_;
    receiver_.call = transport_->Start(std::move(request), receiver_);
  }
  using Calls = std::vector<std::string>;

  Simulation sim_;
  EchoServer server_;
  std::shared_ptr<BodyPipe> pipe_ = std::make_shared<BodyPipe>();
  std::unique_ptr<InMemoryTransport> transport_;
  TimedReceiver receiver_{sim_.env()};
};

TEST_F(InMemoryBodyTest, TheServerGetsTheWholeBody) {
  Start({.max_chunk_bytes = 3});
  pipe_->Write("hello ");
  sim_.RunFor(seconds(1));
  EXPECT_EQ(receiver_.calls, Calls());
  pipe_->Write("world");
  pipe_->Close();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(receiver_.calls,
            (Calls{"head 200 0", "data hel", "data lo ", "data wor", "data ld", "done"}));
}

TEST_F(InMemoryBodyTest, AnEmptyBodyIsABody) {
  Start();
  pipe_->Close();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(receiver_.calls, (Calls{"head 200 0", "done"}));
}

TEST_F(InMemoryBodyTest, AFailureOfTheWriterIsTheErrorOfTheExchange) {
  Start();
  pipe_->Write("begun");
  pipe_->Fail(Error(Reason::kUnreadable, "the disk is gone"));
  sim_.RunFor(seconds(1));
  EXPECT_EQ(receiver_.calls, (Calls{"failed: the disk is gone"}));
  EXPECT_EQ(receiver_.reason, Reason::kUnreadable);
}

TEST_F(InMemoryBodyTest, ADeadlineHoldsInTheMiddle) {
  Start({}, milliseconds(500));
  pipe_->Write("begun");
  sim_.RunFor(seconds(1));
  EXPECT_EQ(receiver_.reason, Reason::kDeadlineExceeded);
  EXPECT_FALSE(pipe_->wants_more());
}

TEST_F(InMemoryBodyTest, AServerThatGoesDownAndACallerThatLeavesEndTheBody) {
  Start();
  pipe_->Write("begun");
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(pipe_->wants_more());
  transport_->Down();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(receiver_.reason, Reason::kTransport);
  EXPECT_FALSE(pipe_->wants_more());

  pipe_ = std::make_shared<BodyPipe>();
  Start();
  receiver_.call.reset();
  EXPECT_FALSE(pipe_->wants_more());
  pipe_->Write("to nobody");
  sim_.RunFor(seconds(1));
}

TEST_F(InMemoryBodyTest, AWriterOfManyPiecesIsHeldUpByASlowConnection) {
  Start({.max_chunk_bytes = 65536, .min_latency = seconds(1), .max_latency = seconds(1)});
  std::size_t written = 0;
  for (int i = 0; i < 100; ++i) {
    if (!pipe_->wants_more()) continue;
    pipe_->Write(std::string(65536, 'x'));
    written += 65536;
  }
  EXPECT_EQ(written, std::size_t{256} << 10);
  sim_.RunFor(seconds(3));
  EXPECT_TRUE(pipe_->wants_more());
}

}  // namespace
}  // namespace kinformer::internal::transport

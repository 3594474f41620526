// Requests whose bodies come piece by piece.

#include "kinformer/client/body_stream.h"

#include <atomic>
#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <stop_token>
#include <streambuf>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/task.h"
#include "kinformer/client/rest_request.h"

#include "client/testing/config_map_client.h"
#include "client/testing/scripted_server.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Busy;
using testing::ConfigMapJson;
using testing::Json;

// The pieces, of which each reading has the next one.
BodyStream::Read Pieces(std::vector<std::string> pieces) {
  return [pieces = std::move(pieces), at = std::size_t{0}]() mutable -> Result<std::string> {
    return at < pieces.size() ? pieces[at++] : std::string();
  };
}

class BodyStreamTest : public testing::ClientTest {
 protected:
  void SetUp() override {
    ClientTest::SetUp();
    server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  }
  [[nodiscard]] RestRequest Post(const BodyStream& body) const {
    return RestClient(*client_).Post().AbsPath("/upload").Body(body);
  }
  Result<RestResponse> Do(const RestRequest& request, const CallOptions& call = {}) {
    Result<RestResponse> response = Error(Reason::kUnknown, "not run");
    EXPECT_TRUE(sim_.RunBlocking([&] { response = request.Do(call); }, minutes(30)));
    return response;
  }
  Result<RestResponse> DoAsync(AsyncCall<RestResponse> call) {
    std::optional<Result<RestResponse>> response;
    std::move(call).Start([&](Result<RestResponse> got) { response = std::move(got); });
    EXPECT_TRUE(sim_.RunUntil([&] { return response.has_value(); }, minutes(30)));
    return response.value_or(Error(Reason::kUnknown, "not ended"));
  }
  std::vector<std::string> Bodies() {
    std::vector<std::string> bodies;
    for (const HttpRequest& request : server_.requests) bodies.push_back(request.body);
    return bodies;
  }
  using Texts = std::vector<std::string>;
};

TEST_F(BodyStreamTest, TheServerGetsThePiecesInOrder) {
  BodyStream body;
  body.read = Pieces({"one ", "two ", "three"});
  EXPECT_TRUE(Do(Post(body).SetHeader("Content-Type", "text/plain")).ok());
  EXPECT_EQ(Bodies(), Texts{"one two three"});
  EXPECT_EQ(server_.requests[0].method, "POST");
  EXPECT_EQ(server_.requests[0].headers.Get("Content-Type"), "text/plain");
  EXPECT_EQ(server_.requests[0].body_pipe, nullptr);
}

TEST_F(BodyStreamTest, ABlockingCallReadsOnItsOwnThread) {
  bool within = false;
  BodyStream body;
  body.read = [&]() -> Result<std::string> {
    Env& env = sim_.env();
    EXPECT_FALSE(env.OnLoopThread());
    EXPECT_FALSE(env.pool().InThisExecutor());
    return std::exchange(within, true) ? std::string() : std::string("x");
  };
  EXPECT_TRUE(Do(Post(body)).ok());
  EXPECT_TRUE(within);
  EXPECT_EQ(Bodies(), Texts{"x"});
}

TEST_F(BodyStreamTest, ATaskOnTheLoopReadsOnThePool) {
  int reads = 0;
  BodyStream body;
  body.read = [&]() -> Result<std::string> {
    EXPECT_TRUE(sim_.env().pool().InThisExecutor());
    return ++reads < 3 ? std::string("x") : std::string();
  };
  EXPECT_TRUE(DoAsync(Post(body).AsyncDo()).ok());
  EXPECT_EQ(reads, 3);
  EXPECT_EQ(Bodies(), Texts{"xx"});
}

Task<Result<RestResponse>> Awaits(RestRequest request) { co_return co_await request.AsyncDo(); }

TEST_F(BodyStreamTest, ATaskAwaitsIt) {
  BodyStream body;
  body.read = Pieces({"awaited"});
  std::optional<Result<RestResponse>> response;
  Spawn(sim_.env(), Awaits(Post(body)),
        [&](Result<RestResponse> got) { response = std::move(got); });
  EXPECT_TRUE(sim_.RunUntil([&] { return response.has_value(); }, minutes(1)));
  EXPECT_TRUE(response->ok());
  EXPECT_EQ(Bodies(), Texts{"awaited"});
}

TEST_F(BodyStreamTest, AnswersComeAsObjectsAndAsStreams) {
  server_.fallback = [](const HttpRequest&) { return Json(ConfigMapJson("a", "5")); };
  BodyStream body;
  body.open = [] { return Result<BodyStream::Read>(Pieces({"x"})); };
  std::string streamed;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        const Result<Ref<corev1::ConfigMap>> map = Post(body).DoInto<corev1::ConfigMap>();
        ASSERT_TRUE(map.ok()) << map.error();
        EXPECT_EQ(map->metadata().name(), "a");
        EXPECT_TRUE(Post(body)
                        .Stream([&](std::string_view text) {
                          streamed += text;
                          return true;
                        })
                        .ok());
      },
      minutes(1)));
  EXPECT_EQ(streamed, ConfigMapJson("a", "5"));
  EXPECT_EQ(Bodies(), (Texts{"x", "x"}));
}

TEST_F(BodyStreamTest, ErrorsAndExceptionsOfTheFunctionEndTheRequest) {
  BodyStream body;
  body.read = []() -> Result<std::string> { throw std::runtime_error("own"); };
  const Result<RestResponse> thrown = Do(Post(body));
  ASSERT_FALSE(thrown.ok());
  EXPECT_NE(thrown.error().message().find("the request's body: "), std::string::npos);
  EXPECT_NE(thrown.error().message().find("own"), std::string::npos) << thrown.error();
  EXPECT_NE(DoAsync(Post(body).AsyncDo()).error().message().find("own"), std::string::npos);
  body.read = []() -> Result<std::string> { return Error(Reason::kUnreadable, "the disk"); };
  const Result<RestResponse> returned = Do(Post(body));
  ASSERT_FALSE(returned.ok());
  EXPECT_EQ(returned.error().reason(), Reason::kUnreadable);
  EXPECT_EQ(returned.error().message(), "the request's body: the disk");
  body.read = nullptr;
  body.open = []() -> Result<BodyStream::Read> { throw std::runtime_error("no file"); };
  EXPECT_NE(Do(Post(body)).error().message().find("no file"), std::string::npos);
  body.open = []() -> Result<BodyStream::Read> { return BodyStream::Read(); };
  EXPECT_NE(Do(Post(body)).error().message().find("returned no function"), std::string::npos);
  EXPECT_EQ(Bodies(), Texts());
}

TEST_F(BodyStreamTest, ABodyThatCanBeReadOnceIsSentOnce) {
  const Texts expected{"x"};
  const auto expect_once = [&](const testing::ScriptedResponse& answer) {
    server_.requests.clear();
    server_.script = {answer};
    BodyStream body;
    body.read = Pieces({"x"});
    const RestRequest request = Post(body);
    const Result<RestResponse> refused = Do(request);
    ASSERT_FALSE(refused.ok());
    EXPECT_NE(refused.error().message().find("its body can be read only once"), std::string::npos)
        << refused.error();
    EXPECT_EQ(refused.error().http_status(), answer.cut_before_answer ? 0 : answer.status);
    EXPECT_EQ(Bodies(), expected);
    const Result<RestResponse> again = Do(request);
    ASSERT_FALSE(again.ok());
    EXPECT_EQ(again.error().reason(), Reason::kInvalidArgument);
    EXPECT_NE(again.error().message().find("POST /upload: its body was sent before"),
              std::string::npos);
    EXPECT_EQ(Bodies(), expected);
  };
  expect_once(Busy(429, "1"));
  expect_once(Busy(503, "1"));
  expect_once({.cut_before_answer = true});
  server_.script = {testing::StatusFailure(404, "NotFound", "not here")};
  BodyStream body;
  body.read = Pieces({"x"});
  EXPECT_EQ(Do(Post(body)).error().message(), "not here");
}

TEST_F(BodyStreamTest, ABodyThatBeginsAgainIsSentWithEachAttempt) {
  server_.script = {Busy(429, "1"), Busy(503, "1")};
  int opened = 0;
  BodyStream body;
  body.open = [&] {
    ++opened;
    return Result<BodyStream::Read>(Pieces({"one ", "two"}));
  };
  EXPECT_TRUE(Do(Post(body)).ok());
  EXPECT_EQ(opened, 3);
  EXPECT_EQ(Bodies(), (Texts{"one two", "one two", "one two"}));
}

TEST_F(BodyStreamTest, FreshCredentialsNeedABodyThatBeginsAgain) {
  const Client client = Client::ForTransport(
      sim_.env(), transport_, {.qps = -1, .refresh_credentials = [] { return true; }});
  const auto refused = testing::StatusFailure(401, "Unauthorized", "who");
  server_.script = {refused};
  BodyStream body;
  body.open = [] { return Result<BodyStream::Read>(Pieces({"x"})); };
  EXPECT_TRUE(Do(RestClient(client).Put().AbsPath("/u").Body(body)).ok());
  EXPECT_EQ(Bodies(), (Texts{"x", "x"}));
  server_.script = {refused};
  BodyStream once;
  once.read = Pieces({"x"});
  const Result<RestResponse> answer = Do(RestClient(client).Put().AbsPath("/u").Body(once));
  EXPECT_EQ(answer.error().http_status(), 401);
  EXPECT_NE(answer.error().message().find("read only once"), std::string::npos);
}

TEST_F(BodyStreamTest, AnIstreamThatSeeksBeginsWhereItStood) {
  server_.script = {Busy(429, "1")};
  const auto text = std::make_shared<std::istringstream>("skipped," + std::string(200000, 'x'));
  text->seekg(8);
  const BodyStream body = BodyStream::Of(text);
  EXPECT_EQ(body.size, 200000U);
  EXPECT_TRUE(Do(Post(body)).ok());
  EXPECT_EQ(Bodies(), (Texts{std::string(200000, 'x'), std::string(200000, 'x')}));
}

// Gives characters, and cannot seek.
class Pipe final : public std::streambuf {
  int_type underflow() override {
    if (given_) return traits_type::eof();
    given_ = true;
    setg(&text_[0], &text_[0], &text_[0] + text_.size());
    return traits_type::to_int_type(text_[0]);
  }
  std::string text_ = "from a pipe";
  bool given_ = false;
};

TEST_F(BodyStreamTest, AnIstreamThatCannotSeekIsSentOnce) {
  Pipe pipe;
  const BodyStream body = BodyStream::Of(std::make_shared<std::istream>(&pipe));
  EXPECT_FALSE(body.size);
  EXPECT_FALSE(body.open);
  EXPECT_TRUE(Do(Post(body)).ok());
  EXPECT_EQ(Bodies(), Texts{"from a pipe"});
}

TEST_F(BodyStreamTest, ASizeThatIsWrongIsAnError) {
  BodyStream body;
  body.read = Pieces({"four"});
  body.size = 5;
  const Result<RestResponse> wrong = Do(Post(body));
  EXPECT_EQ(wrong.error().reason(), Reason::kInvalidArgument);
  EXPECT_NE(wrong.error().message().find("5 bytes, but it has 4"), std::string::npos);
}

TEST_F(BodyStreamTest, EitherReadOrOpenIsGiven) {
  for (const bool both : {false, true}) {
    BodyStream body;
    if (both) {
      body.read = Pieces({});
      body.open = [] { return Result<BodyStream::Read>(Pieces({})); };
    }
    EXPECT_EQ(Do(Post(body)).error().reason(), Reason::kInvalidArgument);
  }
  EXPECT_EQ(Bodies(), Texts());
}

TEST_F(BodyStreamTest, TheLastBodyIsSent) {
  BodyStream body;
  body.read = Pieces({"stream"});
  EXPECT_TRUE(Do(Post(body).Body("text")).ok());
  EXPECT_TRUE(Do(RestClient(*client_).Post().AbsPath("/").Body("text").Body(body)).ok());
  EXPECT_EQ(Bodies(), (Texts{"text", "stream"}));
}

// A body that goes on for ever, slowly.
BodyStream Endless(Env& env, std::atomic<int>& reads) {
  BodyStream body;
  body.read = [&env, &reads]() -> Result<std::string> {
    ++reads;
    env.SleepFor(milliseconds(100));
    return std::string("x");
  };
  return body;
}

TEST_F(BodyStreamTest, DeadlinesAndStopRequestsHoldInTheMiddle) {
  std::atomic<int> reads{0};
  const CallOptions limited{.timeout = seconds(1)};
  EXPECT_EQ(Do(Post(Endless(sim_.env(), reads)), limited).error().reason(),
            Reason::kDeadlineExceeded);
  EXPECT_GE(reads, 9);
  EXPECT_LE(reads, 11);
  EXPECT_EQ(
      DoAsync(Post(Endless(sim_.env(), reads)).AsyncDo().WithTimeout(seconds(1))).error().reason(),
      Reason::kDeadlineExceeded);
  sim_.RunFor(seconds(1));
  std::stop_source stop;
  std::optional<Result<RestResponse>> response;
  Post(Endless(sim_.env(), reads))
      .AsyncDo()
      .WithStop(stop.get_token())
      .Start([&](Result<RestResponse> got) { response = std::move(got); });
  sim_.RunFor(seconds(5));
  EXPECT_FALSE(response);
  stop.request_stop();
  sim_.RunFor(milliseconds(1));
  ASSERT_TRUE(response);
  EXPECT_EQ(response->error().reason(), Reason::kCanceled);
  sim_.RunFor(seconds(1));
  const int last = reads;
  sim_.RunFor(seconds(10));
  EXPECT_EQ(reads, last) << "nobody wants it";
  EXPECT_EQ(Bodies(), Texts());
}

TEST_F(BodyStreamTest, AFunctionMayEndItsRequestAndItsClient) {
  std::stop_source stop;
  BodyStream body;
  body.read = [&]() -> Result<std::string> {
    stop.request_stop();
    client_.reset();
    return std::string("x");
  };
  const CallOptions stoppable{.stop = stop.get_token()};
  EXPECT_EQ(Do(Post(body), stoppable).error().reason(), Reason::kCanceled);
  SetUp();
  std::optional<Result<RestResponse>> response;
  std::stop_source other;
  body.read = nullptr;
  body.open = [&]() -> Result<BodyStream::Read> {
    other.request_stop();
    client_.reset();
    return Pieces({"x"});
  };
  Post(body).AsyncDo().WithStop(other.get_token()).Start([&](Result<RestResponse> got) {
    response = std::move(got);
  });
  EXPECT_TRUE(sim_.RunUntil([&] { return response.has_value(); }, minutes(1)));
  EXPECT_EQ(response->error().reason(), Reason::kCanceled);
  EXPECT_FALSE(client_);
}

TEST_F(BodyStreamTest, AFunctionThatDoesNotReturnHoldsUpNobodyElse) {
  const std::unique_ptr<Monitor> monitor = sim_.env().NewMonitor();
  bool released = false;
  BodyStream body;
  body.read = [&]() -> Result<std::string> {
    MonitorLock lock(*monitor);
    while (!released) lock.Wait();
    return std::string();
  };
  EXPECT_EQ(DoAsync(Post(body).AsyncDo().WithTimeout(seconds(1))).error().reason(),
            Reason::kDeadlineExceeded);
  EXPECT_TRUE(Do(RestClient(*client_).Get().AbsPath("/other")).ok());
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        MonitorLock lock(*monitor);
        released = true;
        monitor->NotifyAll();
      },
      seconds(1)));
  sim_.RunFor(seconds(1));
}

}  // namespace
}  // namespace kinformer

// Limits of the access filters: bytes that wait, times and numbers that are remembered, and heads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"
#include "kinformer/endpoints/metrics_server.h"
#include "kinformer/internal/head_judge.h"

#include "controller/endpoints/call_thread.h"
#include "controller/endpoints/testing/access_fixture.h"
#include "controller/endpoints/testing/endpoint_client.h"
#include "controller/endpoints/text_response.h"

namespace kinformer {
namespace {

using internal::endpoints::CallThread;
using internal::endpoints::TextResponse;
using internal::transport::HeadJudge;
using std::chrono::minutes;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using testing::AccessFiltersTest;
using testing::Asked;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::Start;
using testing::StatusFailure;

// Refuses bodies.
class NoBodies final : public Handler, public HeadJudge {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest) override { return TextResponse(200, "x"); }
  std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest&) override {
    return TextResponse(413, "no bodies\n");
  }
};

class AccessLimitsTest : public AccessFiltersTest {
 protected:
  // Returns the response after a second.
  std::unique_ptr<ResponseStream> Judge(Handler& filter, const std::string& token) {
    HttpRequest head{.method = "POST", .target = "/metrics"};
    if (!token.empty()) head.headers.Add("Authorization", "Bearer " + token);
    std::unique_ptr<ResponseStream> gate;
    sim_.env().loop().Post([&] { gate = dynamic_cast<HeadJudge&>(filter).JudgeHead(head); });
    sim_.RunFor(seconds(1));
    return gate;
  }
  // Returns "200 a user's body", or "waits".
  std::string Drop(std::unique_ptr<ResponseStream> stream) {
    std::string text = "waits";
    if (stream->ready()) {
      std::vector<BodyChunk> chunks;
      static_cast<void>(stream->Read(1000, chunks));
      text = std::to_string(stream->status()) + " ";
      for (const BodyChunk& chunk : chunks) text += chunk.bytes;
    }
    sim_.env().loop().Post([&] { stream.reset(); });
    sim_.RunReady();
    return text;
  }
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) {
    std::unique_ptr<ResponseStream> stream;
    sim_.env().loop().Post([&] { stream = filter_->Handle(std::move(request)); });
    sim_.RunReady();
    return stream;
  }
};

// A request of `bytes` in all its parts together.
HttpRequest RequestOf(std::size_t bytes) {
  const std::string token(100, 't');
  const std::string path = "/" + std::string(999, 'p');
  HttpRequest request{.target = path + "?" + std::string(499, 'q')};
  request.headers.Add("Authorization", "Bearer " + token);
  request.headers.Add("X-Other", std::string(293, 'h'));
  const std::size_t others = 100 + 1000 + 1500 + (13 + 107) + (7 + 293);
  request.body = std::string(bytes - others, 'b');
  return request;
}

TEST_F(AccessLimitsTest, WaitingBytes_CountEachPart) {
  api_server_.script = {{.hang = true}};
  const std::unique_ptr<Asked> running = Start(sim_, *filter_, "/metrics", "t-1");
  constexpr std::size_t kMost = CallThread::kMaxWaitingBytes;
  EXPECT_EQ(kMost, std::size_t{4} << 20);
  EXPECT_EQ(Drop(Handle(RequestOf(kMost + 1))), "503 too many requests wait already\n");
  std::unique_ptr<ResponseStream> all = Handle(RequestOf(kMost));
  EXPECT_FALSE(all->ready());
  EXPECT_EQ(Drop(Handle(RequestOf(3020))), "503 too many requests wait already\n");
  EXPECT_EQ(Drop(std::move(all)), "waits");
  EXPECT_EQ(Drop(Handle(RequestOf(kMost))), "waits") << "the room is free again";
}

TEST_F(AccessLimitsTest, WaitingRequests_AreCounted) {
  api_server_.script = {{.hang = true}};
  const std::unique_ptr<Asked> running = Start(sim_, *filter_, "/metrics", "t-1");
  EXPECT_EQ(CallThread::kMaxWaiting, 256U);
  std::vector<std::unique_ptr<Asked>> waiting;
  for (std::size_t i = 0; i < CallThread::kMaxWaiting; ++i) {
    waiting.push_back(Start(sim_, *filter_, "/metrics", "t-1"));
    ASSERT_EQ(waiting.back()->status, 0) << i;
  }
  EXPECT_EQ(Start(sim_, *filter_, "/metrics", "t-1")->status, 503);
  waiting.pop_back();
  EXPECT_EQ(Start(sim_, *filter_, "/metrics", "t-1")->status, 0);
}

struct Memory {
  const char* token;
  Duration remembered;
  const char* question;  // asked again after that time
};

TEST_F(AccessLimitsTest, Answers_AreForgottenAtTheirTime) {
  for (const Memory& row :
       {Memory{"t-1", seconds(60), "tokenreviews"}, Memory{"nobody", seconds(60), "tokenreviews"},
        Memory{"t-10", seconds(30), "subjectaccessreviews"}}) {
    SCOPED_TRACE(row.token);
    Get(row.token);
    Questions();
    sim_.RunFor(row.remembered - nanoseconds(1));
    Get(row.token);
    EXPECT_THAT(Questions(), IsEmpty());
    sim_.RunFor(nanoseconds(1));
    Get(row.token);
    EXPECT_THAT(Questions(), ElementsAre(row.question));
  }
}

TEST_F(AccessLimitsTest, Permission_IsForgottenAfterFiveMinutes) {
  Get("t-1");
  sim_.RunFor(minutes(5) - nanoseconds(1));
  Questions();
  Get("t-1");
  EXPECT_THAT(Questions(), ElementsAre("tokenreviews"));
  sim_.RunFor(nanoseconds(1));
  Get("t-1");
  EXPECT_THAT(Questions(), ElementsAre("subjectaccessreviews"));
  sim_.Suspend(minutes(1));
  Get("t-1");
  EXPECT_THAT(Questions(), ElementsAre("tokenreviews")) << "time asleep counts";
}

// The least recently used answer makes room for a new one.
TEST_F(AccessLimitsTest, RememberedAnswers_AreBoundedInNumber) {
  struct Row {
    const char* what;
    std::size_t most;
    std::string (*token)(std::size_t);
    std::string (*path)(std::size_t);
    std::vector<std::string> asked_again;
  };
  const auto number = [](std::size_t i) { return "t-" + std::to_string(i) + "1"; };
  for (const Row& row : std::vector<Row>{{"users",
                                          4096,
                                          number,
                                          [](std::size_t) -> std::string { return "/metrics"; },
                                          {"tokenreviews", "subjectaccessreviews"}},
                                         {"nobodies",
                                          1024,
                                          [](std::size_t i) { return "x" + std::to_string(i); },
                                          [](std::size_t) -> std::string { return "/metrics"; },
                                          {"tokenreviews"}},
                                         {"denied",
                                          1024,
                                          [](std::size_t) -> std::string { return "t-0"; },
                                          [](std::size_t i) { return "/" + std::to_string(i); },
                                          {"subjectaccessreviews"}}}) {
    SCOPED_TRACE(row.what);
    const auto asks = [&](std::size_t i) {
      Questions();
      Get(row.token(i), row.path(i));
      return Questions();
    };
    for (std::size_t i = 0; i < row.most; ++i) static_cast<void>(asks(i));
    EXPECT_THAT(asks(0), IsEmpty()) << "all have room";
    static_cast<void>(asks(row.most));
    EXPECT_THAT(asks(0), IsEmpty()) << "used a moment ago";
    EXPECT_EQ(asks(1), row.asked_again) << "one too many";
  }
}

TEST_F(AccessLimitsTest, Review_EndsAfterExactlyTenSeconds) {
  for (const bool token_known : {false, true}) {
    api_server_.script.clear();
    if (token_known) {
      api_server_.script = {
          testing::Review({.target = "/apis/authentication.k8s.io/v1/tokenreviews",
                           .body = R"({"spec":{"token":"t-1"}})"})};
    }
    api_server_.script.push_back({.hang = true});
    const std::unique_ptr<Asked> asked = Start(sim_, *filter_, "/metrics", "t-1");
    sim_.RunFor(seconds(10) - nanoseconds(1));
    EXPECT_EQ(asked->status, 0);
    sim_.RunFor(nanoseconds(1));
    EXPECT_EQ(asked->status, 500);
    EXPECT_EQ(asked->body,
              token_known ? "Authorization for user user-1 failed\n" : "Authentication failed\n");
  }
}

TEST_F(AccessLimitsTest, FailedReviews_AreLogged) {
  api_server_.script = {StatusFailure(403, "Forbidden", "no reviews")};
  EXPECT_EQ(Get("t-1"), "500 Authentication failed\n");
  EXPECT_EQ(log_->Count("cannot find out whose token that is path=/metrics err=Forbidden"), 1U)
      << log_->text();
  api_server_.script = {testing::Review({.target = "/apis/authentication.k8s.io/v1/tokenreviews",
                                         .body = R"({"spec":{"token":"t-1"}})"}),
                        StatusFailure(403, "Forbidden", "no reviews")};
  EXPECT_EQ(Get("t-1"), "500 Authorization for user user-1 failed\n");
  EXPECT_EQ(log_->Count("cannot find out whether a user may do that user=user-1 path=/metrics "
                        "err=Forbidden"),
            1U)
      << log_->text();
}

TEST_F(AccessLimitsTest, Head_IsRefusedForItsTokenOrByTheHandler) {
  const auto no_bodies = std::make_shared<NoBodies>();
  const auto plain = std::shared_ptr<Handler>(std::shared_ptr<void>(), &metrics_);
  const auto by_token = WithBearerToken("right", no_bodies);
  for (const char* token : {"", "wrong"}) {
    EXPECT_EQ(Drop(Judge(*by_token, token)), "401 Unauthorized\n");
  }
  EXPECT_EQ(Drop(Judge(*by_token, "right")), "413 no bodies\n");
  EXPECT_EQ(Judge(*WithBearerToken("right", plain), "right"), nullptr);
  EXPECT_EQ(Drop(Judge(*filter_, "")), "401 Unauthorized\n");
  EXPECT_THAT(Questions(), IsEmpty()) << "nobody is asked about nobody";
  EXPECT_TRUE(sim_.RunBlocking([&] { filter_.reset(); }, minutes(1)));
  filter_ = WithAuthenticationAndAuthorization(sim_.env(), *client_, no_bodies);
  for (const char* when : {"after a review", "from memory"}) {
    EXPECT_EQ(Drop(Judge(*filter_, "t-1")), "413 no bodies\n") << when;
    EXPECT_EQ(Drop(Judge(*filter_, "t-10")), "403 Authorization denied for user user-10\n") << when;
    EXPECT_EQ(Drop(Judge(*filter_, "nobody")), "401 Unauthorized\n") << when;
  }
}

TEST(TextResponses, Headers_NameTypeAndTheWayIn) {
  for (const int status : {200, 401, 403, 404, 500}) {
    const auto response = TextResponse(status, "text\n");
    EXPECT_EQ(response->status(), status);
    EXPECT_EQ(response->headers().Get("Content-Type"), "text/plain; charset=utf-8");
    EXPECT_EQ(response->headers().Get("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(response->headers().Get("WWW-Authenticate"), status == 401 ? "Bearer" : "");
  }
  EXPECT_EQ(internal::endpoints::NotFoundResponse()->status(), 404);
}

}  // namespace
}  // namespace kinformer

// Admission at the end of the head: the server neither waits for nor reads the body of a refused
// request.

#include <atomic>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinformer/internal/head_judge.h"

#include "http/server_for_test.h"

namespace kinformer::internal::http {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;
using transport::Deferred;
using transport::HeadJudge;

constexpr std::size_t kBody = std::size_t{3} << 20;

class Later final : public Deferred {
 public:
  Later(Env& env, int status) {
    timer_ = env.loop().RunAt(env.Now() + milliseconds(20),
                              [this, status] { Begin(Text(status, "said later\n")); });
  }

 private:
  Timer timer_{};
};

// A judge that decides by the path.
class Judge final : public Handler, public HeadJudge {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    ++handled;
    return Text(200, std::to_string(request.body.size()) + "\n");
  }
  std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) override {
    ++judged;
    if (head.target == "/refused") return Text(403, "not you\n");
    if (head.target == "/refused-later") return std::make_unique<Later>(*env, 403);
    if (head.target == "/answered") return Text(200, "that is all\n");
    if (head.target == "/open") return Text(kContinue, "");
    if (head.target == "/open-later") return std::make_unique<Later>(*env, kContinue);
    return nullptr;
  }
  Env* env = nullptr;
  std::atomic<int> handled{0};
  std::atomic<int> judged{0};
};

class HeadAdmissionTest : public ::testing::TestWithParam<Protocol> {
 protected:
  HeadAdmissionTest() { handler_.env = &server_.env(); }
  Judge handler_;
  ServerForTest server_{GetParam(), handler_};
};

TEST_P(HeadAdmissionTest, Status401_ComesBeforeTheBody) {
  (void)server_.Ask("/", "right");  // makes everything that is made once
  const Reply reply = server_.Ask("/", "wrong", kBody, 0);
  EXPECT_EQ(reply.status, 401);
  // Waiting for the body would last until the client gives up.
  EXPECT_LT(reply.took, milliseconds(2000));
  EXPECT_EQ(handler_.judged, 0);
  EXPECT_EQ(handler_.handled, 1);
}

TEST_P(HeadAdmissionTest, Status401_ComesWhileTheBodyArrives) {
  EXPECT_EQ(server_.Ask("/", "wrong", kBody, 100000).status, 401);
  EXPECT_EQ(server_.Ask("/", "wrong", 10, 10).status, 401);
  EXPECT_EQ(handler_.handled, 0);
}

// The limit of a body is revealed only to admitted clients.
TEST_P(HeadAdmissionTest, ABodyThatIsTooLong_IsA401ToStrangersAndA413ToOthers) {
  EXPECT_EQ(server_.Ask("/", "wrong", kBody + 1, 0).status, 401);
  EXPECT_EQ(server_.Ask("/", "wrong", std::size_t{1} << 50, 0).status, 401);
  const Reply reply = server_.Ask("/", "right", kBody + 1, kBody + 1);
  EXPECT_EQ(reply.status, 413);
  EXPECT_THAT(reply.body, HasSubstr("limit is"));
  EXPECT_EQ(handler_.handled, 0);
}

// The client declares the length beforehand.
TEST(HeadAdmissionTest, ALengthThatIsTooLarge_IsRefusedBeforeTheBody) {
  Judge handler;
  ServerForTest server(Protocol::kHttp1, handler);
  handler.env = &server.env();
  for (const std::size_t size : {kBody + 1, std::size_t{1} << 50}) {
    const Reply reply = server.Ask("/", "right", size, 0);
    EXPECT_EQ(reply.status, 413);
    EXPECT_LT(reply.took, milliseconds(2000));
  }
}

TEST_P(HeadAdmissionTest, AdmittedRequest_IsReadToTheEnd) {
  const Reply reply = server_.Ask("/", "right", kBody, kBody);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.body, std::to_string(kBody) + "\n");
  EXPECT_EQ(handler_.judged, 1);
}

TEST_P(HeadAdmissionTest, AHandlerRefusesBeforeTheBody) {
  for (const char* path : {"/refused", "/refused-later"}) {
    const Reply reply = server_.Ask(path, "right", kBody, 0);
    EXPECT_EQ(reply.status, 403) << path;
    EXPECT_LT(reply.took, milliseconds(2000)) << path;
  }
  EXPECT_EQ(handler_.handled, 0);
}

// A gate may give the complete response, as the one for a webhook's review does.
TEST_P(HeadAdmissionTest, GateThatAnswers_AnswerComesBeforeTheBody) {
  for (const std::size_t sent : {std::size_t{0}, std::size_t{70000}}) {
    const Reply reply = server_.Ask("/answered", "right", kBody, sent);
    EXPECT_EQ(reply.status, 200) << sent;
    EXPECT_EQ(reply.body, "that is all\n") << sent;
  }
}

TEST_P(HeadAdmissionTest, AGateThatOpensLetsTheBodyCome) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{70000}, kBody}) {
    for (const char* path : {"/open", "/open-later"}) {
      const Reply reply = server_.Ask(path, "right", size, size);
      EXPECT_EQ(reply.status, 200) << path << size;
      EXPECT_EQ(reply.body, std::to_string(size) + "\n") << path;
    }
  }
  EXPECT_EQ(handler_.handled, 6);
}

TEST_P(HeadAdmissionTest, Gate_IsAskedOnlyForRequestsWithBody) {
  EXPECT_EQ(server_.Ask("/refused", "right").status, 200);
  EXPECT_EQ(handler_.judged, 0);
}

// Compared with the same refusal of a request without a body; the best of five each, because of
// other load on the machine.
TEST_P(HeadAdmissionTest, ABodyThatDoesNotCome_AddsAtMost50MsToA401) {
  milliseconds without{10000};
  milliseconds with{10000};
  for (int i = 0; i < 5; ++i) {
    without = std::min(without, server_.Ask("/", "wrong").took);
    const Reply reply = server_.Ask("/", "wrong", kBody, 0);
    EXPECT_EQ(reply.status, 401);
    EXPECT_EQ(reply.http2, GetParam() == Protocol::kHttp2);
    with = std::min(with, reply.took);
  }
  EXPECT_LE(with - without, milliseconds(50));
}

INSTANTIATE_TEST_SUITE_P(All, HeadAdmissionTest,
                         ::testing::Values(Protocol::kHttp1, Protocol::kHttp1Tls, Protocol::kHttp2),
                         &NameOf);

}  // namespace
}  // namespace kinformer::internal::http

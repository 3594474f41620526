// Authorization of requests for metrics.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"
#include "kinformer/endpoints/metrics_server.h"
#include "kinformer/json/json.h"

#include "base/core/testing/fields_log.h"
#include "client/testing/scripted_server.h"
#include "controller/endpoints/testing/access_fixture.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::AccessFiltersTest;
using testing::Ask;
using testing::Asked;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Review;
using testing::Start;
using testing::StatusFailure;

TEST_F(AccessFiltersTest, AFixedTokenLetsItsBearersPass) {
  const auto filter =
      WithBearerToken("right", std::shared_ptr<Handler>(std::shared_ptr<void>(), &metrics_));
  EXPECT_EQ(Ask(sim_, *filter, "/metrics", "right")->status, 200);
  for (const char* token : {"", "wrong", "righ", "right2"}) {
    const std::unique_ptr<Asked> asked = Ask(sim_, *filter, "/metrics", token);
    EXPECT_EQ(asked->status, 401) << token;
    EXPECT_EQ(asked->headers.Get("WWW-Authenticate"), "Bearer");
  }
  const auto closed =
      WithBearerToken("", std::shared_ptr<Handler>(std::shared_ptr<void>(), &metrics_));
  EXPECT_EQ(Ask(sim_, *closed, "/metrics", "")->status, 401);
  EXPECT_EQ(metrics_.requests.size(), 1U);
}

TEST_F(AccessFiltersTest, ApiServer_DecidesWhoMayRead) {
  EXPECT_EQ(Get("t-1"), "200 metrics for user-1");
  ASSERT_EQ(api_server_.requests.size(), 2U);
  const json::Value asked =
      json::Parse(api_server_.requests[1].body).value_or(json::Value())["spec"];
  EXPECT_EQ(asked.Dump(),
            R"({"nonResourceAttributes":{"path":"/metrics","verb":"get"},"user":"user-1",)"
            R"("groups":["g"],"extra":{"k":["v"]},"uid":"7"})");
  EXPECT_EQ(Get("t-10"), "403 Authorization denied for user user-10\n");
  EXPECT_EQ(Get("unknown"), "401 Unauthorized\n");
  EXPECT_EQ(metrics_.requests.size(), 1U);
}

TEST_F(AccessFiltersTest, RequestWithoutToken_IsRefusedWithoutReview) {
  EXPECT_EQ(Get(""), "401 Unauthorized\n");
  EXPECT_THAT(Questions(), IsEmpty());
}

TEST_F(AccessFiltersTest, AnswersAreRememberedForTheirTime) {
  Get("t-1");
  Get("t-10");
  EXPECT_THAT(Questions(), ElementsAre("tokenreviews", "subjectaccessreviews", "tokenreviews",
                                       "subjectaccessreviews"));
  sim_.RunFor(seconds(29));
  Get("t-1");
  Get("t-10");
  EXPECT_THAT(Questions(), IsEmpty());
  sim_.RunFor(seconds(2));
  Get("t-1");
  Get("t-10");
  EXPECT_THAT(Questions(), ElementsAre("subjectaccessreviews")) << "a denial counts for 30 s";
  sim_.RunFor(seconds(31));
  Get("t-1");
  EXPECT_THAT(Questions(), ElementsAre("tokenreviews")) << "a token counts for a minute";
  sim_.RunFor(minutes(3) + seconds(50));
  Get("t-1");
  EXPECT_THAT(Questions(), ElementsAre("tokenreviews"));
  sim_.RunFor(seconds(20));
  Get("t-1");
  EXPECT_THAT(Questions(), ElementsAre("subjectaccessreviews")) << "leave counts for 5 minutes";
  Get("t-1", "/other");
  EXPECT_THAT(Questions(), ElementsAre("subjectaccessreviews")) << "for one path";
}

TEST_F(AccessFiltersTest, ATokenThatIsUnknownIsRememberedToo) {
  Get("unknown");
  Get("unknown");
  EXPECT_THAT(Questions(), ElementsAre("tokenreviews"));
  sim_.RunFor(minutes(1));
  Get("unknown");
  EXPECT_THAT(Questions(), ElementsAre("tokenreviews"));
}

TEST_F(AccessFiltersTest, ApiServerFailure_IsNotCached) {
  api_server_.script = {StatusFailure(403, "Forbidden", "this process may not ask"),
                        Review({.target = "/apis/authentication.k8s.io/v1/tokenreviews",
                                .body = R"({"spec":{"token":"t-1"}})"}),
                        StatusFailure(403, "Forbidden", "this process may not ask")};
  EXPECT_EQ(Get("t-1"), "500 Authentication failed\n");
  EXPECT_EQ(Get("t-1"), "500 Authorization for user user-1 failed\n");
  EXPECT_EQ(Get("t-1"), "200 metrics for user-1");
  EXPECT_THAT(log_->text(), HasSubstr("this process may not ask"));
}

TEST_F(AccessFiltersTest, ReviewByApiServer_TimesOutAfterTenSeconds) {
  api_server_.script = {{.hang = true}};
  const std::unique_ptr<Asked> asked = Start(sim_, *filter_, "/metrics", "t-1");
  sim_.RunFor(seconds(9));
  EXPECT_EQ(asked->status, 0);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(asked->body, "Authentication failed\n");
}

TEST_F(AccessFiltersTest, KnownToken_DoesNotWaitForOthers) {
  Get("t-2");
  api_server_.script = {{.hang = true}};
  const std::unique_ptr<Asked> asked = Start(sim_, *filter_, "/metrics", "t-1");
  EXPECT_EQ(Start(sim_, *filter_, "/metrics", "t-2")->status, 200);
  EXPECT_EQ(asked->status, 0);
  // The destructor of the filter does not wait for the API server either.
  const SteadyTime before = sim_.env().Now();
  EXPECT_TRUE(sim_.RunBlocking([&] { filter_.reset(); }, minutes(1)));
  EXPECT_LT(sim_.env().Now() - before, seconds(1));
}

TEST_F(AccessFiltersTest, RequestsThatComeTogetherAskOnce) {
  const std::unique_ptr<Asked> one = Start(sim_, *filter_, "/metrics", "t-1");
  const std::unique_ptr<Asked> two = Start(sim_, *filter_, "/metrics", "t-1");
  sim_.RunFor(seconds(1));
  EXPECT_EQ(one->status, 200);
  EXPECT_EQ(two->status, 200);
  EXPECT_THAT(Questions(), ElementsAre("tokenreviews", "subjectaccessreviews"));
}

}  // namespace
}  // namespace kinformer

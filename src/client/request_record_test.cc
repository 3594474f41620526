#include "kinformer/client/request_record.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"
#include "client/engine.h"
#include "client/testing/engine_scene.h"
#include "client/testing/scripted_server.h"

namespace kinformer::internal::client {
namespace {

using ::kinformer::testing::Json;
using ::kinformer::testing::ScriptedResponse;
using ::kinformer::testing::ScriptedServer;
using ::kinformer::testing::StatusFailure;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kParent[] = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

// An answer begins two seconds after its request was sent, and ends a second later.
class RequestRecordTest : public ::kinformer::testing::EngineScene {
 protected:
  RequestRecordTest() : EngineScene(LogLevel::kWarning, seconds(1)) {}

  void Make(ClientOptions options = {.qps = -1}) {
    if (!options.request_observer) {
      options.request_observer = [this](const RequestRecord& record) {
        EXPECT_FALSE(result_.has_value()) << "the caller comes last";
        records_.push_back(record);
      };
    }
    EngineScene::Make(std::move(options));
  }
  // Returns the record of the request.
  RequestRecord Run(ExchangeRequest request) {
    records_.clear();
    static_cast<void>(EngineScene::Run(std::move(request)));
    EXPECT_EQ(records_.size(), 1U);
    return records_.empty() ? RequestRecord() : records_.front();
  }

  std::vector<RequestRecord> records_;
};

TEST_F(RequestRecordTest, ASuccessHasNoError) {
  Make();
  server_.script = {Json("{}", 201)};
  const RequestRecord record =
      Run({.method = "PUT", .target = "/apis/apps/v1/namespaces/a/deployments/d?dryRun=All"});
  EXPECT_EQ(record.method, "PUT");
  EXPECT_EQ(record.url_template,
            "/apis/apps/v1/namespaces/{namespace}/deployments/{name}?dryRun={value}");
  EXPECT_EQ(record.resource, "deployments.apps");
  EXPECT_FALSE(record.watch);
  EXPECT_EQ(record.status, 201);
  EXPECT_FALSE(record.error.has_value());
  EXPECT_EQ(record.attempts, 1);
  EXPECT_EQ(record.throttled, Duration(0));
  EXPECT_EQ(record.answer_began, seconds(2));
  EXPECT_EQ(record.duration, seconds(3));
  EXPECT_EQ(record.traceparent, "");
}

TEST_F(RequestRecordTest, AllAttemptsAreOneRecord) {
  Make({.qps = 0.2, .burst = 1});
  ScriptedResponse busy = StatusFailure(503, "", "busy");
  busy.headers.emplace_back("Retry-After", "1");
  server_.script = {busy, StatusFailure(404, "NotFound", "no such thing")};
  HttpHeaders trace;
  trace.Add("traceparent", kParent);
  const RequestRecord record = Run({.target = "/api/v1/pods", .headers = trace});
  EXPECT_EQ(record.status, 404);
  ASSERT_TRUE(record.error.has_value());
  EXPECT_EQ(record.error->reason(), Reason::kNotFound);
  EXPECT_EQ(record.attempts, 2);
  // The next token comes a second after the first attempt and the pause.
  EXPECT_EQ(record.throttled, seconds(1));
  EXPECT_EQ(record.answer_began, seconds(7));
  EXPECT_EQ(record.duration, seconds(8));
  EXPECT_EQ(record.traceparent, kParent);
  ASSERT_EQ(server_.requests.size(), 2U);
  for (const HttpRequest& request : server_.requests) {
    EXPECT_EQ(request.headers.Get("traceparent"), kParent);
  }
}

TEST_F(RequestRecordTest, WithoutAnAnswerThereIsNoStatus) {
  Make();
  server_.script = {ScriptedResponse{.cut_before_answer = true}};
  const RequestRecord record = Run({.method = "POST", .target = "/x"});
  EXPECT_EQ(record.status, 0);
  ASSERT_TRUE(record.error.has_value());
  EXPECT_EQ(record.error->reason(), Reason::kTransport);
  EXPECT_EQ(record.attempts, 1);
  EXPECT_FALSE(record.answer_began.has_value());
  EXPECT_EQ(record.url_template, "/x");
  EXPECT_EQ(record.resource, "");
}

TEST_F(RequestRecordTest, ARequestThatIsNeverSentHasNoAttempts) {
  Make({.qps = 0.1, .burst = 1});
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  (void)Run({.target = "/x"});
  const RequestRecord record = Run({.target = "/x", .timeout = seconds(1)});
  EXPECT_EQ(record.attempts, 0);
  EXPECT_EQ(record.status, 0);
  EXPECT_EQ(record.error->reason(), Reason::kDeadlineExceeded);
  sim_.env().loop().Post([&] { engine_->ShutDown(); });
  sim_.RunReady();
  EXPECT_EQ(Run({.target = "/x"}).error->reason(), Reason::kStopped);
}

TEST_F(RequestRecordTest, AnAbandonedRequestIsCanceled) {
  Make();
  ScriptedResponse endless = Json("{}");
  endless.hang = true;
  server_.script = {endless};
  Begin({.target = "/api/v1/pods?watch=true", .watch = true});
  sim_.RunFor(seconds(10));
  EXPECT_TRUE(records_.empty());
  End();
  ASSERT_EQ(records_.size(), 1U);
  EXPECT_TRUE(records_[0].watch);
  EXPECT_EQ(records_[0].status, 200);
  EXPECT_EQ(records_[0].error->reason(), Reason::kCanceled);
  EXPECT_EQ(records_[0].answer_began, seconds(2));
  EXPECT_EQ(records_[0].duration, seconds(10));
}

TEST_F(RequestRecordTest, ARequestThatNeverBeganHasNone) {
  Make();
  sim_.env().loop().Post([&] {
    exchange_ = std::make_unique<Exchange>(engine_, ExchangeRequest{.target = "/x"}, *this);
    exchange_.reset();
  });
  sim_.RunReady();
  EXPECT_TRUE(records_.empty());
}

TEST_F(RequestRecordTest, AnObserverThatThrowsHarmsNoRequest) {
  Make({.qps = -1, .request_observer = [](const RequestRecord& record) {
          throw std::runtime_error("seen " + record.method);
        }});
  server_.script = {Json("{}"), Json("{}")};
  for (int i = 0; i < 2; ++i) {
    Begin({.target = "/x"});
    ASSERT_TRUE(sim_.RunUntil([&] { return result_.has_value(); }, std::chrono::minutes(5)));
    EXPECT_TRUE(result_->ok());
    End();
  }
  EXPECT_THAT(log_->text(), HasSubstr("function=the request observer of= err=seen GET"));
}

}  // namespace
}  // namespace kinformer::internal::client

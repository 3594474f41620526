// Metrics behind the filter that asks the API server, with many unauthorized clients.

#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/client/transport.h"
#include "kinformer/endpoints/metrics_server.h"
#include "kinformer/internal/head_judge.h"

#include "controller/endpoints/testing/access_fixture.h"

namespace kinformer {
namespace {

using internal::transport::HeadJudge;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AccessFiltersTest;
using testing::Ask;
using testing::Asked;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Start;

TEST_F(AccessFiltersTest, FloodOfUnknownTokens_EvictsNoKnownToken) {
  EXPECT_EQ(Get("t-1"), "200 metrics for user-1");
  for (int i = 0; i < 4200; ++i)
    EXPECT_EQ(Ask(sim_, *filter_, "/metrics", std::to_string(i))->status, 401);
  (void)Questions();
  EXPECT_EQ(Get("t-1"), "200 metrics for user-1");
  EXPECT_THAT(Questions(), IsEmpty());
}

TEST_F(AccessFiltersTest, FloodOfDeniedPaths_EvictsNoPermission) {
  EXPECT_EQ(Get("t-1"), "200 metrics for user-1");
  for (int i = 0; i < 4200; ++i) {
    EXPECT_EQ(Ask(sim_, *filter_, "/" + std::to_string(i), "t-10")->status, 403);
  }
  (void)Questions();
  EXPECT_EQ(Get("t-1"), "200 metrics for user-1");
  EXPECT_THAT(Questions(), IsEmpty());
}

TEST_F(AccessFiltersTest, RequestsAwaitingApiServer_AreBoundedInBytes) {
  api_server_.script = {{.hang = true}};
  std::vector<std::unique_ptr<Asked>> asked;
  std::size_t waiting = 0;
  for (int i = 0; i < 200; ++i) {
    asked.push_back(Start(sim_, *filter_, "/metrics",
                          std::to_string(i) + std::string(std::size_t{64} << 10, 'x')));
    if (asked.back()->status == 0) {
      ++waiting;
    } else {
      EXPECT_EQ(asked.back()->status, 503);
    }
  }
  // Each request holds its token twice: in its head, and as a copy.
  EXPECT_GE(waiting, 16U);
  EXPECT_LE(waiting * (std::size_t{64} << 10), std::size_t{4} << 20);
  asked.clear();
  sim_.RunFor(minutes(1));
  EXPECT_EQ(Get("t-1"), "200 metrics for user-1") << "who waits no more takes no place";
}

class HeadOfAccessTest : public AccessFiltersTest {
 protected:
  // Status that the filter gives for a head after a second; 0 if it is still undecided.
  int Judge(const std::string& token) {
    HttpRequest head{.method = "POST", .target = "/metrics"};
    if (!token.empty()) head.headers.Add("Authorization", "Bearer " + token);
    std::unique_ptr<ResponseStream> gate;
    sim_.env().loop().Post([&] { gate = dynamic_cast<HeadJudge&>(*filter_).JudgeHead(head); });
    sim_.RunFor(seconds(1));
    if (gate == nullptr) return HeadJudge::kContinue;
    const int status = gate->ready() ? gate->status() : 0;
    sim_.env().loop().Post([&] { gate.reset(); });
    sim_.RunReady();
    return status;
  }
};

TEST_F(HeadOfAccessTest, Body_IsReadOnlyAfterAccessIsGranted) {
  EXPECT_EQ(Judge(""), 401);
  EXPECT_EQ(Judge("unknown"), 401);
  EXPECT_EQ(Judge("t-10"), 403);
  EXPECT_EQ(Judge("t-1"), HeadJudge::kContinue);
  EXPECT_EQ(Judge("unknown"), 401) << "from memory";
  EXPECT_EQ(Judge("t-1"), HeadJudge::kContinue) << "from memory";
  EXPECT_THAT(metrics_.requests, IsEmpty()) << "heads are for the filter";
}

TEST_F(HeadOfAccessTest, SilentApiServer_BodyWaits) {
  api_server_.script = {{.hang = true}};
  EXPECT_EQ(Judge("t-1"), 0);
}

class BrokenText final : public TextMetrics {
 public:
  std::shared_ptr<Counter> NewCounter(std::string_view name, std::string_view help,
                                      MetricLabels labels) override {
    return inner_->NewCounter(name, help, labels);
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view name, std::string_view help,
                                  MetricLabels labels) override {
    return inner_->NewGauge(name, help, labels);
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view name, std::string_view help,
                                          MetricLabels labels) override {
    return inner_->NewHistogram(name, help, labels);
  }
  [[nodiscard]] std::string Text() const override { throw std::runtime_error("by the program"); }

 private:
  const std::shared_ptr<TextMetrics> inner_ = NewTextMetrics();
};

TEST_F(AccessFiltersTest, MetricsWhoseTextThrowsAreA500) {
  std::shared_ptr<Handler> handler = NewMetricsHandler(sim_.env(), std::make_shared<BrokenText>());
  EXPECT_EQ(Ask(sim_, *handler, "/metrics")->status, 500);
  EXPECT_EQ(Ask(sim_, *handler, "/metrics")->status, 500) << "its thread lives on";
  EXPECT_THAT(log_->text(), HasSubstr("function=what answers a request of=metrics"));
  EXPECT_TRUE(sim_.RunBlocking([&] { handler.reset(); }, minutes(1)));
}

class BrokenHandler final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest) override {
    throw std::runtime_error("by the program");
  }
};

TEST_F(AccessFiltersTest, AHandlerBehindTheFilterThatThrowsIsA500) {
  EXPECT_TRUE(sim_.RunBlocking([&] { filter_.reset(); }, minutes(1)));
  filter_ =
      WithAuthenticationAndAuthorization(sim_.env(), *client_, std::make_shared<BrokenHandler>());
  EXPECT_EQ(Ask(sim_, *filter_, "/metrics", "t-1")->status, 500) << "after a review";
  EXPECT_EQ(Ask(sim_, *filter_, "/metrics", "t-1")->status, 500) << "of one who is known";
}

}  // namespace
}  // namespace kinformer

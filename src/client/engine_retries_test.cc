// When a request is repeated, after which pauses, and with which error it ends.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/client/client.h"

#include "base/core/testing/fields_log.h"
#include "client/engine.h"
#include "client/testing/engine_scene.h"
#include "client/testing/scripted_server.h"

namespace kinformer::internal::client {
namespace {

using ::kinformer::testing::Busy;
using ::kinformer::testing::Json;
using ::kinformer::testing::ScriptedResponse;
using ::kinformer::testing::ScriptedServer;
using ::kinformer::testing::StatusFailure;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ScriptedResponse kBroken{.cut_before_answer = true};

// Requests of a client, with the seconds at which their attempts arrive.
class EngineRetriesTest : public ::kinformer::testing::EngineScene {
 protected:
  EngineRetriesTest() : EngineScene(LogLevel::kInfo) {}

  void Make(const ClientOptions& options) {
    EngineScene::Make(options);
    // Broken connections are repeated only to a server that has answered before.
    server_.script = {Json("{}")};
    EXPECT_TRUE(Run({.target = "/first"}).ok());
  }
  // Sends a request that is answered by `answers`, then by {}.
  Result<void> Run(ExchangeRequest request, std::vector<ScriptedResponse> answers = {}) {
    arrivals_.clear();
    const SteadyTime begun = sim_.env().Now();
    server_.fallback = [this, begun, answers = std::move(answers)](const HttpRequest&) {
      arrivals_.push_back((sim_.env().Now() - begun) / seconds(1));
      return arrivals_.size() <= answers.size() ? answers[arrivals_.size() - 1] : Json("{}");
    };
    return EngineScene::Run(std::move(request));
  }

  std::vector<std::int64_t> arrivals_{};
};

TEST_F(EngineRetriesTest, WithoutRetries_OneAttempt_RR02) {
  Make({.qps = -1, .max_retries = 0});
  for (const ScriptedResponse& answer : {Busy(429, "0"), Busy(503, "0"), kBroken}) {
    EXPECT_FALSE(Run({.target = "/x"}, {answer}).ok());
    EXPECT_EQ(arrivals_.size(), 1U);
  }
}

TEST_F(EngineRetriesTest, BrokenRead_IsRepeatedAfterASecond_RR03) {
  Make({.qps = -1});
  EXPECT_TRUE(Run({.target = "/x"}, {kBroken}).ok());
  EXPECT_THAT(arrivals_, ElementsAre(0, 1));
  EXPECT_EQ(body_, "{}");
}

TEST_F(EngineRetriesTest, Refusals_AreRepeatedAfterTheServersPause_RR04_RR05) {
  Make({.qps = -1});
  for (const int status : {429, 500, 502, 503, 504, 599}) {
    for (const char* method : {"GET", "POST"}) {
      log_->lines.clear();
      EXPECT_TRUE(Run({.method = method, .target = "/x"}, {Busy(status, "7")}).ok());
      EXPECT_THAT(arrivals_, ElementsAre(0, 7)) << method << " " << status;
      EXPECT_THAT(log_->text(), HasSubstr("request=" + std::string(method) +
                                          " /x status=" + std::to_string(status)));
    }
  }
}

TEST_F(EngineRetriesTest, LimitOfRetries_EndsWithTheLastError_RR08) {
  Make({.qps = -1, .max_retries = 3});
  const std::vector<ScriptedResponse> busy(9, Busy(503, "1"));
  const Error refused = Run({.target = "/x"}, busy).error();
  EXPECT_EQ(refused.reason(), Reason::kServiceUnavailable);
  EXPECT_THAT(arrivals_, ElementsAre(0, 1, 2, 3));
  const Error broken = Run({.target = "/x"}, std::vector<ScriptedResponse>(9, kBroken)).error();
  EXPECT_EQ(broken.reason(), Reason::kTransport) << broken;
  EXPECT_EQ(arrivals_.size(), 4U);
}

// It may have been done.
TEST_F(EngineRetriesTest, WritesOverBrokenConnections_AreNotRepeated_RR15) {
  Make({.qps = -1});
  for (const char* method : {"POST", "PUT", "PATCH", "DELETE"}) {
    EXPECT_EQ(Run({.method = method, .target = "/x"}, {kBroken}).error().reason(),
              Reason::kTransport);
    EXPECT_EQ(arrivals_.size(), 1U) << method;
  }
  EXPECT_TRUE(Run({.target = "/x", .watch = true}, {kBroken, kBroken}).ok());
  EXPECT_THAT(arrivals_, ElementsAre(0, 1, 2)) << "a watch";
}

// The pause comes first, then the turn at the limiter, where the first attempt has waited, too, and
// that of a watch has not.
TEST_F(EngineRetriesTest, RetriesPauseAndThenWaitForTheLimiter_RR19) {
  Make({.qps = 0.1, .burst = 1});
  EXPECT_TRUE(Run({.target = "/x"}, {Busy(503, "3")}).ok());
  EXPECT_THAT(arrivals_, ElementsAre(10, 20)) << "the limiter lets one pass each ten seconds";
  EXPECT_TRUE(Run({.target = "/x"}, {Busy(503, "25")}).ok());
  EXPECT_THAT(arrivals_, ElementsAre(10, 35)) << "its turn came during the pause";
  EXPECT_TRUE(Run({.target = "/x", .watch = true}, {Busy(503, "3")}).ok());
  EXPECT_THAT(arrivals_, ElementsAre(0, 10));
}

TEST_F(EngineRetriesTest, EachRetryPausesAsLong_RR20) {
  Make({.qps = -1});
  EXPECT_TRUE(Run({.target = "/x"}, std::vector<ScriptedResponse>(4, Busy(429, "1"))).ok());
  EXPECT_THAT(arrivals_, ElementsAre(0, 1, 2, 3, 4));
}

TEST_F(EngineRetriesTest, ErrorsKeepTheirReasonAndHideTheBody_RS05) {
  Make({.qps = -1});
  struct Row {
    int status;
    const char* reason;
    Reason want;
  };
  for (const Row& row :
       {Row{401, "Unauthorized", Reason::kUnauthorized}, Row{403, "Forbidden", Reason::kForbidden},
        Row{500, "InternalError", Reason::kInternalError},
        Row{502, "InternalError", Reason::kInternalError}}) {
    ScriptedResponse text{.status = row.status, .body = "some text"};
    text.headers = {{"Content-Type", "text/plain"}};
    for (const ScriptedResponse& answer :
         {StatusFailure(row.status, row.reason, "said so"), text}) {
      for (const char* method : {"GET", "POST"}) {
        const Error error = Run({.method = method, .target = "/x"}, {answer}).error();
        EXPECT_EQ(error.reason(), row.want) << row.status;
        EXPECT_EQ(error.http_status(), row.status);
        EXPECT_EQ(arrivals_.size(), 1U);
        EXPECT_EQ(status_, 0);
        EXPECT_EQ(body_, "");
      }
    }
  }
}

TEST_F(EngineRetriesTest, OnlyCode299WithTextIsLogged_RW01) {
  Make({.qps = -1});
  log_->lines.clear();
  ScriptedResponse answer = Json("{}");
  for (const char* value : {R"(199 - "other code")", R"(299 - "")", R"(299 - "deprecated")",
                            R"(214 - "transformed")"}) {
    answer.headers.emplace_back("Warning", value);
  }
  EXPECT_TRUE(Run({.target = "/x"}, {answer}).ok());
  EXPECT_THAT(log_->lines, ElementsAre("the server warns warning=deprecated"));
}

// ---- Calls that are stopped

class StoppedCallsTest : public ::testing::Test {
 protected:
  // Calls GetRaw, with a stop after ten seconds. Returns when that ended, with its error.
  std::pair<Duration, std::string> StoppedGet(const Client& client) {
    std::stop_source stop;
    const SteadyTime begun = sim_.env().Now();
    const Timer timer =
        sim_.env().loop().RunAt(begun + seconds(10), [&stop] { stop.request_stop(); });
    std::pair<Duration, std::string> out;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          const Result<std::string> got = client.GetRaw("/x", {.stop = stop.get_token()});
          out = {sim_.env().Now() - begun,
                 got ? "OK" : std::string(ReasonName(got.error().reason()))};
        },
        minutes(20)));
    return out;
  }

  Simulation sim_{{.seed = 8}};
  ScriptedServer server_;
};

TEST_F(StoppedCallsTest, AStopDuringAPauseEndsTheCallAtOnce_RR23_RR28) {
  server_.fallback = [](const HttpRequest&) { return Busy(503, "600"); };
  const Client client =
      Client::ForTransport(sim_.env(), NewInMemoryTransport(sim_.env(), server_), {.qps = -1});
  const auto [took, reason] = StoppedGet(client);
  EXPECT_EQ(took, seconds(10));
  EXPECT_EQ(reason, "Canceled");
  sim_.RunFor(minutes(20));
  EXPECT_EQ(server_.requests.size(), 1U);
}

TEST_F(StoppedCallsTest, AStopDuringTheWaitForTheLimiterIsNoErrorOfTheLimiter_RR26) {
  server_.fallback = [](const HttpRequest&) { return Json("{}"); };
  const Client client = Client::ForTransport(sim_.env(), NewInMemoryTransport(sim_.env(), server_),
                                             {.qps = 0.01, .burst = 1});
  EXPECT_EQ(StoppedGet(client).second, "OK");
  const auto [took, reason] = StoppedGet(client);
  EXPECT_EQ(took, seconds(10));
  EXPECT_EQ(reason, "Canceled");
  EXPECT_EQ(server_.requests.size(), 1U);
}

}  // namespace
}  // namespace kinformer::internal::client

// Answers of health endpoints.

#include "kinformer/endpoints/healthz.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/endpoints/metrics_server.h"

#include "base/core/testing/fields_log.h"
#include "controller/endpoints/call_thread.h"
#include "controller/endpoints/testing/endpoint_client.h"

namespace kinformer {
namespace {

using healthz::Checks;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::Ask;
using testing::Asked;
using ::testing::HasSubstr;
using testing::Start;
using ::testing::StartsWith;

Result<void> Fails() { return Error(Reason::kNotSynced, "pods are still being listed"); }

class HealthzTest : public ::testing::Test {
 protected:
  void TearDown() override {
    // Ends a thread, which needs simulated time to pass.
    EXPECT_TRUE(sim_.RunBlocking([&] { handler_.reset(); }, minutes(1)));
  }
  void Serve(Checks checks, std::string path = "/healthz") {
    handler_.emplace(sim_.env(), std::move(checks), std::move(path));
  }
  // Returns status and body, such as "200 ok".
  std::string Get(const std::string& target) {
    const std::unique_ptr<Asked> asked = Ask(sim_, *handler_, target);
    EXPECT_TRUE(asked->done);
    EXPECT_EQ(asked->headers.Get("Content-Type"), "text/plain; charset=utf-8");
    return std::to_string(asked->status) + " " + asked->body;
  }

  std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_}};
  std::optional<healthz::Handler> handler_;
};

TEST_F(HealthzTest, AllIsWell_HC01) {
  Serve({{"ping", healthz::Ping}, {"caches", healthz::Ping}});
  EXPECT_EQ(Get("/healthz"), "200 ok");
  EXPECT_EQ(Get("/healthz/"), "200 ok");
  const std::string all = "200 [+]caches ok\n[+]ping ok\nhealthz check passed\n";
  EXPECT_EQ(Get("/healthz?verbose"), all);
  EXPECT_EQ(Get("/healthz?verbose=0"), all) << "that it stands there is what counts";
  EXPECT_EQ(Get("/healthz/caches"), "200 ok");
}

TEST_F(HealthzTest, FailingCheck_FailsWholeEndpoint_HC01) {
  Serve({{"ping", healthz::Ping}, {"caches", Fails}}, "/readyz");
  EXPECT_EQ(Get("/readyz"),
            "500 [-]caches failed: reason withheld\n[+]ping ok\nhealthz check failed\n");
  EXPECT_EQ(Get("/readyz/ping"), "200 ok");
  EXPECT_EQ(Get("/readyz/caches"), "500 internal server error: pods are still being listed\n");
}

TEST_F(HealthzTest, ExcludedChecksAreNotRun_HC01) {
  int calls = 0;
  const auto counted = [&] {
    ++calls;
    return Fails();
  };
  Serve({{"ping", healthz::Ping}, {"caches", counted}, {"a b", Fails}});
  EXPECT_EQ(Get("/healthz?exclude=caches&exclude=a%20b"), "200 ok");
  EXPECT_EQ(Get("/healthz?exclude=caches&exclude=a+b&verbose"),
            "200 [+]a b excluded: ok\n[+]caches excluded: ok\n[+]ping ok\nhealthz check passed\n");
  EXPECT_EQ(calls, 0);
}

TEST_F(HealthzTest, UnknownExclusions_AreNamedInWarning_HC01) {
  Serve({{"ping", healthz::Ping}});
  EXPECT_EQ(Get("/healthz?exclude=two&exclude=one"), "200 ok");
  EXPECT_EQ(Get("/healthz?exclude=two&exclude=one&verbose"),
            "200 [+]ping ok\n"
            "warn: some health checks cannot be excluded: no matches for \"one\", \"two\"\n"
            "healthz check passed\n");
}

TEST_F(HealthzTest, WithoutChecksThereIsPing_HC01) {
  Serve({});
  EXPECT_EQ(Get("/healthz"), "200 ok");
  EXPECT_EQ(Get("/healthz?verbose"), "200 [+]ping ok\nhealthz check passed\n");
  EXPECT_EQ(Get("/healthz/ping"), "200 ok");
}

TEST_F(HealthzTest, NamesOfChecks_AreTakenFromThePath_HC01) {
  Serve({{"a+b", Fails}, {"a b", healthz::Ping}, {"c/d", healthz::Ping}});
  for (const char* target : {"/healthz/a%20b", "/healthz/a%20b/", "/healthz//a%20b//",
                             "/healthz/c/d", "/healthz/c%2Fd", "/healthz/a%20b?verbose"}) {
    EXPECT_EQ(Get(target), "200 ok") << target;
  }
  const std::string failed = "500 internal server error: pods are still being listed\n";
  EXPECT_EQ(Get("/healthz/a+b"), failed) << "no space in a path";
  EXPECT_EQ(Get("/healthz/a%2Bb"), failed);
  EXPECT_EQ(Get("/healthz/a"), "404 404 page not found\n");
  handler_.reset();
  Serve({{"a", healthz::Ping}}, "/h&verbose");
  EXPECT_EQ(Get("/h&verbose"), "200 ok") << "a path has no parameters";
}

TEST_F(HealthzTest, FailedChecks_AreLoggedAndNamedBesideUnknownExclusions_HC01) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kWarning);
  Simulation sim({.log = log});
  auto handler = std::make_unique<healthz::Handler>(
      sim.env(), Checks{{"caches", Fails}, {"ping", healthz::Ping}}, "/healthz");
  EXPECT_EQ(Ask(sim, *handler, "/healthz?exclude=x&exclude=ping")->body,
            "[-]caches failed: reason withheld\n[+]ping excluded: ok\n"
            "warn: some health checks cannot be excluded: no matches for \"x\"\n"
            "healthz check failed\n");
  EXPECT_EQ(log->text(),
            "a health check failed check=caches err=NotSynced: pods are still being listed\n");
  EXPECT_TRUE(sim.RunBlocking([&] { handler.reset(); }, minutes(1)));
}

TEST_F(HealthzTest, UnknownPath_IsNotFound_HC01) {
  Serve({{"caches", healthz::Ping}, {"z", healthz::Ping}});
  for (const char* target : {"/healthz/ping", "/healthz/%zz", "/healthzz", "/", "/readyz"}) {
    EXPECT_EQ(Get(target), "404 404 page not found\n") << target;
  }
}

TEST_F(HealthzTest, ACheckThatThrowsFails) {
  Serve({{"bad", []() -> Result<void> { throw std::runtime_error("a check of the program's"); }},
         {"empty", nullptr}});
  EXPECT_THAT(Get("/healthz"), StartsWith("500 [-]bad failed: reason withheld\n[-]empty failed"));
  EXPECT_THAT(Get("/healthz/bad"), HasSubstr("a check of the program's"));
  EXPECT_THAT(metrics_->Text(), HasSubstr("kinformer_user_exceptions_total"));
}

TEST_F(HealthzTest, ACheckThatBlocksHoldsUpItsHandlerOnly) {
  Serve({{"slow", [&] {
            sim_.env().SleepFor(seconds(5));
            return Result<void>();
          }}});
  healthz::Handler other(sim_.env(), {}, "/readyz");
  const std::unique_ptr<Asked> slow = Start(sim_, *handler_, "/healthz");
  EXPECT_EQ(slow->status, 0);
  EXPECT_EQ(Start(sim_, other, "/readyz")->body, "ok");
  sim_.RunFor(seconds(6));
  EXPECT_EQ(slow->body, "ok");
}

TEST_F(HealthzTest, ChecksThatNobodyWaitsForAreNotRun) {
  int calls = 0;
  Serve({{"slow", [&] {
            ++calls;
            sim_.env().SleepFor(seconds(5));
            return Result<void>();
          }}});
  constexpr std::size_t kMost = internal::endpoints::CallThread::kMaxWaiting;
  std::vector<std::unique_ptr<Asked>> waiting;
  for (std::size_t i = 0; i < kMost + 1; ++i) waiting.push_back(Start(sim_, *handler_, "/healthz"));
  EXPECT_EQ(waiting.back()->status, 0);
  EXPECT_EQ(Start(sim_, *handler_, "/healthz")->status, 503) << "too many wait";
  waiting.clear();
  sim_.RunFor(minutes(1));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(Get("/healthz"), "200 ok");
  EXPECT_EQ(calls, 2);
}

TEST_F(HealthzTest, MetricsAreTextForPrometheus) {
  metrics_->NewCounter("pages_total", "Pages that were printed", {{"printer", "one"}})->Add(2);
  std::shared_ptr<Handler> handler = NewMetricsHandler(sim_.env(), metrics_);
  const std::unique_ptr<Asked> asked = Ask(sim_, *handler, "/metrics");
  EXPECT_EQ(asked->status, 200);
  EXPECT_EQ(asked->headers.Get("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
  EXPECT_THAT(asked->body,
              HasSubstr("# TYPE pages_total counter\npages_total{printer=\"one\"} 2\n"));
  EXPECT_TRUE(sim_.RunBlocking([&] { handler.reset(); }, minutes(1)));
}

}  // namespace
}  // namespace kinformer

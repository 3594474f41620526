#include "otlp/exporter.h"

#include <chrono>
#include <deque>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/json/json.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal::otlp {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// How a collector answers a request.
struct Answer {
  int status = 200;  // 0: the connection breaks
  std::string body{"{}"};
  std::string retry_after{};
  bool never = false;
};

// Answers each request with the next of `answers`, and 200 after those.
class FakeCollector final : public Transport {
 public:
  struct State {
    std::vector<HttpRequest> requests{};
    std::deque<Answer> answers{};
    int open = 0;
    bool gone = false;

    // The names of the spans in a request.
    [[nodiscard]] std::vector<std::string> Names(std::size_t i) const {
      const json::Value body = json::Parse(requests.at(i).body).OrExit();
      std::vector<std::string> names;
      for (const json::Value& span : body.At("/resourceSpans/0/scopeSpans/0/spans").items()) {
        names.push_back(span["name"].StringOrEmpty());
      }
      return names;
    }
  };

  FakeCollector(Env& env, std::shared_ptr<State> state) : env_(env), state_(std::move(state)) {}
  ~FakeCollector() override { state_->gone = true; }
  FakeCollector(const FakeCollector&) = delete;
  FakeCollector& operator=(const FakeCollector&) = delete;

  std::unique_ptr<HttpCall> Start(HttpRequest request, ResponseReceiver& receiver) override {
    state_->requests.push_back(std::move(request));
    Answer answer;
    if (!state_->answers.empty()) {
      answer = state_->answers.front();
      state_->answers.pop_front();
    }
    auto call = std::make_unique<Call>(state_);
    if (answer.never) return call;
    call->timer = env_.loop().RunAt(env_.Now() + milliseconds(10), [&receiver, answer] {
      if (answer.status == 0) return receiver.OnDone(Error(Reason::kTransport, "broken"));
      HttpHeaders headers;
      if (!answer.retry_after.empty()) headers.Add("retry-after", answer.retry_after);
      receiver.OnHeaders(answer.status, headers);
      receiver.OnData(answer.body);
      receiver.OnDone({});
    });
    return call;
  }
  [[nodiscard]] TransportStats Stats() const override { return {}; }
  [[nodiscard]] std::string Describe() const override { return "fake"; }

 private:
  class Call final : public HttpCall {
   public:
    explicit Call(std::shared_ptr<State> state) : state_(std::move(state)) { ++state_->open; }
    ~Call() override { --state_->open; }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    Timer timer;

   private:
    const std::shared_ptr<State> state_;
  };

  Env& env_;
  const std::shared_ptr<State> state_;
};

class OtlpExporterTest : public ::testing::Test {
 protected:
  ~OtlpExporterTest() override {
    if (exporter_ == nullptr) return;
    EXPECT_TRUE(sim_.RunBlocking([&] { exporter_->Stop(); }, minutes(1)));
    EXPECT_EQ(collector_->open, 0);
    EXPECT_TRUE(collector_->gone);
  }

  void Make(const OtlpOptions& options = {}) {
    Settings settings;
    settings.base_url = "http://collector:4318";
    settings.target = "/v1/traces";
    settings.headers.Add("authorization", "Bearer hidden");
    settings.resource = {{"service.name", "scene"}};
    exporter_ = std::make_shared<Exporter>(sim_.env(),
                                           std::make_unique<FakeCollector>(sim_.env(), collector_),
                                           std::move(settings), options, *metrics_);
  }
  void Add(const std::string& name) {
    SpanData span;
    span.name = name;
    exporter_->Add(std::move(span));
  }
  void AddMany(int from, int to) {
    for (int i = from; i < to; ++i) Add(std::to_string(i));
  }
  std::string Flush(Duration timeout) {
    std::string text = "blocked";
    EXPECT_TRUE(sim_.RunBlocking(
        [&] {
          const Result<void> flushed = exporter_->Flush(timeout);
          text = flushed ? "" : std::string(ReasonName(flushed.error().reason()));
        },
        minutes(10)));
    return text;
  }

  const std::shared_ptr<base::FieldsLog> log_ = std::make_shared<base::FieldsLog>();
  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.log = log_}};
  const std::shared_ptr<FakeCollector::State> collector_ = std::make_shared<FakeCollector::State>();
  std::shared_ptr<Exporter> exporter_;
};

TEST_F(OtlpExporterTest, FewSpans_AreSentTogetherAfterTheDelay) {
  Make();
  Add("a");
  sim_.RunFor(seconds(4));
  Add("b");
  EXPECT_THAT(collector_->requests, IsEmpty());
  sim_.RunFor(seconds(2));
  ASSERT_EQ(collector_->requests.size(), 1U);
  const HttpRequest& request = collector_->requests[0];
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/v1/traces");
  EXPECT_EQ(request.headers.Get("content-type"), "application/json");
  EXPECT_EQ(request.headers.Get("authorization"), "Bearer hidden");
  EXPECT_EQ(Duration(request.timeout), seconds(10));
  EXPECT_THAT(collector_->Names(0), ElementsAre("a", "b"));
  EXPECT_EQ(exporter_->Stats().sent, 2U);
  EXPECT_THAT(metrics_->Text(), HasSubstr("kinformer_otlp_spans_total{result=\"sent\"} 2\n"));
  sim_.RunFor(minutes(5));
  EXPECT_EQ(collector_->requests.size(), 1U) << "nothing is sent without spans";
  Add("c");
  sim_.RunFor(seconds(6));
  EXPECT_EQ(collector_->requests.size(), 2U);
}

TEST_F(OtlpExporterTest, FullBatch_IsSentAtOnce) {
  Make({.max_batch_spans = 3});
  AddMany(0, 8);
  sim_.RunFor(seconds(1));
  ASSERT_EQ(collector_->requests.size(), 2U);
  EXPECT_THAT(collector_->Names(0), ElementsAre("0", "1", "2"));
  EXPECT_THAT(collector_->Names(1), ElementsAre("3", "4", "5"));
  sim_.RunFor(seconds(5));
  ASSERT_EQ(collector_->requests.size(), 3U);
  EXPECT_THAT(collector_->Names(2), ElementsAre("6", "7"));
}

TEST_F(OtlpExporterTest, FullQueue_DropsAndCounts) {
  Make({.max_queued_spans = 4, .max_batch_spans = 100});
  AddMany(0, 10);
  EXPECT_EQ(exporter_->Stats().dropped, 6U);
  sim_.RunFor(seconds(10));
  EXPECT_THAT(collector_->Names(0), ElementsAre("0", "1", "2", "3"));
  EXPECT_EQ(exporter_->Stats().sent, 4U);
  EXPECT_THAT(metrics_->Text(), HasSubstr("kinformer_otlp_spans_total{result=\"dropped\"} 6\n"));
  EXPECT_EQ(log_->Count("6 spans are dropped, as the queue is full"), 1U);
}

TEST_F(OtlpExporterTest, BusyCollector_GetsTheSameAgain) {
  Make();
  collector_->answers = {{.status = 503, .body = "busy"}, {.status = 0}, {.status = 429}};
  Add("a");
  sim_.RunFor(seconds(30));
  ASSERT_EQ(collector_->requests.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_THAT(collector_->Names(i), ElementsAre("a"));
  EXPECT_EQ(exporter_->Stats().sent, 1U);
  EXPECT_EQ(exporter_->Stats().failed, 0U);
  EXPECT_EQ(log_->lines.size(), 1U) << log_->text();
  EXPECT_THAT(log_->text(), AllOf(HasSubstr("url=http://collector:4318/v1/traces"),
                                  HasSubstr("status 503: busy"), Not(HasSubstr("hidden"))));
}

TEST_F(OtlpExporterTest, RetryAfter_IsKept) {
  Make();
  collector_->answers = {{.status = 503, .retry_after = "20"}};
  Add("a");
  sim_.RunFor(seconds(5 + 19));
  EXPECT_EQ(collector_->requests.size(), 1U);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(collector_->requests.size(), 2U);
}

TEST_F(OtlpExporterTest, CollectorThatStaysAway_LosesABatchAfterAMinute) {
  Make();
  collector_->answers.assign(100, {.status = 0});
  Add("a");
  sim_.RunFor(minutes(2));
  EXPECT_EQ(exporter_->Stats().failed, 1U);
  const std::size_t attempts = collector_->requests.size();
  EXPECT_GE(attempts, 4U);
  EXPECT_LE(attempts, 10U);
  sim_.RunFor(minutes(10));
  EXPECT_EQ(collector_->requests.size(), attempts);
  collector_->answers.clear();
  Add("b");
  sim_.RunFor(seconds(10));
  EXPECT_EQ(exporter_->Stats().sent, 1U);
}

TEST_F(OtlpExporterTest, Refusal_IsNotRepeated) {
  Make();
  collector_->answers = {{.status = 404, .body = "no such page"}};
  Add("a");
  sim_.RunFor(minutes(2));
  EXPECT_EQ(collector_->requests.size(), 1U);
  EXPECT_EQ(exporter_->Stats().failed, 1U);
  EXPECT_EQ(log_->Count("status 404: no such page"), 1U);
}

TEST_F(OtlpExporterTest, PartialSuccess_CountsWhatIsRejected) {
  Make();
  collector_->answers = {
      {.body = R"({"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}})"},
      {.body = R"({"partialSuccess":{"rejectedSpans":"99"}})"}};
  AddMany(0, 5);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(exporter_->Stats().sent, 3U);
  EXPECT_EQ(exporter_->Stats().rejected, 2U);
  EXPECT_EQ(log_->Count("the collector rejects 2 of 5 spans: too old"), 1U);
  Add("more");
  sim_.RunFor(seconds(10));
  EXPECT_EQ(exporter_->Stats().rejected, 3U) << "not more than were sent";
}

TEST_F(OtlpExporterTest, Flush_SendsAllThatIsThere) {
  Make({.max_batch_spans = 3});
  EXPECT_EQ(Flush(seconds(1)), "");
  EXPECT_THAT(collector_->requests, IsEmpty());
  AddMany(0, 7);
  EXPECT_EQ(Flush(seconds(1)), "");
  EXPECT_EQ(exporter_->Stats().sent, 7U);
  EXPECT_EQ(collector_->requests.size(), 3U);
  Add("later");
  sim_.RunFor(seconds(6));
  EXPECT_EQ(exporter_->Stats().sent, 8U);
}

TEST_F(OtlpExporterTest, FlushWithoutACollector_EndsInTime) {
  Make();
  collector_->answers.assign(100, {.never = true});
  Add("a");
  const SteadyTime begun = sim_.env().Now();
  EXPECT_EQ(Flush(seconds(3)), "DeadlineExceeded");
  EXPECT_EQ(sim_.env().Now() - begun, seconds(3));
}

TEST_F(OtlpExporterTest, FlushOnTheLoop_IsRefused) {
  Make();
  Reason reason{};
  sim_.env().loop().Post([&] { reason = exporter_->Flush(seconds(1)).error().reason(); });
  sim_.RunReady();
  EXPECT_EQ(reason, Reason::kWouldDeadlock);
}

TEST_F(OtlpExporterTest, StoppedExporter_DropsAndReleases) {
  Make();
  collector_->answers = {{.never = true}};
  Add("a");
  sim_.RunFor(seconds(6));
  EXPECT_EQ(collector_->open, 1);
  EXPECT_TRUE(sim_.RunBlocking([&] { exporter_->Stop(); }, minutes(1)));
  EXPECT_EQ(collector_->open, 0);
  Add("b");
  EXPECT_EQ(exporter_->Stats().dropped, 1U);
  EXPECT_EQ(Flush(seconds(1)), "Stopped");
  sim_.RunFor(minutes(1));
  EXPECT_EQ(collector_->requests.size(), 1U);
}

}  // namespace
}  // namespace kinformer::internal::otlp

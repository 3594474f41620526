#include "kinformer/interop/prometheus.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <prometheus/text_serializer.h>
#include <stdexcept>
#include <string>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"

namespace kinformer::interop {
namespace {

using ::testing::HasSubstr;

class PrometheusTest : public ::testing::Test {
 protected:
  [[nodiscard]] std::string Text() const {
    return prometheus::TextSerializer().Serialize(registry_->Collect());
  }

  const std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();
};

// Gives both sinks the same.
void Fill(MetricsSink& sink) {
  sink.NewCounter("rest_client_requests_total", "Requests", {{"code", "200"}})->Add(2);
  sink.NewCounter("rest_client_requests_total", "Requests", {{"code", "200"}})->Add();
  sink.NewCounter("rest_client_requests_total", "Requests", {{"code", "404"}})->Add();
  const std::shared_ptr<Gauge> depth = sink.NewGauge("workqueue_depth", "Depth", {{"name", "q"}});
  depth->Set(7);
  depth->Add(-2.5);
  const std::shared_ptr<Histogram> took =
      sink.NewHistogram("workqueue_work_duration_seconds", "Time", {{"name", "q"}});
  took->Observe(0.05);
  took->Observe(2000);
}

TEST_F(PrometheusTest, EachInstrument_IsInTheRegistry) {
  PrometheusSink sink(registry_);
  Fill(sink);
  EXPECT_THAT(Text(), HasSubstr("# HELP rest_client_requests_total Requests\n"
                                "# TYPE rest_client_requests_total counter\n"));
  EXPECT_THAT(Text(), HasSubstr("rest_client_requests_total{code=\"200\"} 3\n"));
  EXPECT_THAT(Text(), HasSubstr("rest_client_requests_total{code=\"404\"} 1\n"));
  EXPECT_THAT(Text(), HasSubstr("workqueue_depth{name=\"q\"} 4.5\n"));
  EXPECT_THAT(Text(), HasSubstr("workqueue_work_duration_seconds_count{name=\"q\"} 2\n"));
  EXPECT_THAT(Text(),
              HasSubstr("workqueue_work_duration_seconds_bucket{name=\"q\",le=\"+Inf\"} 2"));
}

// Dashboards work whichever of the two a program has.
TEST_F(PrometheusTest, Buckets_AreThoseOfTheLibrarysOwnText) {
  PrometheusSink sink(registry_);
  Fill(sink);
  const std::unique_ptr<TextMetrics> own = NewTextMetrics();
  Fill(*own);
  const auto count = [](const std::string& text) {
    std::size_t buckets = 0;
    for (std::size_t at = text.find("_bucket{"); at != std::string::npos;
         at = text.find("_bucket{", at + 1)) {
      ++buckets;
    }
    return buckets;
  };
  EXPECT_EQ(count(Text()), count(own->Text()));
  EXPECT_EQ(count(Text()), 13U);
}

TEST_F(PrometheusTest, InstrumentThatOutlivesTheSink_Works) {
  std::shared_ptr<Counter> counter;
  {
    const auto registry = std::make_shared<prometheus::Registry>();
    counter = PrometheusSink(registry).NewCounter("a_total", "A", {});
  }
  counter->Add();
}

TEST_F(PrometheusTest, Runtime_CountsThere) {
  Runtime runtime({.metrics = std::make_shared<PrometheusSink>(registry_)});
  EXPECT_TRUE(runtime.env().metrics().enabled());
  runtime.env().metrics().NewCounter("of_the_program_total", "Things", {})->Add(2);
  EXPECT_THAT(Text(), HasSubstr("of_the_program_total 2\n"));
}

TEST_F(PrometheusTest, NameOfAnotherType_Throws) {
  prometheus::BuildGauge().Name("taken").Help("By the program").Register(*registry_);
  PrometheusSink sink(registry_);
  EXPECT_THROW(sink.NewCounter("taken", "A counter", {}), std::invalid_argument);
  Runtime runtime({.metrics = std::make_shared<PrometheusSink>(registry_)});
  runtime.env().metrics().NewCounter("taken", "A counter", {})->Add();
}

}  // namespace
}  // namespace kinformer::interop

// Texts of metrics, in the format of Prometheus, and of log lines.

#include "kinformer/base/metrics.h"

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/log.h"

namespace kinformer {
namespace {

// The clock that the log reads. std::time may be a few milliseconds behind it, and so a second.
std::time_t Seconds() {
  return std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
}

TEST(TextMetrics, Counters_AreAddedUpByLabels) {
  const auto metrics = NewTextMetrics();
  EXPECT_TRUE(metrics->enabled());
  EXPECT_EQ(metrics->Text(), "");
  metrics->NewCounter("b_total", "Help b.", {})->Add();
  metrics->NewCounter("b_total", "Other help.", {})->Add(1.5);
  metrics->NewCounter("a_total", "Help a.", {{"x", "1"}, {"y", "2"}})->Add(3);
  metrics->NewCounter("a_total", "Help a.", {{"x", "1"}})->Add(4);
  EXPECT_EQ(metrics->Text(),
            "# HELP a_total Help a.\n# TYPE a_total counter\n"
            "a_total{x=\"1\"} 4\na_total{x=\"1\",y=\"2\"} 3\n"
            "# HELP b_total Help b.\n# TYPE b_total counter\n"
            "b_total 2.5\n");
}

TEST(TextMetrics, Gauges_AreSetAndAdded) {
  const auto metrics = NewTextMetrics();
  const auto gauge = metrics->NewGauge("g", "Help.", {});
  EXPECT_EQ(metrics->Text(), "# HELP g Help.\n# TYPE g gauge\ng 0\n");
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::pair<double, const char*> rows[] = {
      {0, "0"},
      {1, "1"},
      {-2.5, "-2.5"},
      {1e300, "1e+300"},
      {1e-9, "1e-09"},
      {123456789, "123456789"},
      {kInfinity, "+Inf"},
      {-kInfinity, "-Inf"},
      {std::numeric_limits<double>::quiet_NaN(), "NaN"},
  };
  for (const auto& [value, text] : rows) {
    gauge->Set(value);
    EXPECT_EQ(metrics->Text(), std::string("# HELP g Help.\n# TYPE g gauge\ng ") + text + "\n");
  }
  gauge->Set(2);
  gauge->Add(-5);
  EXPECT_EQ(metrics->Text(), "# HELP g Help.\n# TYPE g gauge\ng -3\n");
}

TEST(TextMetrics, Labels_AreEscaped) {
  const auto metrics = NewTextMetrics();
  metrics->NewCounter("c", "Help.", {{"l", "a\"b\\c\nd e"}})->Add();
  EXPECT_EQ(metrics->Text(), "# HELP c Help.\n# TYPE c counter\nc{l=\"a\\\"b\\\\c\\nd e\"} 1\n");
}

TEST(TextMetrics, Histograms_CountUpToEachBound) {
  const auto metrics = NewTextMetrics();
  const auto histogram = metrics->NewHistogram("workqueue_x", "Help.", {{"l", "v"}});
  for (const double value : {0.0, 1e-8, 2e-8, 0.1, 1000.0, 1000.5}) histogram->Observe(value);
  EXPECT_EQ(metrics->Text(),
            "# HELP workqueue_x Help.\n# TYPE workqueue_x histogram\n"
            "workqueue_x_bucket{l=\"v\",le=\"1e-08\"} 2\n"
            "workqueue_x_bucket{l=\"v\",le=\"1e-07\"} 3\n"
            "workqueue_x_bucket{l=\"v\",le=\"1e-06\"} 3\n"
            "workqueue_x_bucket{l=\"v\",le=\"1e-05\"} 3\n"
            "workqueue_x_bucket{l=\"v\",le=\"1e-04\"} 3\n"
            "workqueue_x_bucket{l=\"v\",le=\"0.001\"} 3\n"
            "workqueue_x_bucket{l=\"v\",le=\"0.01\"} 3\n"
            "workqueue_x_bucket{l=\"v\",le=\"0.1\"} 4\n"
            "workqueue_x_bucket{l=\"v\",le=\"1\"} 4\n"
            "workqueue_x_bucket{l=\"v\",le=\"10\"} 4\n"
            "workqueue_x_bucket{l=\"v\",le=\"100\"} 4\n"
            "workqueue_x_bucket{l=\"v\",le=\"1000\"} 5\n"
            "workqueue_x_bucket{l=\"v\",le=\"+Inf\"} 6\n"
            "workqueue_x_sum{l=\"v\"} 2000.60000003\n"
            "workqueue_x_count{l=\"v\"} 6\n");
}

TEST(TextMetrics, Histograms_HaveFinerBoundsOutsideOfWorkQueues) {
  const auto metrics = NewTextMetrics();
  metrics->NewHistogram("h", "Help.", {})->Observe(2);
  std::string want = "# HELP h Help.\n# TYPE h histogram\n";
  for (const char* bound :
       {"1e-05", "2.5e-05", "5e-05", "1e-04", "0.00025", "5e-04", "0.001", "0.0025", "0.005",
        "0.01", "0.025", "0.05", "0.1", "0.25", "0.5", "1"}) {
    want += std::string("h_bucket{le=\"") + bound + "\"} 0\n";
  }
  for (const char* bound :
       {"2.5", "5", "10", "30", "60", "300", "1000", "10000", "1e+05", "1e+06", "+Inf"}) {
    want += std::string("h_bucket{le=\"") + bound + "\"} 1\n";
  }
  EXPECT_EQ(metrics->Text(), want + "h_sum 2\nh_count 1\n");
}

TEST(NullMetrics, IsDisabledAndTakesEverything) {
  const auto metrics = NewNullMetrics();
  EXPECT_FALSE(metrics->enabled());
  metrics->NewCounter("c", "", {})->Add();
  metrics->NewGauge("g", "", {})->Set(1);
  metrics->NewGauge("g", "", {})->Add(1);
  metrics->NewHistogram("h", "", {})->Observe(1);
}

// Returns the lines that `write` logs, without the digits of their times.
template <class Write>
std::string Logged(LogLevel level, const Write& write) {
  const auto log = NewStderrLog(level);
  EXPECT_EQ(log->level(), level);
  ::testing::internal::CaptureStderr();
  write(*log);
  return ::testing::internal::GetCapturedStderr();
}

TEST(StderrLog, LinesOfLowerLevels_AreLeftOut) {
  const LogLevel levels[] = {LogLevel::kDebug, LogLevel::kInfo, LogLevel::kWarning,
                             LogLevel::kError, LogLevel::kOff};
  const std::string letters = "DIWE";
  for (std::size_t least = 0; least < 5; ++least) {
    for (std::size_t i = 0; i < 5; ++i) {
      const std::string line =
          Logged(levels[least], [&](LogSink& log) { log.Log(levels[i], "m", {}); });
      EXPECT_EQ(line.substr(0, 1), i < least || i == 4 ? "" : letters.substr(i, 1));
    }
  }
}

TEST(StderrLog, FieldsAreQuotedWhereNeeded) {
  const std::string line = Logged(LogLevel::kDebug, [](LogSink& log) {
    log.Log(LogLevel::kInfo, "two\nlines",
            {{"plain", "a-b/c"},
             {"empty", ""},
             {"blank", "a b"},
             {"equals", "a=b"},
             {"quote", "a\"b"},
             {"slash", "a\\b"},
             {"k\n", "x\ny"},
             {"both", "\"\\"}});
  });
  const std::size_t head = std::string("I0102 03:04:05.678901 ").size();
  ASSERT_GT(line.size(), head);
  EXPECT_EQ(line.substr(head),
            R"(two\nlines  plain=a-b/c empty="" blank="a b" equals="a=b" quote="a\"b")"
            R"( slash="a\\b" k\n="x\ny" both="\"\\")"
            "\n");
}

TEST(StderrLog, HeadIsTheLocalTime) {
  const std::time_t before = Seconds();
  const std::string line =
      Logged(LogLevel::kDebug, [](LogSink& log) { log.Log(LogLevel::kError, "m", {}); });
  const std::time_t after = Seconds();
  bool found = false;
  for (std::time_t time = before; time <= after; ++time) {
    std::tm local{};
    localtime_r(&time, &local);
    char head[32];
    ASSERT_EQ(std::strftime(head, sizeof(head), "E%m%d %H:%M:%S.", &local), 15U);
    found = found || line.starts_with(head);
  }
  EXPECT_TRUE(found) << line;
  ASSERT_EQ(line.size(), 24U) << line;
  EXPECT_EQ(line.substr(15, 6).find_first_not_of("0123456789"), std::string::npos) << line;
  EXPECT_EQ(line.substr(21), " m\n");
}

TEST(NullLog, IsOff) {
  ::testing::internal::CaptureStderr();
  const auto log = NewNullLog();
  EXPECT_EQ(log->level(), LogLevel::kOff);
  log->Log(LogLevel::kError, "m", {});
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

}  // namespace
}  // namespace kinformer

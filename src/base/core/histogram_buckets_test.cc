#include "kinformer/internal/histogram_buckets.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <vector>

namespace kinformer::internal {
namespace {

// test/scripts/monitoring_test.py checks that no histogram of the sources is missing.
const char* const kNames[] = {"workqueue_work_duration_seconds",
                              "controller_runtime_reconcile_time_seconds",
                              "controller_runtime_webhook_latency_seconds",
                              "rest_client_dns_resolution_duration_seconds",
                              "rest_client_request_duration_seconds",
                              "rest_client_request_size_bytes",
                              "rest_client_exec_plugin_certificate_rotation_age",
                              "certificate_manager_rotation_age_seconds",
                              "reflector_list_duration_seconds",
                              "reflector_watch_duration_seconds",
                              "reflector_items_per_list",
                              "informer_processing_latency_seconds",
                              "kinformer_loop_lag_seconds",
                              "kinformer_own_write_lag_seconds"};

TEST(HistogramBucketsTest, Histograms_HaveBucketsOfTheirOwn) {
  const std::vector<double> others = BucketsOf("of_the_program_seconds");
  for (const std::string name : kNames) EXPECT_NE(BucketsOf(name), others) << name;
}

TEST(HistogramBucketsTest, Bounds_IncreaseAndAreNotMany) {
  std::vector<std::string> names(std::begin(kNames), std::end(kNames));
  names.emplace_back("of_the_program_seconds");
  for (const std::string& name : names) {
    const std::vector<double> bounds = BucketsOf(name);
    EXPECT_GE(bounds.size(), 8U) << name;
    EXPECT_LE(bounds.size(), 40U) << name;
    EXPECT_EQ(std::ranges::adjacent_find(bounds, std::ranges::greater_equal()), bounds.end())
        << name;
  }
}

TEST(HistogramBucketsTest, Names_DecideAsInGo) {
  EXPECT_EQ(BucketsOf("workqueue_work_duration_seconds").front(), 1e-8);
  EXPECT_EQ(BucketsOf("controller_runtime_reconcile_time_seconds").size(), 40U);
  EXPECT_EQ(BucketsOf("controller_runtime_webhook_latency_seconds").back(), 10);
  EXPECT_EQ(BucketsOf("rest_client_request_duration_seconds").back(), 60);
  EXPECT_EQ(BucketsOf("rest_client_dns_resolution_duration_seconds").back(), 30);
  EXPECT_EQ(BucketsOf("rest_client_request_size_bytes").front(), 64);
  EXPECT_EQ(BucketsOf("rest_client_exec_plugin_certificate_rotation_age").front(), 600);
  EXPECT_EQ(BucketsOf("certificate_manager_rotation_age_seconds").front(), 60);
  EXPECT_EQ(BucketsOf("reflector_items_per_list").front(), 0);
}

}  // namespace
}  // namespace kinformer::internal

#include "kinformer/internal/histogram_buckets.h"

#include <algorithm>
#include <iterator>
#include <span>

namespace kinformer::internal {
namespace {

// Latencies from nanoseconds to hours.
constexpr double kWorkQueue[] = {1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1, 10, 100, 1000};
constexpr double kReconcile[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3,  0.35,
                                 0.4,   0.45, 0.5,   0.6,  0.7, 0.8,  0.9, 1,    1.25, 1.5,
                                 1.75,  2,    2.5,   3,    3.5, 4,    4.5, 5,    6,    7,
                                 8,     9,    10,    15,   20,  25,   30,  40,   50,   60};
// Prometheus' own, which controller-runtime has for webhooks.
constexpr double kWebhook[] = {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10};
constexpr double kRequest[] = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
constexpr double kLookUp[] = {0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30};
constexpr double kBytes[] = {64,    256,    512,     1024,    4096,    16384,
                             65536, 262144, 1048576, 4194304, 16777216};
// Ten minutes to four years.
constexpr double kPluginCertificate[] = {600,     1800,    3600,     14400,    86400,    604800,
                                         2592000, 7776000, 15552000, 31104000, 124416000};
// A minute to four years.
constexpr double kCertificate[] = {60,      3600,    14400,    86400,    604800,
                                   2592000, 7776000, 15552000, 31104000, 124416000};
// A list may take minutes.
constexpr double kList[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5,
                            1,     2.5,    5,     10,   30,    60,   120, 300};
// A server ends a watch after five to ten minutes; shorter ones are trouble.
constexpr double kWatch[] = {0.1, 1,   10,  30,  60,  120,  300, 360,
                             420, 480, 540, 600, 900, 1800, 3600};
constexpr double kItems[] = {0, 1, 10, 100, 1000, 10000, 100000, 1000000};
constexpr double kProcessing[] = {1e-5,  2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01,
                                  0.025, 0.05,   0.1,  0.25, 0.5,    1,    2.5,  5,      10};
// From a round trip to a watch that is lost.
constexpr double kLag[] = {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25,
                           0.5,   1,      2.5,   5,    10,    30,   60,  300};
constexpr double kOther[] = {1e-5, 2.5e-5, 5e-5, 1e-4, 2.5e-4, 5e-4,  1e-3,   2.5e-3, 5e-3,
                             1e-2, 2.5e-2, 5e-2, 0.1,  0.25,   0.5,   1,      2.5,    5,
                             10,   30,     60,   300,  1000,   10000, 100000, 1e6};

struct Row {
  std::string_view prefix;
  std::string_view suffix;
  std::span<const double> bounds;
};

// The first that fits counts.
constexpr Row kRows[] = {
    {"workqueue_", "", kWorkQueue},
    {"controller_runtime_reconcile_time_seconds", "", kReconcile},
    {"controller_runtime_webhook_latency_seconds", "", kWebhook},
    {"rest_client_dns_resolution_duration_seconds", "", kLookUp},
    {"rest_client_", "_age", kPluginCertificate},
    {"rest_client_", "_bytes", kBytes},
    {"rest_client_", "", kRequest},
    {"certificate_manager_rotation_age_seconds", "", kCertificate},
    {"reflector_list_duration_seconds", "", kList},
    {"reflector_watch_duration_seconds", "", kWatch},
    {"reflector_items_per_", "", kItems},
    {"informer_processing_latency_seconds", "", kProcessing},
    {"kinformer_loop_lag_seconds", "", kProcessing},
    {"kinformer_own_write_lag_seconds", "", kLag},
};

}  // namespace

std::vector<double> BucketsOf(std::string_view name) {
  const auto* const row = std::ranges::find_if(kRows, [name](const Row& each) {
    return name.starts_with(each.prefix) && name.ends_with(each.suffix);
  });
  std::span<const double> bounds = kOther;
  if (row != std::end(kRows)) bounds = row->bounds;
  return {bounds.begin(), bounds.end()};
}

}  // namespace kinformer::internal

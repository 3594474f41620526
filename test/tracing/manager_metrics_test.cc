// Every metric that the dashboard and the alerts name is one of a manager that runs.

#include <chrono>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/client/resource_client.h"
#include "kinformer/controller/builder.h"
#include "kinformer/controller/predicate.h"
#include "kinformer/otlp/otlp_tracer.h"

#include "operator/manager_fixture.h"

namespace kinformer::testing {
namespace {

using corev1::ConfigMap;
using std::chrono::minutes;
using std::chrono::seconds;

std::string TextOf(const std::string& name) {
  std::ifstream file(std::string(KINFORMER_MONITORING) + "/" + name);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// Returns the names of series in a text, by the beginnings that ours have.
std::set<std::string> NamesIn(const std::string& text) {
  const std::regex name(
      R"(\b(certwatcher|controller_runtime|informer|kinformer|leader_election|reflector|)"
      R"(rest_client|workqueue)_[a-z0-9_]+)");
  std::set<std::string> names;
  for (std::sregex_iterator at(text.begin(), text.end(), name), end; at != end; ++at) {
    names.insert(at->str());
  }
  return names;
}

// Runs an operator that does all that has a metric. Returns its metrics.
std::string MetricsOfAManager() {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  Simulation sim({.metrics = metrics});
  // A real event loop and the exporter of spans have metrics, too, which simulated time has not.
  const Runtime runtime({.metrics = metrics});
  const std::shared_ptr<OtlpTracer> tracer =
      NewOtlpTracer({.endpoint = "http://127.0.0.1:1", .metrics = metrics}).OrExit();
  ApiServer server(sim);
  server.Create(kConfigMaps, *json::Parse(R"({"metadata":{"namespace":"default","name":"a"}})"))
      .OrExit();
  server.faults().Add({.verb = "update",
                       .resource = "configmaps",
                       .action = apiserver::FaultAction::kRespond,
                       .count = 1,
                       .status = 503,
                       .retry_after = seconds(1)});
  RunningManager manager(sim, server,
                         {.leader_election = true,
                          .leader_election_id = "scene",
                          .leader_election_namespace = "default"});
  int calls = 0;
  predicate::Predicate<Object> thrower;
  thrower.update = [](const Updated<Object>&) -> bool { throw 1; };
  ControllerBuilder(*manager)
      .For<ConfigMap>()
      .WithEventFilter(thrower)
      .Owns<corev1::Pod>()
      .Complete([&](const ReconcileContext&, const Request& request) -> Result<ReconcileResult> {
        ++calls;
        auto map = manager->GetClient().Get<ConfigMap>(request);
        if (!map) return IgnoreNotFound(map.error());
        ConfigMap::Mutable changed = (**map).DeepCopy();
        changed.data["calls"] = std::to_string(calls);
        if (auto written = manager->GetClient().Update(changed); !written) return written.error();
        return Error(Reason::kInternalError, "again");
      })
      .OrExit();
  manager.Start();
  EXPECT_TRUE(sim.RunUntil([&] { return calls > 3; }, minutes(10)));
  sim.RunFor(minutes(2));
  manager.Stop();
  return metrics->Text();
}

TEST(MonitoringTest, DashboardAndAlerts_NameMetricsOfARunningManager) {
  const std::string metrics = MetricsOfAManager();
  for (const char* const file : {"kinformer-dashboard.json", "kinformer-alerts.yaml"}) {
    std::set<std::string> names = NamesIn(TextOf(file));
    EXPECT_GT(names.size(), 15U) << file;
    for (const std::string& name : names) {
      EXPECT_NE(metrics.find("\n" + name + "{"), std::string::npos) << file << ": " << name;
    }
  }
}

}  // namespace
}  // namespace kinformer::testing

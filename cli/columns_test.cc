#include "cli/columns.h"

#include <gtest/gtest.h>

namespace kinformer::cli {
namespace {

using Cells = std::vector<std::string>;

const WallTime kNow{std::chrono::seconds(1'000'000'100)};

Cells RowOf(const char* group, const char* kind, const std::string& object, bool wide = false) {
  const Result<json::Value> value = json::Parse(
      R"({"metadata":{"name":"x","creationTimestamp":"2001-09-09T01:46:40Z"},)" + object + "}");
  if (!value) return {value.error().message()};
  const Columns& columns = ColumnsFor(group, kind);
  Cells cells = CellsOf(columns, *value, wide, kNow);
  EXPECT_EQ(cells.size(), TitlesOf(columns, wide).size());
  return cells;
}

TEST(Columns, PodStates) {
  const struct {
    const char* status;
    const char* ready;
    const char* state;
    const char* restarts;
  } kRows[] = {
      {R"("phase":"Running","containerStatuses":[{"ready":true,"restartCount":2,"state":{"running":{}}}])",
       "1/2", "Running", "2"},
      {R"("phase":"Pending")", "0/2", "Pending", "0"},
      {R"("phase":"Running","containerStatuses":[{"restartCount":5,"state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"finishedAt":"2001-09-09T01:47:40Z"}}}])",
       "0/2", "CrashLoopBackOff", "5 (40s ago)"},
      {R"("phase":"Failed","reason":"Evicted")", "0/2", "Evicted", "0"},
      {R"("phase":"Pending","initContainerStatuses":[{"state":{"terminated":{"exitCode":0}}},{"state":{"waiting":{"reason":"PodInitializing"}}}])",
       "0/2", "Init:1/2", "0"},
      {R"("phase":"Pending","initContainerStatuses":[{"state":{"terminated":{"exitCode":3}}}])",
       "0/2", "Init:ExitCode:3", "0"},
      {R"("phase":"Succeeded","containerStatuses":[{"state":{"terminated":{"reason":"Completed"}}}])",
       "0/2", "Completed", "0"},
  };
  for (const auto& row : kRows) {
    const Cells cells =
        RowOf("", "Pod",
              std::string(R"("spec":{"containers":[{},{}],"initContainers":[{},{}]},"status":{)") +
                  row.status + "}");
    EXPECT_EQ(cells, (Cells{"x", row.ready, row.state, row.restarts, "100s"})) << row.status;
  }
}

TEST(Columns, OtherKinds) {
  EXPECT_EQ(
      RowOf(
          "apps", "Deployment",
          R"("spec":{"replicas":3},"status":{"readyReplicas":2,"updatedReplicas":3,"availableReplicas":2})"),
      (Cells{"x", "2/3", "3", "2", "100s"}));
  EXPECT_EQ(
      RowOf(
          "", "Service",
          R"("spec":{"type":"NodePort","clusterIP":"10.0.0.1","ports":[{"port":80,"nodePort":30000,"protocol":"TCP"},{"port":53,"protocol":"UDP"}]})"),
      (Cells{"x", "NodePort", "10.0.0.1", "<none>", "80:30000/TCP,53/UDP", "100s"}));
  EXPECT_EQ(
      RowOf(
          "", "Node",
          R"("spec":{"unschedulable":true},"status":{"conditions":[{"type":"Ready","status":"True"}],"nodeInfo":{"kubeletVersion":"v1.36.0"}})"),
      (Cells{"x", "Ready,SchedulingDisabled", "<none>", "100s", "v1.36.0"}));
  EXPECT_EQ(RowOf("example.com", "Widget", R"("spec":{})"), (Cells{"x", "100s"}));
}

TEST(Columns, EveryTableHasARowAsLongAsItsTitles) {
  const std::pair<const char*, const char*> kKinds[] = {
      {"", "Pod"},
      {"apps", "Deployment"},
      {"apps", "ReplicaSet"},
      {"apps", "StatefulSet"},
      {"apps", "DaemonSet"},
      {"batch", "Job"},
      {"batch", "CronJob"},
      {"", "Service"},
      {"", "Node"},
      {"", "Namespace"},
      {"", "ConfigMap"},
      {"", "Secret"},
      {"discovery.k8s.io", "EndpointSlice"},
      {"networking.k8s.io", "Ingress"},
      {"", "Event"},
      {"coordination.k8s.io", "Lease"},
      {"", "PersistentVolumeClaim"},
      {"apiextensions.k8s.io", "CustomResourceDefinition"}};
  for (const auto& [group, kind] : kKinds) {
    for (const bool wide : {false, true}) {
      EXPECT_EQ(RowOf(group, kind, R"("spec":null)", wide).size(),
                TitlesOf(ColumnsFor(group, kind), wide).size())
          << kind;
    }
  }
}

}  // namespace
}  // namespace kinformer::cli

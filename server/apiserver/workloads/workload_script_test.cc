#include "kinformer/apiserver/workload_script.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

#include "apiserver/workloads/field_line.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;

std::string MistakeIn(std::string_view yaml) {
  const auto script = ParseWorkloadScript(yaml, "s.yaml");
  return script.ok() ? "none" : script.error().message();
}

TEST(WorkloadScript, EmptyText_HasThreeNodes) {
  const auto script = ParseWorkloadScript("", "s.yaml");
  ASSERT_TRUE(script.ok());
  ASSERT_EQ(script->nodes.size(), 1U);
  EXPECT_EQ(script->nodes[0].count, 3);
  EXPECT_TRUE(script->pods.empty());
}

TEST(WorkloadScript, AllFields_AreRead) {
  const auto script = ParseWorkloadScript(R"(
seed: 9
nodes:
  - {name: old, count: 2, labels: {zone: a}, capacity: {cpu: 2, pods: 5}, dies: 5m, recovers: 8m}
  - {name: new, arrive: 1m, leaves: 1h}
pods:
  - match: {namespace: shop, selector: "app=web,tier!=test", image: "nginx*"}
    startDelay: 1s-2s
    readyDelay: 500ms
    stopDelay: 1s
    runsFor: 5s-10s
    exitCode: 3
    neverReady: true
    imagePullFails: true
    crash: {after: 10s, probability: 0.25, exitCode: 137, times: 3}
claimDelay: 2s
loads:
  - {name: web, namespace: shop, steps: [{at: 1m, usage: {cpu: 500m}}, {at: 0s, usage: {cpu: 1}}]}
)",
                                          "s.yaml");
  ASSERT_TRUE(script.ok()) << script.error().message();
  EXPECT_EQ(script->seed, 9U);
  ASSERT_EQ(script->nodes.size(), 2U);
  EXPECT_EQ(script->nodes[0].capacity.at("cpu"), "2");
  EXPECT_EQ(script->nodes[0].capacity.at("memory"), "32Gi");
  EXPECT_EQ(script->nodes[0].recovers, minutes(8));
  EXPECT_EQ(script->nodes[1].arrive, minutes(1));
  const PodBehaviour& pods = script->pods.at(0);
  EXPECT_EQ(pods.selector.ToString(), "app=web,tier!=test");
  EXPECT_EQ(pods.start_delay.most, seconds(2));
  EXPECT_EQ(pods.ready_delay.least, milliseconds(500));
  EXPECT_EQ(pods.runs_for->most, seconds(10));
  EXPECT_TRUE(pods.never_ready && pods.image_pull_fails);
  EXPECT_EQ(pods.crash->times, 3);
  EXPECT_EQ(pods.crash->probability, 0.25);
  EXPECT_EQ(script->loads.at(0).steps.at(0).usage.at("cpu"), "1");
}

TEST(WorkloadScript, Mistakes_NameLineFieldAndRemedy) {
  EXPECT_EQ(MistakeIn("seed: 1\nnode: []\n"),
            "s.yaml:2: node is no field of a workload script; here these are possible: seed, "
            "nodes, pods, claimDelay, loads");
  EXPECT_EQ(MistakeIn("nodes:\n- name: a\n- name: b\n  count: 0\n"),
            "s.yaml:4: nodes[1].count must be a whole number from 1 to 5000");
  EXPECT_EQ(MistakeIn("nodes:\n- name: a\n- name: a\n"),
            "s.yaml:3: nodes[1].name is the name of an earlier group: give each group its own");
  EXPECT_EQ(MistakeIn("nodes:\n  - capacity:\n      memory: much\n"),
            "s.yaml:3: nodes[0].capacity.memory must be a quantity of at least 0, such as "
            "\"500m\" or 2Gi");
  EXPECT_EQ(MistakeIn("nodes: [{capacity: {pods: 300}}]\n"),
            "s.yaml:1: nodes[0].capacity.pods must be a whole number from 0 to 250");
  EXPECT_EQ(MistakeIn("nodes: [{recovers: 1m}]\n"),
            "s.yaml:1: nodes[0].recovers must be after dies, which must be there");
  EXPECT_EQ(MistakeIn("pods:\n- startDelay: 2s-1s\n"),
            "s.yaml:2: pods[0].startDelay must be a time from 0s to 876000h, such as 500ms, 30s or "
            "1h30m, or a range of them, such as 1s-2s");
  EXPECT_EQ(MistakeIn("pods:\n- crash:\n    probability: 2\n"),
            "s.yaml:3: pods[0].crash.probability must be a number from 0 (never) to 1 (always)");
  EXPECT_THAT(MistakeIn("pods: [{match: {selector: 'a in'}}]"),
              HasSubstr("pods[0].match.selector must be a label selector"));
  EXPECT_EQ(MistakeIn("nodes: [{name: n}]"),
            "s.yaml:1: nodes[0].name must be a text, in quotes if it looks like a number or a "
            "boolean");
  EXPECT_EQ(MistakeIn("loads:\n- steps: []\n"),
            "s.yaml:2: loads[0].name is missing: it names the workload");
  EXPECT_EQ(MistakeIn("[]"),
            "s.yaml:1: the script is no map; it may have the fields seed, nodes, pods, "
            "claimDelay, loads");
  EXPECT_THAT(MistakeIn("a: [\n"), HasSubstr("s.yaml:"));
}

TEST(FieldLine, NestedLists_AreCounted) {
  constexpr std::string_view kText =
      "# first\nnodes:\n  - name: a\n\n  -\n    name: b\n    labels:\n      x: y\nseed: 1\n";
  EXPECT_EQ(workloads::FieldLine(kText, "nodes[0].name"), 3U);
  EXPECT_EQ(workloads::FieldLine(kText, "nodes[1].labels.x"), 8U);
  EXPECT_EQ(workloads::FieldLine(kText, "seed"), 9U);
  EXPECT_EQ(workloads::FieldLine("", "seed"), 1U);
}

}  // namespace
}  // namespace kinformer::apiserver

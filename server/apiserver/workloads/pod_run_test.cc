#include "apiserver/workloads/pod_run.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "kinformer/json/yaml.h"

#include "apiserver/workloads/pod_status.h"

namespace kinformer::apiserver::workloads {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;

constexpr const char* kPod =
    "metadata: {name: a, namespace: default}\n"
    "spec: {restartPolicy: Always, containers: [{name: main, image: busy/box}]}\n";

class PodRunTest : public ::testing::Test {
 protected:
  void Begin(const char* pod, PodBehaviour behaviour) {
    script_.pods = {std::move(behaviour)};
    pod_ = yaml::Parse(pod).OrExit();
    run_ = NewPodRun(script_, pod_, now_);
    run_.Advance(dice_, now_);
  }
  // Goes on to the next change; returns the seconds until then.
  double Next() {
    const WallTime due = run_.Due().value_or(now_);
    const double delay = std::chrono::duration<double>(due - now_).count();
    now_ = due;
    run_.Advance(dice_, now_);
    return delay;
  }
  ContainerRun& main() { return run_.containers.front(); }
  json::Value Status() { return PodStatusOf(pod_, run_, "10.0.0.1", now_); }

  WorkloadScript script_{};
  Dice dice_{1};
  WallTime now_{seconds(1000)};
  json::Value pod_{};
  PodRun run_{};
};

TEST_F(PodRunTest, StartedContainer_IsReadyAfterItsDelay) {
  Begin(kPod, {.start_delay = {seconds(1), seconds(2)}, .ready_delay = {seconds(3), seconds(3)}});
  EXPECT_EQ(Status()["phase"].StringOrEmpty(), "Pending");
  const double start = Next();
  EXPECT_GE(start, 1);
  EXPECT_LE(start, 2);
  EXPECT_EQ(Status()["phase"].StringOrEmpty(), "Running");
  EXPECT_FALSE(main().ready);
  EXPECT_EQ(Next(), 3);
  EXPECT_TRUE(main().ready);
  EXPECT_EQ(run_.Due(), std::nullopt);
}

TEST_F(PodRunTest, CrashLoop_BacksOffUpToFiveMinutes) {
  Begin(kPod, {.start_delay = {}, .crash = SimulatedCrash{.after = {seconds(1), seconds(1)}}});
  std::vector<double> delays;
  while (delays.size() < 8) {
    if (main().state != ContainerState::kRunning)
      delays.push_back(Next());
    else
      Next();
  }
  EXPECT_THAT(delays, ElementsAre(0.5, 10, 20, 40, 80, 160, 300, 300));
  EXPECT_EQ(main().restarts, 8);
}

TEST_F(PodRunTest, LongRun_ForgetsTheBackOff) {
  Begin(kPod,
        {.start_delay = {},
         .crash = SimulatedCrash{.after = {std::chrono::minutes(11), std::chrono::minutes(11)}}});
  for (int i = 0; i < 12; ++i) Next();
  EXPECT_GE(main().restarts, 3);
  EXPECT_LE(main().back_off, seconds(10));
}

TEST_F(PodRunTest, CrashesSoManyTimes_ThenStays) {
  Begin(kPod, {.start_delay = {},
               .crash = SimulatedCrash{.after = {seconds(1), seconds(1)}, .times = 2}});
  for (int i = 0; i < 20 && run_.Due(); ++i) Next();
  EXPECT_EQ(main().restarts, 2);
  EXPECT_TRUE(main().ready);
}

TEST_F(PodRunTest, NeverRestarted_EndsWithItsExitCode) {
  constexpr const char* kTask =
      "metadata: {name: a, namespace: default}\n"
      "spec: {restartPolicy: Never, containers: [{name: main, image: x}]}\n";
  Begin(kTask, {.exit_code = 3});
  while (run_.Due()) Next();
  EXPECT_EQ(Status()["phase"].StringOrEmpty(), "Failed");
  EXPECT_EQ(Status().At("/containerStatuses/0/state/terminated/exitCode").AsInt64(), 3);
  Begin(kTask, {});
  while (run_.Due()) Next();
  EXPECT_EQ(Status()["phase"].StringOrEmpty(), "Succeeded");
}

TEST_F(PodRunTest, ImageThatCannotBePulled_KeepsThePodPending) {
  Begin(kPod, {.image_pull_fails = true});
  Next();
  EXPECT_EQ(Status().At("/containerStatuses/0/state/waiting/reason").StringOrEmpty(),
            "ErrImagePull");
  Next();
  EXPECT_EQ(Status().At("/containerStatuses/0/state/waiting/reason").StringOrEmpty(),
            "ImagePullBackOff");
  EXPECT_EQ(Next(), 10);
  EXPECT_EQ(Status()["phase"].StringOrEmpty(), "Pending");
}

TEST_F(PodRunTest, InitContainers_RunOneAfterTheOther) {
  Begin(
      "metadata: {name: a, namespace: default}\n"
      "spec:\n"
      "  restartPolicy: Always\n"
      "  initContainers: [{name: i, image: i}, {name: s, image: s, restartPolicy: Always}]\n"
      "  containers: [{name: main, image: x}]\n",
      {});
  EXPECT_EQ(main().state, ContainerState::kWaiting);
  while (!run_.inits[0].Passed()) Next();
  EXPECT_EQ(main().state, ContainerState::kWaiting);
  while (run_.Due()) Next();
  EXPECT_EQ(run_.inits[1].state, ContainerState::kRunning);
  EXPECT_TRUE(main().ready);
  const json::Value status = Status();
  EXPECT_EQ(status["phase"].StringOrEmpty(), "Running");
  EXPECT_EQ(status.At("/initContainerStatuses/0/state/terminated/exitCode").AsInt64(), 0);
}

TEST_F(PodRunTest, Behaviour_IsTheFirstThatMatches) {
  script_.pods = {{.namespace_ = "other", .exit_code = 1},
                  {.image = "busy*x", .exit_code = 2},
                  {.exit_code = 3}};
  const json::Value pod = yaml::Parse(kPod).OrExit();
  EXPECT_EQ(BehaviourOf(script_, pod, "busy/box").exit_code, 2);
  EXPECT_EQ(BehaviourOf(script_, pod, "busybox:1").exit_code, 3);
  script_.pods = {{.image = "*a*b*", .exit_code = 1}};
  EXPECT_EQ(BehaviourOf(script_, pod, "xaayb").exit_code, 1);
  EXPECT_EQ(BehaviourOf(script_, pod, "ab").exit_code, 1);
  EXPECT_EQ(BehaviourOf(script_, pod, "ba").exit_code, 0);
}

}  // namespace
}  // namespace kinformer::apiserver::workloads

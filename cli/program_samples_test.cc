#include "cli/program_samples.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>

namespace kinformer::cli {
namespace {

using std::chrono::milliseconds;
using testing::IsEmpty;
using testing::SizeIs;

json::Value Parsed(std::string_view text) { return json::Parse(text).OrExit(); }

TEST(ProgramSamples, StateOfAProgram_BecomesSamples) {
  const json::Value state = Parsed(R"({
    "program": "website-operator", "pid": 4711, "uptimeSeconds": 11100, "residentBytes": 44040192,
    "leases": [{"name": "default/websites", "leads": true}],
    "controllers": [
      {"name": "website", "workers": 4, "waiting": 7, "delayed": 2, "failing": 1,
       "oldestSeconds": 1.5, "reconciles": 100, "errors": 3, "heldBack": "",
       "running": [{"request": "default/a", "seconds": 0.1}, {"request": "default/b"}]},
      {"name": "standby", "workers": 1, "heldBack": "this process does not lead"}],
    "informers": [
      {"name": "pods", "objects": 12, "objectBytes": 3000, "events": 40,
       "queued": 4,
       "state": "backing off", "progressAgeSeconds": 1.5, "retryInSeconds": 3,
       "error": "down"}]})");
  EXPECT_EQ(TitleOf(state), "website-operator (pid 4711), up 3h5m, 42 MiB, leads default/websites");
  const auto controllers = ControllersOf(state);
  ASSERT_THAT(controllers, SizeIs(2));
  EXPECT_EQ(controllers[0].busy, 2U);
  EXPECT_EQ(controllers[0].waiting, 7U);
  EXPECT_EQ(controllers[0].oldest, milliseconds(1500));
  EXPECT_EQ(controllers[0].now, "default/a, default/b");
  EXPECT_FALSE(controllers[0].held_back);
  EXPECT_EQ(controllers[1].now, "this process does not lead");
  EXPECT_TRUE(controllers[1].held_back);
  const auto informers = InformersOf(state);
  ASSERT_THAT(informers, SizeIs(1));
  EXPECT_EQ(informers[0].resource, "pods");
  EXPECT_EQ(informers[0].stats.objects, 12U);
  EXPECT_EQ(informers[0].stats.status.state, InformerState::kBackingOff);
  EXPECT_EQ(informers[0].stats.status.progress_age, milliseconds(1500));
  EXPECT_EQ(informers[0].error, "down");
}

TEST(ProgramSamples, DocumentOfAnotherVersion_LacksMembers) {
  for (const char* const text :
       {"{}", R"({"informers": 1, "controllers": "x", "leases": {}})",
        R"({"pid": "x", "uptimeSeconds": -1, "leases": [1], "informers": [{"objects": -1}]})"}) {
    const json::Value state = Parsed(text);
    EXPECT_THAT(ControllersOf(state), IsEmpty());
    for (const TopSample& sample : InformersOf(state)) EXPECT_EQ(sample.stats.objects, 0U);
    EXPECT_TRUE(TitleOf(state).starts_with(" (pid 0), up 0.0s, 0 B")) << TitleOf(state);
  }
}

}  // namespace
}  // namespace kinformer::cli

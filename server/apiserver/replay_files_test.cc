// Replays of files and of requests that no recording answers.

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "kinformer/apiserver/recording.h"
#include "kinformer/base/simulation.h"

#include "apiserver/faults/testing/recording_tape.h"
#include "apiserver/testing.h"

namespace kinformer::apiserver::testing {
namespace {

TEST(ReplayFiles, File_IsReadWhole) {
  Simulation sim;
  const std::string path = (std::filesystem::temp_directory_path() /
                            ("kinformer-replay-files-test." + std::to_string(getpid())))
                               .string();
  Tape tape;
  tape.Whole("/api/v1/pods", "a");
  tape.Whole("/api/v1/nodes", std::string("b\0\n", 3));
  std::ofstream(path, std::ios::binary) << tape.bytes;
  const auto replay = Replay::Open(sim.env(), path);
  ASSERT_TRUE(replay.ok()) << replay.error();
  EXPECT_EQ((*replay)->exchanges(), 2U);
  OpenReply open(sim, (*replay)->Handle({.method = "GET", .target = "/api/v1/nodes"}));
  EXPECT_EQ(open.reply().body, std::string("b\0\n", 3));
  std::ofstream(path, std::ios::binary) << "other";
  EXPECT_EQ(
      std::string(Replay::Open(sim.env(), path).error().message()),
      "recording " + path + ": no recording: it does not begin with \"kinformer-recording 1\"");
  std::filesystem::remove(path);
  EXPECT_EQ(std::string(Replay::Open(sim.env(), path).error().message()),
            "recording " + path + ": cannot be read; is it there?");
  EXPECT_EQ(Replay::FromBytes(sim.env(), "other").error().message(),
            "no recording: it does not begin with \"kinformer-recording 1\"");
}

TEST(ReplayFiles, UnknownRequests_GetErrors) {
  Simulation sim;
  Tape tape;
  tape.Whole("/api/v1/pods", "a");
  const auto replay = Replay::FromBytes(sim.env(), tape.bytes).OrExit();
  const auto status = [&](const char* target) {
    OpenReply open(sim, replay->Handle({.method = "GET", .target = target}));
    return open.reply().status;
  };
  EXPECT_EQ(status("/api/v1/pods?watch=1"), 404);
  EXPECT_EQ(status("/api/v1/nodes?watch=1"), 404);
  EXPECT_EQ(status("no path"), 400);
  EXPECT_EQ(status("/api/v1/pods"), 200);
}

}  // namespace
}  // namespace kinformer::apiserver::testing

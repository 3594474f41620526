// Saved states among the paths of --load, and where --save may write.

#include "cli/saved_files.h"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"

namespace kinformer::cli {
namespace {

// A folder of the test's own.
class SavedFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "saved_files";
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string Write(const std::string& name, const std::string& text) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary) << text;
    return path;
  }
  static std::string State() {
    Simulation sim;
    const apiserver::ApiServer server(sim.env());
    return server.Snapshot().bytes();
  }

  std::string folder_;
};

TEST_F(SavedFiles, SavedStates_AreTakenOutOfThePaths) {
  const std::string manifest = Write("a.yaml", "kind: ConfigMap\n");
  const std::string state = Write("b.state", State());
  std::vector<std::string> paths = {manifest, state, folder_, "-"};
  const auto taken = TakeSavedState(paths);
  ASSERT_TRUE(taken.ok());
  ASSERT_TRUE(taken->has_value());
  EXPECT_GT((*taken)->object_count(), 4U);
  EXPECT_EQ(paths, (std::vector<std::string>{manifest, folder_, "-"}));
  const auto none = TakeSavedState(paths);
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
}

TEST_F(SavedFiles, SecondAndTruncatedStates_AreRefused) {
  const std::string whole = State();
  const std::string first = Write("a.state", whole);
  const std::string second = Write("b.state", whole);
  std::vector<std::string> paths = {first, second};
  const auto twice = TakeSavedState(paths);
  ASSERT_FALSE(twice.ok());
  EXPECT_NE(twice.error().message().find(second + ": is a second saved state"), std::string::npos);
  paths = {Write("c.state", whole.substr(0, whole.size() / 2))};
  const auto truncated = TakeSavedState(paths);
  ASSERT_FALSE(truncated.ok());
  EXPECT_NE(truncated.error().message().find("c.state breaks off: "), std::string::npos);
}

TEST_F(SavedFiles, PlacesThatCannotBeWritten_AreRefusedAtTheStart) {
  EXPECT_TRUE(CheckCanSave(folder_ + "/new").ok());
  const Result<void> missing = CheckCanSave(folder_ + "/none/new");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message().find("folder " + folder_ + "/none: No such file"),
            std::string::npos);
  EXPECT_NE(CheckCanSave(folder_).error().message().find("is a folder"), std::string::npos);
}

TEST_F(SavedFiles, Requests_AreSeenBeforeTheEnd) {
  SaveRequests requests;
  StopSource stop;
  ::kill(::getpid(), SIGUSR1);
  EXPECT_TRUE(requests.Next(stop));
  std::thread ending([&] { stop.RequestStop(); });
  EXPECT_FALSE(requests.Next(stop));
  ending.join();
}

}  // namespace
}  // namespace kinformer::cli

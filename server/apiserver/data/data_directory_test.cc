// The folder of a durable server: what it keeps, and how it refuses what it cannot use.

#include "kinformer/apiserver/data_directory.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <sqlite3.h>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/base/simulation.h"

#include "apiserver/data/state_database.h"
#include "apiserver/store/storage.h"

namespace kinformer::apiserver {
namespace {

StoredObjectPtr Make(const std::string& name, std::int64_t version, std::size_t size = 10) {
  const json::Value object = json::Value::MakeObject(
      {{"metadata", json::Value::MakeObject({{"namespace", "ns"}, {"name", name}})},
       {"data", std::string(size, 'x')}});
  return StoredObject::Make(object, version, {});
}

// A folder of the test's own, and databases in it.
class DataDirectory : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = ::testing::TempDir() + "data_directory";
    std::filesystem::remove_all(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] std::string File() const { return folder_ + "/state.db"; }

  std::unique_ptr<StateDatabase> Open(HistoryBounds bounds = {.max_events = 1000,
                                                              .max_age = std::chrono::hours(1)},
                                      std::size_t max_bytes = 0) {
    std::filesystem::create_directories(folder_);
    return StateDatabase::Open(File(), bounds, max_bytes).OrExit();
  }
  // Returns what the database has for its next user.
  KeptState Reopened(std::unique_ptr<StateDatabase>& database) {
    database.reset();
    return *Open()->Load({}).OrExit();
  }
  // Returns the message of an attempt to open the folder.
  std::string Refusal() {
    const auto opened = OpenDataDirectory(sim_.env(), folder_);
    return opened ? "" : std::string(opened.error().message());
  }
  void Execute(const std::string& sql) const {
    sqlite3* handle = nullptr;
    ASSERT_EQ(::sqlite3_open(File().c_str(), &handle), SQLITE_OK);
    EXPECT_EQ(::sqlite3_exec(handle, sql.c_str(), nullptr, nullptr, nullptr), SQLITE_OK)
        << ::sqlite3_errmsg(handle);
    ::sqlite3_close(handle);
  }
  // Returns "pods: a@2 b@3 | b@5 -a@6": objects at the floor, and later versions.
  static std::string Text(const KeptState& state) {
    std::string out = std::to_string(state.floor) + ":";
    for (const KeptResource& resource : state.resources) {
      out += " " + resource.saved.plural + ":";
      const auto add = [&](const StoredObjectPtr& stored) {
        out += stored->tombstone() ? " -" : " ";
        out += std::string(stored->name()) + "@" + std::to_string(stored->resource_version());
      };
      for (const auto& stored : resource.saved.objects) add(stored);
      out += " |";
      for (const auto& stored : resource.saved.later) add(stored);
    }
    return out;
  }
  static std::vector<BatchStep> First() {
    return {ClearVersions{.floor = 1},
            DescribeResource{{.id = 1, .saved = {.plural = "pods", .fields = "f"}}},
            PutVersion{.resource = 1, .stored = Make("b", 2)},
            PutVersion{.resource = 1, .stored = Make("a", 3)}};
  }

  Simulation sim_;
  std::string folder_;
};

TEST_F(DataDirectory, Versions_AreReadAsTheyWereWritten) {
  {
    auto database = Open();
    EXPECT_FALSE(database->Load({})->has_value());
    ASSERT_TRUE(database->Write(First(), {}).ok());
    ASSERT_TRUE(database
                    ->Write({PutVersion{.resource = 1, .stored = Make("b", 4), .previous = 2},
                             PutVersion{.resource = 1,
                                        .stored = Make("a", 3)->AtResourceVersion(5, true),
                                        .previous = 3},
                             EndVersions{.resource_version = 7}},
                            {})
                    .ok());
  }
  const auto state = *Open()->Load({});
  ASSERT_TRUE(state.has_value());
  EXPECT_EQ(Text(*state), "1: pods: | b@2 a@3 b@4 -a@5");
  EXPECT_EQ(state->resource_version, 7);
  EXPECT_TRUE(state->lost.empty());
  EXPECT_EQ(state->resources[0].saved.fields, "f");
}

TEST_F(DataDirectory, History_IsBounded) {
  auto database = Open({.max_events = 3, .max_age = std::chrono::hours(1)});
  ASSERT_TRUE(database->Write(First(), {}).ok());
  std::int64_t version = 4;
  for (; version < 10; ++version) {
    const std::int64_t previous = version == 4 ? 2 : version - 1;
    ASSERT_TRUE(
        database
            ->Write({PutVersion{.resource = 1, .stored = Make("b", version), .previous = previous}},
                    {})
            .ok());
  }
  ASSERT_TRUE(database
                  ->Write({PutVersion{.resource = 1,
                                      .stored = Make("a", 3)->AtResourceVersion(10, true),
                                      .previous = 3}},
                          {})
                  .ok());
  // Each commit moves the floor for the rows of those before it.
  EXPECT_EQ(Text(Reopened(database)), "7: pods: a@3 b@7 | b@8 b@9 -a@10");
}

TEST_F(DataDirectory, Tombstones_GoWithHistory) {
  auto database = Open({.max_events = 1, .max_age = std::chrono::hours(1)});
  ASSERT_TRUE(database->Write(First(), {}).ok());
  for (std::int64_t version = 4; version < 7; ++version) {
    ASSERT_TRUE(database
                    ->Write({PutVersion{.resource = 1,
                                        .stored = Make("a", 3)->AtResourceVersion(version, true),
                                        .previous = version == 4 ? 3 : 0}},
                            {})
                    .ok());
  }
  EXPECT_EQ(Text(Reopened(database)), "5: pods: b@2 | -a@6");
}

TEST_F(DataDirectory, OldHistory_GoesByItsAge) {
  auto database = Open({.max_events = 1000, .max_age = std::chrono::minutes(1)});
  ASSERT_TRUE(database->Write(First(), {}).ok());
  const SteadyTime later = SteadyTime() + std::chrono::minutes(2);
  std::vector<BatchStep> steps;
  for (std::int64_t version = 4; version < 204; ++version) {
    steps.emplace_back(PutVersion{
        .resource = 1, .stored = Make("b", version), .previous = version == 4 ? 2 : version - 1});
  }
  ASSERT_TRUE(database->Write(steps, {}).ok());
  ASSERT_TRUE(database->Write({EndVersions{.resource_version = 300}}, later).ok());
  const KeptState state = Reopened(database);
  // The newest 128 stay, whatever their age.
  EXPECT_GE(state.resources[0].saved.later.size(), 128U);
  EXPECT_LT(state.resources[0].saved.later.size(), 202U);
  EXPECT_GT(state.floor, 1);
}

TEST_F(DataDirectory, ResourcesThatAreDropped_HaveNoObjects) {
  auto database = Open();
  ASSERT_TRUE(database->Write(First(), {}).ok());
  ASSERT_TRUE(database
                  ->Write({DropResource{.resource = 1},
                           DescribeResource{{.id = 2, .saved = {.plural = "nodes"}}}},
                          {})
                  .ok());
  EXPECT_EQ(Text(Reopened(database)), "1: nodes: |");
}

TEST_F(DataDirectory, VersionsOfAKilledServer_AreNotUsedAgain) {
  ASSERT_TRUE(Open()->Write(First(), {}).ok());
  const auto state = *Open()->Load({});
  EXPECT_GT(state->resource_version, 1000);
  ASSERT_EQ(state->lost.size(), 1U);
  EXPECT_EQ(state->lost[0].first, 3);
  EXPECT_EQ(state->lost[0].last, state->resource_version);
  const auto again = *Open()->Load({});
  EXPECT_GT(again->resource_version, state->resource_version);
  EXPECT_EQ(again->lost.size(), 2U);
}

TEST_F(DataDirectory, FailedBatches_LeaveNothing) {
  auto database = Open({.max_events = 1000, .max_age = std::chrono::hours(1)}, 200'000);
  ASSERT_TRUE(database->Write(First(), {}).ok());
  const Result<void> full =
      database->Write({PutVersion{.resource = 1, .stored = Make("c", 4)},
                       PutVersion{.resource = 1, .stored = Make("d", 5, 500'000)}},
                      {});
  ASSERT_FALSE(full.ok());
  EXPECT_TRUE(database->MayRetry());
  EXPECT_NE(full.error().message().find("cannot grow"), std::string::npos)
      << full.error().message();
  ASSERT_TRUE(database->Write({PutVersion{.resource = 1, .stored = Make("e", 6)}}, {}).ok());
  EXPECT_EQ(Text(Reopened(database)), "1: pods: | b@2 a@3 e@6");
}

TEST_F(DataDirectory, SecondServers_AreRefused) {
  const auto first = OpenDataDirectory(sim_.env(), folder_);
  ASSERT_TRUE(first.ok()) << first.error().message();
  EXPECT_NE(Refusal().find("is in use by process " + std::to_string(::getpid())),
            std::string::npos);
}

TEST_F(DataDirectory, FoldersThatCannotBeUsed_AreRefusedInWords) {
  std::ofstream(folder_) << "a file";
  EXPECT_NE(Refusal().find(folder_ + ": is no folder"), std::string::npos);
  std::filesystem::remove(folder_);
  folder_ = "/proc/nowhere/data";
  EXPECT_NE(Refusal().find("/proc/nowhere/data: cannot be made: "), std::string::npos);
  folder_ = "/proc/self";
  EXPECT_NE(Refusal().find("/proc/self: cannot be written: "), std::string::npos);
  folder_ = ::testing::TempDir() + "data_directory";
}

TEST_F(DataDirectory, OtherFiles_AreRefusedInWords) {
  std::filesystem::create_directories(folder_);
  std::ofstream(File()) << std::string(8192, 'x');
  EXPECT_NE(Refusal().find("state.db is damaged (file is not a database)"), std::string::npos);
  std::filesystem::remove(File());
  Execute("CREATE TABLE t(x)");
  EXPECT_NE(Refusal().find("is a database of another program"), std::string::npos);
}

TEST_F(DataDirectory, NewerFormats_AreRefusedInWords) {
  ASSERT_TRUE(Open()->Write(First(), {}).ok());
  Execute("PRAGMA user_version = 2");
  EXPECT_NE(Refusal().find("has format 2, made by a newer version; this one reads format 1"),
            std::string::npos);
}

TEST_F(DataDirectory, DamagedObjects_AreFound) {
  ASSERT_TRUE(Open()->Write(First(), {}).ok());
  Execute(
      "UPDATE versions SET image = CAST(replace(CAST(image AS TEXT), 'x', 'y') AS BLOB)"
      " WHERE version = 3");
  EXPECT_NE(Refusal().find("is damaged (version 3)"), std::string::npos);
}

TEST_F(DataDirectory, DamagedPages_AreFound) {
  {
    std::vector<BatchStep> steps = First();
    for (std::int64_t version = 4; version < 400; ++version) {
      steps.emplace_back(
          PutVersion{.resource = 1, .stored = Make("o" + std::to_string(version), version, 600)});
    }
    ASSERT_TRUE(Open()->Write(steps, {}).ok());
  }
  const auto size = std::filesystem::file_size(File());
  std::fstream file(File(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(size / 2));
  file << std::string(9000, 'z');
  file.close();
  EXPECT_NE(Refusal().find("is damaged ("), std::string::npos);
}

}  // namespace
}  // namespace kinformer::apiserver

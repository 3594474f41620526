// OpenSqliteSink: what stands in the database, and which databases it refuses.

#include "kinformer/sinks/sqlite_sink.h"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <sqlite3.h>
#include <string>
#include <vector>

#include "client/testing/test_pods.h"

namespace kinformer {
namespace {

using internal::client::MakePod;
using testing::ElementsAre;
using testing::HasSubstr;

SinkChange Put(const std::string& name, const std::string& rv, const std::string& node = "") {
  return SinkChange::Upsert(Ref<Unstructured>(MakePod("default", name, rv, "", node)));
}
SinkChange Gone(const std::string& name, const std::string& rv) {
  return SinkChange::Remove(Ref<Unstructured>(MakePod("default", name, rv)));
}

class SqliteSinkTest : public testing::Test {
 protected:
  SqliteSinkTest() {
    std::string folder = testing::TempDir() + "sqlite_sink_XXXXXX";
    folder_ = ::mkdtemp(folder.data());
    path_ = folder_ + "/x.sqlite";
  }
  ~SqliteSinkTest() override {
    sink_.reset();
    std::filesystem::remove_all(folder_);
  }

  // Opens the sink, and pods in it. Returns the held version, or the error's message.
  std::string Open(DatabaseOptions options = {}, const ExportedResource& resource = kPods) {
    sink_.reset();
    auto sink = OpenSqliteSink(path_, std::move(options));
    if (!sink) return sink.error().message();
    sink_ = *std::move(sink);
    const auto version = sink_->Open(resource);
    return version ? *version : version.error().message();
  }
  Result<void> Commit(const std::string& from, const std::string& to,
                      std::vector<SinkChange> changes, bool complete = false) {
    return sink_->Commit({.resource = kPods,
                          .from = from,
                          .to = to,
                          .complete = complete,
                          .changes = std::move(changes)});
  }
  // Returns the rows of a query, columns apart by "|".
  std::vector<std::string> Rows(const std::string& sql) {
    sqlite3* database = nullptr;
    ::sqlite3_open(path_.c_str(), &database);
    std::vector<std::string> rows;
    char* why = nullptr;
    const auto add = [](void* all, int count, char** values, char**) {
      std::string row;
      for (int i = 0; i < count; ++i) {
        row += (i > 0 ? "|" : "") + std::string(values[i] != nullptr ? values[i] : "NULL");
      }
      static_cast<std::vector<std::string>*>(all)->push_back(row);
      return 0;
    };
    ::sqlite3_exec(database, sql.c_str(), add, &rows, &why);
    EXPECT_EQ(why, nullptr) << why;
    ::sqlite3_free(why);
    ::sqlite3_close(database);
    return rows;
  }

  inline static const ExportedResource kPods{.name = "pods", .source = "here"};
  std::string folder_;
  std::string path_;
  std::shared_ptr<SnapshotSink> sink_;
};

TEST_F(SqliteSinkTest, Commit_RowsAndVersionChangeTogether) {
  ASSERT_EQ(Open(), "");
  ASSERT_TRUE(Commit("", "2", {Put("a", "1", "n1"), Put("b", "2")}, /*complete=*/true));
  ASSERT_TRUE(Commit("2", "4", {Put("a", "3", "n2"), Gone("b", "4")}));
  EXPECT_THAT(Rows("SELECT namespace, name, uid, resource_version, "
                   "json_extract(object, '$.spec.nodeName') FROM pods"),
              ElementsAre("default|a|uid-a|3|n2"));
  EXPECT_THAT(Rows("SELECT resource, table_name, source, resource_version FROM "
                   "kinformer_resources"),
              ElementsAre("pods|pods|here|4"));
  EXPECT_EQ(Open(), "4") << "another program finds where it stands";
  const auto held = sink_->Objects(kPods);
  ASSERT_TRUE(held);
  ASSERT_EQ((*held)->size(), 1U);
  EXPECT_EQ((*held)->front().name.ToString(), "default/a");
  EXPECT_EQ((*held)->front().uid, "uid-a");
}

TEST_F(SqliteSinkTest, CompleteBatch_ReplacesTheRows) {
  ASSERT_EQ(Open(), "");
  ASSERT_TRUE(Commit("", "1", {Put("a", "1")}, true));
  ASSERT_TRUE(Commit("1", "2", {Put("b", "2")}, true));
  EXPECT_THAT(Rows("SELECT name FROM pods"), ElementsAre("b"));
}

TEST_F(SqliteSinkTest, CommitThatComesAgain_Succeeds) {
  ASSERT_EQ(Open({.history = true}), "");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(Commit("", "1", {Put("a", "1")}, true));
  EXPECT_THAT(Rows("SELECT count(*) FROM pods_history"), ElementsAre("1"));
}

TEST_F(SqliteSinkTest, OtherWriter_IsAConflictAndChangesNothing) {
  ASSERT_EQ(Open(), "");
  ASSERT_TRUE(Commit("", "5", {Put("a", "1")}, true));
  const Result<void> late = Commit("3", "4", {Gone("a", "4")});
  ASSERT_FALSE(late);
  EXPECT_EQ(late.error().reason(), Reason::kConflict);
  EXPECT_THAT(late.error().message(), HasSubstr("stands at version 5, not at 3"));
  EXPECT_THAT(Rows("SELECT name FROM pods"), ElementsAre("a"));
}

TEST_F(SqliteSinkTest, Columns_AreComputedAndMustStayTheSame) {
  const DatabaseOptions options{.columns = {{"pods", "node", ".spec.nodeName"}}};
  ASSERT_EQ(Open(options), "");
  ASSERT_TRUE(Commit("", "1", {Put("a", "1", "n1")}, true));
  EXPECT_THAT(Rows("SELECT name, node FROM pods"), ElementsAre("a|n1"));
  EXPECT_EQ(Open(options), "1");
  EXPECT_THAT(Open(), HasSubstr("other additional columns (node=.spec.nodeName, not none)"));
}

TEST_F(SqliteSinkTest, History_HasEveryChangeOnce) {
  ASSERT_EQ(Open({.history = true}), "");
  ASSERT_TRUE(Commit("", "1", {Put("a", "1")}, true));
  ASSERT_TRUE(Commit("1", "3", {Put("a", "2"), Gone("a", "3")}));
  ASSERT_TRUE(Commit("3", "9", {SinkChange::Remove(HeldObject{.name = {"default", "z"}})}));
  EXPECT_THAT(Rows("SELECT operation, name, resource_version, object IS NULL FROM pods_history "
                   "ORDER BY id"),
              ElementsAre("upsert|a|1|0", "upsert|a|2|0", "remove|a|3|0", "remove|z|9|1"));
}

TEST_F(SqliteSinkTest, OtherSource_IsRefused) {
  ASSERT_EQ(Open(), "");
  EXPECT_THAT(Open({}, {.name = "pods", .source = "there"}),
              HasSubstr("has pods of another source (here, not there)"));
}

TEST_F(SqliteSinkTest, ForeignTable_IsRefused) {
  Rows("CREATE TABLE pods(x)");
  EXPECT_THAT(Open(), HasSubstr("has a table pods that no export has made"));
}

TEST_F(SqliteSinkTest, FileThatIsNoDatabase_IsRefused) {
  std::ofstream(path_) << std::string(5000, 'x');
  EXPECT_THAT(Open(), HasSubstr("file is not a database: move this file away"));
  path_ = folder_ + "/none/x.sqlite";
  EXPECT_THAT(Open(), HasSubstr("see whether its folder is there"));
}

TEST_F(SqliteSinkTest, LockedFile_IsATimeout) {
  ASSERT_EQ(Open(), "");
  sqlite3* other = nullptr;
  ::sqlite3_open(path_.c_str(), &other);
  ::sqlite3_exec(other, "BEGIN IMMEDIATE", nullptr, nullptr, nullptr);
  const Result<void> done = Commit("", "1", {Put("a", "1")}, true);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().reason(), Reason::kTimeout);
  EXPECT_THAT(done.error().message(), HasSubstr("another program holds the lock"));
  ::sqlite3_close(other);
  EXPECT_TRUE(Commit("", "1", {Put("a", "1")}, true));
}

TEST_F(SqliteSinkTest, NewFile_IsForItsOwner) {
  ASSERT_EQ(Open(), "");
  using std::filesystem::perms;
  EXPECT_EQ(std::filesystem::status(path_).permissions(), perms::owner_read | perms::owner_write);
}

}  // namespace
}  // namespace kinformer

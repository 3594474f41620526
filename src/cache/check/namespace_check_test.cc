#include "cache/check/namespace_check.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "client/testing/fake_lister_watcher.h"

namespace kinformer::internal::cache {
namespace {

using client::FakeServer;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using Texts = std::vector<std::string>;

// Collects the names that are reported as different.
class NamesLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view, std::initializer_list<LogField> fields) override {
    for (const LogField& field : fields) {
      if (field.key == "namespaces") names.emplace_back(field.value);
    }
  }
  Texts names{};
};

class NamespaceCheckTest : public testing::Test {
 protected:
  NamespaceCheckTest() { server_.namespace_name = ""; }

  // Adds names to the server only, and not to the names known from the watch.
  void Serve(const std::vector<std::string>& names) {
    for (const std::string& name : names) server_.Put(name);
  }
  void Begin() {
    sim_.env().loop().Post([this] { check_.Begin(); });
    sim_.RunReady();
  }

  const std::shared_ptr<NamesLog> log_ = std::make_shared<NamesLog>();
  Simulation sim_{{.log = log_}};
  FakeServer server_{sim_.env()};
  const std::unique_ptr<ListerWatcher> lister_watcher_ = server_.NewListerWatcher();
  NamespaceCheck::Names known_;
  int relists_ = 0;
  NamespaceCheck check_{
      sim_.env(),
      *lister_watcher_,
      {.name = "pods", .period = minutes(1), .known = &known_, .relist = [this] { ++relists_; }}};
};

TEST_F(NamespaceCheckTest, AsksOnceAPeriodHoweverOftenItBegins) {
  Serve({"a"});
  known_ = {"a"};
  Begin();
  sim_.RunFor(seconds(30));
  Begin();
  sim_.RunFor(seconds(30) - Duration(1));
  EXPECT_TRUE(server_.requests.empty());
  sim_.RunFor(Duration(1));
  EXPECT_THAT(server_.requests, ElementsAre("LIST rv= limit=2500"));
  Begin();
  sim_.RunFor(minutes(3));
  EXPECT_EQ(server_.requests.size(), 4U);
  EXPECT_EQ(relists_, 0);
}

TEST_F(NamespaceCheckTest, WithoutAPeriodItDoesNothing) {
  NamespaceCheck never(sim_.env(), *lister_watcher_, {.known = &known_});
  sim_.env().loop().Post([&] { never.Begin(); });
  sim_.RunFor(minutes(10));
  EXPECT_TRUE(server_.requests.empty());
}

TEST_F(NamespaceCheckTest, Difference_IsCheckedAgainAfterTenSeconds) {
  Serve({"a", "new"});
  known_ = {"a", "gone"};
  Begin();
  sim_.RunFor(minutes(1) + seconds(10) - Duration(1));
  EXPECT_EQ(relists_, 0);
  sim_.RunFor(Duration(1));
  EXPECT_EQ(relists_, 1);
  EXPECT_THAT(log_->names, ElementsAre("gone, new"));
  // The same in the next period.
  sim_.RunFor(minutes(1) - Duration(1));
  EXPECT_EQ(server_.requests.size(), 1U);
  sim_.RunFor(seconds(11));
  EXPECT_EQ(relists_, 2);
}

TEST_F(NamespaceCheckTest, DifferenceToldByWatch_IsIgnored) {
  Serve({"a", "new", "newer"});
  known_ = {"a", "gone"};
  Begin();
  sim_.RunFor(minutes(1) + seconds(5));
  known_ = {"a", "new", "newer"};
  sim_.RunFor(seconds(10));
  EXPECT_EQ(relists_, 0);
  known_ = {"a", "new"};
  sim_.RunFor(minutes(1) + seconds(1));
  known_ = {"a", "new", "gone"};
  sim_.RunFor(seconds(10));
  EXPECT_EQ(relists_, 1) << "of one the watch has still said nothing";
  EXPECT_THAT(log_->names, ElementsAre("newer"));
}

TEST_F(NamespaceCheckTest, AListInPagesIsOneList) {
  Texts names;
  for (int i = 1000; i < 3501; ++i) names.push_back("n" + std::to_string(i));
  Serve(names);
  known_ = {names.begin(), names.end()};
  Begin();
  sim_.RunFor(minutes(3));
  EXPECT_THAT(server_.requests,
              ElementsAre("LIST rv= limit=2500", "LIST rv= limit=2500 continue=2500",
                          "LIST rv= limit=2500", "LIST rv= limit=2500 continue=2500",
                          "LIST rv= limit=2500", "LIST rv= limit=2500 continue=2500"));
  EXPECT_EQ(relists_, 0);
  // Each list starts with no names.
  server_.Lose("n1000");
  sim_.RunFor(minutes(1) + seconds(10));
  EXPECT_THAT(log_->names, ElementsAre("n1000"));
}

TEST_F(NamespaceCheckTest, ManyDifferences_TenAreNamed) {
  Serve({"a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"});
  Begin();
  sim_.RunFor(minutes(1) + seconds(10));
  EXPECT_THAT(log_->names, ElementsAre("a0, a1, a2, a3, a4, a5, a6, a7, a8, a9"));
  Serve({"b0", "b1"});
  sim_.RunFor(minutes(1) + seconds(10));
  ASSERT_EQ(log_->names.size(), 2U);
  EXPECT_EQ(log_->names[1], "a0, a1, a2, a3, a4, a5, a6, a7, a8, a9 and 2 more");
}

TEST_F(NamespaceCheckTest, UnreadableNamespace_CountsByName) {
  Serve({"a"});
  server_.unreadable = {{"", "bad"}};
  known_ = {"a", "bad"};
  Begin();
  sim_.RunFor(minutes(2));
  EXPECT_EQ(relists_, 0);
  known_ = {"a"};
  sim_.RunFor(minutes(1) + seconds(10));
  EXPECT_THAT(log_->names, ElementsAre("bad"));
}

TEST_F(NamespaceCheckTest, AServerThatRefusesIsAskedInTheNextPeriod) {
  known_ = {"a"};
  server_.list_errors = {Error(Reason::kForbidden, "no").WithHttpStatus(403)};
  Begin();
  sim_.RunFor(minutes(1) + seconds(59));
  EXPECT_EQ(server_.requests.size(), 1U);
  EXPECT_EQ(relists_, 0);
  sim_.RunFor(seconds(11));
  EXPECT_EQ(relists_, 1);
}

}  // namespace
}  // namespace kinformer::internal::cache

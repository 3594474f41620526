// Tests of what a walk of a ConsistencyChecker covers, what it drops when a list interrupts it, and
// its limits.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/check/testing/checker_fixture.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

class ConsistencyWalks : public ConsistencyCheckerTest {
 protected:
  static Error Failure(int http_status) {
    return Error(Reason::kUnknown, "no").WithHttpStatus(http_status);
  }
  static Error TooLarge() {
    Error error(Reason::kTimeout, "Too large resource version: 5, current: 3");
    StatusDetails details;
    details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
    return error.WithDetails(std::move(details)).WithHttpStatus(504);
  }
  // Sets the next answers; later answers are the usual ones.
  void Answer(std::vector<CheckerPage> pages) {
    answers_ = std::move(pages);
    if (usual_) return;
    usual_ = source_.page;
    source_.page = [this](const std::string& ns, const ListOptions& options) {
      if (answers_.empty()) return usual_(ns, options);
      CheckerPage page = std::move(answers_.front());
      answers_.erase(answers_.begin());
      return page;
    };
  }
  // Fills the store with more than one period checks: half of it in "even", half in "odd".
  void FillBeyondAPeriod() {
    store_.Begin();
    for (int i = 0; i < 9'998; ++i) {
      const std::string ns = i % 2 == 0 ? "even" : "odd";
      Store(ns, std::to_string(i), "1");
      Serve(ns, std::to_string(i), "1");
    }
    store_.Commit();
  }
  [[nodiscard]] static std::string NamespaceOf(const std::string& asked) {
    return asked.substr(0, asked.find('|'));
  }

  std::vector<CheckerPage> answers_;
  std::function<CheckerPage(const std::string&, const ListOptions&)> usual_{};
};

TEST_F(ConsistencyWalks, WithoutAPeriodThereIsNone) {
  ConsistencyChecker never(sim_.env(), source_, store_, counters_,
                           {.name = "things", .exact = [] { return true; }});
  never.Listed();
  sim_.RunFor(minutes(5));
  never.Distrust();
  EXPECT_THAT(source_.asked, IsEmpty());
  EXPECT_THAT(log_->lines, IsEmpty()) << "it was never on";
}

TEST_F(ConsistencyWalks, AStoreThatDoesNotSayWhatItCoversIsCompared) {
  store_.Begin();
  store_.SetCoverage(nullptr);
  store_.Commit();
  Begin();
  ASSERT_TRUE(Checked(2));
  EXPECT_EQ(Found(), 0U);
  Serve("ns", "d", "1");
  server_.erase({"ns", "c"});
  ASSERT_TRUE(sim_.RunUntil([&] { return Found() == 1; }, minutes(3)));
  EXPECT_THAT(log_->lines, ElementsAre("the cache differs|things|ns/c, ns/d|5"));
}

TEST_F(ConsistencyWalks, UnreadableObjects_AreNotCompared) {
  const auto coverage = std::make_shared<Coverage>();
  coverage->complete = true;
  NameSet unreadable;
  unreadable.insert({"ns", "c"});
  unreadable.insert({"ns", "d"});
  coverage->unreadable = std::make_shared<const NameSet>(std::move(unreadable));
  store_.Begin();
  store_.SetCoverage(coverage);
  store_.Commit();
  // The store has an earlier state of one unreadable object and nothing of the other.
  server_.erase({"ns", "c"});
  Serve("ns", "d", "1");
  Begin();
  sim_.RunFor(minutes(5));
  EXPECT_GE(Checks(), 3U);
  EXPECT_EQ(Found(), 0U);
}

TEST_F(ConsistencyWalks, ObjectListedTwice_DoesNotHideMissingOne) {
  const ObjectRef a = server_.at({"ns", "a"});
  const ObjectRef b = server_.at({"ns", "b"});
  for (const std::vector<ObjectRef>& items :
       {std::vector<ObjectRef>{a, b, b}, std::vector<ObjectRef>{b, b, a}}) {
    log_->lines.clear();
    const CheckerPage page{.items = items, .result = ListMeta{.resourceVersion = "5"}};
    Answer({page, page});
    Begin();
    sim_.RunFor(seconds(95));
    EXPECT_THAT(log_->lines, ElementsAre("the cache differs|things|ns/c|5"));
    checker_.reset();
  }
}

// ---- limits

TEST_F(ConsistencyWalks, ManyDifferences_ThousandAreRemembered) {
  for (int i = 1000; i < 2500; ++i) Serve("ns", "d" + std::to_string(i), "1");
  Begin();
  ASSERT_TRUE(Checked(2));
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0], HasSubstr("ns/d1008, ns/d1009 and 990 more|"));
}

TEST_F(ConsistencyWalks, TenDifferences_AreAllNamed) {
  for (int i = 10; i < 20; ++i) Serve("ns", "d" + std::to_string(i), "1");
  Begin();
  ASSERT_TRUE(Checked(2));
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0], HasSubstr("ns/d18, ns/d19|5"));
}

TEST_F(ConsistencyWalks, EachPeriodHasFourPages) {
  source_.page = [](const std::string&, const ListOptions& options) {
    const int next = options.continue_.empty() ? 1 : std::stoi(options.continue_) + 1;
    CheckerPage page;
    page.result = ListMeta{.resourceVersion = "5", .continue_ = std::to_string(next)};
    return page;
  };
  Begin();
  ASSERT_TRUE(Asked(13));
  const std::vector<double> pauses = Pauses();
  for (std::size_t i = 0; i < pauses.size(); ++i) {
    EXPECT_EQ(pauses[i] == 1, i % 4 != 0) << i << ": " << pauses[i];
  }
  // A list between two periods drops the walk, and the next one starts a full period later.
  sim_.RunFor(seconds(64));
  checker_->Listed();
  const std::size_t before = source_.asked.size();
  sim_.RunFor(seconds(60));
  EXPECT_EQ(source_.asked.size(), before);
  sim_.RunFor(seconds(30));
  ASSERT_GT(source_.asked.size(), before);
  EXPECT_EQ(source_.asked[before], "|5|Exact|2500|");
}

// ---- failures and interruptions

TEST_F(ConsistencyWalks, AWalkThatFailsBeginsAnewWithWhatTheStoreHasThen) {
  int version = 5;
  for (const CheckerPage& answer :
       {CheckerPage{.result = Failure(403)}, CheckerPage{.result = Failure(500)},
        CheckerPage{.result = ListMeta{.resourceVersion = "1"}}}) {
    source_.asked.clear();
    Answer({answer});
    Begin();
    ASSERT_TRUE(Asked(1));
    MoveTo(std::to_string(++version));
    ASSERT_TRUE(Asked(2));
    EXPECT_EQ(source_.asked[1], "|" + std::to_string(version) + "|Exact|2500|");
    checker_.reset();
  }
}

TEST_F(ConsistencyWalks, FailureBetweenWalks_ForgetsFirstFinding) {
  Serve("ns", "b", "2");
  Begin();
  ASSERT_TRUE(Checked(1));
  Answer({CheckerPage{.result = Failure(500)}});
  ASSERT_TRUE(Checked(2));
  EXPECT_EQ(Found(), 0U);
  ASSERT_TRUE(Checked(3));
  EXPECT_EQ(Found(), 1U);
}

TEST_F(ConsistencyWalks, VersionTooLarge_CountsOnlyTwiceInSuccession) {
  const CheckerPage future{.result = TooLarge()};
  Answer({future, {.result = Failure(500)}, future});
  Begin();
  ASSERT_TRUE(Asked(3));
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Found(), 0U);
  checker_.reset();
  // A list also cancels the check that was due.
  source_.asked.clear();
  source_.asked_at.clear();
  Answer({future, future});
  Begin();
  ASSERT_TRUE(Asked(1));
  sim_.RunFor(seconds(2));
  checker_->Listed();
  ASSERT_TRUE(Asked(2));
  EXPECT_GE(Pauses()[1], 65);
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Found(), 0U);
}

TEST_F(ConsistencyWalks, Distrust_EndsRunningWalk) {
  Begin();
  ASSERT_TRUE(Asked(1));
  checker_->Distrust();
  sim_.RunFor(minutes(5));
  EXPECT_EQ(Checks(), 0U);
  EXPECT_EQ(source_.asked.size(), 1U);
}

// ---- a large store

TEST_F(ConsistencyWalks, Samples_NoneForSingleNamespace) {
  FillBeyondAPeriod();
  for (const bool by_part : {true, false}) {
    source_.asked.clear();
    source_.scope.namespace_ = by_part ? "" : "even";
    Begin({.part = by_part ? StorePart("even") : StorePart()});
    sim_.RunFor(minutes(7));
    EXPECT_GE(source_.asked.size(), 4U);
    EXPECT_THAT(source_.asked, Each(StartsWith("|"))) << by_part;
    checker_.reset();
  }
}

TEST_F(ConsistencyWalks, Samples_SkipNamespacesOfOtherParts) {
  FillBeyondAPeriod();
  const std::string others(kOtherNamespaces);
  Begin({.part = StorePart::OneOf({"even", others}, others)});
  sim_.RunFor(minutes(20));
  EXPECT_THAT(source_.asked, Each(Not(StartsWith("even|"))));
  EXPECT_THAT(source_.asked, testing::Contains(StartsWith("odd|")));
}

TEST_F(ConsistencyWalks, DifferenceInSample_IsCheckedThereAgain) {
  FillBeyondAPeriod();
  Begin();
  ASSERT_TRUE(Checked(1));
  Serve("even", "0", "2");
  Serve("odd", "1", "2");
  Serve("ns", "a", "2");
  ASSERT_TRUE(Checked(3));
  ASSERT_EQ(source_.asked.size(), 3U);
  const std::string drawn = NamespaceOf(source_.asked[1]);
  EXPECT_NE(drawn, "");
  EXPECT_EQ(NamespaceOf(source_.asked[2]), drawn);
  EXPECT_EQ(Pauses()[2], 2);
  EXPECT_EQ(Found(), 1U);
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0], HasSubstr("|" + drawn + "/"));
}

}  // namespace
}  // namespace kinformer::internal::cache

// ConsistencyChecker over a store and a server that a test changes independently. Tests with an
// informer: test/simulation/consistency_test.cc.

#include "cache/check/consistency_checker.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cache/check/testing/checker_fixture.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST_F(ConsistencyCheckerTest, AsksOnceInAPeriodForTheStoresVersion) {
  Begin();
  sim_.RunFor(minutes(50));
  EXPECT_EQ(source_.asked.front(), "|5|Exact|2500|");
  const std::vector<double> pauses = Pauses();
  EXPECT_GE(pauses.size(), 30U);
  // Each answer takes a second.
  for (const double pause : pauses) {
    EXPECT_GE(pause, 65);
    EXPECT_LE(pause, 86);
  }
  EXPECT_LT(*std::min_element(pauses.begin(), pauses.end()), 70);
  EXPECT_GT(*std::max_element(pauses.begin(), pauses.end()), 81);
  EXPECT_GE(Checks() + 1, pauses.size());
  EXPECT_EQ(Found(), 0U);
  EXPECT_THAT(log_->lines, IsEmpty());
}

TEST_F(ConsistencyCheckerTest, FourPagesInAPeriod) {
  source_.page = [](const std::string&, const ListOptions& options) {
    const int next = options.continue_.empty() ? 1 : std::stoi(options.continue_) + 1;
    CheckerPage page;
    if (next == 1) page.items = {MakeListed("ns", "a", "u", "1"), MakeListed("ns", "b", "u", "1")};
    if (next == 6) page.items = {MakeListed("ns", "c", "u", "1")};
    page.result = ListMeta{.resourceVersion = "5", .continue_ = std::to_string(next)};
    if (next == 6) page.result->continue_.clear();
    return page;
  };
  Begin();
  sim_.RunFor(minutes(4));
  EXPECT_THAT(source_.asked,
              ElementsAre("|5|Exact|2500|", "|||2500|1", "|||2500|2", "|||2500|3", "|||2500|4",
                          "|||2500|5", "|5|Exact|2500|", "|||2500|1", "|||2500|2", "|||2500|3"));
  const std::vector<double> pauses = Pauses();
  for (const std::size_t quick : {1U, 2U, 3U, 5U}) EXPECT_EQ(pauses[quick], 1) << quick;
  for (const std::size_t slow : {4U, 6U}) EXPECT_GE(pauses[slow], 65) << slow;
  EXPECT_EQ(Checks(), 1U);
  EXPECT_EQ(Found(), 0U);
}

TEST_F(ConsistencyCheckerTest, DifferenceSeenTwice_CausesRelist) {
  Serve("ns", "b", "2");
  Begin();
  ASSERT_TRUE(Checked(1));
  EXPECT_EQ(Found(), 0U) << "once may be by chance";
  ASSERT_TRUE(Checked(2));
  ASSERT_EQ(source_.asked.size(), 2U);
  EXPECT_EQ(Pauses()[1], 2) << "a second after the answer";
  EXPECT_EQ(Found(), 1U);
  EXPECT_EQ(relists_.size(), 1U);
  EXPECT_THAT(log_->lines, ElementsAre("the cache differs|things|ns/b|5"));
}

TEST_F(ConsistencyCheckerTest, DifferenceSeenOnce_IsIgnored) {
  Serve("ns", "b", "2");
  Begin();
  ASSERT_TRUE(Checked(1));
  Serve("ns", "b", "1");
  Serve("ns", "c", "2");  // a new difference must be confirmed, too
  ASSERT_TRUE(Checked(2));
  Serve("ns", "c", "1");
  sim_.RunFor(minutes(10));
  EXPECT_EQ(Found(), 0U);
  EXPECT_THAT(relists_, IsEmpty());
}

TEST_F(ConsistencyCheckerTest, Differences_NameChangedAddedAndMissingKeys) {
  const auto found = [&](const std::function<void()>& change) {
    const auto before = server_;
    change();
    Begin();
    sim_.RunFor(seconds(95));
    server_ = before;
    unreadable_.clear();
    checker_.reset();
    const std::string keys = log_->lines.empty() ? "" : log_->lines.back();
    log_->lines.clear();
    return keys;
  };
  EXPECT_EQ(found([] {}), "");
  EXPECT_EQ(found([&] { Serve("ns", "a", "1", "other"); }), "the cache differs|things|ns/a|5");
  EXPECT_EQ(found([&] { Serve("ns", "d", "1"); }), "the cache differs|things|ns/d|5");
  EXPECT_EQ(found([&] { server_.erase({"ns", "c"}); }), "the cache differs|things|ns/c|5");
  EXPECT_EQ(found([&] {
              Serve("ns", "d", "1");
              server_.erase({"ns", "c"});
            }),
            "the cache differs|things|ns/c, ns/d|5");
  EXPECT_EQ(found([&] {
              server_.erase({"ns", "c"});
              unreadable_ = {{"ns", "c"}};
            }),
            "")
      << "what cannot be read cannot be compared";
  EXPECT_EQ(found([&] {
              for (int i = 10; i < 22; ++i) Serve("ns", "d" + std::to_string(i), "1");
            }),
            "the cache differs|things|ns/d10, ns/d11, ns/d12, ns/d13, ns/d14, ns/d15, ns/d16, "
            "ns/d17, ns/d18, ns/d19 and 2 more|5");
}

TEST_F(ConsistencyCheckerTest, PartOfOneNamespace_ComparesOnlyThat) {
  Store("other", "x", "1");
  Begin({.part = StorePart("ns")});
  sim_.RunFor(minutes(5));
  EXPECT_EQ(Found(), 0U);
  server_.erase({"ns", "c"});
  ASSERT_TRUE(sim_.RunUntil([&] { return Found() == 1; }, minutes(3)));
  EXPECT_THAT(log_->lines, ElementsAre("the cache differs|things|ns/c|5"));
}

TEST_F(ConsistencyCheckerTest, LeftOutObjects_AreComparedByNumber) {
  auto left_out = std::make_shared<LeftOut>();
  left_out->Insert("", "ns", "x");
  left_out->Insert("", "ns", "y");
  Serve("ns", "x", "7");
  unreadable_ = {{"ns", "y"}};
  Cover(false, left_out);
  Begin();
  sim_.RunFor(minutes(5));
  EXPECT_GE(Checks(), 3U) << "a full store has been listed, too";
  EXPECT_EQ(Found(), 0U);
  server_.erase({"ns", "x"});
  ASSERT_TRUE(sim_.RunUntil([&] { return Found() == 1; }, minutes(3)));
  EXPECT_THAT(log_->lines, ElementsAre("the cache differs|things|what had found no room|5"));
}

TEST_F(ConsistencyCheckerTest, RelistsThatDoNotHelpBecomeRare) {
  Serve("ns", "b", "2");
  Begin();
  sim_.RunFor(minutes(62));
  const auto pauses = [&] {
    std::vector<double> minutes_between;
    for (std::size_t i = 1; i < relists_.size(); ++i) {
      minutes_between.push_back(
          std::chrono::duration<double, std::ratio<60>>(relists_[i] - relists_[i - 1]).count());
    }
    return minutes_between;
  }();
  ASSERT_GE(pauses.size(), 6U);
  // At least two checks lie between two relists, plus pauses of 0, 2, 4, 8 and then 10 minutes.
  const double period = 1.6;
  EXPECT_LT(pauses[0], period);
  for (const auto& [i, pause] : {std::pair{1, 2.0}, {2, 4.0}, {3, 8.0}, {4, 10.0}, {5, 10.0}}) {
    EXPECT_GE(pauses[static_cast<std::size_t>(i)], pause);
    EXPECT_LT(pauses[static_cast<std::size_t>(i)], pause + period);
  }
  // The pauses start over once a difference is healed.
  Serve("ns", "b", "1");
  sim_.RunFor(minutes(12));
  relists_.clear();
  Serve("ns", "b", "2");
  sim_.RunFor(minutes(4));
  ASSERT_GE(relists_.size(), 2U);
  EXPECT_LT(relists_[1] - relists_[0], seconds(96));
}

TEST_F(ConsistencyCheckerTest, AServerThatListsAtOtherVersionsIsLeftAloneForAWhile) {
  std::string version = "6";
  const auto usual = source_.page;
  source_.page = [&](const std::string& ns, const ListOptions& options) {
    CheckerPage page = usual(ns, options);
    page.result = ListMeta{.resourceVersion = version};
    return page;
  };
  Begin();
  const auto asked = [&](std::size_t times) {
    return sim_.RunUntil([&] { return source_.asked.size() == times; }, minutes(40));
  };
  ASSERT_TRUE(asked(2));
  sim_.RunFor(seconds(2));
  version = "5";
  ASSERT_TRUE(asked(3));
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Checks(), 1U);
  version = "6";
  ASSERT_TRUE(asked(6));
  EXPECT_THAT(log_->lines, IsEmpty()) << "two in a row were no reason";
  ASSERT_TRUE(asked(7));
  EXPECT_EQ(Pauses()[6], 30 * 60 + 1);
  ASSERT_TRUE(asked(8));
  EXPECT_THAT(log_->lines,
              ElementsAre("the consistency|things|the server does not list at a version that it is "
                          "asked for"))
      << "said once";
}

TEST_F(ConsistencyCheckerTest, ARefusalIsNotAskedForAgainAtOnce) {
  for (const auto& [status, rests] : std::initializer_list<std::pair<int, bool>>{{400, true},
                                                                                 {401, false},
                                                                                 {403, true},
                                                                                 {404, false},
                                                                                 {405, true},
                                                                                 {406, true},
                                                                                 {415, true},
                                                                                 {500, false},
                                                                                 {501, true}}) {
    source_.page = [code = status](const std::string&, const ListOptions&) {
      Error error(Reason::kUnknown, "no");
      error.WithHttpStatus(code);
      return CheckerPage{.result = error};
    };
    source_.asked.clear();
    source_.asked_at.clear();
    log_->lines.clear();
    Begin();
    sim_.RunFor(minutes(29));
    EXPECT_EQ(source_.asked.size() == 1, rests) << status;
    EXPECT_EQ(log_->lines.size(), rests ? 1U : 0U) << status;
    sim_.RunFor(minutes(4));
    EXPECT_GE(source_.asked.size(), 2U) << status;
  }
}

TEST_F(ConsistencyCheckerTest, AServerThatIsTwiceBehindTheStoreWentBack) {
  bool behind = true;
  const auto usual = source_.page;
  source_.page = [&](const std::string& ns, const ListOptions& options) {
    if (!behind) return usual(ns, options);
    Error error(Reason::kTimeout, "Too large resource version: 5, current: 3");
    StatusDetails details;
    details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
    error.WithDetails(std::move(details)).WithHttpStatus(504);
    return CheckerPage{.result = error};
  };
  Begin();
  const auto asked = [&](std::size_t times) {
    return sim_.RunUntil([&] { return source_.asked.size() == times; }, minutes(2));
  };
  ASSERT_TRUE(asked(1));
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Found(), 0U);
  behind = false;  // one of several servers lagged behind
  ASSERT_TRUE(asked(2));
  EXPECT_EQ(Pauses().at(1), 6) << "five seconds after the answer";
  ASSERT_TRUE(Checked(1));
  behind = true;
  ASSERT_TRUE(asked(3));
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Found(), 0U);
  ASSERT_TRUE(asked(4));
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Found(), 1U);
  EXPECT_EQ(relists_.size(), 1U);
  EXPECT_THAT(log_->lines,
              ElementsAre("the cache differs|things|all: the server is at an older version|5"));
}

TEST_F(ConsistencyCheckerTest, OnlyAServerThatKnowsOfNothingNewerWentBack) {
  source_.page = [](const std::string&, const ListOptions&) {
    Error error(Reason::kTimeout, "Too large resource version: 5, current: 3");
    StatusDetails details;
    details.causes.push_back({"ResourceVersionTooLarge", "Too large resource version", ""});
    error.WithDetails(std::move(details)).WithHttpStatus(504);
    return CheckerPage{.result = error};
  };
  // The server's cache lags behind for minutes.
  source_.newest = std::string("7");
  Begin();
  sim_.RunFor(minutes(10));
  EXPECT_GE(source_.questions, 5);
  EXPECT_EQ(Found(), 0U);
  EXPECT_TRUE(relists_.empty());
  source_.newest = Error(Reason::kTooManyRequests, "busy").WithHttpStatus(429);
  sim_.RunFor(minutes(10));
  EXPECT_EQ(Found(), 0U) << "it has not said so";
  source_.newest = std::string("3");
  sim_.RunFor(minutes(3));
  EXPECT_GE(Found(), 1U);
  EXPECT_FALSE(relists_.empty());
}

TEST_F(ConsistencyCheckerTest, Check_WaitsUntilStoreIsComparable) {
  bool exact = true;
  std::string version = "5";
  Cover(false);
  Begin({.version = [&] { return version; }, .exact = [&] { return exact; }});
  const auto asks = [&] {
    const std::size_t before = source_.asked.size();
    sim_.RunFor(seconds(90));
    return source_.asked.size() - before;
  };
  EXPECT_EQ(asks(), 0U) << "not listed yet";
  Cover(true);
  exact = false;
  EXPECT_EQ(asks(), 0U);
  exact = true;
  for (const char* none : {"0", "", "x5", "05"}) {
    version = none;
    EXPECT_EQ(asks(), 0U) << none;
  }
  version = "5";
  sim_.RunFor(seconds(1));
  EXPECT_EQ(source_.asked.size(), 1U) << "it is looked again each second";
}

TEST_F(ConsistencyCheckerTest, AListDropsWhatAWalkHasFound) {
  Serve("ns", "b", "2");
  Begin();
  ASSERT_TRUE(sim_.RunUntil([&] { return Checks() == 1; }, minutes(2)));
  checker_->Listed();
  sim_.RunFor(seconds(60));
  EXPECT_EQ(source_.asked.size(), 1U) << "the second look is off";
  ASSERT_TRUE(sim_.RunUntil([&] { return source_.asked.size() == 2; }, minutes(2)));
  checker_->Listed();  // in the middle of the walk
  sim_.RunFor(seconds(60));
  EXPECT_EQ(Checks(), 1U);
  EXPECT_EQ(Found(), 0U);
  // A check that is due is not postponed.
  checker_->Listed();
  EXPECT_TRUE(sim_.RunUntil([&] { return source_.asked.size() == 3; }, seconds(26)));
}

TEST_F(ConsistencyCheckerTest, Checks_StopAfterDistrustOrUnsupportedSource) {
  Begin();
  checker_->Distrust();
  checker_->Distrust();
  checker_->Listed();
  sim_.RunFor(minutes(5));
  EXPECT_THAT(source_.asked, IsEmpty());
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0], HasSubstr("transform"));
  log_->lines.clear();
  source_.page = nullptr;
  Begin();
  sim_.RunFor(minutes(5));
  checker_->Listed();
  sim_.RunFor(minutes(5));
  EXPECT_EQ(source_.asked.size(), 1U) << "a source that cannot ask is not asked again";
  EXPECT_THAT(log_->lines, IsEmpty()) << "which is nobody's mistake";
}

// With more than four pages, walks over all objects and over one namespace alternate.
TEST_F(ConsistencyCheckerTest, LargeStore_WalksAlternateWithOneNamespace) {
  store_.Begin();
  for (int i = 0; i < 9'997; ++i) {
    const std::string name = std::to_string(i);
    Store(i % 2 == 0 ? "even" : "odd", name, "1");
    Serve(i % 2 == 0 ? "even" : "odd", name, "1");
  }
  store_.Commit();
  Begin();
  sim_.RunFor(minutes(4));
  for (const std::string& asked : source_.asked) EXPECT_EQ(asked, "|5|Exact|2500|");
  source_.asked.clear();
  Store("odd", "one more", "1");
  Serve("odd", "one more", "1");
  sim_.RunFor(minutes(12));
  ASSERT_GE(source_.asked.size(), 8U);
  std::size_t whole = 0;
  for (std::size_t i = 0; i < source_.asked.size(); ++i) {
    const bool all = source_.asked[i].starts_with("|");
    EXPECT_EQ(all, i % 2 == (source_.asked[0].starts_with("|") ? 0U : 1U));
    if (all) ++whole;
  }
  EXPECT_GE(whole, 4U);
  EXPECT_EQ(Found(), 0U);
}

}  // namespace
}  // namespace kinformer::internal::cache

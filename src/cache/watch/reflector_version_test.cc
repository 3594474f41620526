// The reflector and the collection's version: versions that go back, and the question for the
// version before a watch is resumed.

#include <algorithm>
#include <compare>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/resource_version.h"
#include "cache/watch/reflector.h"
#include "cache/watch/testing/reflector_fixture.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;
using std::chrono::minutes;
using std::chrono::seconds;

TEST_F(ReflectorTest, AServerThatWentBackInTimeIsANewEpoch) {
  server_.set_rv(19);
  server_.Put("foo");
  Start();
  sim_.RunFor(seconds(5));
  server_.set_rv(4);
  server_.Forget();
  server_.list_errors.push_back(TooLarge());
  server_.FailWatches(Expired());
  sim_.RunFor(seconds(3));
  EXPECT_EQ(observer_.epochs, 1);
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "4");
}

TEST_F(ReflectorTest, EveryEventMovesTheResourceVersion_R43) {
  server_.set_rv(10);
  Start();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "10");
  server_.Send(WatchEventType::kAdded, MakePod("default", "a", "11"));
  sim_.RunReady();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "11");
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "20"));
  sim_.RunReady();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "20");
  server_.SendBookmark("30");
  sim_.RunReady();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "30");
  server_.Send(WatchEventType::kDeleted, MakePod("default", "a", "40"));
  sim_.RunReady();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "40");
}

TEST_F(ReflectorTest, AnEventWithoutAVersionMovesNothingAndIsLoggedOnceAStream) {
  server_.set_rv(100);
  Start();
  server_.Send(WatchEventType::kAdded, MakePod("default", "a", "101"));
  for (const char* none : {"", "-1", "abc", "0102"}) {
    server_.Send(WatchEventType::kModified, MakePod("default", "a", none));
    server_.SendBookmark(none);
  }
  sim_.RunReady();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "101");
  EXPECT_EQ(log_->lines.size(), 1U);
  EXPECT_EQ(std::count(store_.words.begin(), store_.words.end(), "update a"), 4)
      << "what has happened has happened";
  server_.EndWatches();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.requests.back(), "WATCH rv=101 bookmarks");
}

TEST_F(ReflectorTest, ABookmarkThatGoesBackIsLoggedAndIgnored_F11) {
  server_.set_rv(100);
  Start();
  server_.SendBookmark("99");
  server_.SendBookmark("20");
  sim_.RunReady();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "100");
  EXPECT_EQ(store_.words, (Texts{"replace 100"}));
  const std::string back = "the server's watch went back in resourceVersion ";
  EXPECT_EQ(log_->lines, (Texts{back + "bookmark 100 99"})) << "once a stream";

  server_.SendBookmark("101");
  server_.EndWatches();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.requests.back(), "WATCH rv=101 bookmarks");
  EXPECT_EQ(observer_.epochs, 0);
}

TEST_F(ReflectorTest, OnAResumedStreamWhatIsOlderThanOurVersionIsAnEpoch) {
  for (const bool bookmark : {true, false}) {
    SCOPED_TRACE(bookmark);
    store_.words.clear();
    server_.requests.clear();
    const int epochs = observer_.epochs;
    server_.set_rv(100);
    Start();
    server_.Put(bookmark ? "a" : "b");
    server_.BreakWatches();
    sim_.RunFor(seconds(2));
    ASSERT_EQ(server_.requests.back(), "WATCH rv=101 bookmarks");
    if (bookmark) {
      server_.SendBookmark("99");
    } else {
      server_.Send(WatchEventType::kModified, MakePod("default", "c", "99"));
    }
    server_.Send(WatchEventType::kModified, MakePod("default", "c", "120"));
    sim_.RunFor(seconds(2));
    EXPECT_EQ(observer_.epochs, epochs + 1) << "once, though the list is newer";
    EXPECT_EQ(server_.requests[server_.requests.size() - 2], "LIST rv= limit=500");
    EXPECT_EQ(store_.words.back(), "replace 101");
    EXPECT_EQ(std::count(store_.words.begin(), store_.words.end(), "update c"), 0)
        << "what a stream tells that is about to be closed does not count";
    reflector_.reset();
  }
}

// ---- the question before a watch is resumed

class VersionQuestionTest : public ReflectorTest {
 protected:
  VersionQuestionTest() {
    server_.answers_version = true;
    server_.set_rv(19);
    server_.Put("foo");
    Start();
    sim_.RunFor(seconds(5));
  }
};

TEST_F(VersionQuestionTest, AServerThatIsOlderIsAnEpoch) {
  server_.set_rv(4);
  server_.Forget();
  server_.BreakWatches();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(observer_.epochs, 1);
  EXPECT_EQ(server_.version_questions, 1);
  EXPECT_EQ(server_.requests[2], "LIST rv= limit=500");
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "4");
}

TEST_F(VersionQuestionTest, AnyOtherAnswerResumes) {
  const std::vector<std::optional<Error>> answers = {
      std::nullopt,
      Error(Reason::kForbidden, "no").WithHttpStatus(403),
      Error(Reason::kBadRequest, "no").WithHttpStatus(400),
      Internal(),
  };
  for (const std::optional<Error>& answer : answers) {
    server_.version_errors = {answer};
    server_.BreakWatches();
    sim_.RunFor(seconds(2));
    EXPECT_EQ(server_.requests.back(), "WATCH rv=20 bookmarks");
  }
  EXPECT_EQ(Count("WATCH"), 1 + answers.size());
  EXPECT_EQ(server_.version_questions, static_cast<int>(answers.size()));
  EXPECT_EQ(Count("LIST"), 1U);
  EXPECT_TRUE(observer_.errors.empty());
}

TEST_F(VersionQuestionTest, AServerThatCannotBeReachedIsAskedAgain) {
  server_.down = Refused();
  server_.BreakWatches();
  sim_.RunFor(seconds(20));
  EXPECT_GE(server_.version_questions, 3);
  EXPECT_EQ(Count("WATCH"), 1U) << "it may come back as another one";
  EXPECT_FALSE(observer_.errors.empty());
  server_.set_rv(4);
  server_.down.reset();
  sim_.RunFor(minutes(1));
  EXPECT_EQ(observer_.epochs, 1);
}

TEST_F(VersionQuestionTest, AServerThatPutsItOffIsNotAskedToWatchAtOnce) {
  const SteadyTime begun = Now();
  server_.version_errors = {TooMany().WithRetryAfter(seconds(3))};
  server_.BreakWatches();
  ASSERT_TRUE(sim_.RunUntil([&] { return Count("WATCH") == 2; }, seconds(10)));
  EXPECT_GE(Now() - begun, seconds(3));
  EXPECT_EQ(server_.version_questions, 2);
  // A server that never answers the question may still accept watches.
  sim_.RunFor(seconds(5));
  for (int i = 0; i < 20; ++i) server_.version_errors.emplace_back(TooMany());
  server_.BreakWatches();
  ASSERT_TRUE(sim_.RunUntil([&] { return Count("WATCH") == 3; }, seconds(30)));
  EXPECT_EQ(server_.version_questions, 2 + 4);
  EXPECT_EQ(Count("LIST"), 1U);
}

TEST_F(VersionQuestionTest, VersionQuestionUnauthorized_WatchWaits) {
  server_.version_errors = {Error(Reason::kUnauthorized, "no").WithHttpStatus(401)};
  server_.BreakWatches();
  sim_.RunReady();
  EXPECT_EQ(Count("WATCH"), 1U);
  EXPECT_EQ(observer_.errors, std::vector<Reason>{Reason::kUnauthorized});
  sim_.RunFor(seconds(3));
  EXPECT_EQ(Count("WATCH"), 2U);
}

TEST_F(VersionQuestionTest, AStreamThatEndedAtItsTimeoutIsResumedWithoutAQuestion) {
  sim_.RunFor(seconds(server_.timeouts.back()));
  server_.EndWatches();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.version_questions, 0);
  EXPECT_EQ(Count("WATCH"), 2U);
  sim_.RunFor(seconds(server_.timeouts.back()));
  server_.BreakWatches();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.version_questions, 1) << "its connection was gone";
  sim_.RunFor(seconds(60));
  server_.EndWatches();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.version_questions, 2) << "a server that shuts down ends its watches, too";
}

// The server's clock starts before its answer arrives, and its last data takes time, too.
TEST_F(VersionQuestionTest, TwoSecondsBeforeItsTimeoutAStreamHasEndedAtIt) {
  server_.EndWatches();
  sim_.RunReady();
  for (const Duration early : {Duration(seconds(2)), Duration(seconds(2)) + Duration(1)}) {
    const int before = server_.version_questions;
    sim_.RunFor(seconds(server_.timeouts.back()) - early);
    server_.EndWatches();
    sim_.RunReady();
    EXPECT_EQ(server_.version_questions - before, early > seconds(2) ? 1 : 0);
  }
  const int before = server_.version_questions;
  sim_.RunFor(seconds(server_.timeouts.back()));
  server_.FailWatches(TooMany());
  sim_.RunFor(seconds(5));
  EXPECT_EQ(server_.version_questions, before + 1) << "an error is no end as agreed";
}

TEST_F(VersionQuestionTest, OlderVersionAfterQuestion_IsEpoch) {
  server_.BreakWatches();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.version_questions, 1);
  EXPECT_EQ(observer_.epochs, 0);
  server_.SendBookmark("9");
  sim_.RunFor(seconds(2));
  EXPECT_EQ(observer_.epochs, 1);
}

TEST_F(VersionQuestionTest, PausedItAsksNothing) {
  server_.BreakWatches();
  reflector_->Pause();
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.version_questions, 0);
  EXPECT_EQ(Count("WATCH"), 1U);
  sim_.env().loop().Post([this] { reflector_->Resume(); });
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.version_questions, 1);
  EXPECT_EQ(Count("WATCH"), 2U);
}

TEST_F(ReflectorTest, PausedDuringTheListItAsksBeforeItWatches) {
  server_.answers_version = true;
  server_.set_rv(19);
  server_.Put("foo");
  server_.list_errors = {TooMany()};
  Start();
  reflector_->Pause();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(store_.replaced, 1);
  server_.set_rv(4);
  sim_.env().loop().Post([this] { reflector_->Resume(); });
  sim_.RunFor(seconds(2));
  EXPECT_EQ(server_.version_questions, 1);
  EXPECT_EQ(observer_.epochs, 1);
}

TEST_F(ReflectorTest, AStreamThatBeganAsAWatchListHasATimeoutToo) {
  server_.watch_list_unsupported = false;
  server_.answers_version = true;
  server_.set_rv(19);
  for (const bool early : {false, true}) {
    server_.version_questions = 0;
    Start();
    sim_.RunFor(seconds(early ? 60 : server_.timeouts.back()));
    server_.EndWatches();
    sim_.RunFor(seconds(2));
    EXPECT_EQ(server_.version_questions, early ? 1 : 0);
    reflector_.reset();
  }
}

// Initial additions have versions of different times: a watch from one would miss others.
TEST_F(ReflectorTest, FromAServerWithoutVersionsAdditionsAreInNoOrder) {
  Start();
  server_.Send(WatchEventType::kAdded, MakePod("default", "a", "5"));
  server_.Send(WatchEventType::kAdded, MakePod("default", "b", "3"));
  sim_.RunReady();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "0");
  EXPECT_TRUE(log_->lines.empty());
  server_.Send(WatchEventType::kModified, MakePod("default", "b", "6"));
  sim_.RunReady();
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "6");
}

TEST_F(VersionQuestionTest, OlderServerAfterPause_IsEpoch) {
  sim_.env().loop().Post([this] { reflector_->Pause(); });
  sim_.RunReady();
  server_.set_rv(4);
  sim_.env().loop().Post([this] { reflector_->Resume(); });
  sim_.RunFor(seconds(2));
  EXPECT_EQ(observer_.epochs, 1);
}

TEST_F(ReflectorTest, AnObjectThatGoesBackIsLoggedAndTaken_F17) {
  server_.set_rv(100);
  Start();
  server_.Send(WatchEventType::kAdded, MakePod("default", "a", "101"));
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "50"));
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "51"));
  sim_.RunReady();
  EXPECT_EQ(log_->lines, (Texts{"the server's watch went back in resourceVersion object 101 50"}));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "51");
  EXPECT_EQ(store_.objects.at("a"), "51");
}

TEST(ResourceVersion, Order) {
  using Order = std::strong_ordering;
  EXPECT_EQ(CompareResourceVersion("9", "10"), Order::less);
  EXPECT_EQ(CompareResourceVersion("10", "9"), Order::greater);
  EXPECT_EQ(CompareResourceVersion("123456789012345678901", "123456789012345678901"), Order::equal);
  EXPECT_EQ(CompareResourceVersion("", "1"), std::nullopt);
  EXPECT_EQ(CompareResourceVersion("0", "1"), std::nullopt);
  EXPECT_EQ(CompareResourceVersion("1a", "1"), std::nullopt);
}

}  // namespace
}  // namespace kinformer::internal::cache

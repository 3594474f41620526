// An informer that may not list all namespaces: it falls back to given namespaces or to all that
// exist, or its error says which rights to grant.

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include "cache/informer/testing/namespaces_fixture.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

TEST_F(NamespacesTest, Forbidden_FallsBackToGivenNamespaces) {
  Server("").down = Forbidden();
  Server("blue").Put("b1");
  Server("green").Put("g1");
  auto informer = Make({.if_forbidden = {.namespaces = {"blue", "green"}}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(recorder->words, UnorderedElementsAre("+b1!", "+g1!"));
  EXPECT_EQ(Absence(informer.lister(), "red", "r1"), Reason::kOutOfScope);
  EXPECT_EQ(informer.Namespaces().size(), 2U);
  EXPECT_EQ(informer.Status().state, InformerState::kWatching);
  const std::size_t asked = Server("").requests.size();
  sim_.RunFor(minutes(10));
  EXPECT_EQ(Server("").requests.size(), asked) << "the whole is not asked for any more";
}

TEST_F(NamespacesTest, AllNamespacesAreNothingToFallBackTo) {
  Server("").down = Forbidden();
  auto informer = Make({.if_forbidden = {.namespaces = {""}}});
  informer.Start();
  sim_.RunFor(minutes(2));
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_THAT(informer.Namespaces(), IsEmpty());
  EXPECT_EQ(informer.Status().state, InformerState::kForbidden);
  Server("").down.reset();
  sim_.RunFor(minutes(2));
  EXPECT_TRUE(informer.HasSynced());
}

TEST_F(NamespacesTest, AllowedItLooksAtEverything) {
  Server("").namespace_name = "red";
  Server("").Put("r1");
  auto informer = Make({.if_forbidden = {.namespaces = {"blue", "green"}}});
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(Absence(informer.lister(), "red", "r1"), std::nullopt);
  EXPECT_EQ(Absence(informer.lister(), "blue", "b1"), Reason::kNotFound);
  // A right that is lost later is waited for: cached objects stay in scope.
  Server("").down = Forbidden();
  Server("").FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  sim_.RunFor(minutes(5));
  EXPECT_EQ(informer.Status().state, InformerState::kForbidden);
  EXPECT_EQ(Absence(informer.lister(), "red", "r1"), std::nullopt);
  EXPECT_TRUE(Server("blue").requests.empty());
}

// The next life may cover less: other objects leave the cache, and handlers are notified.
TEST_F(NamespacesTest, NextLife_ObjectsOutOfScopeAreDeleted) {
  Server("").namespace_name = "red";
  Server("").Put("r1");
  Server("blue").Put("b1");
  auto informer = Make({.if_forbidden = {.namespaces = {"blue"}}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  informer.Stop();
  Settle();
  Server("").down = Forbidden();
  recorder->words.clear();
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(recorder->words, UnorderedElementsAre("-r1?", "+b1"));
  EXPECT_EQ(Absence(informer.lister(), "red", "r1"), Reason::kOutOfScope);
  // The reverse change.
  informer.Stop();
  Settle();
  Server("").down.reset();
  recorder->words.clear();
  informer.Start();
  Settle();
  EXPECT_THAT(recorder->words, UnorderedElementsAre("-b1?", "+r1"));
  EXPECT_EQ(Absence(informer.lister(), "blue", "b1"), Reason::kNotFound);
  EXPECT_THAT(informer.Namespaces(), IsEmpty());
}

TEST_F(NamespacesTest, WithoutAFallbackTheErrorSaysWhatToGrant) {
  Server("").down = Forbidden();
  auto informer = Make({});
  informer.Start();
  Settle();
  EXPECT_FALSE(informer.HasSynced());
  const auto failed = Wait([&] { return informer.WaitForCacheSync({}, {.fail_fast = true}); });
  ASSERT_TRUE(failed.has_value());
  EXPECT_TRUE(IsForbidden(failed->error()));
  EXPECT_THAT(
      failed->error().message(),
      AllOf(HasSubstr("grant the verbs list and watch cluster-wide (ClusterRole, "),
            HasSubstr("or name the namespaces to look at"), HasSubstr("pods is forbidden")));
}

TEST_F(NamespacesTest, WatchNamespaces_FollowsCreationAndDeletion) {
  Server("").down = Forbidden();
  Namespaces().Put("blue");
  Server("blue").Put("b1");
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(Since(*recorder), ElementsAre("+b1!"));
  const Lister<Pod> pods = informer.lister();
  EXPECT_EQ(Absence(pods, "green", "g1"), Reason::kNotFound) << "there is no such namespace";
  // Another namespace is created.
  Server("green").Put("g1");
  Server("green").down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  Namespaces().Put("green");
  Settle();
  EXPECT_EQ(Absence(pods, "green", "g1"), Reason::kNotSynced);
  EXPECT_EQ(pods.List().error().reason(), Reason::kNotSynced);
  EXPECT_EQ(Absence(pods, "blue", "b2"), Reason::kNotFound);
  EXPECT_TRUE(informer.HasSynced()) << "that was the first list";
  Server("green").down.reset();
  sim_.RunFor(minutes(1));
  EXPECT_THAT(Since(*recorder), ElementsAre("+g1"));
  EXPECT_EQ(Absence(pods, "green", "g1"), std::nullopt);
  EXPECT_TRUE(pods.List().ok());
  // The first namespace is deleted, without events for its objects.
  Namespaces().Delete("blue");
  Settle();
  EXPECT_THAT(Since(*recorder), ElementsAre("-b1?"));
  EXPECT_EQ(Server("blue").open_watches(), 0U);
  EXPECT_EQ(Absence(pods, "blue", "b1"), Reason::kNotFound);
  EXPECT_THAT(NamesIn(informer), ElementsAre("g1"));
  // It is created again.
  Namespaces().Put("blue");
  Settle();
  EXPECT_THAT(Since(*recorder), ElementsAre("+b1"));
  // A list of Namespaces shows the deletion of one, too.
  Namespaces().FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  Namespaces().Forget();
  Namespaces().down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  Settle();
  Namespaces().Delete("green");
  Namespaces().Forget();
  Namespaces().down.reset();
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Since(*recorder), ElementsAre("-g1?"));
}

TEST_F(NamespacesTest, NoNamespaces_InformerIsSynced) {
  Server("").down = Forbidden();
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(Absence(informer.lister(), "blue", "b1"), Reason::kNotFound);
  Server("blue").Put("b1");
  Namespaces().Put("blue");
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("+b1"));
}

TEST_F(NamespacesTest, NamespacesUnknown_InformerIsNotSynced) {
  Server("").down = Forbidden();
  Namespaces().down = Forbidden();
  Namespaces().Put("blue");
  Server("blue").Put("b1");
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  informer.Start();
  Settle();
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_EQ(Absence(informer.lister(), "blue", "b1"), Reason::kNotSynced);
  EXPECT_EQ(informer.Status().state, InformerState::kForbidden);
  const auto failed = Wait([&] { return informer.WaitForCacheSync({}, {.fail_fast = true}); });
  ASSERT_TRUE(failed.has_value());
  EXPECT_TRUE(IsForbidden(failed->error()));
  EXPECT_THAT(failed->error().message(), HasSubstr("cluster-wide, or on namespaces"));
  Namespaces().down.reset();
  sim_.RunFor(minutes(2));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(Absence(informer.lister(), "blue", "b1"), std::nullopt);
}

TEST_F(NamespacesTest, TheVersionWaitsForANamespaceThatIsNew) {
  Server("").down = Forbidden();
  Namespaces().Put("blue");
  Server("blue").Put("b1");
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  informer.Start();
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "2");
  Server("green").down = Forbidden();
  Namespaces().Put("green");
  const std::string rv = Server("green").Put("g1");
  Server("blue").Bookmark();
  Namespaces().Bookmark();
  Settle();
  EXPECT_EQ(informer.LastSyncResourceVersion(), "2") << "no claim about green";
  Server("green").down.reset();
  sim_.RunFor(minutes(2));
  EXPECT_EQ(informer.LastSyncResourceVersion(), rv);
}

TEST_F(NamespacesTest, TheWatchOfNamespacesHasTheInformersOptions) {
  Server("").down = Forbidden();
  Namespaces().Put("blue");
  auto informer = MakeWithNamespaces({.initial_list = InitialList::kList,
                                      .min_watch_timeout = hours(1),
                                      .if_forbidden = {.watch_namespaces = true},
                                      .consistency_check_period = Duration(0),
                                      .relist_period = minutes(10)});
  informer.Start();
  sim_.RunFor(minutes(25));
  const auto lists = [this](std::string_view kind) {
    return std::count_if(Namespaces().requests.begin(), Namespaces().requests.end(),
                         [kind](const std::string& request) { return request.starts_with(kind); });
  };
  EXPECT_EQ(lists("LIST"), 3) << "the first, and after ten and twenty minutes";
  EXPECT_EQ(lists("WATCHLIST"), 0);
  ASSERT_FALSE(Namespaces().timeouts.empty());
  for (const std::int64_t timeout : Namespaces().timeouts) EXPECT_GE(timeout, 3600);
}

// A server that was restored and has passed the watch's version sends no events for them.
TEST_F(NamespacesTest, NamespacesThatNoEventTellsOfAreFound) {
  Server("").down = Forbidden();
  Namespaces().Put("blue");
  Server("blue").Put("b1");
  Server("green").Put("g1");
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  const auto recorder = Record(informer);
  const auto asked = [this](std::string_view kind) {
    return std::count_if(Namespaces().requests.begin(), Namespaces().requests.end(),
                         [kind](const std::string& request) { return request.starts_with(kind); });
  };
  informer.Start();
  sim_.RunFor(seconds(630));
  EXPECT_THAT(Since(*recorder), ElementsAre("+b1!"));
  EXPECT_EQ(asked("LIST"), 10) << "one a minute";
  EXPECT_EQ(asked("WATCH"), 1) << "and no other watch";
  Namespaces().SlipIn("green");
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Since(*recorder), ElementsAre("+g1"));
  Namespaces().Lose("blue");
  sim_.RunFor(minutes(2));
  EXPECT_THAT(Since(*recorder), ElementsAre("-b1?"));
  // After a refused list the server is asked again.
  Namespaces().list_errors = {Forbidden()};
  Namespaces().Lose("green");
  sim_.RunFor(minutes(3));
  EXPECT_THAT(Since(*recorder), ElementsAre("-g1?"));
  EXPECT_EQ(asked("WATCH"), 4);
}

TEST_F(NamespacesTest, NamespaceListedBeforeItsEvent_IsNoDifference) {
  Server("").down = Forbidden();
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  informer.Start();
  Settle();
  const std::size_t before = Namespaces().requests.size();
  Namespaces().SlipIn("late");
  while (Namespaces().requests.size() == before) sim_.RunFor(seconds(1));
  sim_.RunFor(seconds(5));
  Namespaces().Put("late");
  sim_.RunFor(minutes(10));
  EXPECT_EQ(Namespaces().open_watches(), 1U);
  EXPECT_EQ(std::count_if(Namespaces().requests.begin(), Namespaces().requests.end(),
                          [](const std::string& request) { return request.starts_with("WATCH"); }),
            1);
  EXPECT_EQ(informer.Namespaces().size(), 1U);
}

}  // namespace
}  // namespace kinformer

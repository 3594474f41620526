// The state of single parts of an informer with several namespaces, and events that concern all of
// them.

#include <chrono>
#include <cstddef>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/log.h"

#include "cache/informer/testing/namespaces_fixture.h"

namespace kinformer {
namespace {

using internal::client::FakeServer;
using internal::client::MakePod;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// ---- names in messages

// Collects the messages of each informer.
class WhoSaidLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
  void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
    for (const LogField& field : fields) {
      if (field.key == "informer") said.insert(field.value + ": " + std::string(message));
      if (field.key == "namespaces") instead = field.value;
    }
  }
  std::set<std::string> said{};
  std::string instead{};
};

class NamesInTheLog : public NamespacesTest {
 protected:
  explicit NamesInTheLog(std::shared_ptr<WhoSaidLog> log = std::make_shared<WhoSaidLog>())
      : NamespacesTest(log), log_(std::move(log)) {}

  const std::shared_ptr<WhoSaidLog> log_;
};

TEST_F(NamesInTheLog, EachPlaceIsNamed) {
  const std::string back = "the server's watch went back in resourceVersion";
  for (const char* ns : {"blue", "green"}) Server(ns).set_rv(100);
  auto informer = MakeWithNamespaces({.namespaces = {"blue", "green"}});
  informer
      .SetTransform([](const Ref<Pod>& pod) -> Result<Ref<Pod>> {
        if (pod->name() == "bad") return Error(Reason::kInternalError, "no");
        return pod;
      })
      .OrExit();
  informer.Start();
  sim_.RunFor(seconds(5));
  Server("blue").SendBookmark("50");
  Server("green").Put("bad");
  sim_.RunReady();
  Server("green").FailWatches(Error(Reason::kInternalError, "no").WithHttpStatus(500));
  sim_.RunReady();
  EXPECT_THAT(log_->said,
              ElementsAre("pods, namespace blue: " + back,
                          "pods, namespace green: list or watch failed, will retry",
                          "pods, namespace green: the transform failed; the object counts as "
                          "unreadable"));
}

TEST_F(NamesInTheLog, FallbackNamespaces_AreNamed) {
  const std::string instead =
      "pods: listing all namespaces is forbidden; looks at single ones instead";
  Server("").down = Forbidden();
  auto named = MakeWithNamespaces({.if_forbidden = {.namespaces = {"green", "blue", ""}}});
  named.Start();
  sim_.RunFor(seconds(5));
  EXPECT_THAT(log_->said, Contains(instead));
  EXPECT_EQ(log_->instead, "blue, green");
  Namespaces().set_rv(100);
  auto all = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  all.Start();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(log_->instead, "all that exist");
  Namespaces().SendBookmark("50");
  sim_.RunReady();
  EXPECT_THAT(log_->said, Contains("namespaces, for pods: the server's watch went back in "
                                   "resourceVersion"));
}

// ---- missing rights

TEST_F(NamespacesTest, AForbiddenErrorSaysOnlyWhatWouldHelp) {
  const auto message_of = [&](SharedInformer<Pod> informer) {
    std::string first;
    informer
        .SetWatchErrorHandler([&](const Error& error) {
          if (first.empty()) first = error.message();
        })
        .OrExit();
    informer.Start();
    Settle();
    return first;
  };
  for (const char* ns : {"", "red"}) Server(ns).down = Forbidden();
  EXPECT_THAT(message_of(Make({})), HasSubstr("or name the namespaces to look at"));
  EXPECT_THAT(message_of(Make({.if_forbidden = {.namespaces = {"blue"}}})),
              HasSubstr("or else it looks at single namespaces (if_forbidden)"));
  // An informer with a given ListerWatcher cannot fall back.
  const auto alone = [&](const std::string& ns) {
    return message_of(SharedInformer<Pod>(sim_.env(), Server(ns).NewListerWatcher()));
  };
  EXPECT_THAT(alone(""), AllOf(HasSubstr("cluster-wide"), Not(HasSubstr("namespaces"))));
  EXPECT_THAT(alone("red"), AllOf(HasSubstr("in \"red\""), Not(HasSubstr("cluster-wide"))));
  // An informer that has listed once does not fall back later.
  Server("").down.reset();
  auto informer = Make({.if_forbidden = {.namespaces = {"blue"}}});
  informer.Start();
  Settle();
  Server("").down = Forbidden();
  Server("").FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  sim_.RunFor(minutes(1));
  EXPECT_THAT(informer.Status().ErrorText(),
              AllOf(HasSubstr("cluster-wide"), Not(HasSubstr("if_forbidden"))));
}

TEST_F(NamespacesTest, WhereThereIsNothingToListWithTheErrorSaysSo) {
  const auto without = [this](const std::string& missing) {
    return [this, missing](const std::string& ns) -> std::unique_ptr<ListerWatcher> {
      if (ns == missing) return nullptr;
      return Server(ns).NewListerWatcher();
    };
  };
  Server("blue").Put("b1");
  SharedInformer<Pod> some(sim_.env(), without("green"),
                           {.name = "web", .namespaces = {"blue", "green"}});
  some.Start();
  Settle();
  EXPECT_FALSE(some.HasSynced());
  EXPECT_EQ(Absence(some.lister(), "blue", "b1"), std::nullopt);
  EXPECT_THAT(some.lister().Namespace("green").Get("g1").error().message(),
              HasSubstr("there is nothing to list it with"));
  SharedInformer<Pod> whole(sim_.env(), without(""), {.name = "web"});
  whole.Start();
  Settle();
  EXPECT_THAT(whole.Status().ErrorText(), HasSubstr("there is nothing to list it with"));
  // There is no ListerWatcher for Namespaces.
  Server("").down = Forbidden();
  SharedInformer<Pod> none(internal::InformerCore::Create(
      sim_.env(), "pods", {.objects = without("-"), .namespaced = true},
      internal::SettingsOf(InformerOptions<Pod>{.if_forbidden = {.watch_namespaces = true}})));
  none.Start();
  Settle();
  EXPECT_THAT(none.Status().ErrorText(), HasSubstr("there is nothing to list Namespaces with"));
}

// ---- the budget of the queues

// A blocked part may queue its share of the budget, or 64 KiB if that is more, but never more than
// the whole budget.
TEST_F(NamespacesTest, EachHasItsShareOfTheQueuesBudget) {
  constexpr std::size_t kKiB = 1024;
  const auto is_closed = [&](std::size_t budget, int waiting_kilobytes) {
    servers_.clear();
    InformerOptions<Pod> options;
    options.max_queued_bytes = budget * kKiB;
    options.namespaces = {"a", "b", "c", "d"};
    auto informer = Make(std::move(options));
    bool held = true;
    const auto slow = std::make_shared<Recorder>();
    slow->hook = [&](const std::string&) {
      while (held) sim_.env().SleepFor(seconds(1));
    };
    informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kBlock, .max_events = 1}).OrExit();
    informer.Start();
    Settle();
    // The handler holds the first few events.
    for (int i = 0; i < 4; ++i) {
      Server("a").Put("first" + std::to_string(i));
      Settle();
    }
    for (int i = 0; i < waiting_kilobytes; i += 4) {
      Server("a").Put("p" + std::to_string(i), std::string(4 * kKiB, 'x'));
      Settle();
    }
    const bool closed = Server("a").open_watches() == 0;
    EXPECT_EQ(Server("b").open_watches(), 1U);
    held = false;
    sim_.RunFor(minutes(1));
    return closed;
  };
  EXPECT_FALSE(is_closed(1024, 200));
  EXPECT_TRUE(is_closed(1024, 320));
  EXPECT_FALSE(is_closed(160, 52));
  EXPECT_TRUE(is_closed(160, 84));
  EXPECT_FALSE(is_closed(16, 8));
  EXPECT_TRUE(is_closed(16, 24));
}

// ---- epochs and versions

TEST_F(NamespacesTest, AServerThatWentBackDidSoForTheNamespacesToo) {
  for (const bool by_part : {true, false}) {
    servers_.clear();
    namespaces_.reset();
    Server("").down = Forbidden();
    Namespaces().Put("blue");
    for (int i = 0; i < 5; ++i) Server("blue").Put("b1", std::to_string(i));
    Server("blue").answers_version = Namespaces().answers_version = true;
    auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
    informer.Start();
    sim_.RunFor(seconds(5));
    Server("blue").requests.clear();
    Namespaces().requests.clear();
    *revision_ -= 3;
    Server("blue").Forget();
    Namespaces().Forget();
    by_part ? Server("blue").BreakWatches() : Namespaces().BreakWatches();
    sim_.RunFor(seconds(20));
    EXPECT_THAT(Server("blue").requests, ElementsAre("WATCHLIST rv= NotOlderThan bookmarks"));
    EXPECT_THAT(Namespaces().requests, ElementsAre("WATCHLIST rv= NotOlderThan bookmarks"));
    EXPECT_EQ(informer.Status().epochs, 1U);
    EXPECT_EQ(informer.Snapshot().epoch(), 1U);
    EXPECT_EQ(informer.LastSyncResourceVersion(), std::to_string(*revision_));
  }
}

TEST_F(NamespacesTest, NamespaceEvents_AdvanceResourceVersion) {
  Server("").down = Forbidden();
  Namespaces().Put("blue");
  Server("blue").Put("b1");
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  informer.Start();
  Settle();
  const auto all_know = [&] {
    Settle();
    Server("blue").Bookmark();
    Settle();
    return informer.LastSyncResourceVersion();
  };
  Namespaces().Put("blue");
  EXPECT_EQ(all_know(), Namespaces().rv());
  Namespaces().Put("green");
  Settle();
  Namespaces().Delete("green");
  EXPECT_EQ(all_know(), Namespaces().rv());
}

// ---- lives

TEST_F(NamespacesTest, AnotherLifeKeepsWhatItHasUntilItKnowsTheNamespaces) {
  Server("").down = Forbidden();
  for (const char* ns : {"blue", "green"}) {
    Namespaces().Put(ns);
    Server(ns).Put(std::string(ns, 1) + "1");
  }
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  informer.Stop();
  Settle();
  recorder->words.clear();
  Namespaces().Delete("green");
  Namespaces().down = Error(Reason::kInternalError, "not now").WithHttpStatus(500);
  informer.Start();
  sim_.RunFor(seconds(5));
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_THAT(NamesIn(informer), ElementsAre("b1", "g1"));
  EXPECT_THAT(recorder->words, IsEmpty());
  Namespaces().down.reset();
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_THAT(NamesIn(informer), ElementsAre("b1"));
  EXPECT_THAT(recorder->words, ElementsAre("-g1?"));
}

// A namespace that is created again is a new one, without known versions.
TEST_F(NamespacesTest, RecreatedNamespace_IsListedAnew) {
  Server("").down = Forbidden();
  Namespaces().Put("blue");
  Server("blue").Put("b1");
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  informer.Start();
  Settle();
  Namespaces().Delete("blue");
  Settle();
  EXPECT_THAT(informer.Namespaces(), IsEmpty());
  Namespaces().Put("blue");
  Settle();
  EXPECT_EQ(Server("blue").requests.back(), "WATCHLIST rv= NotOlderThan bookmarks");
  EXPECT_THAT(NamesIn(informer), ElementsAre("b1"));
}

TEST_F(NamespacesTest, NamespaceDeletedInInitialEvents_IsIgnored) {
  Server("").down = Forbidden();
  Namespaces().never_ends_initial_events = true;
  auto informer = MakeWithNamespaces({.if_forbidden = {.watch_namespaces = true}});
  informer.Start();
  Settle();
  for (const char* ns : {"blue", "green"}) {
    Namespaces().Send(WatchEventType::kAdded, MakePod("", ns, "1"));
  }
  Namespaces().Send(WatchEventType::kDeleted, MakePod("", "green", "2"));
  Namespaces().SendBookmark("2", true);
  Settle();
  ASSERT_EQ(informer.Namespaces().size(), 1U);
  EXPECT_EQ(informer.Namespaces()[0].namespace_, "blue");
}

}  // namespace
}  // namespace kinformer

// Reflector<T>, as programs use it. reflector_test.cc tests its lists and watches.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/cache/store.h"

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

// Records its calls; refuses and throws as set by the test.
class NotingStore final : public ReflectorStore<Pod> {
 public:
  Result<void> Add(const Ref<Pod>& pod) override { return Note("+" + pod->name()); }
  Result<void> Update(const Ref<Pod>& pod) override { return Note("~" + pod->name()); }
  Result<void> Delete(const Ref<Pod>& pod) override { return Note("-" + pod->name()); }
  Result<void> Replace(ReplacedAllInfo<Pod> list) override {
    std::string text = "=" + list.resourceVersion;
    for (const Ref<Pod>& pod : list.objects) text += " " + pod->name();
    for (const ObjectName& name : list.unreadable) text += " !" + name.name;
    return Note(text);
  }
  Result<void> Resync() override { return Note("resync"); }
  Result<void> Bookmark(std::string_view rv) override { return Note("@" + std::string(rv)); }
  Result<void> Unreadable(const ObjectName& name, bool deleted) override {
    return Note((deleted ? "-!" : "!") + name.name);
  }

  Texts words{};
  // Words for which the next call returns an error.
  Texts refused{};
  // Words for which the next call throws.
  Texts thrown{};

 private:
  Result<void> Note(std::string word) {
    words.push_back(word);
    const auto throws = std::find(thrown.begin(), thrown.end(), word);
    if (throws != thrown.end()) {
      thrown.erase(throws);
      throw std::runtime_error("thrown");
    }
    const auto it = std::find(refused.begin(), refused.end(), word);
    if (it == refused.end()) return {};
    refused.erase(it);
    return Error(Reason::kConflict, "refused");
  }
};

class PublicReflector : public testing::Test {
 protected:
  PublicReflector() : server_(sim_.env()) {}
  ~PublicReflector() override { Stop(); }

  void Start(ReflectorOptions options = {}) {
    options.watch_error_handler = [this](const Error& error) {
      errors_.push_back(std::string(ReasonName(error.reason())));
    };
    reflector_.emplace(sim_.env(), server_.NewListerWatcher(), store_, std::move(options));
    Run();
  }
  void Run() {
    stop_ = std::stop_source();
    thread_ =
        sim_.env().NewThread("reflector", [this] { reflector_->Run(stop_.get_token()).OrExit(); });
    sim_.RunReady();
  }
  void Stop() {
    stop_.request_stop();
    sim_.RunReady();
    if (thread_ != nullptr) thread_->Join();
    thread_.reset();
  }

  const std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  Simulation sim_{{.metrics = metrics_}};
  internal::client::FakeServer server_;
  std::shared_ptr<NotingStore> store_ = std::make_shared<NotingStore>();
  std::optional<Reflector<Pod>> reflector_;
  Texts errors_;

 private:
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;
};

TEST_F(PublicReflector, TellsAStoreOfYoursWhatHappens) {
  server_.Put("a");
  server_.unreadable = {{"default", "bad"}};
  Start({.initial_list = InitialList::kList});
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "1");
  EXPECT_EQ(reflector_->Name(), "pods");
  server_.Put("b");
  server_.Put("a");
  server_.Delete("b");
  server_.Bookmark();
  server_.SendUnreadable(WatchEventType::kModified, "bad", "5");
  server_.SendUnreadable(WatchEventType::kDeleted, "bad", "6");
  sim_.RunReady();
  EXPECT_EQ(store_->words, (Texts{"=1 a !bad", "+b", "~a", "-b", "@4", "!bad", "-!bad"}));
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "6");
}

TEST_F(PublicReflector, NothingIsToldAfterRunAndRunAgainResumes) {
  server_.Put("a");
  Start();
  EXPECT_EQ(server_.open_watches(), 1U);
  Stop();
  EXPECT_EQ(server_.open_watches(), 0U);
  server_.Put("b");
  sim_.RunFor(minutes(10));
  EXPECT_EQ(store_->words, Texts{"=1 a"});
  server_.requests.clear();
  Run();
  EXPECT_EQ(server_.requests, Texts{"WATCHLIST rv=1 NotOlderThan bookmarks"});
  EXPECT_EQ(store_->words, (Texts{"=1 a", "=2 a b"}));
}

TEST_F(PublicReflector, RunsOnceAtATimeAndNotOnTheLoop) {
  Start();
  std::optional<Reason> twice;
  EXPECT_TRUE(sim_.RunBlocking([&] { twice = reflector_->Run({}).error().reason(); }, minutes(1)));
  EXPECT_EQ(twice, Reason::kInvalidArgument);
  std::optional<Reason> on_loop;
  sim_.env().loop().Post([&] { on_loop = reflector_->Run({}).error().reason(); });
  sim_.RunReady();
  EXPECT_EQ(on_loop, Reason::kWouldDeadlock);
}

TEST_F(PublicReflector, ListsAndWatchesAsItsOptionsSay) {
  server_.pages_ignore_rv = true;
  for (const char* name : {"a", "b", "c"}) server_.Put(name);
  Start({.initial_list = InitialList::kList,
         .watch_list_page_size = 2,
         .min_watch_timeout = hours(1)});
  EXPECT_EQ(server_.requests,
            (Texts{"LIST rv=0 limit=2", "LIST rv= limit=2 continue=2", "WATCH rv=3 bookmarks"}));
  EXPECT_GE(server_.timeouts.back(), 3600);
  // Objects of another kind are ignored.
  server_.Send(
      WatchEventType::kAdded,
      internal::client::MakePod("default", "x", "9", "", "",
                                *internal::DynamicKindInfo("", "v1", "Service", "services", true)));
  sim_.RunReady();
  EXPECT_EQ(store_->words, Texts{"=3 a b c"});
}

TEST_F(PublicReflector, ObjectDeletedInInitialEvents_IsNotInList) {
  server_.never_ends_initial_events = true;
  Start();
  server_.Send(WatchEventType::kAdded, internal::client::MakePod("default", "a", "1"));
  server_.Send(WatchEventType::kAdded, internal::client::MakePod("default", "b", "2"));
  server_.Send(WatchEventType::kDeleted, internal::client::MakePod("default", "a", "3"));
  server_.SendBookmark("3", true);
  sim_.RunReady();
  EXPECT_EQ(store_->words, Texts{"=3 b"});
}

TEST_F(PublicReflector, NothingRunsAnyMoreWhenRunReturns) {
  Reflector<Pod> reflector(sim_.env(), server_.NewListerWatcher(), store_);
  std::stop_source stop;
  std::optional<std::size_t> left;
  const auto thread = sim_.env().NewThread("run", [&] {
    reflector.Run(stop.get_token()).OrExit();
    left = server_.open_watches();
  });
  sim_.RunReady();
  EXPECT_EQ(server_.open_watches(), 1U);
  stop.request_stop();
  sim_.RunReady();
  thread->Join();
  EXPECT_EQ(left, 0U);
}

// Events that are already on their way when the store refuses the list.
TEST_F(PublicReflector, NothingIsToldOfTheRestOfAStreamThatBeganWithARefusedList) {
  server_.Put("a");
  store_->refused = {"=1 a"};
  server_.on_watch = [&] {
    if (!server_.requests.back().starts_with("WATCHLIST") || server_.requests.size() > 1) return;
    server_.SendUnreadable(WatchEventType::kAdded, "bad", "2");
    server_.Send(WatchEventType::kModified, internal::client::MakePod("default", "a", "3"));
    server_.SendBookmark("4");
  };
  Start();
  EXPECT_EQ(store_->words, Texts{"=1 a"});
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "");
}

TEST_F(PublicReflector, ShouldResyncThrows_NoResync) {
  int asked = 0;
  Start({.resync_period = minutes(1), .should_resync = [&]() -> bool {
           ++asked;
           throw std::runtime_error("no");
         }});
  sim_.RunFor(seconds(130));
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(store_->words, Texts{"=0"});
}

TEST_F(PublicReflector, AListThatTheStoreRefusesIsReportedAndListedAgain) {
  server_.Put("a");
  store_->refused = {"=1 a"};
  Start();
  EXPECT_EQ(errors_, Texts{"Conflict"});
  EXPECT_EQ(reflector_->LastSyncResourceVersion(), "");
  // Events of the refused list's watch are ignored.
  server_.Put("b");
  sim_.RunReady();
  EXPECT_EQ(store_->words, Texts{"=1 a"});
  sim_.RunFor(seconds(10));
  EXPECT_EQ(store_->words, (Texts{"=1 a", "=2 a b"}));
  server_.Put("c");
  sim_.RunReady();
  EXPECT_EQ(store_->words.back(), "+c");
}

TEST_F(PublicReflector, AChangeThatTheStoreRefusesIsLostAndTheNextComes) {
  Start();
  store_->refused = {"+a"};
  server_.Put("a");
  server_.Put("b");
  sim_.RunReady();
  EXPECT_EQ(store_->words, (Texts{"=0", "+a", "+b"}));
  EXPECT_EQ(errors_, Texts());
}

TEST_F(PublicReflector, StoreThrows_CountsAsErrorOfCall) {
  server_.Put("a");
  store_->thrown = {"=1 a", "+b", "~b", "-b", "@4", "resync", "!bad", "-!bad"};
  Start({.resync_period = minutes(1)});
  EXPECT_EQ(errors_, Texts{"Unknown"}) << "the list";
  sim_.RunFor(seconds(10));
  server_.Put("b");
  server_.Put("b");
  server_.Delete("b");
  server_.Bookmark();
  server_.Put("c");
  sim_.RunReady();
  EXPECT_EQ(store_->words, (Texts{"=1 a", "=1 a", "+b", "~b", "-b", "@4", "+c"}));
  EXPECT_EQ(errors_.size(), 1U);
  sim_.RunFor(seconds(90));
  EXPECT_EQ(errors_, (Texts{"Unknown", "Unknown"})) << "the resync, after which it lists";
  EXPECT_EQ(store_->words[7], "resync");
  EXPECT_EQ(store_->words[8], "=5 a c");
  server_.SendUnreadable(WatchEventType::kModified, "bad", "6");
  server_.SendUnreadable(WatchEventType::kDeleted, "bad", "7");
  sim_.RunReady();
  EXPECT_EQ(store_->words.back(), "-!bad");
  EXPECT_EQ(store_->thrown, Texts());
  for (const char* method : {"Add", "Update", "Delete", "Replace", "Resync", "Bookmark"}) {
    EXPECT_THAT(metrics_->Text(),
                testing::HasSubstr("kinformer_user_exceptions_total{function=\"ReflectorStore::" +
                                   std::string(method) + "\"} 1"));
  }
  EXPECT_THAT(metrics_->Text(), testing::HasSubstr("{function=\"ReflectorStore::Unreadable\"} 2"));
}

TEST_F(PublicReflector, AsksForResyncsAndRelistsWhereOneFails) {
  int asked = 0;
  Start({.resync_period = minutes(1), .should_resync = [&] { return ++asked != 2; }});
  sim_.RunFor(seconds(190));
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(store_->words, (Texts{"=0", "resync", "resync"}));
  store_->refused = {"resync"};
  sim_.RunFor(seconds(80));
  EXPECT_EQ(errors_, Texts{"Conflict"});
  EXPECT_EQ(store_->words.back(), "=0");
}

TEST_F(PublicReflector, ResumesAfterInternalErrorsForAsLongAsItsOptionSays) {
  const Error error = std::move(Error(Reason::kInternalError, "etcd").WithHttpStatus(500));
  Start({.max_internal_error_retry = minutes(1)});
  server_.requests.clear();
  server_.FailWatches(error);
  sim_.RunReady();
  EXPECT_EQ(server_.requests, Texts{"WATCH rv=0 bookmarks"});
  sim_.RunFor(seconds(61));
  server_.requests.clear();
  server_.FailWatches(error);
  sim_.RunFor(seconds(10));
  EXPECT_EQ(server_.requests.size(), 1U);
}

TEST(PublicReflectorOverAStore, KeepsTheStoreEqual) {
  Simulation sim;
  internal::client::FakeServer server(sim.env());
  Store<Pod> store(sim.env());
  Reflector<Pod> reflector(sim.env(), server.NewListerWatcher(), store, {.name = "mine"});
  EXPECT_EQ(reflector.Name(), "mine");
  std::stop_source stop;
  const auto thread =
      sim.env().NewThread("reflector", [&] { reflector.Run(stop.get_token()).OrExit(); });
  server.Put("a", "1");
  server.Put("b", "1");
  sim.RunReady();
  server.Put("a", "2");
  server.Delete("b");
  sim.RunReady();
  EXPECT_EQ(store.ListKeys(), Texts{"default/a"});
  const Ref<Pod> a = store.GetByKey("default/a");
  EXPECT_EQ(a->value(), "2");
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), server.rv());
  server.SendUnreadable(WatchEventType::kModified, "a", "8");
  sim.RunReady();
  EXPECT_EQ(store.ListKeys(), Texts{"default/a"}) << "as it was when it could be read";
  server.SendUnreadable(WatchEventType::kDeleted, "a", "9");
  sim.RunReady();
  EXPECT_TRUE(store.ListKeys().empty());
  stop.request_stop();
  sim.RunReady();
}

}  // namespace
}  // namespace kinformer

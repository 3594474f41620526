#include "kinformer/cache/assume_cache.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/cache/shared_informer.h"

#include "cache/informer/testing/informer_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using internal::client::MakePod;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class AssumeCacheTest : public InformerTest {
 protected:
  AssumeCacheTest() {
    server_.Put("a", "1");
    informer_.Start();
    Settle();
  }
  // Returns `name` at the server's version plus `ahead`, as in the answer to an update.
  Ref<Pod> Answer(const std::string& name, const std::string& value, std::uint64_t ahead = 1) {
    return Ref<Pod>(
        MakePod("default", name, std::to_string(std::stoull(server_.rv()) + ahead), "", value));
  }
  static std::string Value(const Result<Ref<Pod>>& pod) {
    return pod ? (*pod)->value() : std::string(ReasonName(pod.error().reason()));
  }
  std::string Latest(std::string_view name) {
    return Value(cache_->Get("default/" + std::string(name)));
  }
  std::string Api(std::string_view name) {
    return Value(cache_->GetAPIObj("default/" + std::string(name)));
  }

  SharedInformer<Pod> informer_ = Make();
  std::optional<AssumeCache<Pod>> cache_{
      std::in_place, informer_,
      Indexers<Pod>{{"value", [](Pod p, auto& out) { out.Add(p.value()); }}}};
};

TEST_F(AssumeCacheTest, FollowsTheInformer) {
  EXPECT_TRUE(cache_->HasSynced());
  EXPECT_EQ(Latest("a"), "1");
  server_.Put("a", "2");
  server_.Put("b", "1");
  Settle();
  EXPECT_EQ(Latest("a"), "2");
  EXPECT_EQ(Api("a"), "2");
  EXPECT_EQ(cache_->List().size(), 2U);
  server_.Delete("a");
  Settle();
  EXPECT_EQ(Latest("a"), "NotFound");
  EXPECT_EQ(Api("a"), "NotFound");
}

TEST_F(AssumeCacheTest, AssumesAndRestores) {
  ASSERT_TRUE(cache_->Assume(Answer("a", "assumed")));
  EXPECT_EQ(Latest("a"), "assumed");
  EXPECT_EQ(Api("a"), "1");
  EXPECT_EQ(cache_->ByIndex("value", "assumed").size(), 1U);
  EXPECT_EQ(cache_->ByIndex("value", "1").size(), 0U);
  cache_->Restore("default/a");
  EXPECT_EQ(Latest("a"), "1");
  EXPECT_EQ(cache_->ByIndex("value", "1").size(), 1U);
  cache_->Restore("default/none");
}

TEST_F(AssumeCacheTest, Assume_MissingOrOlderObject_IsRefused) {
  const auto reason = [&](const Ref<Pod>& pod) { return cache_->Assume(pod).error().reason(); };
  EXPECT_EQ(reason(Answer("none", "x")), Reason::kNotFound);
  EXPECT_EQ(reason(Ref<Pod>()), Reason::kInvalidArgument);
  EXPECT_EQ(reason(Ref<Pod>(MakePod("default", "", "9"))), Reason::kInvalidArgument);
  EXPECT_EQ(reason(Ref<Pod>(MakePod("default", "a", "x"))), Reason::kInvalidArgument);
  ASSERT_TRUE(cache_->Assume(Answer("a", "assumed", 5)));
  const Result<void> older = cache_->Assume(Answer("a", "older", 4));
  ASSERT_FALSE(older);
  EXPECT_EQ(older.error().reason(), Reason::kConflict);
  EXPECT_THAT(older.error().message(), HasSubstr("(stored: 6, assume: 5)"));
  // The same version again is allowed.
  EXPECT_TRUE(cache_->Assume(Answer("a", "again", 5)));
  EXPECT_EQ(Latest("a"), "again");
}

TEST_F(AssumeCacheTest, OnlyWhatIsNewerReplacesAnAssumedObject) {
  ASSERT_TRUE(cache_->Assume(Answer("a", "assumed", 2)));
  server_.Put("a", "older");
  Settle();
  EXPECT_EQ(Latest("a"), "assumed");
  EXPECT_EQ(Api("a"), "older");
  server_.Put("a", "as new");
  Settle();
  EXPECT_EQ(Latest("a"), "assumed");
  server_.Put("a", "newer");
  Settle();
  EXPECT_EQ(Latest("a"), "newer");
  // No assumption is left to restore.
  cache_->Restore("default/a");
  EXPECT_EQ(Latest("a"), "newer");
}

TEST_F(AssumeCacheTest, ADeletionEndsAnAssumption) {
  ASSERT_TRUE(cache_->Assume(Answer("a", "assumed", 7)));
  server_.Delete("a");
  Settle();
  EXPECT_EQ(Latest("a"), "NotFound");
  EXPECT_THAT(cache_->List(), IsEmpty());
}

// After a restore from backup versions start over: states known or assumed before are obsolete.
TEST_F(AssumeCacheTest, FollowsAServerThatGoesBackInTime) {
  for (const bool assumes : {false, true}) {
    server_.set_rv(999);
    server_.Put("a", "of later");
    Settle();
    ASSERT_EQ(Latest("a"), "of later");
    if (assumes) {
      ASSERT_TRUE(cache_->Assume(Answer("a", "assumed", 5)));
    }
    WhileCutOff([&] {
      server_.set_rv(499);
      server_.Put("a", "restored");
    });
    ASSERT_EQ(Api("a"), "restored");
    EXPECT_EQ(Latest("a"), "restored");
    EXPECT_EQ(cache_->ByIndex("value", "restored").size(), 1U);
    // No assumption is left to restore.
    cache_->Restore("default/a");
    EXPECT_EQ(Latest("a"), "restored");
    server_.Put("a", "next");
    Settle();
    EXPECT_EQ(Latest("a"), "next") << "of a version below the one before the backup";
    EXPECT_TRUE(cache_->Assume(Answer("a", "assumed anew")));
    EXPECT_EQ(Latest("a"), "assumed anew");
    // Within one epoch only newer versions count.
    server_.Put("a", "as new");
    Settle();
    EXPECT_EQ(Latest("a"), "assumed anew");
    EXPECT_EQ(Api("a"), "as new");
  }
}

TEST_F(AssumeCacheTest, HandlersHearOfEachLatestObject) {
  auto recorder = std::make_shared<Recorder>();
  const EventHandlerRegistration handler = cache_->AddEventHandler(recorder).value();
  Settle();
  EXPECT_TRUE(handler.HasSynced());
  ASSERT_TRUE(cache_->Assume(Answer("a", "2")));
  cache_->Restore("default/a");
  cache_->Restore("default/a");
  Settle();
  server_.Put("b", "1");
  server_.Delete("a");
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("+a!", "~a 1>2", "~a 2>1", "+b", "-a"));
  ASSERT_TRUE(cache_->RemoveEventHandler(handler));
  server_.Put("c", "1");
  Settle();
  EXPECT_EQ(recorder->words.size(), 5U);
  EXPECT_TRUE(cache_->RemoveEventHandler(handler));
  EXPECT_FALSE(cache_->RemoveEventHandler({}));
}

TEST_F(AssumeCacheTest, HandlersMayUseTheCacheAndEndItsUse) {
  std::vector<std::string> seen;
  std::optional<EventHandlerRegistration::ScopedRegistration> scoped;
  scoped = cache_
               ->AddEventHandler(
                   {.on_add =
                        [&](const Added<Pod>& e) {
                          seen.push_back(Latest(e.object.name()));
                          ASSERT_TRUE(cache_->Assume(Answer("a", "2")));
                        },
                    .on_update = [&](const Updated<Pod>&) { seen.push_back(Latest("a")); }})
               .value()
               .Scoped();
  Settle();
  EXPECT_THAT(seen, ElementsAre("1", "2"));
  scoped.reset();
  cache_->Restore("default/a");
  Settle();
  EXPECT_EQ(seen.size(), 2U);
}

TEST_F(AssumeCacheTest, BeforeTheFirstListNothingIsKnown) {
  SharedInformer<Pod> quiet = Make();
  AssumeCache<Pod> cache(quiet);
  EXPECT_EQ(Value(cache.Get("default/a")), "NotSynced");
  EXPECT_EQ(cache.Assume(Answer("a", "x")).error().reason(), Reason::kNotSynced);
  quiet.Start();
  ASSERT_TRUE(sim_.RunBlocking([&] { EXPECT_TRUE(cache.WaitForSync()); }, std::chrono::seconds(9)));
  EXPECT_EQ(Value(cache.Get("default/a")), "1");
  EXPECT_EQ(Value(cache.Get("default/b")), "NotFound");
}

TEST_F(AssumeCacheTest, AKeyWithoutAName_IsNotAnObjectThatIsGone) {
  for (const std::string key : {"", "default/"}) {
    for (const auto& read : {cache_->Get(key), cache_->GetAPIObj(key)}) {
      ASSERT_FALSE(read);
      EXPECT_EQ(read.error().reason(), Reason::kInvalidArgument) << read.error();
      EXPECT_THAT(read.error().message(), HasSubstr(R"(has no name: write "namespace/name")"));
    }
  }
}

TEST_F(AssumeCacheTest, AHandlerMayDropWhatIsNotTheLatest) {
  std::vector<std::string> heard;
  bool held = true;
  const auto hears = [&](const std::string& value) {
    while (held) sim_.env().SleepFor(std::chrono::seconds(1));
    heard.push_back(value);
  };
  cache_
      ->AddEventHandler({.on_add = [&](const Added<Pod>& e) { hears(e.object.value()); },
                         .on_update = [&](const Updated<Pod>& e) { hears(e.new_object.value()); }},
                        {.overflow = OverflowPolicy::kDropAndResync, .max_events = 2})
      .OrExit();
  for (int i = 2; i < 20; ++i) {
    server_.Put("a", std::to_string(i));
    Settle();
  }
  held = false;
  sim_.RunFor(std::chrono::minutes(1));
  EXPECT_LT(heard.size(), 10U);
  EXPECT_EQ(heard.back(), "19");
}

// Simulated time stands still while no thread runs and no timer is set.
TEST_F(AssumeCacheTest, IdleHandlers_SetNoTimer) {
  cache_->AddEventHandler(std::make_shared<Recorder>()).OrExit();
  server_.Put("b", "1");
  Settle();
  informer_.Stop();
  sim_.RunFor(std::chrono::minutes(10));
  const SteadyTime before = sim_.env().Now();
  static_cast<void>(sim_.RunUntil([] { return false; }, std::chrono::hours(48)));
  EXPECT_EQ(sim_.env().Now(), before);
}

TEST_F(AssumeCacheTest, MayGoWhileItsHandlersHaveEvents) {
  auto recorder = std::make_shared<Recorder>();
  ASSERT_TRUE(cache_->AddEventHandler(recorder));
  server_.Put("b", "1");
  ASSERT_TRUE(sim_.RunBlocking([&] { cache_.reset(); }, std::chrono::seconds(1)));
  Settle();
  server_.Put("c", "1");
  Settle();
  EXPECT_THAT(recorder->words, ::testing::Not(::testing::Contains("+c")));
}

TEST(AssumeCache, AHandlerThatDoesNotKeepUpIsNamed) {
  class WarningLog final : public LogSink {
   public:
    [[nodiscard]] LogLevel level() const override { return LogLevel::kWarning; }
    void Log(LogLevel, std::string_view message, std::initializer_list<LogField> fields) override {
      std::string& line = lines.emplace_back(message);
      for (const LogField& field : fields) line += "; " + field.value;
    }
    std::vector<std::string> lines{};
  };
  const auto log = std::make_shared<WarningLog>();
  Simulation sim({.log = log});
  internal::client::FakeServer server(sim.env());
  SharedInformer<Pod> informer(sim.env(), server.NewListerWatcher());
  AssumeCache<Pod> cache(informer);
  std::vector<std::string> heard;
  Duration takes{0};
  const auto work = [&](const auto& e) {
    sim.env().SleepFor(takes);
    heard.push_back(e.key);
  };
  ASSERT_TRUE(cache.AddEventHandler({.on_add = work, .on_update = work}).ok());
  informer.Start();
  server.Put("a", "1");
  sim.RunFor(std::chrono::minutes(5));
  EXPECT_EQ(heard.size(), 1U);
  EXPECT_THAT(log->lines, IsEmpty());
  takes = std::chrono::minutes(2);
  server.Put("a", "2");
  server.Put("a", "3");
  // A steady stream of events does not postpone the check.
  for (int i = 0; i < 60; ++i) {
    server.Put("b", std::to_string(i));
    sim.RunFor(std::chrono::seconds(1));
  }
  ASSERT_EQ(log->lines.size(), 1U);
  EXPECT_THAT(log->lines[0], HasSubstr("does not keep up"));
  EXPECT_THAT(log->lines[0], HasSubstr("handler-1; assume cache for pods"));
  sim.RunFor(std::chrono::minutes(20));
  EXPECT_EQ(std::count_if(log->lines.begin(), log->lines.end(),
                          [](const std::string& line) {
                            return line.find("does not keep up") != std::string::npos;
                          }),
            1)
      << "once";
  // Lets all callbacks end before the test does.
  takes = Duration(0);
  sim.RunFor(std::chrono::minutes(5));
}

}  // namespace
}  // namespace kinformer

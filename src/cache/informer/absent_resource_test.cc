// An informer of a resource that the server does not have yet, no longer has, or has again.

#include <algorithm>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

class AbsentResource : public InformerTest {
 protected:
  static Error NotThere() {
    return Error(Reason::kNotFound, "the server could not find the requested resource")
        .WithHttpStatus(404);
  }
  // Ends the watch; from now on the resource does not exist.
  void Vanish() {
    server_.down = NotThere();
    server_.EndWatches();
    sim_.RunFor(seconds(5));
  }
  void ComeBack() {
    server_.Forget();
    server_.down.reset();
  }
  static std::optional<Reason> Absence(const SharedInformer<Pod>& informer, std::string_view name) {
    const Result<Ref<Pod>> got = informer.lister().Namespace("default").Get(name);
    return got ? std::nullopt : std::optional(got.error().reason());
  }
};

TEST_F(AbsentResource, NewResource_IsListedSoonAfterItAppears) {
  server_.down = NotThere();
  auto informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  // The state does not change with time.
  sim_.RunFor(hours(2));
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_EQ(informer.Status().state, InformerState::kAbsent);
  EXPECT_EQ(Absence(informer, "a"), Reason::kNotSynced);
  EXPECT_THAT(informer.lister().Namespace("default").Get("a").error().message(),
              HasSubstr("is there a CustomResourceDefinition"));
  const std::size_t asked = server_.requests.size();
  sim_.RunFor(minutes(1));
  EXPECT_LE(server_.requests.size(), asked + 13) << "it is not asked for all the time";
  server_.Put("a");
  server_.down.reset();
  ASSERT_TRUE(sim_.RunUntil([&] { return informer.HasSynced(); }, seconds(11)));
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("+a!"));
  EXPECT_EQ(Absence(informer, "b"), Reason::kNotFound);
}

TEST_F(AbsentResource, VanishedResource_IsNotReadAsEmpty) {
  server_.Put("a");
  auto informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  recorder->words.clear();
  Vanish();
  EXPECT_EQ(informer.Status().state, InformerState::kAbsent);
  EXPECT_EQ(Absence(informer, "b"), Reason::kNotSynced);
  EXPECT_EQ(informer.lister().List().error().reason(), Reason::kNotSynced);
  EXPECT_EQ(Absence(informer, "a"), std::nullopt) << "one server of several may be behind";
  // The 404 came from a server that lagged: nothing has changed.
  server_.down.reset();
  sim_.RunFor(seconds(15));
  EXPECT_EQ(Absence(informer, "b"), Reason::kNotFound);
  EXPECT_THAT(recorder->words, IsEmpty());
  // Later events of the watch are applied as before.
  server_.Put("b");
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("+b"));
  EXPECT_EQ(Absence(informer, "c"), Reason::kNotFound);
}

TEST_F(AbsentResource, VanishedResource_DeletesObjects_ReturnAddsThem) {
  server_.Put("a", "1", "uid-1");
  server_.Put("b", "1", "uid-2");
  auto informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  const std::string version = informer.LastSyncResourceVersion();
  recorder->words.clear();
  Vanish();
  sim_.RunFor(minutes(1));
  EXPECT_THAT(recorder->words, UnorderedElementsAre("-a?", "-b?"));
  EXPECT_EQ(informer.Snapshot().size(), 0U);
  EXPECT_EQ(Absence(informer, "a"), Reason::kNotSynced) << "nothing is known of it";
  EXPECT_EQ(informer.lister().List().error().reason(), Reason::kNotSynced);
  EXPECT_EQ(informer.LastSyncResourceVersion(), version);
  EXPECT_TRUE(informer.HasSynced()) << "that was the first list";
  sim_.RunFor(minutes(10));
  EXPECT_EQ(recorder->words.size(), 2U) << "once";
  recorder->words.clear();
  ComeBack();
  server_.Delete("b");
  server_.Put("a", "2", "uid-3");
  ASSERT_TRUE(sim_.RunUntil([&] { return !Absence(informer, "a").has_value(); }, seconds(11)));
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("+a"));
  EXPECT_EQ(Absence(informer, "b"), Reason::kNotFound);
  EXPECT_EQ(informer.Status().state, InformerState::kWatching);
  EXPECT_FALSE(informer.Status().error.has_value());
}

TEST_F(AbsentResource, AbsenceOfHalfAMinute_DeletesObjects) {
  server_.Put("a");
  auto informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  sim_.RunFor(seconds(2));
  recorder->words.clear();
  Vanish();
  sim_.RunFor(seconds(24));
  EXPECT_THAT(recorder->words, IsEmpty());
  // The server is asked at least every ten seconds.
  EXPECT_TRUE(sim_.RunUntil([&] { return !recorder->words.empty(); }, seconds(12)));
}

TEST_F(AbsentResource, SeparateAbsences_DoNotAddUp) {
  server_.Put("a");
  auto informer = Make();
  const auto recorder = Record(informer);
  informer.Start();
  sim_.RunFor(seconds(2));
  recorder->words.clear();
  Vanish();
  sim_.RunFor(seconds(18));
  // Another one of several servers has the resource.
  server_.down.reset();
  sim_.RunFor(seconds(15));
  Vanish();
  sim_.RunFor(seconds(15));
  // A server error says nothing about the resource.
  server_.down = Error(Reason::kInternalError, "no").WithHttpStatus(500);
  sim_.RunFor(seconds(15));
  server_.down = NotThere();
  sim_.RunFor(seconds(20));
  EXPECT_THAT(recorder->words, IsEmpty());
}

// Events received before the resource disappeared are applied, but do not complete the cache.
TEST_F(AbsentResource, WaitingEvents_DoNotCompleteCache) {
  server_.Put("a");
  auto informer = Make();
  const auto slow = std::make_shared<Recorder>();
  bool held = true;
  slow->hook = [&](const std::string&) {
    while (held) sim_.env().SleepFor(seconds(1));
  };
  informer.AddEventHandler(slow, {.overflow = OverflowPolicy::kBlock, .max_events = 1}).OrExit();
  informer.Start();
  Settle();
  for (int i = 0; i < 5; ++i) {
    server_.Put("p" + std::to_string(i));
    Settle();
  }
  EXPECT_GT(informer.Stats().queued, 0U);
  Vanish();
  held = false;
  sim_.RunFor(seconds(10));
  EXPECT_EQ(informer.Stats().queued, 0U);
  EXPECT_EQ(Absence(informer, "p4"), std::nullopt);
  EXPECT_EQ(Absence(informer, "z"), Reason::kNotSynced);
}

// ---- InformerOptions::absent_is_empty

TEST_F(AbsentResource, AbsentIsEmpty_InformerIsSynced) {
  server_.down = NotThere();
  auto informer = Make({.absent_is_empty = true});
  const auto recorder = Record(informer);
  informer.Start();
  EXPECT_TRUE(informer.WaitForCacheSync({}, {.timeout = seconds(1), .fail_fast = true}).ok());
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(informer.Status().state, InformerState::kAbsent);
  EXPECT_EQ(Absence(informer, "a"), Reason::kNotFound);
  EXPECT_TRUE(informer.lister().List().ok());
  EXPECT_EQ(informer.Stats().AllLists(), 0U);
  sim_.RunFor(minutes(2));
  EXPECT_THAT(recorder->words, IsEmpty());
  // The resource appears.
  server_.Put("a");
  server_.down.reset();
  ASSERT_TRUE(sim_.RunUntil([&] { return !Absence(informer, "a").has_value(); }, seconds(11)));
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("+a"));
  server_.Put("b");
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("+a", "+b"));
  // The resource disappears; its objects stay for some time after the first 404.
  recorder->words.clear();
  Vanish();
  EXPECT_EQ(Absence(informer, "a"), std::nullopt);
  EXPECT_EQ(Absence(informer, "c"), Reason::kNotSynced);
  sim_.RunFor(minutes(1));
  EXPECT_THAT(recorder->words, UnorderedElementsAre("-a?", "-b?"));
  EXPECT_EQ(Absence(informer, "a"), Reason::kNotFound);
  EXPECT_TRUE(informer.lister().List().ok());
  // The resource exists again.
  recorder->words.clear();
  ComeBack();
  ASSERT_TRUE(sim_.RunUntil([&] { return !Absence(informer, "a").has_value(); }, seconds(11)));
  Settle();
  EXPECT_THAT(recorder->words, UnorderedElementsAre("+a", "+b"));
}

TEST_F(AbsentResource, AbsentIsEmpty_OtherErrorsDoNotSync) {
  for (const Error& error : {Error(Reason::kForbidden, "no").WithHttpStatus(403),
                             Error(Reason::kInternalError, "no").WithHttpStatus(500),
                             Error(Reason::kConnectionRefused, "no")}) {
    server_.down = error;
    auto informer = Make({.absent_is_empty = true});
    informer.Start();
    sim_.RunFor(minutes(2));
    EXPECT_FALSE(informer.HasSynced()) << error;
    EXPECT_EQ(Absence(informer, "a"), Reason::kNotSynced) << error;
  }
}

}  // namespace
}  // namespace kinformer

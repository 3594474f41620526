// Informers whose caches have limits on objects or bytes.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "kinformer/base/log.h"

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Collects log messages about the limit of the cache.
class LimitLog final : public LogSink {
 public:
  [[nodiscard]] LogLevel level() const override { return LogLevel::kInfo; }
  void Log(LogLevel level, std::string_view message,
           std::initializer_list<LogField> fields) override {
    if (message.find("the cache ") == std::string_view::npos) return;
    std::string line(message);
    for (const LogField& field : fields) {
      line += " " + std::string(field.key) + "=" + std::string(field.value);
    }
    lines.push_back((level == LogLevel::kError ? "E " : "I ") + line);
  }
  Texts lines{};
};

class InformerLimitsTest : public testing::Test {
 protected:
  InformerLimitsTest() : sim_({.log = log_}), server_(sim_.env()) {}

  SharedInformer<Pod> Make(InformerOptions<Pod> options) {
    return SharedInformer<Pod>(sim_.env(), server_.NewListerWatcher(), std::move(options));
  }
  std::shared_ptr<Recorder> Start(SharedInformer<Pod>& informer) {
    auto recorder = std::make_shared<Recorder>();
    registration_ = informer.AddEventHandler(recorder).OrExit();
    informer.Start();
    sim_.RunReady();
    return recorder;
  }
  void Settle() { sim_.RunReady(); }
  void WhileCutOff(const std::function<void()>& change) {
    server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
    Settle();
    change();
    server_.Forget();
    server_.down.reset();
    sim_.RunFor(seconds(90));
  }
  static std::string Cached(const SharedInformer<Pod>& informer) {
    std::set<std::string> names;
    for (const Pod pod : informer.Snapshot()) names.insert(pod.name());
    std::string text;
    for (const std::string& name : names) text += name + " ";
    return text;
  }
  static Reason Why(const SharedInformer<Pod>& informer, std::string_view name) {
    const auto found = informer.lister().Namespace("default").Get(name);
    return found ? Reason::kUnknown : found.error().reason();
  }
  // Returns the bytes of the pods on the server.
  std::size_t Bytes() {
    std::size_t bytes = 0;
    for (const auto& [name, pod] : server_.objects()) bytes += pod->allocated_bytes();
    return bytes;
  }

  std::shared_ptr<LimitLog> log_ = std::make_shared<LimitLog>();
  Simulation sim_;
  internal::client::FakeServer server_;
  EventHandlerRegistration registration_;
};

class AnyForm : public InformerLimitsTest, public testing::WithParamInterface<InitialList> {
 protected:
  InformerOptions<Pod> Options(std::size_t max_objects, LimitPolicy policy) {
    InformerOptions<Pod> options;
    options.initial_list = GetParam();
    options.max_objects = max_objects;
    options.limit_policy = policy;
    return options;
  }
};
INSTANTIATE_TEST_SUITE_P(Lists, AnyForm,
                         testing::Values(InitialList::kWatchList, InitialList::kList));

TEST_P(AnyForm, ObjectsOverLimit_AreLeftOut_InformerNotSynced) {
  for (const char* name : {"a", "b", "c", "d", "e"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make(Options(3, LimitPolicy::kNotSynced));
  const auto recorder = Start(informer);
  EXPECT_EQ(Cached(informer), "a b c ");
  EXPECT_THAT(recorder->words, ElementsAre("+a!", "+b!", "+c!"));
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_FALSE(registration_.HasSynced());
  EXPECT_EQ(informer.Stats().left_out, 2U);
  EXPECT_EQ(Why(informer, "a"), Reason::kUnknown) << "it is there";
  EXPECT_EQ(Why(informer, "d"), Reason::kOverLimit);
  EXPECT_EQ(Why(informer, "nobody"), Reason::kNotSynced);
  const auto list = informer.lister().List();
  ASSERT_FALSE(list.ok());
  EXPECT_EQ(list.error().reason(), Reason::kNotSynced);
  EXPECT_THAT(list.error().message(), HasSubstr("max_objects (3)"));
  const auto waited = informer.WaitForCacheSync({}, {.timeout = seconds(5)});
  ASSERT_FALSE(waited.ok());
  EXPECT_EQ(waited.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(waited.error().message(), HasSubstr("2 objects are left out"));
  const auto fast = informer.WaitForCacheSync({}, {.fail_fast = true});
  EXPECT_EQ(fast.error().reason(), Reason::kOverLimit);
  EXPECT_THAT(log_->lines,
              ElementsAre(testing::AllOf(HasSubstr("E the cache is full"), HasSubstr("left_out=2"),
                                         HasSubstr("objects=3"), HasSubstr("max_objects=3"))));
}

TEST_P(AnyForm, ServePart_SyncsWithLeftOutObjects) {
  for (const char* name : {"a", "b", "c", "d", "e"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make(Options(3, LimitPolicy::kServePart));
  Start(informer);
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_TRUE(registration_.HasSynced());
  EXPECT_TRUE(informer.lister().List().ok());
  EXPECT_EQ(Cached(informer), "a b c ");
  EXPECT_EQ(Why(informer, "d"), Reason::kOverLimit);
  EXPECT_EQ(Why(informer, "nobody"), Reason::kNotFound);
}

TEST_P(AnyForm, EventsOfWhatIsLeftOutAreNoGaps) {
  for (const char* name : {"a", "b", "c", "d", "e"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make(Options(3, LimitPolicy::kServePart));
  const auto recorder = Start(informer);
  recorder->words.clear();
  server_.Put("f", "1");
  server_.Put("d", "2");
  server_.Put("a", "2");
  server_.Delete("e");
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("~a 1>2"));
  EXPECT_EQ(informer.Stats().left_out, 2U);
  EXPECT_EQ(Why(informer, "e"), Reason::kNotFound);
  EXPECT_EQ(Why(informer, "f"), Reason::kOverLimit);
  // A left-out object that changes is added if there is room; its deletion is not reported.
  server_.Delete("b");
  server_.Put("d", "3");
  server_.Delete("f");
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("~a 1>2", "-b", "+d"));
  EXPECT_EQ(informer.Stats().left_out, 0U);
  EXPECT_EQ(informer.Stats().gaps, 0U);
  EXPECT_EQ(Why(informer, "f"), Reason::kNotFound);
  EXPECT_EQ(Cached(informer), "a c d ");
}

TEST_P(AnyForm, LeftOutObjects_AreAddedOnceThereIsRoom) {
  for (const char* name : {"a", "b", "c", "d", "e"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make(Options(3, LimitPolicy::kNotSynced));
  const auto recorder = Start(informer);
  ASSERT_FALSE(informer.HasSynced());
  recorder->words.clear();
  server_.Delete("a");
  server_.Delete("b");
  sim_.RunFor(minutes(2));
  EXPECT_EQ(Cached(informer), "c d e ");
  EXPECT_THAT(recorder->words, ElementsAre("-a", "-b", "+d", "+e"));
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_TRUE(registration_.HasSynced());
  EXPECT_TRUE(informer.WaitForCacheSync({}, {.timeout = seconds(1)}).ok());
  EXPECT_EQ(Why(informer, "nobody"), Reason::kNotFound);
  EXPECT_TRUE(informer.lister().List().ok());
  EXPECT_THAT(log_->lines, ElementsAre(HasSubstr("E the cache is full"),
                                       HasSubstr("I the cache has room for all objects again")));
  // Full again, so not synced.
  server_.Put("f", "1");
  Settle();
  EXPECT_TRUE(registration_.HasSynced()) << "what it was told stays true";
  EXPECT_FALSE(informer.HasSynced());
  EXPECT_EQ(Why(informer, "f"), Reason::kOverLimit);
  EXPECT_EQ(Why(informer, "nobody"), Reason::kNotSynced);
  server_.Delete("f");
  Settle();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(Cached(informer), "c d e ");
}

TEST_P(AnyForm, ListedObjects_CountAsLeftOutUntilStored) {
  for (const LimitPolicy policy : {LimitPolicy::kNotSynced, LimitPolicy::kServePart}) {
    for (const char* name : {"a", "b", "c", "d", "e", "f"}) server_.Put(name, "1");
    InformerOptions<Pod> options = Options(3, policy);
    std::function<void()> look;
    options.trace = [&](const TraceEvent& e) {
      if (e.stage == "store") look();
    };
    SharedInformer<Pod> informer = Make(std::move(options));
    int looks = 0;
    std::string wrong;
    look = [&] {
      ++looks;
      for (const std::string name : {"d", "e", "f"}) {
        const Reason why = Why(informer, name);
        if (why == Reason::kNotFound) wrong += name + " is taken for absent ";
        if (why == Reason::kOverLimit && policy == LimitPolicy::kNotSynced &&
            informer.HasSynced()) {
          wrong += "it has synced without " + name + " ";
        }
      }
    };
    informer.Start();
    Settle();
    WhileCutOff([&] {
      for (const char* name : {"a", "b", "c"}) server_.Delete(name);
      looks = 0;
      wrong.clear();
    });
    sim_.RunFor(minutes(2));
    EXPECT_EQ(Cached(informer), "d e f ");
    EXPECT_EQ(wrong, "");
    EXPECT_GE(looks, 4);
    informer.Stop();
    Settle();
    WhileCutOff([&] {
      for (const char* name : {"d", "e", "f"}) server_.Delete(name);
    });
  }
}

// A handler whose updates are slow, so that events wait.
class Slow final : public ResourceEventHandler<Pod> {
 public:
  explicit Slow(Env& env) : env_(env) {}
  void OnUpdate(const Updated<Pod>&) override { env_.SleepFor(seconds(20)); }

 private:
  Env& env_;
};

class WhileEventsWait : public AnyForm {
 protected:
  // One update of "a" is delivered, one waits, and everything after them stays in the queue.
  void FillUp(SharedInformer<Pod>& informer) {
    informer
        .AddEventHandler(std::make_shared<Slow>(sim_.env()),
                         {.overflow = OverflowPolicy::kBlock, .max_events = 1})
        .OrExit();
    informer.Start();
    Settle();
    for (const char* value : {"2", "3"}) {
      server_.Put("a", value);
      Settle();
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Lists, WhileEventsWait,
                         testing::Values(InitialList::kWatchList, InitialList::kList));

// An event waits, and then a list without room for its object: older objects have priority.
TEST_P(WhileEventsWait, ListWithoutRoom_AfterWaitingEvent_LeavesObjectOut) {
  server_.Put("a", "1");
  server_.Put("b", "1");
  SharedInformer<Pod> informer = Make(Options(3, LimitPolicy::kServePart));
  FillUp(informer);
  server_.Put("c", "1");
  Settle();
  ASSERT_EQ(Cached(informer), "a b ");
  WhileCutOff([&] { server_.Put("aa", "1"); });
  EXPECT_EQ(Cached(informer), "a aa b ");
  EXPECT_EQ(Why(informer, "c"), Reason::kOverLimit);
  EXPECT_EQ(informer.Stats().left_out, 1U);
}

// A left-out object changes and is deleted, and a list without it arrives before these events are
// processed: that does not mean that events are missing.
TEST_P(WhileEventsWait, EventsOfWhatWasLeftOutBeforeAListAreNoGaps) {
  for (const char* name : {"a", "b", "c"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make(Options(2, LimitPolicy::kServePart));
  FillUp(informer);
  ASSERT_EQ(Why(informer, "c"), Reason::kOverLimit);
  server_.Put("c", "2");
  server_.Delete("c");
  Settle();
  WhileCutOff([] {});
  EXPECT_EQ(Cached(informer), "a b ");
  EXPECT_EQ(Why(informer, "c"), Reason::kNotFound);
  EXPECT_EQ(informer.Stats().gaps, 0U);
}

// The object is deleted and created again, and a list leaves it out before the deletion is
// processed: the deletion must not remove the new object's entry.
TEST_P(WhileEventsWait, ListWithoutRoom_AfterWaitingDeletion_LeavesObjectOut) {
  for (const char* name : {"a", "b"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make(Options(2, LimitPolicy::kServePart));
  FillUp(informer);
  server_.Put("c", "1");
  server_.Delete("c");
  Settle();
  WhileCutOff([&] { server_.Put("c", "2"); });
  EXPECT_EQ(Cached(informer), "a b ");
  EXPECT_EQ(Why(informer, "c"), Reason::kOverLimit);
  EXPECT_EQ(informer.Stats().left_out, 1U);
  EXPECT_EQ(informer.Stats().gaps, 0U);
}

TEST_P(AnyForm, ARelistPushesNothingOut) {
  for (const char* name : {"c", "d", "e"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make(Options(3, LimitPolicy::kServePart));
  const auto recorder = Start(informer);
  recorder->words.clear();
  WhileCutOff([&] {
    server_.Put("a", "1");  // first in the list
    server_.Put("d", "2");
  });
  EXPECT_EQ(Cached(informer), "c d e ");
  EXPECT_EQ(Why(informer, "a"), Reason::kOverLimit);
  EXPECT_THAT(recorder->words, ElementsAre("~d 1>2"));
  // An object missing in the list frees its room; a left-out one that is missing is forgotten.
  WhileCutOff([&] {
    server_.Delete("c");
    server_.Delete("a");
    server_.Put("b", "1");
    server_.Put("bb", "1");
  });
  sim_.RunFor(minutes(3));
  EXPECT_EQ(Cached(informer).size(), std::string("b d e ").size());
  EXPECT_EQ(informer.Stats().objects, 3U);
  EXPECT_EQ(informer.Stats().left_out, 1U);
  EXPECT_EQ(Why(informer, "a"), Reason::kNotFound);
  EXPECT_EQ(Why(informer, "c"), Reason::kNotFound);
}

TEST_P(AnyForm, BytesAreBoundedToo) {
  for (const char* name : {"a", "b", "c"}) server_.Put(name, std::string(1000, '1'));
  InformerOptions<Pod> options = Options(0, LimitPolicy::kServePart);
  options.max_bytes = Bytes() + 500;
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto recorder = Start(informer);
  EXPECT_EQ(Cached(informer), "a b c ");
  EXPECT_EQ(informer.Stats().left_out, 0U);
  recorder->words.clear();
  // The object no longer fits and is removed; handlers see a deletion.
  server_.Put("b", std::string(2000, '2'));
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("-b?"));
  EXPECT_EQ(Why(informer, "b"), Reason::kOverLimit);
  EXPECT_LE(informer.Stats().object_bytes, Bytes());
  // Its room is used for others.
  server_.Put("d", "1");
  Settle();
  EXPECT_EQ(Cached(informer), "a c d ");
  recorder->words.clear();
  server_.Put("b", "3");
  Settle();
  EXPECT_THAT(recorder->words, ElementsAre("+b"));
  EXPECT_EQ(informer.Stats().left_out, 0U);
  // The same in a list.
  WhileCutOff([&] { server_.Put("a", std::string(9000, '4')); });
  EXPECT_EQ(recorder->words.back(), "-a?");
  EXPECT_EQ(Cached(informer), "b c d ");
  EXPECT_EQ(Why(informer, "a"), Reason::kOverLimit);
}

TEST_P(AnyForm, AnObjectThatNeverFitsIsNotListedForAllTheTime) {
  server_.Put("huge", std::string(9000, 'x'));
  server_.Put("small", "1");
  InformerOptions<Pod> options = Options(0, LimitPolicy::kServePart);
  options.max_bytes = 4000;
  SharedInformer<Pod> informer = Make(std::move(options));
  Start(informer);
  EXPECT_EQ(Cached(informer), "small ");
  for (int i = 0; i < 240; ++i) {
    server_.Delete("small");
    sim_.RunFor(seconds(30));
    server_.Put("small", std::string(static_cast<std::size_t>(1 + 400 * (i % 7)), 'x'));
    sim_.RunFor(seconds(30));
  }
  EXPECT_LE(informer.Stats().AllLists(), 12U) << "in four hours";
  EXPECT_EQ(Why(informer, "huge"), Reason::kOverLimit);
  EXPECT_EQ(log_->lines.size(), 1U);
}

TEST_P(AnyForm, UnreadableObjects_TakeNoRoom) {
  server_.watch_list_unsupported = true;
  for (const char* name : {"a", "b", "c", "d"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make(Options(3, LimitPolicy::kServePart));
  Start(informer);
  EXPECT_EQ(Why(informer, "d"), Reason::kOverLimit);
  server_.SendUnreadable(WatchEventType::kModified, "d", "10");
  Settle();
  EXPECT_EQ(Why(informer, "d"), Reason::kUnreadable);
  EXPECT_EQ(informer.Stats().left_out, 0U);
  // The object is readable in the list, but there is no room for it.
  WhileCutOff([] {});
  EXPECT_EQ(Why(informer, "d"), Reason::kOverLimit);
  EXPECT_EQ(informer.Stats().unreadable, 0U);
  server_.SendUnreadable(WatchEventType::kDeleted, "d", "11");
  Settle();
  EXPECT_EQ(Why(informer, "d"), Reason::kNotFound);
  EXPECT_EQ(Cached(informer), "a b c ");
}

TEST_P(AnyForm, TooLargeObject_KeepsNoOtherOut) {
  server_.Put("a", std::string(3000, 'a'));
  server_.Put("b", "1");
  InformerOptions<Pod> options = Options(0, LimitPolicy::kServePart);
  options.max_bytes = Bytes();
  SharedInformer<Pod> informer = Make(std::move(options));
  Start(informer);
  server_.Put("c", "1");
  server_.Put("huge", std::string(9000, 'x'));
  Settle();
  EXPECT_EQ(informer.Stats().left_out, 2U);
  server_.Put("a", "1");
  server_.Put("huge", std::string(8000, 'x'));
  sim_.RunFor(minutes(5));
  EXPECT_EQ(Cached(informer), "a b c ");
  EXPECT_EQ(Why(informer, "huge"), Reason::kOverLimit);
}

TEST_P(AnyForm, AnotherLifeBeginsWhereTheOneBeforeEnded) {
  for (const char* name : {"a", "b", "c", "d"}) server_.Put(name, "1");
  SharedInformer<Pod> informer = Make(Options(3, LimitPolicy::kServePart));
  Start(informer);
  informer.Stop();
  Settle();
  EXPECT_EQ(Why(informer, "d"), Reason::kOverLimit);
  server_.Delete("a");
  informer.Start();
  sim_.RunFor(minutes(3));
  EXPECT_EQ(Cached(informer), "b c d ");
  EXPECT_EQ(informer.Stats().left_out, 0U);
  EXPECT_EQ(Why(informer, "a"), Reason::kNotFound);
}

// Sizes of compressed objects are compared with sizes of compressed objects.
TEST_P(AnyForm, CompressedObjects_OfSameSizeKeepTheirRoom) {
  constexpr int kPods = 200;  // more than needed to train a dictionary
  const auto put = [this](int i, const std::string& value) {
    const std::string n = std::to_string(100 + i);
    server_.Put("p" + n, std::string(600, 'x') + n + value);
    Settle();
  };
  const auto options = [this](std::size_t max_bytes) {
    InformerOptions<Pod> all = Options(0, LimitPolicy::kNotSynced);
    all.compression = Compression::kZstd;
    all.max_bytes = max_bytes;
    return all;
  };
  server_.set_rv(1000);
  SharedInformer<Pod> measured = Make(options(0));
  measured.Start();
  Settle();
  for (int i = 0; i < kPods; ++i) put(i, "1");
  const std::size_t bytes = measured.Stats().object_bytes;
  ASSERT_LT(bytes, Bytes() * 9 / 10);
  measured.Stop();
  for (int i = 0; i < kPods; ++i) server_.Delete("p" + std::to_string(100 + i));
  SharedInformer<Pod> informer = Make(options(bytes + 400));
  const auto recorder = Start(informer);
  for (int i = 0; i < kPods; ++i) put(i, "1");
  ASSERT_EQ(informer.Stats().left_out, 0U);
  ASSERT_EQ(recorder->words.size(), std::size_t{kPods});
  recorder->words.clear();
  // Last ones first: they were compressed at once, so earlier ones have not freed any room yet.
  for (int i = kPods; i-- > 0;) put(i, "2");
  EXPECT_EQ(informer.Stats().left_out, 0U);
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(recorder->words.size(), std::size_t{kPods});
  for (const std::string& word : recorder->words) EXPECT_EQ(word.front(), '~') << word;
}

TEST_F(InformerLimitsTest, AListNeverTakesMoreThanThereIsRoomFor) {
  for (int i = 0; i < 2000; ++i) server_.Put("p" + std::to_string(i), "1");
  InformerOptions<Pod> options;
  options.max_objects = 10;
  options.limit_policy = LimitPolicy::kServePart;
  std::size_t most = 0;
  // Number of objects of a list that are put into the queue.
  options.trace = [&](const TraceEvent& event) {
    if (event.stage == "reflector" && event.key.empty()) most = std::max(most, event.depth);
  };
  SharedInformer<Pod> informer = Make(std::move(options));
  Start(informer);
  EXPECT_EQ(most, 10U);
  EXPECT_EQ(informer.Stats().objects, 10U);
  EXPECT_EQ(informer.Stats().left_out, 1990U);
  std::size_t over = 0;
  for (int i = 0; i < 2000; ++i) {
    if (Why(informer, "p" + std::to_string(i)) == Reason::kOverLimit) ++over;
  }
  EXPECT_EQ(over, 1990U);
}

TEST_F(InformerLimitsTest, ChangesOfNamesWhileAListStreamsIn) {
  server_.never_ends_initial_events = true;
  InformerOptions<Pod> options;
  options.max_objects = 2;
  options.limit_policy = LimitPolicy::kServePart;
  SharedInformer<Pod> informer = Make(std::move(options));
  Start(informer);
  using internal::client::MakePod;
  server_.Send(WatchEventType::kAdded, MakePod("default", "a", "1"));
  server_.Send(WatchEventType::kAdded, MakePod("default", "b", "2"));
  server_.Send(WatchEventType::kAdded, MakePod("default", "c", "3"));
  server_.Send(WatchEventType::kAdded, MakePod("default", "d", "4"));
  server_.Send(WatchEventType::kDeleted, MakePod("default", "c", "5"));
  server_.SendUnreadable(WatchEventType::kModified, "d", "6");
  // A newer state of a listed object needs no additional room.
  server_.Send(WatchEventType::kModified, MakePod("default", "a", "7"));
  server_.SendBookmark("7", true);
  Settle();
  ASSERT_TRUE(informer.HasSynced());
  EXPECT_EQ(Why(informer, "c"), Reason::kNotFound);
  EXPECT_EQ(Why(informer, "d"), Reason::kUnreadable);
  // An earlier state never reappears.
  EXPECT_EQ(Why(informer, "a"), Reason::kOverLimit);
  EXPECT_EQ(Cached(informer), "b ");
  EXPECT_EQ(informer.Stats().left_out, 1U);
}

}  // namespace
}  // namespace kinformer

#include "kinformer/cache/watch_until.h"

#include <chrono>
#include <functional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cache/informer/testing/informer_fixture.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Event = ResourceWatchEvent<Pod>;
using Condition = ConditionFunc<Pod>;

class WatchUntilTest : public InformerTest {
 protected:
  WatchUntilTest() { server_.Put("a", "1"); }
  Condition ValueIs(const std::string& value) {
    return [this, value](const Event& event) -> Result<bool> {
      seen_.push_back(event.object->value());
      return event.object->value() == value;
    };
  }
  UntilResult<Pod> Wait(std::vector<Condition> conditions, const CallOptions& call = {}) {
    UntilResult<Pod> ended;
    Block([&] {
      ended = Until<Pod>(sim_.env(), "1", server_.NewListerWatcher(), std::move(conditions), call);
    });
    return ended;
  }
  UntilResult<Pod> WaitWithSync(const PreconditionFunc<Pod>& precondition,
                                std::vector<Condition> conditions, const CallOptions& call = {}) {
    UntilResult<Pod> ended;
    Block([&] {
      ended = UntilWithSync<Pod>(sim_.env(), server_.NewListerWatcher(), precondition,
                                 std::move(conditions), call);
    });
    EXPECT_EQ(server_.open_watches(), 0U);
    return ended;
  }
  void In(Duration delay, std::function<void()> action) {
    timers_.push_back(sim_.env().loop().RunAt(sim_.env().Now() + delay, std::move(action)));
  }
  static std::string Last(const UntilResult<Pod>& ended) {
    return ended.event ? ended.event->object->value() : "none";
  }

  std::vector<Timer> timers_;
  std::vector<std::string> seen_;

 private:
  template <class F>
  void Block(F body) {
    ASSERT_TRUE(sim_.RunBlocking(std::move(body), std::chrono::hours(1)));
  }
};

TEST_F(WatchUntilTest, TrueAtTheSecondEvent_UN01) {
  In(seconds(1), [&] { server_.Put("a", "2"); });
  In(seconds(2), [&] { server_.Put("a", "3"); });
  In(seconds(3), [&] { server_.Put("a", "4"); });
  const UntilResult<Pod> ended = Wait({ValueIs("3")});
  EXPECT_TRUE(ended.result);
  EXPECT_EQ(Last(ended), "3");
  EXPECT_EQ(ended.event->type, WatchEventType::kModified);
  EXPECT_EQ(server_.open_watches(), 0U);
}

TEST_F(WatchUntilTest, TwoConditionsOneEvent_UN02) {
  server_.Put("a", "2");
  server_.Put("a", "3");
  const UntilResult<Pod> ended = Wait({ValueIs("2"), ValueIs("2")});
  EXPECT_TRUE(ended.result);
  EXPECT_EQ(Last(ended), "2");
  EXPECT_THAT(seen_, ElementsAre("2", "2"));
}

TEST_F(WatchUntilTest, ConditionsHoldOneAfterTheOther_UN02) {
  server_.Put("a", "2");
  server_.Put("a", "3");
  const UntilResult<Pod> ended = Wait({ValueIs("2"), ValueIs("3")});
  EXPECT_TRUE(ended.result);
  EXPECT_THAT(seen_, ElementsAre("2", "2", "3"));
}

TEST_F(WatchUntilTest, ClosedTooEarly_UN03) {
  server_.Put("a", "2");
  const auto watcher = NewRetryWatcher<Pod>(sim_.env(), "1", server_.NewListerWatcher()).value();
  In(seconds(5), [&] { watcher.Stop(); });
  UntilResult<Pod> ended;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] { ended = UntilWithoutRetry<Pod>(watcher, {ValueIs("2"), ValueIs("9")}); }, seconds(60)));
  ASSERT_FALSE(ended.result);
  EXPECT_EQ(ended.result.error().reason(), Reason::kStopped);
  EXPECT_THAT(ended.result.error().message(), HasSubstr("ended before the conditions held"));
  EXPECT_EQ(Last(ended), "2");
}

TEST_F(WatchUntilTest, AnErrorOfTheWatch_UN03) {
  server_.Put("a", "2");
  In(seconds(1),
     [&] { server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410)); });
  const UntilResult<Pod> ended = Wait({ValueIs("9")});
  ASSERT_FALSE(ended.result);
  EXPECT_TRUE(IsResourceExpired(ended.result.error()));
  EXPECT_EQ(Last(ended), "2");
}

TEST_F(WatchUntilTest, TimeOutStopAndError_UN04) {
  const UntilResult<Pod> late = Wait({ValueIs("9")}, {.timeout = seconds(5)});
  ASSERT_FALSE(late.result);
  EXPECT_EQ(late.result.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(Last(late), "none");

  // The time-out covers the whole call, not each event.
  for (int i = 1; i < 20; ++i) {
    In(seconds(i), [&, i] { server_.Put("a", std::to_string(i)); });
  }
  EXPECT_EQ(Last(Wait({ValueIs("nine")}, {.timeout = Duration(seconds(4)) + Duration(1)})), "4");

  std::stop_source stop;
  In(seconds(2), [&] { stop.request_stop(); });
  const UntilResult<Pod> stopped = Wait({ValueIs("nine")}, {.stop = stop.get_token()});
  ASSERT_FALSE(stopped.result);
  EXPECT_EQ(stopped.result.error().reason(), Reason::kCanceled);

  const UntilResult<Pod> failed =
      Wait({[](const Event&) -> Result<bool> { return Error(Reason::kUnknown, "mine"); }});
  ASSERT_FALSE(failed.result);
  EXPECT_EQ(failed.result.error().message(), "mine");
  EXPECT_NE(Last(failed), "none");
}

TEST_F(WatchUntilTest, WithAnInformer_UN05) {
  const auto holds = [](bool value) {
    return PreconditionFunc<Pod>([value](const Indexer<Pod>& store) -> Result<bool> {
      EXPECT_EQ(store.List().size(), 1U);
      return value;
    });
  };
  // The precondition alone is enough.
  const UntilResult<Pod> at_once = WaitWithSync(holds(true), {ValueIs("9")});
  EXPECT_TRUE(at_once.result);
  EXPECT_FALSE(at_once.event);

  // The precondition is false; existing objects arrive as events.
  const UntilResult<Pod> there = WaitWithSync(holds(false), {ValueIs("1")});
  EXPECT_TRUE(there.result);
  EXPECT_EQ(there.event->type, WatchEventType::kAdded);

  // The precondition fails.
  const UntilResult<Pod> failed = WaitWithSync(
      [](const Indexer<Pod>&) -> Result<bool> { return Error(Reason::kUnknown, "mine"); },
      {ValueIs("1")});
  EXPECT_EQ(failed.result.error().message(), "mine");

  // There is no precondition.
  EXPECT_TRUE(WaitWithSync(nullptr, {ValueIs("1")}).result);
  EXPECT_TRUE(WaitWithSync(nullptr, {}).result);
}

TEST_F(WatchUntilTest, GoesOnWhateverHappensToTheWatch_UN05) {
  In(seconds(1), [&] {
    server_.Put("a", "9");
    server_.Forget();
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  });
  server_.list_errors = {Error(Reason::kInternalError, "500").WithHttpStatus(500)};
  const UntilResult<Pod> ended = WaitWithSync(nullptr, {ValueIs("9")});
  EXPECT_TRUE(ended.result);
}

TEST_F(WatchUntilTest, TimeOutBeforeAndAfterTheSync_UN05) {
  server_.down = Error(Reason::kConnectionRefused, "refused");
  const PreconditionFunc<Pod> never = [](const Indexer<Pod>&) -> Result<bool> { return false; };
  const UntilResult<Pod> unsynced = WaitWithSync(never, {ValueIs("9")}, {.timeout = seconds(9)});
  ASSERT_FALSE(unsynced.result);
  EXPECT_EQ(unsynced.result.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(unsynced.result.error().message(), HasSubstr("refused"));
  server_.down.reset();
  const SteadyTime begin = sim_.env().Now();
  const UntilResult<Pod> unmet = WaitWithSync(never, {ValueIs("9")}, {.timeout = seconds(9)});
  EXPECT_EQ(unmet.result.error().reason(), Reason::kDeadlineExceeded);
  EXPECT_EQ(sim_.env().Now() - begin, seconds(9));
}

TEST_F(WatchUntilTest, AConditionThatThrowsStopsTheWatch) {
  server_.Put("a", "2");
  const Condition throws = [](const Event&) -> Result<bool> { throw std::runtime_error("no"); };
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        EXPECT_THROW(
            static_cast<void>(Until<Pod>(sim_.env(), "1", server_.NewListerWatcher(), {throws})),
            std::runtime_error);
      },
      seconds(60)));
  EXPECT_EQ(server_.open_watches(), 0U);
}

}  // namespace
}  // namespace kinformer

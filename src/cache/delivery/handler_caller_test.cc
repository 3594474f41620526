#include "cache/delivery/handler_caller.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "base/core/testing/fields_log.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer::internal::cache {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::ElementsAre;
using Texts = std::vector<std::string>;

// Records the keys of each call, and runs the test's function.
class Calls final : public RawHandler {
 public:
  explicit Calls(bool batches) : batches_(batches) {}
  void Handle(const RawEvent& event) override {
    keys.push_back(*event.key);
    if (inside) inside();
  }
  [[nodiscard]] bool TakesBatches() const override { return batches_; }
  void HandleBatch(std::span<const RawEvent> events) override {
    std::string all;
    for (const RawEvent& event : events) all += *event.key + ";";
    keys.push_back(all);
    if (inside) inside();
  }
  std::function<void()> inside{};
  Texts keys{};

 private:
  const bool batches_;
};

class HandlerCallerTest : public testing::Test {
 protected:
  static RawEvent EventOf(const ObjectRef& object) {
    RawEvent event;
    event.block = object.get();
    return event;
  }
  void Call(HandlerCaller& caller, const std::function<void()>& inside = {}) {
    handler_->inside = inside;
    Tell(caller, EventOf(object_));
  }
  // `event` is changed by the caller; what it refers to is valid during the call only.
  void Tell(HandlerCaller& caller, RawEvent event) {
    EXPECT_TRUE(sim_.RunBlocking([&] { caller.Call(event); }, minutes(1)));
  }
  void CallThatTakes(HandlerCaller& caller, Duration time) {
    Call(caller, [this, time] { sim_.env().SleepFor(time); });
  }
  static HandlerStats StatsOf(const HandlerCaller& caller) {
    HandlerStats stats;
    caller.Report(stats);
    return stats;
  }

  const std::shared_ptr<base::FieldsLog> log_ = std::make_shared<base::FieldsLog>();
  Simulation sim_{{.log = log_}};
  const ObjectRef object_ = MakeObject("ns", "a", "7");
  const std::shared_ptr<Calls> handler_ = std::make_shared<Calls>(false);
  HandlerCaller caller_{sim_.env(), handler_, "h", {}};
};

TEST_F(HandlerCallerTest, Callback_AgeAndLongestAreMeasured) {
  EXPECT_EQ(caller_.CallbackAge(sim_.env().Now()), Duration(0));
  struct Case {
    Duration takes, longest;
  };
  for (const Case c :
       {Case{milliseconds(30), milliseconds(30)}, Case{milliseconds(10), milliseconds(30)},
        Case{milliseconds(40), milliseconds(40)}}) {
    Call(caller_, [&] {
      const SteadyTime begun = sim_.env().Now();
      EXPECT_EQ(caller_.CallbackAge(begun), Duration(0));
      sim_.env().SleepFor(c.takes);
      EXPECT_EQ(caller_.CallbackAge(sim_.env().Now()), c.takes);
      EXPECT_EQ(caller_.CallbackAge(begun - seconds(1)), Duration(0)) << "of a clock that lags";
    });
    EXPECT_EQ(caller_.CallbackAge(sim_.env().Now()), Duration(0)) << "none runs";
    EXPECT_EQ(StatsOf(caller_).longest_callback, c.longest);
  }
}

TEST_F(HandlerCallerTest, HandlerThrows_EventCountsAsHandled) {
  Call(caller_);
  Call(caller_, [] { throw std::runtime_error("no"); });
  EXPECT_EQ(caller_.delivered(), 2U);
  EXPECT_EQ(StatsOf(caller_).delivered, 2U);
  EXPECT_EQ(StatsOf(caller_).exceptions, 1U);
  EXPECT_EQ(caller_.CallbackAge(sim_.env().Now()), Duration(0));
  caller_.CountPulled(3);
  EXPECT_EQ(caller_.delivered(), 5U);
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_NE(log_->lines[0].find("h for ns/a"), std::string::npos) << log_->lines[0];
}

TEST_F(HandlerCallerTest, ABatchIsOneCallOfManyEvents) {
  const auto handler = std::make_shared<Calls>(true);
  HandlerCaller caller(sim_.env(), handler, "h", {});
  EXPECT_TRUE(caller.takes_batches());
  EXPECT_FALSE(caller_.takes_batches());
  const ObjectRef other = MakeObject("", "b", "8");
  const auto call = [&](std::vector<RawEvent> events) { caller.CallBatch(events); };
  EXPECT_TRUE(sim_.RunBlocking(
      [&] {
        call({EventOf(object_), EventOf(other)});
        call({EventOf(other), EventOf(object_), EventOf(other)});
        handler->inside = [] { throw std::runtime_error("no"); };
        call({EventOf(object_), EventOf(other)});
      },
      minutes(1)));
  EXPECT_THAT(handler->keys, ElementsAre("ns/a;b;", "b;ns/a;b;", "ns/a;b;"));
  EXPECT_EQ(caller.delivered(), 7U);
  EXPECT_EQ(StatsOf(caller).exceptions, 1U);
}

TEST_F(HandlerCallerTest, MoreThanATenthOfASecondIsSlow) {
  CallThatTakes(caller_, milliseconds(100));
  EXPECT_THAT(log_->lines, ElementsAre());
  CallThatTakes(caller_, milliseconds(100) + Duration(1));
  EXPECT_THAT(log_->lines,
              ElementsAre("slow event handler handler=h key=ns/a ms=100 slow_calls_so_far=1"));
  // The next message comes ten minutes later and counts all slow calls since.
  sim_.RunFor(minutes(10) - milliseconds(250) - Duration(1));
  CallThatTakes(caller_, milliseconds(250));
  EXPECT_EQ(log_->lines.size(), 1U);
  sim_.RunFor(minutes(10));
  CallThatTakes(caller_, milliseconds(250));
  EXPECT_EQ(log_->lines.size(), 2U);
  EXPECT_EQ(log_->lines[1], "slow event handler handler=h key=ns/a ms=250 slow_calls_so_far=3");
  sim_.RunFor(minutes(10) - milliseconds(250));
  CallThatTakes(caller_, milliseconds(250));
  EXPECT_EQ(log_->lines.size(), 3U) << "ten minutes to the instant";
}

TEST_F(HandlerCallerTest, ATombstoneIsExplainedOnce) {
  RawEvent event = EventOf(object_);
  event.type = EventType::kDeleted;
  Call(caller_);
  EXPECT_THAT(log_->lines, ElementsAre());
  for (int i = 0; i < 2; ++i) {
    event.final_state_unknown = true;
    Tell(caller_, event);
    ASSERT_EQ(log_->lines.size(), 1U);
  }
  EXPECT_NE(log_->lines[0].find("handler=h kind=Thing key=ns/a resourceVersion=7"),
            std::string::npos)
      << log_->lines[0];
}

TEST_F(HandlerCallerTest, ATraceIsToldOfEachCallBeforeItIsMade) {
  Texts traced;
  HandlerCaller caller(sim_.env(), handler_, "h", [&](const TraceEvent& event) {
    EXPECT_EQ(handler_->keys.size(), traced.size());
    traced.push_back(std::string(event.stage) + " " + std::string(event.type) + " " +
                     std::string(event.key) + " " + std::string(event.resourceVersion) + " " +
                     std::string(event.listener) + (event.in_list ? " in list" : ""));
  });
  RawEvent event = EventOf(object_);
  event.is_in_initial_list = true;
  Tell(caller, event);
  event.is_in_initial_list = false;
  event.type = EventType::kDeleted;
  Tell(caller, event);
  EXPECT_THAT(traced, ElementsAre("listener ADDED ns/a 7 h in list", "listener DELETED ns/a 7 h"));
  EXPECT_EQ(caller.delivered(), 2U);
}

}  // namespace
}  // namespace kinformer::internal::cache

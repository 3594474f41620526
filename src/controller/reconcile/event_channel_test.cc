// Channels of events: room, order, stop and close; and the ticks of a ticker.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/controller/source.h"
#include "kinformer/internal/event_channel_core.h"

#include "base/core/testing/fields_log.h"
#include "controller/reconcile/watched_pods_for_test.h"

namespace kinformer::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class EventChannelTest : public ::testing::Test {
 protected:
  static ObjectRef Named(const std::string& name) {
    return PodWith(R"("name":")" + name + '"').object();
  }
  // Sends an event; returns its error, or "".
  std::string Send(const std::string& name) { return TextOf(channel_->Send(Named(name))); }
  static std::string TextOf(const Result<void>& result) {
    if (result.ok()) return "";
    return std::string(ReasonName(result.error().reason())) + ": " + result.error().message();
  }
  std::string SendOnLoop(const std::string& name) {
    std::string text = "not sent";
    sim_.env().loop().Post([&] { text = Send(name); });
    sim_.RunReady();
    return text;
  }
  EventChannelCore::Deliver Records(Duration takes = Duration(0)) {
    return [this, takes](const ObjectRef& object) {
      EXPECT_FALSE(std::exchange(delivers_, true)) << "one after the other";
      if (takes > Duration(0)) sim_.env().SleepFor(takes);
      got_.emplace_back(object->name());
      delivers_ = false;
    };
  }
  SteadyTime Now() { return sim_.env().Now(); }

  const std::shared_ptr<base::FieldsLog> log_ =
      std::make_shared<base::FieldsLog>(LogLevel::kWarning);
  Simulation sim_{{.log = log_}};
  const std::shared_ptr<EventChannelCore> channel_ = std::make_shared<EventChannelCore>(sim_.env());
  std::vector<std::string> got_;
  bool delivers_ = false;
};

TEST_F(EventChannelTest, Events_AreDeliveredInOrderToEachReceiver) {
  const auto first = channel_->Subscribe(10);
  const auto second = channel_->Subscribe(10);
  std::vector<std::string> others;
  ASSERT_TRUE(first->Start(Records()).ok());
  ASSERT_TRUE(
      second->Start([&](const ObjectRef& object) { others.emplace_back(object->name()); }).ok());
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Send(name), "");
  sim_.RunReady();
  EXPECT_THAT(got_, ElementsAre("a", "b", "c"));
  EXPECT_EQ(others, got_);
  EXPECT_EQ(Send("d"), "");
  sim_.RunReady();
  EXPECT_THAT(got_, ElementsAre("a", "b", "c", "d"));
}

TEST_F(EventChannelTest, EventsBeforeStart_WaitForIt) {
  const auto receiver = channel_->Subscribe(2);
  EXPECT_EQ(Send("a"), "");
  EXPECT_EQ(Send("b"), "");
  sim_.RunReady();
  ASSERT_TRUE(receiver->Start(Records()).ok());
  EXPECT_EQ(TextOf(receiver->Start(Records())),
            "InvalidArgument: channel: the source has been started before");
  sim_.RunReady();
  EXPECT_THAT(got_, ElementsAre("a", "b"));
}

TEST_F(EventChannelTest, UnusableSends_AreErrors) {
  EXPECT_EQ(TextOf(channel_->Send(ObjectRef())),
            "InvalidArgument: event channel: there is no object to send");
  const std::string nobody = "NotFound: no source has been made for this event channel";
  EXPECT_EQ(Send("a"), nobody);
  auto receiver = channel_->Subscribe(1);
  EXPECT_EQ(Send("a"), "");
  receiver.reset();
  EXPECT_EQ(Send("a"), nobody);
  receiver = channel_->Subscribe(1);
  receiver->Stop();
  EXPECT_EQ(Send("a"), nobody);
  EXPECT_EQ(SendOnLoop("a"), nobody);
  channel_->Close();
  EXPECT_EQ(Send("a"), "Stopped: the event channel is closed");
}

TEST_F(EventChannelTest, FullReceiver_AnEventLoopDoesNotWait) {
  for (const std::size_t room : {0U, 1U, 2U, 3U}) {
    SCOPED_TRACE(room);
    got_.clear();
    const auto receiver = channel_->Subscribe(room);
    const std::size_t fit = std::max<std::size_t>(room, 1);
    for (std::size_t i = 0; i < fit; ++i) EXPECT_EQ(SendOnLoop(std::to_string(i)), "");
    EXPECT_EQ(SendOnLoop("more"),
              "WouldDeadlock: a source of this event channel has no room, and an event loop cannot "
              "wait for it: send from another thread, or give the source a larger buffer_size");
    ASSERT_TRUE(receiver->Start(Records()).ok());
    sim_.RunReady();
    EXPECT_EQ(got_.size(), fit) << "the event that had no room is dropped";
    EXPECT_EQ(SendOnLoop("later"), "");
    sim_.RunReady();
    EXPECT_EQ(got_.back(), "later");
  }
}

TEST_F(EventChannelTest, FullReceiver_OthersGetTheEvent) {
  const auto full = channel_->Subscribe(1);
  EXPECT_EQ(SendOnLoop("a"), "");
  const auto free = channel_->Subscribe(1);
  ASSERT_TRUE(free->Start(Records()).ok());
  EXPECT_THAT(SendOnLoop("b"), ::testing::StartsWith("WouldDeadlock"));
  EXPECT_THAT(got_, ElementsAre("b"));
}

TEST_F(EventChannelTest, FullReceiver_AThreadWaitsForRoom) {
  const auto receiver = channel_->Subscribe(1);
  ASSERT_TRUE(receiver->Start(Records(seconds(5))).ok());
  const SteadyTime begun = Now();
  EXPECT_EQ(Send("a"), "");
  EXPECT_EQ(Send("b"), "");
  EXPECT_EQ(Send("c"), "");
  EXPECT_EQ(Now() - begun, seconds(5)) << "b has left the room";
  EXPECT_EQ(Send("d"), "");
  EXPECT_EQ(Now() - begun, seconds(10));
  sim_.RunFor(seconds(60));
  EXPECT_THAT(got_, ElementsAre("a", "b", "c", "d"));
}

TEST_F(EventChannelTest, CloseOrStop_EndsTheWaitForRoom) {
  for (const bool close : {false, true}) {
    const auto channel = std::make_shared<EventChannelCore>(sim_.env());
    const auto receiver = channel->Subscribe(1);
    ASSERT_TRUE(channel->Send(Named("a")).ok());
    const SteadyTime begun = Now();
    const Timer timer = sim_.env().loop().RunAt(begun + seconds(3), [&] {
      if (close) {
        channel->Close();
      } else {
        receiver->Stop();
      }
    });
    EXPECT_EQ(TextOf(channel->Send(Named("b"))),
              close ? "Stopped: the event channel has been closed meanwhile"
                    : "NotFound: no source has been made for this event channel");
    EXPECT_EQ(Now() - begun, seconds(3));
  }
}

TEST_F(EventChannelTest, Stop_DropsEventsAndWaitsForTheDelivery) {
  const auto receiver = channel_->Subscribe(10);
  ASSERT_TRUE(receiver->Start(Records(seconds(5))).ok());
  for (const char* name : {"a", "b", "c"}) EXPECT_EQ(Send(name), "");
  sim_.RunFor(seconds(2));
  const SteadyTime begun = Now();
  receiver->Stop();
  EXPECT_EQ(Now() - begun, seconds(3));
  EXPECT_THAT(got_, ElementsAre("a"));
  sim_.RunFor(seconds(60));
  EXPECT_THAT(got_, ElementsAre("a"));
  receiver->Stop();
  EXPECT_EQ(Now() - begun, seconds(63));
}

TEST_F(EventChannelTest, StopBeforeTheDelivery_DeliversNothing) {
  const auto receiver = channel_->Subscribe(10);
  ASSERT_TRUE(receiver->Start(Records()).ok());
  EXPECT_EQ(Send("a"), "");
  receiver->Stop();
  sim_.RunReady();
  EXPECT_THAT(got_, IsEmpty());
}

TEST_F(EventChannelTest, StopInsideTheDelivery_DoesNotWait) {
  const auto receiver = channel_->Subscribe(10);
  auto used = std::make_shared<int>(0);
  ASSERT_TRUE(receiver
                  ->Start([this, used, &receiver](const ObjectRef& object) {
                    got_.emplace_back(object->name());
                    receiver->Stop();
                  })
                  .ok());
  EXPECT_EQ(Send("a"), "");
  EXPECT_EQ(Send("b"), "");
  sim_.RunFor(seconds(1));
  EXPECT_THAT(got_, ElementsAre("a"));
  EXPECT_EQ(used.use_count(), 2);
  receiver->Stop();
  EXPECT_EQ(used.use_count(), 1) << "the function is released";
}

TEST_F(EventChannelTest, ThrowingDelivery_IsLoggedAndTheNextFollows) {
  const auto receiver = channel_->Subscribe(10);
  ASSERT_TRUE(receiver
                  ->Start([this](const ObjectRef& object) {
                    got_.emplace_back(object->name());
                    if (got_.size() == 1) throw std::runtime_error("bad pod");
                  })
                  .ok());
  EXPECT_EQ(Send("a"), "");
  EXPECT_EQ(Send("b"), "");
  sim_.RunReady();
  EXPECT_THAT(got_, ElementsAre("a", "b"));
  EXPECT_EQ(log_->Count("bad pod"), 1U);
}

TEST(Ticking, TickComesAtOnceAndEveryPeriod_UntilItsEnd) {
  Simulation sim;
  std::vector<Duration> ticks;
  const SteadyTime begun = sim.env().Now();
  auto ticking = source::internal::StartTicking(sim.env(), seconds(10),
                                                [&] { ticks.push_back(sim.env().Now() - begun); });
  EXPECT_THAT(ticks, ElementsAre(Duration(0)));
  sim.RunFor(seconds(10) - milliseconds(1));
  EXPECT_EQ(ticks.size(), 1U);
  sim.RunFor(seconds(20) + milliseconds(1));
  EXPECT_THAT(ticks, ElementsAre(Duration(0), seconds(10), seconds(20), seconds(30)));
  ticking.reset();
  sim.RunFor(seconds(100));
  EXPECT_EQ(ticks.size(), 4U);
}

}  // namespace
}  // namespace kinformer::internal

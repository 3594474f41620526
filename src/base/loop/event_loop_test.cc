// EventLoop: timers and their descriptor, exceptions, and the end.

#include "base/loop/event_loop.h"

#include <chrono>
#include <functional>
#include <future>
#include <gtest/gtest.h>
#include <memory>
#include <mutex>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>

#include "kinformer/base/log.h"
#include "kinformer/base/metrics.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::nanoseconds;
using std::chrono::seconds;
using Seconds = std::chrono::duration<double>;

SteadyTime Now() { return std::chrono::steady_clock::now(); }

// Keeps what histograms observe.
class Observations final : public MetricsSink {
 public:
  class Kept final : public Histogram {
   public:
    void Observe(double value) override {
      const std::lock_guard lock(mutex);
      values.push_back(value);
    }
    std::vector<double> Take() {
      const std::lock_guard lock(mutex);
      return std::exchange(values, {});
    }
    std::mutex mutex;
    std::vector<double> values;
  };
  std::shared_ptr<Counter> NewCounter(std::string_view, std::string_view, MetricLabels) override {
    return nullptr;
  }
  std::shared_ptr<Gauge> NewGauge(std::string_view, std::string_view, MetricLabels) override {
    return nullptr;
  }
  std::shared_ptr<Histogram> NewHistogram(std::string_view, std::string_view,
                                          MetricLabels) override {
    return kept;
  }
  const std::shared_ptr<Kept> kept = std::make_shared<Kept>();
};

class EventLoopTest : public ::testing::Test {
 protected:
  bool Readable(int timeout_ms = 0) const {
    pollfd fd{.fd = hosted_.Fd(), .events = POLLIN, .revents = 0};
    return poll(&fd, 1, timeout_ms) == 1;
  }
  void Drain() {
    while (hosted_.RunReady(milliseconds(50))) {
    }
  }

  FieldsLog log_{LogLevel::kDebug};
  Observations metrics_;
  EventLoop hosted_{{.name = "h", .host_driven = true}, log_, metrics_};
  EventLoop own_{{.name = "o", .thread_name = "own"}, log_, metrics_};
};

TEST_F(EventLoopTest, FirstPost_MakesANewLoopReadable) {
  bool ran = false;
  hosted_.Post([&] { ran = true; });
  EXPECT_TRUE(Readable());
  EXPECT_FALSE(hosted_.RunReady(milliseconds(50)));
  EXPECT_TRUE(ran);
  EXPECT_FALSE(Readable());
  // A timer of another thread wakes it as well.
  Timer timer;
  bool fired = false;
  std::thread([&] { timer = hosted_.RunAt(Now(), [&] { fired = true; }); }).join();
  while (!fired) {
    ASSERT_TRUE(Readable(20'000));
    hosted_.RunReady(milliseconds(50));
  }
}

// A timer far away does not wake the host, and one that is due does so a few times at most.
TEST_F(EventLoopTest, Host_WakesOnlyForTimersThatAreDue) {
  Drain();
  std::string fired;
  const Timer far = hosted_.RunAt(Now() + hours(1), [&] { fired += "far"; });
  Drain();
  EXPECT_FALSE(Readable());
  const Timer near = hosted_.RunAt(Now() + milliseconds(5), [&] { fired += "near"; });
  int wakes = 0;
  while (fired.empty()) {
    ASSERT_TRUE(Readable(20'000)) << "an earlier timer comes first";
    hosted_.RunReady(milliseconds(50));
    ++wakes;
  }
  EXPECT_EQ(fired, "near");
  EXPECT_LE(wakes, 3);
  Drain();
  EXPECT_FALSE(Readable());
}

TEST_F(EventLoopTest, NoTimerIsLeft_HostSleeps) {
  bool fired = false;
  const Timer timer = hosted_.RunAt(Now(), [&] { fired = true; });
  while (!fired) {
    ASSERT_TRUE(Readable(20'000));
    hosted_.RunReady(milliseconds(50));
  }
  Drain();
  EXPECT_FALSE(Readable());
}

TEST_F(EventLoopTest, TimesLongPast_AreDueAtOnce) {
  for (const SteadyTime when : {SteadyTime(), SteadyTime(-seconds(1)), SteadyTime(nanoseconds(1)),
                                SteadyTime(seconds(1))}) {
    const auto fired = std::make_shared<std::promise<void>>();
    const Timer timer = own_.RunAt(when, [fired] { fired->set_value(); });
    EXPECT_EQ(fired->get_future().wait_for(seconds(20)), std::future_status::ready);
  }
}

TEST_F(EventLoopTest, TimerSetOnTheLoop_Runs) {
  const auto fired = std::make_shared<std::promise<void>>();
  Timer timer;
  own_.Post([this, &timer, fired] {
    timer = own_.RunAt(Now() + milliseconds(1), [fired] { fired->set_value(); });
  });
  EXPECT_EQ(fired->get_future().wait_for(seconds(20)), std::future_status::ready);
}

TEST_F(EventLoopTest, Lateness_IsTimeSinceDue) {
  const SteadyTime when = Now() - seconds(7);
  const SteadyTime before = Now();
  const auto fired = std::make_shared<std::promise<void>>();
  const Timer timer = own_.RunAt(when, [fired] { fired->set_value(); });
  fired->get_future().wait();
  const SteadyTime after = Now();
  const std::vector<double> late = metrics_.kept->Take();
  ASSERT_EQ(late.size(), 1U);
  EXPECT_GE(late[0], Seconds(before - when).count());
  EXPECT_LE(late[0], Seconds(after - when).count());
}

TEST_F(EventLoopTest, TimerThatRestartsItself_LetsOthersRun) {
  const auto done = std::make_shared<std::promise<void>>();
  bool stop = false;
  Timer timer;
  std::function<void()> again = [&] {
    if (!stop) timer = own_.RunAt(Now(), again);
  };
  own_.Post([&] { again(); });
  own_.Post([this, &stop, &timer, done] {
    own_.Post([&stop, &timer, done] {
      stop = true;
      timer.Cancel();
      done->set_value();
    });
  });
  EXPECT_EQ(done->get_future().wait_for(seconds(20)), std::future_status::ready);
}

TEST_F(EventLoopTest, Exceptions_AreLoggedWithTheirPlace) {
  boost::asio::post(hosted_.io(), [] { throw std::runtime_error("operation"); });
  hosted_.Post([] { throw std::runtime_error("task"); });
  const Timer timer = hosted_.RunAt(Now(), [] { throw std::runtime_error("timer"); });
  bool ran = false;
  while (log_.Count("timer") == 0) {
    ASSERT_TRUE(Readable(20'000));
    hosted_.RunReady(seconds(5));
  }
  hosted_.Post([&] { ran = true; });
  hosted_.RunReady(seconds(5));
  EXPECT_TRUE(ran);
  EXPECT_EQ(log_.Count("a task threw where=event loop what=operation"), 1U);
  EXPECT_EQ(log_.Count("a task threw where=event loop what=task"), 1U);
  EXPECT_EQ(log_.Count("a task threw where=timer what=timer"), 1U);
}

// An operation that throws does not end the turn: there may be more.
TEST_F(EventLoopTest, OperationThrows_SameTurnContinues) {
  bool ran = false;
  boost::asio::post(hosted_.io(), [] { throw std::runtime_error("operation"); });
  boost::asio::post(hosted_.io(), [&] { ran = true; });
  EXPECT_FALSE(hosted_.RunReady(seconds(5)));
  EXPECT_TRUE(ran);
  boost::asio::post(own_.io(), [] { throw std::runtime_error("elsewhere"); });
  const auto done = std::make_shared<std::promise<void>>();
  own_.Post([done] { done->set_value(); });
  done->get_future().wait();
  EXPECT_EQ(log_.Count("where=event loop what=elsewhere"), 1U);
}

TEST_F(EventLoopTest, RunReadyInsideATask_IsRefusedWithWords) {
  std::string order;
  hosted_.Post([&] {
    order += "begin ";
    EXPECT_FALSE(hosted_.RunReady(seconds(5)));
    order += "end ";
  });
  hosted_.Post([&] { order += "next"; });
  hosted_.RunReady(seconds(5));
  EXPECT_EQ(order, "begin end next");
  EXPECT_EQ(log_.text(), "RunReady called inside a task, or by two threads at once; ignored\n");
  hosted_.Post([&] { order += " later"; });
  hosted_.RunReady(seconds(5));
  EXPECT_EQ(order, "begin end next later") << "only the inner call was refused";
}

TEST_F(EventLoopTest, RunReadyOfALoopWithAThread_IsRefusedWithWords) {
  EXPECT_FALSE(own_.RunReady(milliseconds(1)));
  EXPECT_EQ(log_.text(), "RunReady called on a Runtime that runs its own loop; ignored\n");
  EXPECT_EQ(own_.Fd(), -1);
  EXPECT_GE(hosted_.Fd(), 0);
}

TEST_F(EventLoopTest, RunReadyWithoutTime_RunsNothingAndSaysThatThereIsMore) {
  bool ran = false;
  hosted_.Post([&] { ran = true; });
  EXPECT_TRUE(hosted_.RunReady(-seconds(1)));
  EXPECT_FALSE(ran);
  EXPECT_TRUE(Readable());
  EXPECT_FALSE(hosted_.RunReady(seconds(5)));
  EXPECT_TRUE(ran);
}

TEST_F(EventLoopTest, StoppedLoop_TakesNothing) {
  for (EventLoop* loop : {&own_, &hosted_}) {
    const auto owned = std::make_shared<int>(1);
    Timer before = loop->RunAt(Now() + hours(1), [owned] {});
    loop->Stop();
    loop->Stop();
    loop->Post([owned] {});
    EXPECT_FALSE(loop->RunAt(Now(), [owned] {}).armed());
    EXPECT_EQ(owned.use_count(), 2) << "only the timer set before";
    EXPECT_FALSE(loop->RunReady(milliseconds(1)));
    before.Cancel();
    EXPECT_EQ(owned.use_count(), 1);
  }
  EXPECT_EQ(log_.text(), "");
}

TEST_F(EventLoopTest, Current_IsTheLoopThatTheThreadRuns) {
  EXPECT_EQ(EventLoop::Current(), nullptr);
  const auto seen = std::make_shared<std::promise<const EventLoop*>>();
  own_.Post([seen] { seen->set_value(EventLoop::Current()); });
  EXPECT_EQ(seen->get_future().get(), &own_);
  const EventLoop* inside = nullptr;
  hosted_.Post([&] { inside = EventLoop::Current(); });
  hosted_.RunReady(seconds(5));
  EXPECT_EQ(inside, &hosted_);
  EXPECT_EQ(EventLoop::Current(), nullptr);
  EXPECT_FALSE(own_.InThisExecutor());
  EXPECT_TRUE(hosted_.InThisExecutor());
}

TEST_F(EventLoopTest, EndOfALoop_DestroysItsTimers) {
  const auto owned = std::make_shared<int>(1);
  Timer timer;
  {
    EventLoop loop({.host_driven = true}, log_, metrics_);
    timer = loop.RunAt(Now() + hours(1), [owned] {});
    loop.Post([owned] {});
    EXPECT_EQ(owned.use_count(), 3);
  }
  EXPECT_EQ(owned.use_count(), 1);
}

}  // namespace
}  // namespace kinformer::internal::base

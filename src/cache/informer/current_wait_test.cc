// WaitUntilCurrent of informers, with a watch that is late.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <stop_token>
#include <string>

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

class CurrentWaitTest : public InformerTest {
 protected:
  // Waits on a simulated thread. Returns empty if the wait has not ended by `limit`.
  std::optional<Result<void>> Wait(const SharedInformer<Pod>& informer,
                                   std::optional<Duration> timeout = {},
                                   Duration limit = minutes(30)) {
    std::optional<Result<void>> result;
    static_cast<void>(
        sim_.RunBlocking([&] { result = informer.WaitUntilCurrent({}, timeout); }, limit));
    return result;
  }
};

TEST_F(CurrentWaitTest, WatchThatIsNotLate_ReturnsAtOnce) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  const SteadyTime before = sim_.env().Now();
  const auto current = Wait(informer);
  ASSERT_TRUE(current.has_value() && current->ok());
  EXPECT_LE(sim_.env().Now() - before, seconds(1));
}

TEST_F(CurrentWaitTest, InformerThatDoesNotRun_IsAnErrorThatSaysWhatToDo) {
  SharedInformer<Pod> informer = Make();
  const auto early = Wait(informer);
  ASSERT_TRUE(early.has_value() && !early->ok());
  EXPECT_EQ(early->error().reason(), Reason::kNotSynced);
  EXPECT_THAT(early->error().message(), HasSubstr("call Start"));
  informer.Start();
  Settle();
  informer.Stop();
  const auto late = Wait(informer);
  ASSERT_TRUE(late.has_value() && !late->ok());
  EXPECT_EQ(late->error().reason(), Reason::kStopped);
}

TEST_F(CurrentWaitTest, StopOfTheWait_EndsIt) {
  server_.never_ends_initial_events = true;
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  std::stop_source stop;
  stop.request_stop();
  std::optional<Result<void>> result;
  ASSERT_TRUE(
      sim_.RunBlocking([&] { result = informer.WaitUntilCurrent(stop.get_token()); }, minutes(1)));
  EXPECT_EQ(result->error().reason(), Reason::kCanceled);
  const auto timed = Wait(informer, seconds(5));
  ASSERT_TRUE(timed.has_value() && !timed->ok());
  EXPECT_EQ(timed->error().reason(), Reason::kDeadlineExceeded);
}

TEST_F(CurrentWaitTest, OnTheLoop_IsAnErrorInPlaceOfADeadlock) {
  SharedInformer<Pod> informer = Make();
  informer.Start();
  Settle();
  Reason reason{};
  sim_.env().loop().Post([&] { reason = informer.WaitUntilCurrent().error().reason(); });
  Settle();
  EXPECT_EQ(reason, Reason::kWouldDeadlock);
}

}  // namespace
}  // namespace kinformer

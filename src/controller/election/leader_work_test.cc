// LeaderWork and LeaderNews: threads of the callbacks of an election.

#include "controller/election/leader_work.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/until.h"

#include "controller/election/leader_news.h"

namespace kinformer::internal::election {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;

class LeaderWorkTest : public ::testing::Test {
 protected:
  LeaderWorkTest() {
    work_ = std::make_unique<LeaderWork>(sim_.env(), [this](const std::stop_token& stop) {
      ++begun_;
      SleepUnlessStopped(sim_.env(), stop, seconds(5));
      if (!stop.stop_requested()) return;
      sim_.env().SleepFor(seconds(1));
      ++stopped_;
    });
  }
  // Runs a blocking body, and returns how long it took.
  Duration Took(Closure body) {
    const SteadyTime before = sim_.env().Now();
    EXPECT_TRUE(sim_.RunBlocking(std::move(body), hours(1)));
    return sim_.env().Now() - before;
  }

  Simulation sim_;
  int begun_ = 0;
  int stopped_ = 0;
  std::unique_ptr<LeaderWork> work_;
};

TEST_F(LeaderWorkTest, WaitUntil_EndsWithTheWorkOrAtItsTime) {
  EXPECT_TRUE(work_->Ended()) << "not begun";
  work_->Start();
  sim_.RunReady();
  EXPECT_EQ(begun_, 1);
  EXPECT_FALSE(work_->Ended());
  bool ended = true;
  EXPECT_EQ(Took([&] { ended = work_->WaitUntil(sim_.env().Now() + seconds(2)); }), seconds(2));
  EXPECT_FALSE(ended);
  EXPECT_EQ(Took([&] { ended = work_->WaitUntil(sim_.env().Now() + seconds(20)); }), seconds(3));
  EXPECT_TRUE(ended);
  EXPECT_TRUE(work_->Ended());
  EXPECT_EQ(stopped_, 0) << "nobody has stopped it";
}

TEST_F(LeaderWorkTest, Join_StopsTheWorkAndWaits_StartBeginsAnew) {
  EXPECT_EQ(Took([&] { work_->Join(); }), seconds(0)) << "there is no work";
  work_->Start();
  sim_.RunReady();
  EXPECT_EQ(Took([&] { work_->Join(); }), seconds(1));
  EXPECT_EQ(stopped_, 1);
  EXPECT_EQ(Took([&] { work_->Join(); }), seconds(0));
  work_->Start();
  sim_.RunFor(seconds(3));
  EXPECT_EQ(begun_, 2);
  EXPECT_FALSE(work_->Ended()) << "its token is a new one";
  EXPECT_EQ(Took([&] { work_.reset(); }), seconds(1)) << "the destructor stops it, too";
  EXPECT_EQ(stopped_, 2);
}

TEST(LeaderNewsTest, EachChange_IsReportedOnceAndAtOnce) {
  Simulation sim;
  std::vector<std::string> told;
  const std::function<void(const std::string&)> tell = [&](const std::string& leader) {
    told.push_back(leader);
    sim.env().SleepFor(seconds(1));
  };
  auto news = std::make_unique<LeaderNews>(sim.env(), tell);
  news->Report("");
  sim.RunFor(seconds(1));
  EXPECT_TRUE(told.empty()) << "nobody leads at first";
  news->Report("a");
  news->Report("a");
  sim.RunReady();
  EXPECT_THAT(told, ElementsAre("a"));
  news->Report("b");
  news->Report("a");
  news->Report("");
  EXPECT_TRUE(sim.RunBlocking([&] { news.reset(); }, minutes(1)));
  EXPECT_THAT(told, ElementsAre("a", "b", "a", "")) << "the destructor waits for all of them";
}

}  // namespace
}  // namespace kinformer::internal::election

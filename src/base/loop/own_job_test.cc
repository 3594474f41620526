#include "base/loop/own_job.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "kinformer/base/env.h"
#include "kinformer/base/simulation.h"

#include "base/loop/own_work.h"
#include "base/loop/testing/unserved_executor.h"

namespace kinformer::internal::base {
namespace {

using std::chrono::seconds;

class OwnJobTest : public ::testing::Test {
 protected:
  // Starts a job that blocks for a second and then notes `name` on the loop.
  OwnJob Start(const std::string& name) {
    OwnJob job;
    bool started = false;
    env_.loop().Post([&] {
      started = true;
      job = OwnJob::Start(env_, [this, name](Env& home, const std::stop_token& stop) -> Closure {
        begun_ += name;
        home.SleepFor(seconds(1));
        if (stop.stop_requested()) stopped_ += name;
        return [this, name] {
          EXPECT_TRUE(env_.loop().InThisExecutor());
          ended_ += name;
        };
      });
    });
    while (!started && sim_.Step()) {
    }
    EXPECT_TRUE(started);
    return job;
  }

  Simulation sim_;
  Env& env_ = sim_.env();
  std::string begun_;
  std::string stopped_;
  std::string ended_;
};

TEST_F(OwnJobTest, Work_RunsOnOwnThreadsAndContinuesOnTheLoop) {
  bool own = false;
  bool same = false;
  OwnJob job = OwnJob::Start(env_, [&](Env& home, const std::stop_token& stop) -> Closure {
    own = OwnWorkOf(env_).threads.InThisExecutor() && !env_.pool().InThisExecutor();
    same = &home == &env_;
    EXPECT_FALSE(stop.stop_requested());
    return [this] { ended_ = env_.loop().InThisExecutor() ? "on the loop" : "elsewhere"; };
  });
  EXPECT_FALSE(own) << "not at once";
  sim_.RunReady();
  EXPECT_TRUE(own);
  EXPECT_TRUE(same);
  EXPECT_EQ(ended_, "on the loop");
  job.GiveUp();
  job.GiveUp();
}

TEST_F(OwnJobTest, GivenUpBeforeItBegins_IsToldToStop) {
  {
    const OwnJob job = Start("a");
    EXPECT_EQ(begun_, "");
  }
  sim_.RunFor(seconds(5));
  EXPECT_EQ(begun_, "a");
  EXPECT_EQ(stopped_, "a");
  EXPECT_EQ(ended_, "");
}

TEST_F(OwnJobTest, GivenUpWhileItRuns_DoesNotContinue) {
  OwnJob job = Start("a");
  sim_.RunReady();
  EXPECT_EQ(begun_, "a");
  job.GiveUp();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(stopped_, "a");
  EXPECT_EQ(ended_, "");
}

// The work has ended and its continuation waits behind the task that gives up.
TEST_F(OwnJobTest, GivenUpBeforeItsContinuation_DoesNotContinue) {
  const auto owned = std::make_shared<int>(1);
  bool worked = false;
  OwnJob job = OwnJob::Start(env_, [&, owned](Env&, const std::stop_token&) -> Closure {
    worked = true;
    return [this, owned] { ended_ = "ended"; };
  });
  ASSERT_TRUE(sim_.RunUntil([&] { return worked; }, seconds(1)));
  job.GiveUp();
  sim_.RunReady();
  EXPECT_EQ(ended_, "");
  EXPECT_EQ(owned.use_count(), 1) << "the work and its continuation are destroyed";
}

TEST_F(OwnJobTest, AssignedJob_GivesUpThePreviousOne) {
  OwnJob job = Start("a");
  OwnJob next = Start("b");
  job = std::move(next);
  next.GiveUp();  // has none
  sim_.RunFor(seconds(5));
  EXPECT_EQ(stopped_, "a");
  EXPECT_EQ(ended_, "b");
  OwnJob third = Start("c");
  third = OwnJob();
  sim_.RunFor(seconds(5));
  EXPECT_EQ(stopped_, "ac");
  EXPECT_EQ(ended_, "b");
}

TEST_F(OwnJobTest, MovedJob_IsTheSame) {
  OwnJob job = Start("a");
  {
    OwnJob moved = std::move(job);
    sim_.RunFor(seconds(5));
    EXPECT_EQ(ended_, "a");
  }
  EXPECT_EQ(stopped_, "");
}

// ---- where own work runs

TEST_F(OwnJobTest, OwnWork_IsThatOfTheLoopsOwner) {
  UnservedExecutor loop;
  UnservedExecutor pool;
  EnvWithExecutors alien(env_, loop, pool);
  const OwnWork none = OwnWorkOf(alien);
  EXPECT_EQ(&none.env, &alien);
  EXPECT_EQ(&none.threads, &pool);
  EXPECT_FALSE(none.ends.stop_possible());

  UnservedExecutor threads;
  LoopWithOwnWork with(env_, threads);
  EnvWithExecutors other(env_, with, pool);
  EXPECT_EQ(&OwnWorkOf(other).env, &env_);
  EXPECT_EQ(&OwnWorkOf(other).threads, &threads);

  EnvWithExecutors forwards(env_, env_.loop(), pool);
  EXPECT_EQ(&OwnWorkOf(forwards).env, &env_);
  EXPECT_EQ(&OwnWorkOf(forwards).threads, &OwnWorkOf(env_).threads);
}

}  // namespace
}  // namespace kinformer::internal::base

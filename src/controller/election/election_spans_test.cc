// The spans of an election: tries to acquire, renewals, the release, and the links between them.

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/base/until.h"
#include "kinformer/leaderelection/leader_elector.h"

#include "base/core/testing/recorded_spans.h"
#include "controller/election/testing/fake_lock.h"

namespace kinformer {
namespace {

using internal::base::RecordedSpan;
using internal::base::RecordedSpans;
using std::chrono::seconds;
using ::testing::Each;
using ::testing::ElementsAre;
using testing::FakeLease;
using testing::FakeLock;
using ::testing::Field;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ElectionSpansTest : public ::testing::Test {
 protected:
  // Runs a candidate for a while.
  void Run(Duration duration, std::function<Result<void>(const std::string&)> fault = {}) {
    auto lock = std::make_unique<FakeLock>(lease_, "a");
    lock->fault = [&, fault = std::move(fault)](const std::string& verb, const CallOptions&) {
      traceparents_.push_back(SpanScope::Traceparent());
      return fault ? fault(verb) : Result<void>();
    };
    LeaderElectionConfig config{.release_on_cancel = true, .name = "scene"};
    config.callbacks.on_started_leading = [&](const std::stop_token& stop) {
      while (SleepUnlessStopped(sim_.env(), stop, seconds(60))) {
      }
    };
    config.callbacks.on_stopped_leading = [] {};
    const std::unique_ptr<LeaderElector> elector =
        LeaderElector::New(sim_.env(), std::move(lock), std::move(config)).OrExit();
    std::stop_source stop;
    const std::unique_ptr<Thread> thread =
        sim_.env().NewThread("candidate", [&] { elector->Run(stop.get_token()); });
    sim_.RunFor(duration);
    stop.request_stop();
    thread->Join();
  }

  const std::shared_ptr<RecordedSpans> spans_ = std::make_shared<RecordedSpans>();
  Simulation sim_{{.tracer = spans_}};
  FakeLease lease_;
  std::vector<std::string> traceparents_;  // the current span of each request
};

TEST_F(ElectionSpansTest, Term_IsAcquiredRenewedAndReleased) {
  Run(seconds(10));
  const std::vector<RecordedSpan> acquired = spans_->Named("election acquire");
  const std::vector<RecordedSpan> renewed = spans_->Named("election renew");
  const std::vector<RecordedSpan> released = spans_->Named("election release");
  ASSERT_THAT(acquired, SizeIs(1));
  ASSERT_GE(renewed.size(), 3U);
  ASSERT_THAT(released, SizeIs(1));
  EXPECT_EQ(acquired[0].attributes.at("kinformer.lease"), "scene");
  EXPECT_EQ(acquired[0].attributes.at("kinformer.identity"), "a");
  EXPECT_EQ(acquired[0].attributes.at("kinformer.leader"), "a");
  EXPECT_EQ(acquired[0].attributes.at("kinformer.leads"), "true");
  EXPECT_THAT(renewed, Each(Field(&RecordedSpan::links, ElementsAre(acquired[0].id))));
  EXPECT_THAT(released[0].links, ElementsAre(acquired[0].id));
  for (const RecordedSpan& span : spans_->All()) {
    EXPECT_TRUE(span.ended.has_value()) << span.name;
    EXPECT_FALSE(span.error.has_value()) << span.name;
  }
  EXPECT_EQ(traceparents_.front(), acquired[0].context.Traceparent());
  EXPECT_EQ(traceparents_.back(), released[0].context.Traceparent());
}

TEST_F(ElectionSpansTest, AnotherLeader_IsNoError) {
  LeaderElectionRecord other;
  other.holderIdentity = "b";
  other.leaseDurationSeconds = 1000;
  lease_.Put(other);
  Run(seconds(5));
  const std::vector<RecordedSpan> tries = spans_->Named("election acquire");
  ASSERT_FALSE(tries.empty());
  EXPECT_FALSE(tries[0].error.has_value());
  EXPECT_EQ(tries[0].attributes.at("kinformer.leads"), "false");
  EXPECT_EQ(tries[0].attributes.at("kinformer.leader"), "b");
  EXPECT_THAT(spans_->Named("election renew"), IsEmpty());
}

TEST_F(ElectionSpansTest, FailedTry_SaysWhy) {
  Run(seconds(1), [](const std::string&) -> Result<void> {
    return Error(Reason::kForbidden, "no rights").WithHttpStatus(403);
  });
  EXPECT_EQ(spans_->Named("election acquire").at(0).error, "no rights");
}

}  // namespace
}  // namespace kinformer

// Requests that wait, as a controller tells people who ask why nothing happens.

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/task.h"
#include "kinformer/base/until.h"
#include "kinformer/controller/event_channel.h"
#include "kinformer/controller/handler.h"
#include "kinformer/internal/waiting_request.h"

#include "base/loop/parked_waits.h"
#include "base/loop/signal.h"
#include "controller/causes/causes_of.h"
#include "controller/causes/reconcile_history.h"
#include "controller/reconcile/controller_fixture_for_test.h"
#include "controller/reconcile/watched_pods_for_test.h"

namespace kinformer {
namespace {

using internal::WaitingAnswer;
using internal::WaitingRequest;
using internal::base::Signal;
using State = internal::WaitingRequest::State;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Task<Result<void>> Until(std::shared_ptr<Signal> signal) {
  co_await signal->Wait();
  co_return Result<void>();
}

class WaitingRequestsTest : public ControllerTest {
 protected:
  WaitingAnswer Ask(const std::string& key, bool own = true) {
    return controller_->History()->Waiting(key, own,
                                           [](const KindInfo& kind) { return kind.kind == "Pod"; });
  }
  // Returns the answer for a request that must wait.
  WaitingRequest Only(const std::string& key) {
    WaitingAnswer answer = Ask(key);
    EXPECT_THAT(answer.requests, SizeIs(1)) << key;
    return answer.requests.empty() ? WaitingRequest() : std::move(answer.requests.front());
  }
  static std::string CausesOf(const WaitingRequest& one) {
    const Error* const error = one.last_error ? &*one.last_error : nullptr;
    return internal::CausesOf(one.causes,
                              {.key = one.key, .attempts = one.attempts, .last_error = error})
        .ToString();
  }
};

TEST_F(WaitingRequestsTest, BusyWorker_OtherRequestsAreInLine) {
  reconcile_ = [](const ReconcileContext& context, const Request&) {
    static_cast<void>(SleepUnlessStopped(context.env(), context.stop(), seconds(10)));
    return ReconcileResult{};
  };
  Make();
  Start();
  Add(kA);
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Ask("default/a").requests, IsEmpty()) << "it runs";
  Add(kB);
  Add(kA);
  sim_.RunFor(seconds(1));
  const WaitingRequest b = Only("default/b");
  EXPECT_EQ(b.state, State::kInLine);
  EXPECT_EQ(b.key, "default/b");
  EXPECT_EQ(CausesOf(b), "source");
  EXPECT_EQ(Only("default/a").state, State::kRunning);
  EXPECT_EQ(Ask("default/a").held_back, "");
  EXPECT_THAT(Ask("default/c").requests, IsEmpty());
  EXPECT_THAT(Ask("default/a", /*own=*/false).requests, IsEmpty()) << "another kind has that name";
  sim_.RunFor(minutes(1));
  EXPECT_THAT(Ask("default/a").requests, IsEmpty());
}

TEST_F(WaitingRequestsTest, FailedRequest_IsDelayedAndTellsTheError) {
  reconcile_ = [](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    return Error(Reason::kForbidden, "no");
  };
  Make();
  Start();
  Add(kA);
  sim_.RunFor(seconds(1));
  const WaitingRequest a = Only("default/a");
  EXPECT_EQ(a.state, State::kDelayed);
  EXPECT_GT(a.ready_at, env().Now());
  EXPECT_GT(a.attempts, 1);
  EXPECT_FALSE(a.paced);
  ASSERT_TRUE(a.last_error);
  EXPECT_THAT(a.last_error->ToString(), HasSubstr("no"));
  EXPECT_THAT(CausesOf(a), HasSubstr("retry"));
}

TEST_F(WaitingRequestsTest, RequestWithAPace_IsDelayedByThat) {
  Make({.min_interval = minutes(1)});
  Start();
  Add(kA);
  sim_.RunFor(seconds(1));
  Add(kA);
  sim_.RunFor(seconds(1));
  const WaitingRequest a = Only("default/a");
  EXPECT_EQ(a.state, State::kDelayed);
  EXPECT_TRUE(a.paced);
  EXPECT_EQ(a.attempts, 0);
}

TEST_F(WaitingRequestsTest, PutAside_IsParkedUntilItsWriteIsSeen) {
  const auto seen = std::make_shared<Signal>();
  int calls = 0;
  reconcile_ = [&](const ReconcileContext&, const Request&) -> Result<ReconcileResult> {
    if (++calls > 1) return ReconcileResult{};
    internal::base::ParkedWaits::Current()->Add([seen] { return Until(seen); });
    return Error(Reason::kStale, "not seen yet");
  };
  Make();
  Start();
  Add(kA);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(Only("default/a").state, State::kParked);
  seen->Notify();
  sim_.RunFor(seconds(1));
  EXPECT_THAT(Ask("default/a").requests, IsEmpty());
  EXPECT_EQ(calls, 2);
}

TEST_F(WaitingRequestsTest, NoWorkerHasBegun_SaysSo) {
  source_->syncs_at = env().Now() + minutes(1);
  Make();
  Start();
  Add(kA);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(Only("default/a").state, State::kInLine);
  EXPECT_THAT(Ask("default/a").held_back, HasSubstr("its workers have not begun"));
  sim_.RunFor(minutes(2));
  EXPECT_EQ(Ask("default/a").held_back, "");
}

TEST_F(WaitingRequestsTest, EventOfAnotherObject_TellsWhomItHasWoken) {
  const Ref<corev1::Pod> pod =
      PodWith(R"("namespace":"default","name":"child","resourceVersion":"12")");
  const EventChannel<corev1::Pod> channel(env());
  source_->syncs_at = env().Now() + minutes(1);
  Make();
  ASSERT_TRUE(controller_
                  ->Watch(source::Channel<corev1::Pod>(
                      channel,
                      handler::EnqueueRequestsFromMapFunc<corev1::Pod>(
                          [](const corev1::Pod& /*pod*/) -> std::vector<Request> { return {kA}; })))
                  .ok());
  Start();
  Add(kB);
  ASSERT_TRUE(channel.Send(pod).ok());
  sim_.RunFor(seconds(1));
  const WaitingRequest a = Only("default/child");
  EXPECT_EQ(a.key, "default/a");
  EXPECT_EQ(CausesOf(a), "channel Pod default/child 12");
}

TEST_F(WaitingRequestsTest, ControllerThatHasEnded_IsNotAsked) {
  Make();
  Start();
  const std::shared_ptr<const internal::ReconcileHistory> history = controller_->History();
  Add(kA);
  StopController();
  controller_.reset();
  const WaitingAnswer answer =
      history->Waiting("default/a", true, [](const KindInfo&) { return true; });
  EXPECT_THAT(answer.requests, IsEmpty());
}

}  // namespace
}  // namespace kinformer

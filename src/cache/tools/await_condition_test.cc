#include "kinformer/cache/await_condition.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
namespace conditions = wait::conditions;

wait::ObjectCondition ValueIs(const std::string& value) {
  return conditions::Field("/spec/nodeName", value);
}

class AwaitConditionTest : public InformerTest {
 protected:
  AwaitConditionTest() : pods_(Make()) { server_.Put("a", "1"); }

  void In(Duration delay, std::function<void()> action) {
    timers_.push_back(sim_.env().loop().RunAt(sim_.env().Now() + delay, std::move(action)));
  }
  Result<Ref<Pod>> Wait(const wait::ObjectCondition& condition, const CallOptions& call = {},
                        const std::string& name = "a") {
    std::optional<Result<Ref<Pod>>> ended;
    EXPECT_TRUE(sim_.RunBlocking(
        [&] { ended.emplace(AwaitCondition(pods_, ObjectName{"default", name}, condition, call)); },
        std::chrono::hours(1)));
    took_ = sim_.env().Now() - begun_;
    return *ended;
  }
  void Start() {
    pods_.Start();
    Settle();
    begun_ = sim_.env().Now();
  }

  SharedInformer<Pod> pods_;
  std::vector<Timer> timers_;
  SteadyTime begun_{};
  Duration took_{};
};

TEST_F(AwaitConditionTest, StateOfNow_EndsTheWaitAtOnce) {
  Start();
  const Ref<Pod> pod = Wait(ValueIs("1")).OrExit();
  EXPECT_EQ(pod->value(), "1");
  EXPECT_EQ(took_, Duration(0));
}

TEST_F(AwaitConditionTest, EachStateIsCheckedInOrder) {
  Start();
  In(seconds(1), [&] {
    for (const char* value : {"2", "3", "4"}) server_.Put("a", value);
  });
  const Ref<Pod> pod = Wait(ValueIs("3")).OrExit();
  EXPECT_EQ(pod->value(), "3") << "a state that has passed";
  EXPECT_EQ(took_, seconds(1));
}

TEST_F(AwaitConditionTest, OtherObjects_DoNotCount) {
  Start();
  In(seconds(1), [&] { server_.Put("b", "2"); });
  In(seconds(2), [&] { server_.Put("a", "2"); });
  const Ref<Pod> pod = Wait(ValueIs("2")).OrExit();
  EXPECT_EQ(pod->name(), "a");
  EXPECT_EQ(took_, seconds(2));
}

TEST_F(AwaitConditionTest, DeletionAndCreation) {
  Start();
  In(seconds(1), [&] { server_.Delete("a"); });
  EXPECT_FALSE(Wait(conditions::Deleted()).OrExit()) << "there is no object then";
  EXPECT_FALSE(Wait(conditions::Deleted()).OrExit()) << "it is gone already";
  In(seconds(1), [&] { server_.Put("a", "5"); });
  const Ref<Pod> pod = Wait(conditions::Exists()).OrExit();
  EXPECT_EQ(pod->value(), "5");
}

TEST_F(AwaitConditionTest, ObjectThatIsDeletedAndCreatedAgainWhileCutOff_IsAnotherOne) {
  Start();
  In(seconds(1), [&] {
    server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
    server_.Delete("a");
    server_.Put("a", "1", "uid-2");
    server_.Forget();
  });
  In(seconds(20), [&] { server_.down.reset(); });
  ASSERT_TRUE(Wait(conditions::Deleted("uid-a")).ok());
  EXPECT_GE(took_, seconds(20));
}

TEST_F(AwaitConditionTest, WaitGoesOnAfterCutsAndAfter410_WithoutPolling) {
  Start();
  In(seconds(10), [&] { server_.BreakWatches(); });
  In(seconds(20), [&] {
    server_.Put("b", "1");
    server_.Forget();
    server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  });
  In(minutes(30), [&] { server_.Put("a", "2"); });
  const Ref<Pod> pod = Wait(ValueIs("2")).OrExit();
  EXPECT_EQ(pod->value(), "2");
  EXPECT_EQ(took_, minutes(30));
  EXPECT_LT(server_.requests.size(), 20U) << "watches that end regularly, and two cuts";
}

TEST_F(AwaitConditionTest, Deadline_SaysWhatWasAwaitedAndSeen) {
  Start();
  const Error late = Wait(ValueIs("2"), {.timeout = seconds(30)}).error();
  EXPECT_EQ(late.reason(), Reason::kDeadlineExceeded);
  EXPECT_THAT(late.message(), HasSubstr("timed out waiting for /spec/nodeName=\"2\" of default/a"));
  EXPECT_THAT(late.message(), HasSubstr("its last state is that of resourceVersion 1"));
  EXPECT_EQ(took_, seconds(30));
  EXPECT_THAT(Wait(ValueIs("2"), {.timeout = seconds(1)}, "c").error().message(),
              HasSubstr("it does not exist"));
}

TEST_F(AwaitConditionTest, StopRequestAndEndOfTheInformer_EndTheWait) {
  Start();
  std::stop_source stop;
  In(seconds(5), [&] { stop.request_stop(); });
  EXPECT_EQ(Wait(ValueIs("2"), {.stop = stop.get_token()}).error().reason(), Reason::kCanceled);
  EXPECT_EQ(took_, seconds(5));
  In(seconds(5), [&] { pods_.Stop(); });
  EXPECT_EQ(Wait(ValueIs("2")).error().reason(), Reason::kStopped);
}

TEST_F(AwaitConditionTest, InformerThatWasNotStarted_IsAnError) {
  EXPECT_EQ(Wait(ValueIs("1")).error().reason(), Reason::kNotSynced);
}

TEST_F(AwaitConditionTest, InformerThatHasNotSynced_IsWaitedFor) {
  server_.down = Error(Reason::kForbidden, "no").WithHttpStatus(403);
  Start();
  EXPECT_EQ(Wait(ValueIs("1"), {.timeout = seconds(5)}).error().reason(),
            Reason::kDeadlineExceeded);
  In(seconds(1), [&] { server_.down.reset(); });
  EXPECT_TRUE(Wait(ValueIs("1"))) << "the right was granted";
}

TEST_F(AwaitConditionTest, ErrorOfTheCondition_EndsTheWait) {
  Start();
  const wait::ObjectCondition broken("the impossible", [](const wait::ObservedObject& pod) {
    if (pod.json().At("/spec/nodeName") == "1") return Result<bool>(false);
    return Result<bool>(Error(Reason::kConflict, "bad value"));
  });
  In(seconds(1), [&] { server_.Put("a", "2"); });
  const Error error = Wait(broken).error();
  EXPECT_EQ(error.reason(), Reason::kConflict);
  EXPECT_EQ(error.message(), "bad value") << "as it is";
}

TEST_F(AwaitConditionTest, ExceptionOfTheCondition_PassesThrough_AndItsHandlerIsRemoved) {
  Start();
  const auto throwing =
      conditions::Where<Pod>([](const Pod&) -> bool { throw std::runtime_error("mine"); });
  bool caught = false;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        try {
          static_cast<void>(AwaitCondition(pods_, ObjectName{"default", "a"}, throwing));
        } catch (const std::runtime_error&) {
          caught = true;
        }
      },
      minutes(1)));
  EXPECT_TRUE(caught);
  EXPECT_EQ(pods_.Stats().handlers, 0U);
}

TEST_F(AwaitConditionTest, BlockingOnTheLoop_IsRefused_AndTheCallIsNot) {
  Start();
  Reason reason{};
  std::string value;
  In(seconds(1), [&] {
    reason = AwaitCondition(pods_, ObjectName{"default", "a"}, ValueIs("2")).error().reason();
    AsyncAwaitCondition(pods_, ObjectName{"default", "a"}, ValueIs("2"))
        .WithTimeout(seconds(10))
        .Start([&](const Result<Ref<Pod>>& pod) {
          value = pod ? (*pod)->value() : pod.error().ToString();
        });
  });
  In(seconds(3), [&] { server_.Put("a", "2"); });
  sim_.RunFor(seconds(4));
  EXPECT_EQ(reason, Reason::kWouldDeadlock);
  EXPECT_EQ(value, "2");
}

Task<Result<std::string>> Both(SharedInformer<Pod> pods) {
  const ObjectName name{"default", "a"};
  const wait::ObjectCondition two = ValueIs("2");
  Result<Ref<Pod>> changed = co_await AsyncAwaitCondition(pods, name, two).WithTimeout(seconds(9));
  if (!changed) co_return changed.error();
  const wait::ObjectCondition gone = conditions::Deleted((*changed)->uid());
  Result<Ref<Pod>> deleted = co_await AsyncAwaitCondition(pods, name, gone).WithTimeout(seconds(9));
  if (!deleted) co_return deleted.error();
  co_return (*changed)->value() + (*deleted ? " there" : " gone");
}

TEST_F(AwaitConditionTest, CoroutinesAwaitOneStateAfterTheOther) {
  Start();
  In(seconds(2), [&] { server_.Put("a", "2"); });
  In(seconds(4), [&] { server_.Delete("a"); });
  std::string seen;
  Spawn<Result<std::string>>(
      sim_.env(), sim_.env().loop(), Both(pods_),
      [&](const Result<std::string>& both) { seen = both ? *both : both.error().ToString(); });
  sim_.RunFor(seconds(5));
  EXPECT_EQ(seen, "2 gone");
}

}  // namespace
}  // namespace kinformer

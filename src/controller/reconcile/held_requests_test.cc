// Requests that a fight holds up.

#include "kinformer/internal/held_requests.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/internal/block_builder.h"

#include "controller/reconcile/controller_fixture_for_test.h"

namespace kinformer {
namespace {

using internal::BuildFromJson;
using internal::HandledEvent;
using internal::ObjectRef;
using std::chrono::seconds;

class HeldRequestsTest : public ::testing::Test {
 protected:
  template <class Kind = corev1::Pod>
  static ObjectRef Object(const std::string& name, const std::string& uid) {
    return BuildFromJson(Kind::kind_info(), R"({"metadata":{"namespace":"default","name":")" +
                                                name + R"(","uid":")" + uid + "\"}}")
        .OrExit();
  }
  void HoldA(Duration length) {
    held_.Hold(kA, {{.until = sim_.env().Now() + length,
                     .kind = &corev1::Pod::kind_info(),
                     .object = {"default", "web"},
                     .uid = "u1"}});
  }
  void Comes(CauseType type, const ObjectRef& object) {
    const HandledEvent event(type, type == CauseType::kUpdated ? object.get() : nullptr,
                             object.get());
    held_.Event(kA);
  }
  Duration Wait() const { return held_.WaitOf(kA); }

  Simulation sim_;
  internal::HeldRequests<Request> held_{sim_.env()};
};

TEST_F(HeldRequestsTest, HeldRequest_WaitsUntilTheEnd_AndOthersDoNot) {
  HoldA(seconds(10));
  sim_.RunFor(seconds(4));
  EXPECT_EQ(Wait(), Duration(seconds(6)));
  EXPECT_EQ(held_.WaitOf(kB), Duration(0));
  sim_.RunFor(seconds(6));
  EXPECT_EQ(Wait(), Duration(0));
}

TEST_F(HeldRequestsTest, ReconcileThatLeavesNone_EndsIt) {
  HoldA(seconds(10));
  held_.Hold(kA, {});
  EXPECT_EQ(Wait(), Duration(0));
}

TEST_F(HeldRequestsTest, EventsOfTheSameObject_ChangeNothing) {
  HoldA(seconds(10));
  Comes(CauseType::kUpdated, Object("web", "u1"));
  Comes(CauseType::kResync, Object("web", "u1"));
  EXPECT_EQ(Wait(), Duration(seconds(10)));
}

TEST_F(HeldRequestsTest, EventsOfOtherObjects_ChangeNothing) {
  HoldA(seconds(10));
  Comes(CauseType::kDeleted, Object("other", "u1"));
  Comes(CauseType::kAdded, Object<corev1::ConfigMap>("web", "u2"));
  held_.Event(kA);  // of no object
  EXPECT_EQ(Wait(), Duration(seconds(10)));
}

TEST_F(HeldRequestsTest, ItsDeletion_EndsIt) {
  HoldA(seconds(10));
  Comes(CauseType::kDeleted, Object("web", "u0"));
  EXPECT_EQ(Wait(), Duration(seconds(10))) << "that was the one before";
  Comes(CauseType::kDeleted, Object("web", "u1"));
  EXPECT_EQ(Wait(), Duration(0));
}

TEST_F(HeldRequestsTest, AnotherOneOfItsName_EndsIt) {
  for (const CauseType type : {CauseType::kAdded, CauseType::kUpdated, CauseType::kInitialList}) {
    HoldA(seconds(10));
    Comes(type, Object("web", "u2"));
    EXPECT_EQ(Wait(), Duration(0));
  }
}

TEST_F(HeldRequestsTest, TwoObjects_TheOneThatIsLeftHolds) {
  const SteadyTime until = sim_.env().Now() + seconds(10);
  const KindInfo& pod = corev1::Pod::kind_info();
  held_.Hold(kA, {{until, &pod, {"default", "web"}, "u1"}, {until, &pod, {"default", "b"}, "u9"}});
  Comes(CauseType::kDeleted, Object("web", "u1"));
  EXPECT_EQ(Wait(), Duration(seconds(10)));
  Comes(CauseType::kDeleted, Object("b", "u9"));
  EXPECT_EQ(Wait(), Duration(0));
}

class FightOptionsTest : public ControllerTest {};

TEST_F(FightOptionsTest, UselessOnes_AreRefused) {
  const auto error_of = [&](FightOptions fights) {
    const auto controller =
        Controller::New(env(), ReconcilerOf<Request>([](const ReconcileContext&, const Request&) {
                          return Result<ReconcileResult>(ReconcileResult{});
                        }),
                        {.name = "pods", .fights = fights});
    return controller ? std::string() : controller.error().message();
  };
  EXPECT_EQ(error_of({.rounds = 1}), "controller pods: FightOptions::rounds must be at least 2");
  EXPECT_EQ(error_of({.answer_within = seconds(0)}),
            "controller pods: FightOptions::answer_within must be above zero");
  EXPECT_EQ(error_of({.interval = seconds(-1)}),
            "controller pods: FightOptions::interval must not be below zero");
  EXPECT_EQ(error_of({.interval = seconds(10), .rest = seconds(10)}),
            "controller pods: FightOptions::rest must be longer than interval");
  EXPECT_EQ(error_of({.interval = seconds(0)}), "");
}

TEST_F(FightOptionsTest, Metrics_AreThereFromTheBeginning_UnlessSwitchedOff) {
  Make();
  EXPECT_EQ(Metric("kinformer_fights_found_total{controller=\"pods\"}"),
            "kinformer_fights_found_total{controller=\"pods\"} 0");
  EXPECT_NE(controller_->Fights(), nullptr);
  Make({.name = "quiet", .fights = FightOptions{.enabled = false}});
  EXPECT_EQ(Metric("kinformer_fights_found_total{controller=\"quiet\"}"), "");
  EXPECT_EQ(controller_->Fights(), nullptr);
}

}  // namespace
}  // namespace kinformer

#include "controller/manager/why_handler.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/appsv1.h"
#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/cause_note.h"
#include "kinformer/internal/waiting_request.h"
#include "kinformer/json/json.h"

namespace kinformer::internal {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

TEST(NamesKindTest, KindsAndResourcesInAnyCase_WithTheGroupOrWithout) {
  const KindInfo& deployment = appsv1::Deployment::kind_info();
  for (const char* const name :
       {"Deployment", "deployment", "deployments", "Deployments.apps", "deployment.APPS"}) {
    EXPECT_TRUE(NamesKind(name, deployment)) << name;
  }
  for (const char* const name : {"Deploymen", "deployments.", "deployments.batch", "", "Pod"}) {
    EXPECT_FALSE(NamesKind(name, deployment)) << name;
  }
  EXPECT_TRUE(NamesKind("pods", corev1::Pod::kind_info()));
  EXPECT_FALSE(NamesKind("pods.", corev1::Pod::kind_info()));
}

class WhyTest : public ::testing::Test {
 protected:
  static ObjectRef Pod(const std::string& version, const std::string& node) {
    return BuildFromJson(corev1::Pod::kind_info(),
                         R"({"metadata":{"namespace":"default","name":"web","resourceVersion":")" +
                             version + R"("},"spec":{"nodeName":")" + node + "\"}}")
        .OrExit();
  }
  CauseNote WokenBy(CauseType type, const ObjectRef& before, const ObjectRef& now) {
    CauseNote note;
    const HandledEvent handled(type, before.get(), now.get());
    note.Add(book_.Here(ObjectName{"default", "web"}), sim_.env().Now(), book_.budget());
    return note;
  }
  void Reconcile(CauseNote causes, PastReconcile past) {
    const std::string key = "default/web";
    const std::string id = "id";
    past.id = id;
    past.begun = sim_.env().Now();
    const ReconcileHistory::Worker worker(*history_);
    ReconcileHistory::Began(key, id, causes, past.begun);
    sim_.RunFor(milliseconds(250));
    past.took = milliseconds(250);
    history_->Ended(key, causes, std::move(past));
  }
  json::Value Why(const std::string& kind, const std::string& object) {
    return json::Parse(WhyJson(sim_.env(), {history_}, kind, object)).OrExit();
  }
  static const json::Value& ReconcileOf(const json::Value& answer, int i) {
    return answer["controllers"][0]["requests"][0]["reconciles"][i];
  }

  Simulation sim_;
  CauseBook book_;
  std::shared_ptr<ReconcileHistory> history_ = std::make_shared<ReconcileHistory>("pods");
};

TEST_F(WhyTest, ToldAreCausesWritesAndWhenTheyWereSeen) {
  history_->SetKind(&corev1::Pod::kind_info());
  PastReconcile first;
  first.result = "requeue_after";
  first.after = seconds(60);
  first.writes.push_back(
      {"update", &corev1::Pod::kind_info(), {"default", "web"}, "45", sim_.env().Now()});
  Reconcile(WokenBy(CauseType::kUpdated, Pod("41", "a"), Pod("44", "b")), std::move(first));
  PastReconcile second;
  second.result = "error";
  second.error = "Forbidden: no";
  Reconcile(WokenBy(CauseType::kUpdated, Pod("44", "b"), Pod("45", "b")), std::move(second));

  const json::Value answer = Why("pods", "default/web");
  EXPECT_EQ(answer["controllers"][0]["controller"].AsString(), "pods");
  EXPECT_EQ(answer["controllers"][0]["requests"][0]["request"].AsString(), "default/web");
  const json::Value& one = ReconcileOf(answer, 0);
  EXPECT_EQ(one["result"].AsString(), "requeue_after");
  EXPECT_EQ(one["afterSeconds"].AsDouble(), 60.0);
  EXPECT_EQ(one["seconds"].AsDouble(), 0.25);
  EXPECT_EQ(one["causes"][0]["text"].AsString(), "updated Pod default/web 41 -> 44 spec.nodeName");
  EXPECT_EQ(one["causes"][0]["fields"][0].AsString(), "spec.nodeName");
  EXPECT_EQ(one["causes"][0]["oldVersion"].AsString(), "41");
  EXPECT_EQ(one["writes"][0]["verb"].AsString(), "update");
  EXPECT_EQ(one["writes"][0]["lagSeconds"].AsDouble(), 0.25) << "the second event shows it";
  EXPECT_EQ(ReconcileOf(answer, 1)["error"].AsString(), "Forbidden: no");
  // 2026-...: the times of day are those of the Env.
  EXPECT_EQ(one["begun"].StringOrEmpty().size(), std::string("2026-01-01T00:00:00.000000Z").size());
  EXPECT_LT(one["begun"].StringOrEmpty(), answer["now"].StringOrEmpty());
}

TEST_F(WhyTest, ObjectsThatNobodyKnows_HaveNoControllers) {
  history_->SetKind(&corev1::Pod::kind_info());
  PastReconcile past;
  past.result = "success";
  Reconcile(WokenBy(CauseType::kAdded, {}, Pod("1", "a")), std::move(past));
  EXPECT_EQ(Why("pod", "default/web")["controllers"].size(), 1U);
  EXPECT_EQ(Why("pod", "default/other")["controllers"].size(), 0U);
  EXPECT_EQ(Why("deployment", "default/web")["controllers"].size(), 0U);
}

TEST_F(WhyTest, FightsOfTheObjectAndOfItsRequest_AreTold) {
  history_->SetKind(&corev1::Pod::kind_info());
  history_->SetFights([] {
    const ControllerFigures::Fight fight{.request = "default/web",
                                         .kind = "Deployment.apps",
                                         .object = "default/part",
                                         .field = "spec.replicas",
                                         .type = "other writer",
                                         .manager = "operator",
                                         .others = {"kubectl"},
                                         .rounds = 7,
                                         .ago = seconds(3),
                                         .under_way = true,
                                         .held = seconds(7)};
    return std::vector<ControllerFigures::Fight>{fight};
  });
  const json::Value of_object = Why("deployment", "default/part");
  const json::Value& told = of_object["controllers"][0]["fights"][0];
  EXPECT_EQ(told["field"].AsString(), "spec.replicas");
  EXPECT_EQ(told["manager"].AsString(), "operator");
  EXPECT_EQ(told["others"][0].AsString(), "kubectl");
  EXPECT_EQ(told["rounds"].AsInt64(), 7);
  EXPECT_EQ(told["heldSeconds"].AsDouble(), 7.0);
  EXPECT_EQ(told["underWay"].AsBool(), true);
  EXPECT_EQ(Why("deployment.apps", "default/part")["controllers"].size(), 1U);
  EXPECT_EQ(Why("pod", "default/web")["controllers"].size(), 0U) << "that was never reconciled";
  PastReconcile past;
  past.result = "success";
  Reconcile(WokenBy(CauseType::kAdded, {}, Pod("1", "a")), std::move(past));
  EXPECT_EQ(Why("pod", "default/web")["controllers"][0]["fights"].size(), 1U);
  EXPECT_EQ(Why("pod", "default/other")["controllers"].size(), 0U);
}

TEST_F(WhyTest, ARetryHasTheErrorBeforeIt) {
  CauseNote note;
  note.Add(CauseBook::Plain(CauseType::kRetry), sim_.env().Now(), book_.budget());
  PastReconcile past;
  past.result = "success";
  past.attempts = 2;
  past.last_error = "Forbidden: no";
  Reconcile(std::move(note), std::move(past));
  EXPECT_EQ(ReconcileOf(Why("pod", "default/web"), 0)["causes"][0]["text"].AsString(),
            "retry 2 after Forbidden: no")
      << "a controller without a kind may be for any";
}

TEST_F(WhyTest, RequestThatWaits_IsToldWithItsReason) {
  WaitingAnswer queue;
  const auto answer_with = [&](WaitingRequest one) {
    one.key = "default/web";
    queue.requests.clear();
    queue.requests.push_back(std::move(one));
    return Why("pod", "default/web")["controllers"][0]["requests"][0]["waiting"];
  };
  history_->SetQueue([&](const WaitingQuestion& question) {
    EXPECT_EQ(question.key, "default/web");
    return std::move(queue);
  });
  using State = WaitingRequest::State;
  WaitingRequest failed{.state = State::kDelayed,
                        .ready_at = sim_.env().Now() + seconds(3),
                        .attempts = 2,
                        .last_error = Error(Reason::kForbidden, "no"),
                        .causes = WokenBy(CauseType::kUpdated, Pod("41", "a"), Pod("44", "b"))};
  sim_.RunFor(seconds(1));
  const json::Value delayed = answer_with(std::move(failed));
  EXPECT_EQ(delayed["state"].AsString(), "delayed");
  EXPECT_EQ(delayed["why"].AsString(), "rate limit: it has failed 2 times");
  EXPECT_EQ(delayed["error"].AsString(), "Forbidden: no");
  EXPECT_EQ(delayed["seconds"].AsDouble(), 1.0);
  EXPECT_EQ(delayed["dueInSeconds"].AsDouble(), 2.0);
  EXPECT_EQ(delayed["causes"][0]["text"].AsString(),
            "updated Pod default/web 41 -> 44 spec.nodeName");

  const auto why = [&](WaitingRequest one) {
    return std::string(answer_with(std::move(one))["why"].StringOrEmpty());
  };
  EXPECT_THAT(why({.state = State::kParked}), HasSubstr("until a cache shows"));
  EXPECT_THAT(why({.state = State::kRunning}), HasSubstr("has ended"));
  EXPECT_THAT(why({.state = State::kDelayed, .paced = true}), HasSubstr("min_interval"));
  EXPECT_THAT(why({.state = State::kDelayed}), HasSubstr("asked for when it was added"));
  EXPECT_THAT(
      why({.state = State::kDelayed, .causes = WokenBy(CauseType::kTimer, {}, Pod("1", "a"))}),
      HasSubstr("requeue_after"));
  EXPECT_EQ(why({.state = State::kInLine}), "for a worker");
  queue.fair = true;
  EXPECT_EQ(why({.state = State::kInLine}), "for a worker, by the share of its flow");
  queue.held_back = "this process does not lead";
  EXPECT_EQ(why({.state = State::kInLine}), "this process does not lead");
  history_->SetQueue({});
  EXPECT_EQ(Why("pod", "default/web")["controllers"].size(), 0U);
}

TEST_F(WhyTest, HistoriesEndWithTheirControllers) {
  Histories histories;
  histories.Add(history_);
  EXPECT_EQ(histories.All().size(), 1U);
  history_.reset();
  EXPECT_EQ(histories.All().size(), 0U);
}

class WhyHandlerTest : public WhyTest {
 protected:
  // The status and the body.
  std::pair<int, std::string> Get(const std::string& target) {
    std::unique_ptr<ResponseStream> response;
    sim_.env().loop().Post([&] { response = handler_.Handle({.target = target}); });
    sim_.RunFor(seconds(1));
    std::pair<int, std::string> answer;
    sim_.env().loop().Post([&] {
      answer.first = response->status();
      std::vector<BodyChunk> chunks;
      (void)response->Read(1 << 20, chunks);
      for (const BodyChunk& chunk : chunks) answer.second += chunk.bytes;
      response.reset();
    });
    sim_.RunReady();
    return answer;
  }
  std::shared_ptr<Histories> histories_ = std::make_shared<Histories>();
  WhyHandler handler_{sim_.env(), histories_};
};

TEST_F(WhyHandlerTest, AnswersForOneObject) {
  histories_->Add(history_);
  PastReconcile past;
  past.result = "success";
  Reconcile(WokenBy(CauseType::kAdded, {}, Pod("1", "a")), std::move(past));
  const auto [status, body] = Get("/debug/kinformer/why?kind=Pod&object=default%2Fweb");
  EXPECT_EQ(status, 200);
  EXPECT_THAT(body, HasSubstr(R"("text": "added Pod default/web 1")"));
  EXPECT_EQ(Get("/debug/kinformer/why?kind=Pod").first, 400);
  EXPECT_THAT(Get("/debug/kinformer/why").second, HasSubstr("?kind=KIND&object=NAMESPACE/NAME"));
  EXPECT_EQ(Get("/debug/kinformer/why/more?kind=Pod&object=a").first, 404);
}

}  // namespace
}  // namespace kinformer::internal

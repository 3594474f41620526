#include "controller/causes/reconcile_history.h"

#include <atomic>
#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/internal/block_builder.h"

#include "controller/causes/cause_more.h"

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

bool AnyKind(const KindInfo& /*kind*/) { return true; }
bool NoKind(const KindInfo& /*kind*/) { return false; }

class ReconcileHistoryTest : public ::testing::Test {
 protected:
  CauseNote WokenBy(const ObjectRef& object, CauseType type = CauseType::kAdded) {
    CauseNote note;
    const HandledEvent handled(type, type == CauseType::kUpdated ? object.get() : nullptr,
                               object.get());
    note.Add(book_.Here(ObjectName{"default", "request"}), sim_.env().Now(), book_.budget());
    return note;
  }
  static ObjectRef Pod(const std::string& name, std::size_t bytes = 1) {
    return BuildFromJson(corev1::Pod::kind_info(),
                         R"({"metadata":{"namespace":"default","name":")" + name +
                             R"(","resourceVersion":"7","annotations":{"a":")" +
                             std::string(bytes, 'x') + "\"}}}")
        .OrExit();
  }
  // Ends with an error, which is kept for each request.
  void Reconcile(const std::string& key, const std::string& id, CauseNote causes = {}) {
    PastReconcile past;
    past.id = id;
    past.begun = sim_.env().Now();
    past.result = "error";
    ReconcileHistory::Began(key, id, causes, past.begun);
    sim_.RunFor(std::chrono::seconds(1));
    history_.Ended(key, causes, std::move(past));
  }
  void ReconcileQuietly(const std::string& key, const std::string& id, CauseNote causes = {}) {
    const SteadyTime begun = sim_.env().Now();
    ReconcileHistory::Began(key, id, causes, begun);
    sim_.RunFor(std::chrono::seconds(1));
    history_.EndedQuietly(key, id, causes, begun, std::chrono::seconds(1));
  }
  std::vector<std::string> IdsOf(const std::string& key) const {
    std::vector<std::string> ids;
    for (const PastOfKey& request : history_.About(key, true, NoKind)) {
      EXPECT_EQ(request.key, key);
      for (const PastReconcile& past : request.reconciles) ids.push_back(past.id);
    }
    return ids;
  }

  Simulation sim_;
  CauseBook book_;
  ReconcileHistory history_{"pods"};
  const ReconcileHistory::Worker worker_{history_};
};

TEST_F(ReconcileHistoryTest, KeepsTheLastOfEachRequest) {
  for (int i = 0; i < 11; ++i) Reconcile("default/a", std::to_string(i));
  Reconcile("default/b", "b");
  EXPECT_THAT(IdsOf("default/a"), ElementsAre("3", "4", "5", "6", "7", "8", "9", "10"));
  EXPECT_THAT(IdsOf("default/b"), ElementsAre("b"));
  EXPECT_THAT(IdsOf("default/c"), IsEmpty());
}

TEST_F(ReconcileHistoryTest, ForgetsTheRequestThatIsNotReconciledForLongest) {
  for (std::size_t i = 0; i < ReconcileHistory::kMostKeys; ++i) {
    Reconcile(std::to_string(i), "x");
  }
  Reconcile("0", "again");
  Reconcile("new", "y");
  EXPECT_THAT(IdsOf("0"), ElementsAre("x", "again"));
  EXPECT_THAT(IdsOf("1"), IsEmpty());
  EXPECT_THAT(IdsOf("2"), ElementsAre("x"));
  EXPECT_THAT(IdsOf("new"), ElementsAre("y")) << "without those of the request it replaced";
}

TEST_F(ReconcileHistoryTest, QuietReconcilesAreKeptBesideTheOthers_InTheirOrder) {
  ReconcileQuietly("default/a", "0");
  Reconcile("default/a", "1");
  ReconcileQuietly("default/a", "2");
  EXPECT_THAT(IdsOf("default/a"), ElementsAre("0", "1", "2"));
  for (std::size_t i = 0; i < ReconcileHistory::kMostQuiet - 1; ++i) {
    ReconcileQuietly("default/b", std::to_string(i));
  }
  EXPECT_THAT(IdsOf("default/a"), ElementsAre("1", "2"));
  for (int i = 0; i < 1000; ++i) ReconcileQuietly("default/b", "more");
  EXPECT_THAT(IdsOf("default/a"), ElementsAre("1")) << "quiet ones replace only quiet ones";
  EXPECT_THAT(IdsOf("default/b"), SizeIs(ReconcileHistory::kMostQuiet));
}

// These take no lock.
TEST_F(ReconcileHistoryTest, QuietReconcilesForCausesWithoutObjects_AreKept) {
  const auto id = [](int i) { return std::string(35, 'x') + std::to_string(i); };
  CauseNote cause;
  cause.AddPlain(CauseType::kTimer, sim_.env().Now(), book_.budget());
  ReconcileQuietly("default/a", id(0), std::move(cause));
  Reconcile("default/a", id(1));
  ReconcileQuietly("default/a", id(2));
  EXPECT_THAT(IdsOf("default/a"), ElementsAre(id(0), id(1), id(2)));
  const std::vector<PastOfKey> about = history_.About("default/a", true, NoKind);
  const PastReconcile& first = about.at(0).reconciles.at(0);
  EXPECT_EQ(first.result, "success");
  EXPECT_EQ(first.took, std::chrono::seconds(1));
  ASSERT_EQ(first.causes.size(), 1U);
  EXPECT_EQ(first.causes[0].type, CauseType::kTimer);

  const CauseNote none;
  const std::string key = "default/b";
  const std::string now = id(3);
  ReconcileHistory::Began(key, now, none, sim_.env().Now());
  EXPECT_THAT(IdsOf(key), ElementsAre(now));
  ControllerFigures figures;
  history_.Report(figures, sim_.env().Now());
  ASSERT_THAT(figures.running, SizeIs(1));
  EXPECT_EQ(figures.running[0].request, key);
  history_.Dropped();
  EXPECT_THAT(IdsOf(key), IsEmpty());
}

TEST_F(ReconcileHistoryTest, ARunningReconcileIsTold) {
  const std::string key = "default/request";
  const std::string id = "now";
  CauseNote causes = WokenBy(Pod("child"));
  ReconcileHistory::Began(key, id, causes, sim_.env().Now());
  std::vector<PastOfKey> about = history_.About(key, true, NoKind);
  ASSERT_THAT(about, SizeIs(1));
  ASSERT_THAT(about[0].reconciles, SizeIs(1));
  EXPECT_EQ(about[0].reconciles[0].result, "running");
  EXPECT_EQ(about[0].reconciles[0].id, "now");
  EXPECT_EQ(about[0].reconciles[0].causes.size(), 1U);
  PastReconcile past;
  past.result = "error";
  history_.Ended(key, causes, std::move(past));
  about = history_.About(key, true, NoKind);
  ASSERT_THAT(about[0].reconciles, SizeIs(1));
  EXPECT_EQ(about[0].reconciles[0].result, "error");
}

TEST_F(ReconcileHistoryTest, AnObjectFindsTheRequestsThatItHasWoken) {
  Reconcile("default/request", "1", WokenBy(Pod("child")));
  Reconcile("default/request", "2");
  Reconcile("default/request", "3", WokenBy(Pod("other")));
  const std::vector<PastOfKey> about = history_.About("default/child", true, AnyKind);
  ASSERT_THAT(about, SizeIs(1));
  EXPECT_EQ(about[0].key, "default/request");
  ASSERT_THAT(about[0].reconciles, SizeIs(1));
  EXPECT_EQ(about[0].reconciles[0].id, "1");
  EXPECT_THAT(history_.About("default/child", true, NoKind), IsEmpty()) << "of another kind";
  EXPECT_THAT(history_.About("default/request", false, NoKind), IsEmpty())
      << "the controller reconciles another kind";
  Reconcile("default/request", "4", WokenBy(Pod("request")));
  EXPECT_THAT(history_.About("default/request", false, AnyKind), SizeIs(1));
}

TEST_F(ReconcileHistoryTest, ObjectsAreKeptOfTheNewestReconcilesOnly) {
  for (int i = 0; i < 200; ++i) {
    Reconcile("default/" + std::to_string(i), "x", WokenBy(Pod("child", 20'000)));
  }
  EXPECT_EQ(book_.budget()->used(), 0U) << "the queue holds none of them any more";
  const auto objects = [&](const std::string& key) {
    const std::vector<PastOfKey> about = history_.About(key, true, NoKind);
    const CauseNote& causes = about.at(0).reconciles.at(0).causes;
    return causes[0].more && causes[0].more->now;
  };
  EXPECT_FALSE(objects("default/0"));
  EXPECT_TRUE(objects("default/199"));
  int kept = 0;
  for (int i = 0; i < 200; ++i) kept += objects("default/" + std::to_string(i)) ? 1 : 0;
  EXPECT_LE(kept * 20'000, static_cast<int>(ReconcileHistory::kMostHeld));
  EXPECT_GE(kept, 40);
}

// Workers reconcile while somebody asks.
TEST(ReconcileHistoryThreads, QuestionsHinderNoWorker) {
  CauseBook book;
  ReconcileHistory history("pods");
  const ObjectRef pod = BuildFromJson(corev1::Pod::kind_info(),
                                      R"({"metadata":{"namespace":"default","name":"web"}})")
                            .OrExit();
  std::atomic<int> running{2};
  const auto work = [&](int worker) {
    const ReconcileHistory::Worker here(history);
    for (int i = 0; i < 3000; ++i) {
      const std::string key = "default/a-" + std::to_string(i % 3 + worker);
      const std::string id = "a long enough text for the heap " + std::to_string(i);
      CauseNote causes;
      {
        const HandledEvent handled(CauseType::kUpdated, pod.get(), pod.get());
        causes.Add(book.Here(ObjectName{"default", "a"}), SteadyTime(), book.budget());
        causes.Add(book.Here(ObjectName{"default", "a"}), SteadyTime(), book.budget());
      }
      ReconcileHistory::Began(key, id, causes, SteadyTime());
      if (i % 3 == 0) {
        history.Ended(key, causes, PastReconcile());
      } else {
        history.EndedQuietly(key, id, causes, SteadyTime(), Duration());
      }
    }
    --running;
  };
  std::thread first([&] { work(0); });
  std::thread second([&] { work(1); });
  std::size_t found = 0;
  while (running > 0) {
    for (const PastOfKey& request : history.About("default/web", true, AnyKind)) {
      for (const PastReconcile& past : request.reconciles) found += past.causes.size();
    }
  }
  first.join();
  second.join();
  EXPECT_FALSE(history.About("default/a-1", true, NoKind).empty());
  EXPECT_EQ(book.budget()->used(), 0U);
  EXPECT_EQ(found % 2, 0U) << "each reconcile has two causes";
}

}  // namespace
}  // namespace kinformer::internal

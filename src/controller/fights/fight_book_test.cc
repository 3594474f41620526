#include "controller/fights/fight_book.h"

#include <chrono>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/internal/block_builder.h"

#include "base/core/testing/fields_log.h"

namespace kinformer::internal {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr FightBook::Causes kOwnWrite{.only_own_writes = true, .nothing_of_others = true};
constexpr FightBook::Causes kTimer{.only_own_writes = false, .nothing_of_others = true};
constexpr FightBook::Causes kEvents{.only_own_writes = false, .nothing_of_others = false};

class FightBookTest : public ::testing::Test {
 protected:
  explicit FightBookTest(FightOptions options = {})
      : book_(std::make_shared<FightBook>(sim_.env(), "paint", options)) {
    book_->TellTo([this](const FoundFight& fight) { told_.push_back(fight); });
  }

  struct How {
    std::string uid = "u1";
    std::string field = "spec.color";
    std::string other = "painter";
    FightBook::Causes causes = kEvents;
  };
  ObjectRef Version(const std::string& uid) {
    return BuildFromJson(corev1::Pod::kind_info(),
                         R"({"metadata":{"namespace":"default","name":")" + uid + R"(","uid":")" +
                             uid + R"(","resourceVersion":")" + std::to_string(++version_) + "\"}}")
        .OrExit();
  }
  // Another writer changes the object.
  void OthersWrite(const std::string& uid = "u1") { last_[uid] = Version(uid); }
  // The controller sets the field from one value to another one.
  bool Sets(const std::string& from, const std::string& to) { return Sets(from, to, How()); }
  bool Sets(const std::string& from, const std::string& to, const How& how) {
    return Wrote(how, {.path = how.field,
                       .before = std::hash<std::string>()(from),
                       .now = std::hash<std::string>()(to),
                       .before_text = from,
                       .now_text = to});
  }
  // The controller sends a value, and the server answers with another one.
  bool SendsInVain(const std::string& sent, const std::string& is, const How& how) {
    return Wrote(how, {.path = how.field,
                       .now = std::hash<std::string>()(is),
                       .now_text = is,
                       .undone = true,
                       .sent = std::hash<std::string>()(sent),
                       .sent_text = sent});
  }
  bool Wrote(const How& how, fights::WrittenField field) {
    const ObjectRef before = last_[how.uid];
    const ObjectRef now = Version(how.uid);
    const std::string request = "default/a";
    FightBook::Write write{.kind = &corev1::Pod::kind_info(),
                           .request = &request,
                           .before = before.get(),
                           .now = now.get(),
                           .causes = how.causes};
    write.fields.push_back(std::move(field));
    write.manager = "operator";
    write.others.push_back(how.other);
    last_[how.uid] = now;
    const bool held = book_->Note(write).has_value();
    sim_.RunFor(std::chrono::milliseconds(100));
    return held;
  }
  // One round of a fight with another writer. Returns whether it holds the request.
  bool Round(const How& how) {
    OthersWrite(how.uid);
    return Sets("red", "blue", how);
  }
  bool Round() { return Round(How()); }
  // Returns the number of rounds until the request is held; 99: it never is.
  static int RoundsUntilHeld(const std::function<bool(int)>& round) {
    for (int i = 1; i < 30; ++i) {
      if (round(i)) return i;
    }
    return 99;
  }
  std::string Metric(const std::string& name) const {
    const std::string text = metrics_->Text();
    const std::string line = name + "{controller=\"paint\"} ";
    const std::size_t at = text.find(line);
    if (at == std::string::npos) return "";
    return text.substr(at + line.size(), text.find('\n', at) - at - line.size());
  }

  std::shared_ptr<TextMetrics> metrics_ = NewTextMetrics();
  std::shared_ptr<base::FieldsLog> log_ = std::make_shared<base::FieldsLog>();
  Simulation sim_{{.log = log_, .metrics = metrics_}};
  const std::shared_ptr<FightBook> book_;
  std::map<std::string, ObjectRef> last_;
  std::vector<FoundFight> told_;
  int version_ = 0;
};

TEST_F(FightBookTest, ValuesThatAlternate_AreAFightWithinTenRounds) {
  EXPECT_LE(RoundsUntilHeld([&](int) { return Round(); }), 10);
  EXPECT_EQ(Metric("kinformer_fights_found_total"), "1");
  EXPECT_EQ(Metric("kinformer_fights_under_way"), "1");
  ASSERT_EQ(log_->lines.size(), 1U);
  EXPECT_THAT(log_->lines[0], HasSubstr("a fight: what this controller writes is undone"));
  EXPECT_THAT(log_->lines[0], HasSubstr("object=Pod default/u1 field=spec.color manager=operator "
                                        "by=\"painter\" rounds=5 times in 1 s values=blue and red"
                                        " pace=10 s between reconciles remedy="));
  ASSERT_EQ(told_.size(), 1U);
  EXPECT_EQ(told_[0].uid, "u1");
  EXPECT_EQ(told_[0].object, (ObjectName{"default", "u1"}));
  EXPECT_THAT(told_[0].message,
              HasSubstr(R"("operator" and "painter" undo each other in spec.color)"));
}

TEST_F(FightBookTest, EachRoundOfAFight_HoldsTheRequestAgain) {
  RoundsUntilHeld([&](int) { return Round(); });
  for (int i = 0; i < 20; ++i) {
    sim_.RunFor(seconds(10));
    EXPECT_TRUE(Round()) << i;
  }
  EXPECT_EQ(Metric("kinformer_fights_found_total"), "1") << "it is one fight";
  EXPECT_EQ(told_.size(), 1U);
}

TEST_F(FightBookTest, ThreeEnemies_AreAllNamed) {
  EXPECT_LE(RoundsUntilHeld([&](int i) {
              How how;
              how.other = i % 2 == 0 ? "one" : "two";
              OthersWrite();
              return Sets(i % 2 == 0 ? "red" : "green", "blue", how);
            }),
            10);
  EXPECT_THAT(log_->text(), HasSubstr(R"(by="one", "two")"));
}

TEST_F(FightBookTest, OtherWriterWithANewValueEachTime_TakesMoreRounds) {
  const int rounds = RoundsUntilHeld([&](int i) {
    OthersWrite();
    return Sets(std::to_string(i), "blue");
  });
  EXPECT_GT(rounds, 6);
  EXPECT_LE(rounds, 10);
}

TEST_F(FightBookTest, MonotoneValues_AreNoFight) {
  for (int i = 0; i < 100; ++i) {
    OthersWrite();
    EXPECT_FALSE(Sets(std::to_string(2 * i), std::to_string(2 * i + 1)));
  }
  EXPECT_THAT(log_->lines, IsEmpty());
}

TEST_F(FightBookTest, CountersThatGoUpAndDownWhileOthersWriteOtherFields_AreNoFight) {
  for (int i = 0; i < 100; ++i) {
    OthersWrite();
    EXPECT_FALSE(i % 2 == 0 ? Sets("2", "3") : Sets("3", "2")) << i;
  }
  EXPECT_EQ(Metric("kinformer_fights_found_total"), "0");
}

TEST_F(FightBookTest, SlowRounds_AreNoFight) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(Round());
    sim_.RunFor(seconds(31));
  }
}

TEST_F(FightBookTest, RoundsWithAPauseInBetween_CountFromTheStart) {
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(Round()) << "the first one is none";
  sim_.RunFor(minutes(1));
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(Round()) << i;
}

TEST_F(FightBookTest, WriteThatUndoesNothing_EndsTheRow) {
  for (int i = 0; i < 50; ++i) {
    EXPECT_FALSE(Round()) << i;
    if (i % 3 == 0) Sets("blue", "green");
    if (i % 3 == 0) Sets("green", "blue");
  }
}

TEST_F(FightBookTest, OwnWriteAsTheOnlyCause_IsAFightWithItself) {
  const How how{.causes = kOwnWrite};
  EXPECT_LE(RoundsUntilHeld(
                [&](int i) { return i % 2 == 0 ? Sets("a", "b", how) : Sets("b", "a", how); }),
            10);
  EXPECT_THAT(log_->text(), HasSubstr("by=itself"));
  EXPECT_THAT(told_[0].message, HasSubstr(R"("operator" changes spec.color back itself)"));
}

TEST_F(FightBookTest, ValuesThatComeBackForOtherCauses_AreNoFightWithItself) {
  for (const FightBook::Causes causes : {kEvents, kTimer}) {
    const How how{.causes = causes};
    for (int i = 0; i < 50; ++i) {
      EXPECT_FALSE(i % 2 == 0 ? Sets("a", "b", how) : Sets("b", "a", how));
    }
  }
}

TEST_F(FightBookTest, ServerThatSetsAnotherValue_IsAFightIfNothingElseWakes) {
  How how{.causes = kEvents};
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(SendsInVain("a", "b", how));
  how.causes = kTimer;
  EXPECT_LE(RoundsUntilHeld([&](int) { return SendsInVain("a", "b", how); }), 10);
  EXPECT_THAT(log_->text(), HasSubstr("by=the server"));
}

TEST_F(FightBookTest, AnotherValueIsSentInVainEachTime_IsNoFight) {
  const How how{.causes = kTimer};
  for (int i = 0; i < 50; ++i) EXPECT_FALSE(SendsInVain(std::to_string(i), "b", how));
}

TEST_F(FightBookTest, ObjectOfTheSameNameMadeAnew_HasNoPast) {
  for (int i = 0; i < 50; ++i) {
    How how;
    how.uid = "u" + std::to_string(i / 4);
    EXPECT_FALSE(Round(how));
  }
}

TEST_F(FightBookTest, Rest_EndsTheFight) {
  RoundsUntilHeld([&](int) { return Round(); });
  ASSERT_EQ(book_->Report(sim_.env().Now()).size(), 1U);
  EXPECT_TRUE(book_->Report(sim_.env().Now())[0].under_way);
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(Round()) << "it has not rested";
  sim_.RunFor(seconds(119));
  EXPECT_EQ(Metric("kinformer_fights_under_way"), "1");
  sim_.RunFor(seconds(2));
  EXPECT_EQ(Metric("kinformer_fights_under_way"), "0");
  EXPECT_THAT(log_->text(), HasSubstr("a fight has ended: its field rests controller=paint "
                                      "object=Pod default/u1 field=spec.color rounds=6\n"));
  const auto fights = book_->Report(sim_.env().Now());
  ASSERT_EQ(fights.size(), 1U);
  EXPECT_FALSE(fights[0].under_way);
  EXPECT_GE(fights[0].ago, Duration(seconds(120)));
  EXPECT_FALSE(Round()) << "what comes now begins anew";
}

TEST_F(FightBookTest, Report_NamesAllAndWhatIsHeld) {
  RoundsUntilHeld([&](int) { return Round(); });
  sim_.RunFor(seconds(3));
  const auto fights = book_->Report(sim_.env().Now());
  ASSERT_EQ(fights.size(), 1U);
  EXPECT_EQ(fights[0].request, "default/a");
  EXPECT_EQ(fights[0].kind, "Pod");
  EXPECT_EQ(fights[0].object, "default/u1");
  EXPECT_EQ(fights[0].field, "spec.color");
  EXPECT_EQ(fights[0].type, "other writer");
  EXPECT_EQ(fights[0].manager, "operator");
  EXPECT_THAT(fights[0].others, ElementsAre("painter"));
  EXPECT_GT(fights[0].held, Duration(seconds(6)));
  EXPECT_LT(fights[0].held, Duration(seconds(7)));
}

TEST_F(FightBookTest, ManyObjectsFoughtOver_MemoryIsBounded) {
  for (int i = 0; i < 2000; ++i) {
    How how;
    how.uid = "u" + std::to_string(i);
    for (int round = 0; round < 10; ++round) Round(how);
  }
  const auto fights = book_->Report(sim_.env().Now());
  EXPECT_LE(fights.size(), FightBook::kMostObjects + FightBook::kMostEnded);
  EXPECT_GE(fights.size(), 100U);
}

TEST_F(FightBookTest, Suspects_OnlyWhatItHasWrittenShortlyBefore) {
  OthersWrite();
  const ObjectRef before = last_["u1"];
  EXPECT_FALSE(book_->Suspects(*before, kEvents)) << "it has not written it";
  Sets("a", "b");
  EXPECT_FALSE(book_->Suspects(*last_["u1"], kEvents)) << "nobody has changed it since";
  EXPECT_TRUE(book_->Suspects(*last_["u1"], kTimer)) << "nothing else has woken it";
  OthersWrite();
  EXPECT_TRUE(book_->Suspects(*last_["u1"], kEvents));
  sim_.RunFor(seconds(31));
  EXPECT_FALSE(book_->Suspects(*last_["u1"], kEvents)) << "that is long ago";
}

TEST_F(FightBookTest, Suspects_AllWritesToAnObjectWhoseFieldWasChangedBack) {
  for (int i = 0; i < 3; ++i) Round();
  EXPECT_TRUE(book_->Suspects(*last_["u1"], kEvents));
  sim_.RunFor(seconds(31));
  EXPECT_FALSE(book_->Suspects(*last_["u1"], kEvents));
}

TEST_F(FightBookTest, Wrote_KnowsItsVersions) {
  Sets("a", "b");
  EXPECT_TRUE(book_->Wrote(last_["u1"]->resourceVersion()));
  EXPECT_FALSE(book_->Wrote("12345"));
}

class FightBookWithoutPaceTest : public FightBookTest {
 protected:
  FightBookWithoutPaceTest() : FightBookTest({.interval = seconds(0)}) {}
};

TEST_F(FightBookWithoutPaceTest, AFight_IsNamedAndNotHeld) {
  EXPECT_EQ(RoundsUntilHeld([&](int) { return Round(); }), 99);
  EXPECT_EQ(Metric("kinformer_fights_found_total"), "1");
  EXPECT_THAT(log_->text(), HasSubstr("pace=none: FightOptions::interval is 0"));
}

}  // namespace
}  // namespace kinformer::internal

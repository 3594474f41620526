#include "kinformer/controller/causes.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/internal/cause_note.h"

#include "controller/causes/causes_of.h"
#include "controller/causes/changed_fields.h"

namespace kinformer::internal {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// A pod in "default"; `more`: further members of the object, after a comma.
ObjectRef Pod(const std::string& name, const std::string& version, const std::string& more = {},
              const std::string& of_metadata = {}) {
  return BuildFromJson(corev1::Pod::kind_info(), R"({"metadata":{"namespace":"default","name":")" +
                                                     name + R"(","resourceVersion":")" + version +
                                                     '"' + of_metadata + "}" + more + "}")
      .OrExit();
}

class CausesTest : public ::testing::Test {
 protected:
  // Adds what a handler of the event would add for the request.
  void Add(CauseNote& note, CauseType type, const ObjectRef& before, const ObjectRef& now,
           const ObjectName& request = kWeb) {
    const HandledEvent handled(type, before.get(), now.get());
    note.Add(book_.Here(request), sim_.env().Now(), book_.budget());
  }
  void Add(CauseNote& note, CauseType type) {
    note.Add(CauseBook::Plain(type), sim_.env().Now(), book_.budget());
  }
  static std::vector<std::string> Texts(const CauseNote& note, int attempts = 0,
                                        const Error* error = nullptr) {
    std::vector<std::string> texts;
    const std::string key = kWeb.ToString();
    const RequestFacts facts{.key = key, .attempts = attempts, .last_error = error};
    for (const Cause& cause : CausesOf(note, facts).list) texts.push_back(cause.ToString());
    return texts;
  }

  static inline const ObjectName kWeb{"default", "web"};
  Simulation sim_;
  CauseBook book_;
  CauseNote note_;
};

TEST_F(CausesTest, EventsOfAnObject_NameItAndWhatHasChanged) {
  const ObjectRef first = Pod("web", "41", R"(,"spec":{"nodeName":"a"})");
  const ObjectRef second =
      Pod("web", "45", R"(,"spec":{"nodeName":"b"})",
          R"(,"managedFields":[{"manager":"scheduler","operation":"Update","time":)"
          R"("2026-01-01T00:00:00Z"}])");
  Add(note_, CauseType::kInitialList, {}, first);
  Add(note_, CauseType::kUpdated, first, second);
  Add(note_, CauseType::kResync, second, second);
  Add(note_, CauseType::kDeleted, {}, second);
  EXPECT_THAT(Texts(note_), ElementsAre("initial list Pod default/web 41",
                                        "updated Pod default/web 41 -> 45 spec.nodeName "
                                        "by scheduler",
                                        "resync Pod default/web 45", "deleted Pod default/web 45"));
}

TEST_F(CausesTest, EventsOfAnotherObject_NameThatOne) {
  const ObjectRef child = Pod("child", "7");
  Add(note_, CauseType::kInitialList, {}, child);
  Add(note_, CauseType::kChannel, {}, child);
  EXPECT_THAT(Texts(note_),
              ElementsAre("initial list Pod default/child 7", "channel Pod default/child 7"));
}

TEST_F(CausesTest, RetriesHaveTheirAttemptAndTheError) {
  Add(note_, CauseType::kRetry);
  Add(note_, CauseType::kSource);
  const Error error(Reason::kForbidden, "may not");
  EXPECT_THAT(Texts(note_, 3, &error), ElementsAre("retry 3 after Forbidden: may not", "source"));
}

TEST_F(CausesTest, EachTypeHasAName) {
  for (int i = 0; i <= static_cast<int>(CauseType::kUnparked); ++i) {
    EXPECT_NE(CauseTypeName(static_cast<CauseType>(i)), "") << i;
  }
}

TEST_F(CausesTest, MoreThanEight_AreTheFirstOnesAndTheNewest) {
  std::vector<ObjectRef> versions;
  for (int i = 1; i <= 20; ++i) versions.push_back(Pod("web", std::to_string(i)));
  for (const ObjectRef& version : versions) Add(note_, CauseType::kInitialList, {}, version);
  ASSERT_THAT(Texts(note_), SizeIs(8));
  EXPECT_EQ(Texts(note_)[6], "initial list Pod default/web 7");
  EXPECT_EQ(Texts(note_)[7], "initial list Pod default/web 20");
  EXPECT_EQ(note_.left_out(), 12U);
  const std::string key = kWeb.ToString();
  EXPECT_THAT(CausesOf(note_, {.key = key}).ToString(), ::testing::EndsWith("; and 12 more"));
}

TEST_F(CausesTest, CausesThatArePutBackComeFirst) {
  Add(note_, CauseType::kRetry);
  Add(note_, CauseType::kTimer);
  CauseNote taken = std::move(note_);
  EXPECT_TRUE(note_.empty());
  Add(note_, CauseType::kSource);
  Add(note_, CauseType::kRequeue);
  note_.PutBack(std::move(taken), book_.budget());
  EXPECT_THAT(Texts(note_), ElementsAre("retry", "timer", "source", "requeue"));
  note_.PutBack(CauseNote(), book_.budget());
  EXPECT_THAT(Texts(note_), SizeIs(4));
  CauseNote none;
  none.PutBack(std::move(note_), book_.budget());
  EXPECT_THAT(Texts(none), SizeIs(4));
}

TEST_F(CausesTest, PutBackOfMany_CountsAll) {
  CauseNote earlier;
  for (int i = 0; i < 10; ++i) Add(earlier, CauseType::kRetry);
  for (int i = 0; i < 10; ++i) Add(note_, CauseType::kSource);
  note_.PutBack(std::move(earlier), book_.budget());
  EXPECT_EQ(note_.size() + note_.left_out(), 20U);
  EXPECT_EQ(Texts(note_).back(), "source");
}

TEST_F(CausesTest, ACopyHasTheSameTexts) {
  const ObjectRef child = Pod("child", "7");
  Add(note_, CauseType::kAdded, {}, child);
  Add(note_, CauseType::kAdded, {}, child);
  const CauseNote copy = note_.Copy();
  EXPECT_EQ(Texts(copy), Texts(note_));
  const std::size_t used = book_.budget()->used();
  note_ = CauseNote();
  EXPECT_THAT(Texts(copy), SizeIs(2));
  EXPECT_LT(book_.budget()->used(), used) << "the copy is not in the budget";
}

// However much is queued, the memory beside the notes is bounded, and given back.
TEST_F(CausesTest, WithoutMemory_CausesAreCounted) {
  const ObjectRef before =
      Pod("web", "1", R"(,"spec":{"nodeName":")" + std::string(9000, 'a') + "\"}");
  const ObjectRef now =
      Pod("web", "2", R"(,"spec":{"nodeName":")" + std::string(9000, 'b') + "\"}");
  std::vector<CauseNote> queue(1000);
  for (CauseNote& note : queue) {
    for (int i = 0; i < 3; ++i) Add(note, CauseType::kUpdated, before, now);
  }
  EXPECT_LE(book_.budget()->used(), CauseBudget::kMostBytes);
  EXPECT_GT(book_.budget()->used(), CauseBudget::kMostBytes * 9 / 10);
  EXPECT_THAT(Texts(queue.front()).front(), ::testing::EndsWith("1 -> 2 spec.nodeName"));
  EXPECT_EQ(Texts(queue.back()).front(), "updated Pod default/web 1 -> 2") << "the fields are gone";
  for (const CauseNote& note : queue) EXPECT_EQ(note.size() + note.left_out(), 3U);
  queue.clear();
  EXPECT_EQ(book_.budget()->used(), 0U);
}

TEST_F(CausesTest, NestedHandlersEndInTheirOrder) {
  const ObjectRef pod = Pod("web", "1");
  EXPECT_EQ(HandledEvent::Current(), nullptr);
  const HandledEvent outer(CauseType::kAdded, nullptr, pod.get());
  {
    const HandledEvent inner(CauseType::kDeleted, nullptr, pod.get());
    EXPECT_EQ(HandledEvent::Current(), &inner);
  }
  EXPECT_EQ(HandledEvent::Current(), &outer);
}

TEST(ChangeOfTest, PathsAreThoseOfTheFields) {
  const ObjectRef before =
      Pod("p", "1", R"(,"spec":{"containers":[{"name":"a","image":"x"}],"nodeName":"n"})",
          R"(,"labels":{"app":"a","example.com/b":"1"})");
  const ObjectRef now = Pod(
      "p", "2", R"(,"spec":{"containers":[{"name":"a","image":"y"}]},"status":{"phase":"Running"})",
      R"(,"labels":{"app":"a","example.com/b":"2"})");
  EXPECT_THAT(ChangeOf(before, now).fields,
              ElementsAre(R"(metadata.labels["example.com/b"])", "spec.containers[0].image",
                          "spec.nodeName", "status.phase"));
  EXPECT_THAT(ChangeOf(now, now).fields, IsEmpty());
  EXPECT_EQ(ChangeOf(now, now).manager, "");
}

TEST(ChangeOfTest, ManyFields_AreLimited) {
  std::string labels = R"(,"labels":{)";
  for (int i = 0; i < 40; ++i) {
    labels += (i == 0 ? "\"l" : ",\"l") + std::to_string(i) + R"(":"x")";
  }
  EXPECT_THAT(
      ChangeOf(Pod("p", "1", "", R"(,"labels":{"a":"b"})"), Pod("p", "2", "", labels + "}")).fields,
      SizeIs(16));
}

std::string Entry(const std::string& manager, const std::string& minute, const std::string& fields,
                  const std::string& operation = "Update") {
  return R"({"manager":")" + manager + R"(","operation":")" + operation +
         R"(","time":"2026-01-01T00:)" + minute + R"(:00Z","fieldsV1":{"f:)" + fields + R"(":{}}})";
}
std::string Managed(const std::string& entries) { return R"(,"managedFields":[)" + entries + "]"; }

TEST(ChangeOfTest, ManagerIsTheOneWhoseEntryHasANewTime) {
  const ObjectRef before =
      Pod("p", "1", "", Managed(Entry("a", "01", "x") + "," + Entry("b", "02", "y")));
  const ObjectRef by_a =
      Pod("p", "2", "", Managed(Entry("a", "03", "y") + "," + Entry("b", "02", "z")));
  EXPECT_EQ(ChangeOf(before, by_a).manager, "a") << "b has lost a field, and keeps its time";
  const ObjectRef by_c = Pod("p", "2", "",
                             Managed(Entry("a", "01", "x") + "," + Entry("b", "02", "y") + "," +
                                     Entry("c", "02", "w", "Apply")));
  EXPECT_EQ(ChangeOf(before, by_c).manager, "c");
  EXPECT_EQ(ChangeOf({}, by_c).manager, "c") << "a new object";
  EXPECT_EQ(ChangeOf(Pod("p", "1"), Pod("p", "2")).manager, "") << "without managedFields";
}

}  // namespace
}  // namespace kinformer::internal

#include "controller/fights/written_fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "kinformer/json/json.h"

namespace kinformer::internal::fights {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Form = SentWrite::Form;

std::vector<WrittenField> Fields(const std::string& before, const std::string& now, Form form,
                                 const std::string& body, bool secret = false) {
  return FieldsOf(json::Parse(before).OrExit(), json::Parse(now).OrExit(), {form, body}, secret, 7);
}

// Returns `path before -> now` for a change, `path sent X, is Y` for one that was not kept.
std::vector<std::string> Texts(const std::vector<WrittenField>& fields) {
  std::vector<std::string> texts;
  for (const WrittenField& field : fields) {
    texts.push_back(field.undone
                        ? field.path + " sent " + field.sent_text + ", is " + field.now_text
                        : field.path + " " + field.before_text + " -> " + field.now_text);
  }
  return texts;
}

TEST(WrittenFieldsTest, Update_HasWhatItChanged) {
  EXPECT_THAT(Texts(Fields(R"({"spec":{"a":1,"b":{"c":"x"}},"metadata":{"resourceVersion":"1"}})",
                           R"({"spec":{"a":2,"b":{"c":"x"}},"metadata":{"resourceVersion":"2"}})",
                           Form::kWhole,
                           R"({"spec":{"a":2,"b":{"c":"x"}},"metadata":{"resourceVersion":"1"}})")),
              ElementsAre("spec.a 1 -> 2"));
}

TEST(WrittenFieldsTest, UpdateThatLeavesAFieldOut_HasRemovedIt) {
  EXPECT_THAT(Texts(Fields(R"({"metadata":{"labels":{"a.b/c":"x","d":"y"}}})",
                           R"({"metadata":{"labels":{"d":"y"}}})", Form::kWhole,
                           R"({"metadata":{"labels":{"d":"y"}}})")),
              ElementsAre(R"(metadata.labels["a.b/c"] "x" -> none)"));
}

TEST(WrittenFieldsTest, ChangeOfOthersInBetween_IsNotTheWrites) {
  EXPECT_THAT(
      Fields(R"({"spec":{"a":1},"status":{"ready":2}})", R"({"spec":{"a":1},"status":{"ready":3}})",
             Form::kMerge, R"({"spec":{"a":1}})"),
      IsEmpty());
}

TEST(WrittenFieldsTest, ServerSetsAnotherValue_IsUndone) {
  const std::string body = R"({"spec":{"a":1}})";
  EXPECT_THAT(Texts(Fields(R"({"spec":{"a":2}})", R"({"spec":{"a":2}})", Form::kWhole, body)),
              ElementsAre("spec.a sent 1, is 2"));
  EXPECT_THAT(Texts(Fields(R"({"spec":{"a":2}})", R"({"spec":{"a":3}})", Form::kMerge, body)),
              ElementsAre("spec.a sent 1, is 3"));
}

TEST(WrittenFieldsTest, DefaultsOfTheServer_AreNotUndone) {
  const std::string there = R"({"spec":{"a":1,"port":80,"policy":"Always","more":{"x":1}}})";
  EXPECT_THAT(Fields(there, there, Form::kWhole,
                     R"({"spec":{"a":1,"port":0,"policy":"","more":{}},"status":{}})"),
              IsEmpty());
}

TEST(WrittenFieldsTest, RemovedLabelThatComesBackAtOnce_IsUndone) {
  const std::string there = R"({"metadata":{"labels":{"d":"y"}},"spec":{"a":1}})";
  EXPECT_THAT(Texts(Fields(there, there, Form::kWhole, R"({"spec":{"a":1}})")),
              ElementsAre(R"(metadata.labels.d sent none, is "y")"));
  EXPECT_THAT(Texts(Fields(there, there, Form::kMerge, R"({"metadata":{"labels":{"d":null}}})")),
              ElementsAre(R"(metadata.labels.d sent none, is "y")"));
}

TEST(WrittenFieldsTest, StatusInAWriteOfTheWhole_IsNotJudged) {
  EXPECT_THAT(Fields(R"({"status":{"n":1}})", R"({"status":{"n":1}})", Form::kWhole,
                     R"({"status":{"n":2}})"),
              IsEmpty());
}

TEST(WrittenFieldsTest, WriteOfTheStatus_HasOnlyTheStatus) {
  EXPECT_THAT(
      Texts(Fields(R"({"spec":{"a":1},"status":{"n":1}})", R"({"spec":{"a":2},"status":{"n":2}})",
                   Form::kStatus, R"({"spec":{"a":2},"status":{"n":2}})")),
      ElementsAre("status.n 1 -> 2"));
}

TEST(WrittenFieldsTest, ItemsWithNames_AreComparedByThem) {
  EXPECT_THAT(
      Texts(Fields(R"({"spec":{"containers":[{"name":"a","image":"1"},{"name":"b","image":"1"}]}})",
                   R"({"spec":{"containers":[{"name":"b","image":"2"},{"name":"a","image":"1"}]}})",
                   Form::kFields, R"({"spec":{"containers":[{"name":"b","image":"2"}]}})")),
      ElementsAre(R"(spec.containers["b"].image "1" -> "2")"));
}

TEST(WrittenFieldsTest, ConditionsOfOthers_AreNotTheWrites) {
  EXPECT_THAT(
      Fields(
          R"({"status":{"conditions":[{"type":"A","status":"True"}]}})",
          R"({"status":{"conditions":[{"type":"A","status":"True"},{"type":"B","status":"x"}]}})",
          Form::kFields, R"({"status":{"conditions":[{"type":"A","status":"True"}]}})"),
      IsEmpty());
}

TEST(WrittenFieldsTest, ListWithoutNames_IsOneValueUnlessItsLengthStays) {
  EXPECT_THAT(Texts(Fields(R"({"spec":{"l":["a","b"]}})", R"({"spec":{"l":["a","c"]}})",
                           Form::kMerge, R"({"spec":{"l":["a","c"]}})")),
              ElementsAre(R"(spec.l[1] "b" -> "c")"));
  EXPECT_THAT(Texts(Fields(R"({"spec":{"l":["a","b"]}})", R"({"spec":{"l":["a"]}})", Form::kMerge,
                           R"({"spec":{"l":["a"]}})")),
              ElementsAre("spec.l  -> "));
}

TEST(WrittenFieldsTest, JsonPatch_HasWhatItsPathsName) {
  EXPECT_THAT(
      Texts(Fields(
          R"({"spec":{"a":1,"b":1,"l":["x"]},"metadata":{"annotations":{"e.com/n":"1"}}})",
          R"({"spec":{"a":2,"b":9,"l":["x","y"]},"metadata":{}})", Form::kJsonPatch,
          R"([{"op":"test","path":"/spec/b","value":1},{"op":"replace","path":"/spec/a","value":2},
              {"op":"add","path":"/spec/l/-","value":"y"},
              {"op":"remove","path":"/metadata/annotations/e.com~1n"}])")),
      ElementsAre("spec.a 1 -> 2", "spec.l  -> ",
                  R"(metadata.annotations["e.com/n"] "1" -> none)"));
}

TEST(WrittenFieldsTest, SecretsAndLongValues_HaveNoText) {
  for (const char* const path : {"data", "stringData"}) {
    const std::string before = std::string(R"({")") + path + R"(":{"k":"v1"}})";
    const std::string now = std::string(R"({")") + path + R"(":{"k":"v2"}})";
    EXPECT_THAT(Texts(Fields(before, now, Form::kWhole, now)),
                ElementsAre(std::string(path) + ".k  -> "));
  }
  EXPECT_THAT(Texts(Fields(R"({"spec":{"a":1}})", R"({"spec":{"a":2}})", Form::kWhole,
                           R"({"spec":{"a":2}})", true)),
              ElementsAre("spec.a  -> "));
  const std::string env = R"({"spec":{"containers":[{"name":"a","env":[{"name":"P","value":")";
  EXPECT_THAT(
      Texts(Fields(env + R"(1"}]}]}})", env + R"(2"}]}]}})", Form::kWhole, env + R"(2"}]}]}})")),
      ElementsAre(R"(spec.containers["a"].env["P"].value  -> )"));
  const std::string longer(60, 'x');
  EXPECT_THAT(Texts(Fields(R"({"spec":{"a":1}})", R"({"spec":{"a":")" + longer + R"("}})",
                           Form::kWhole, R"({"spec":{"a":")" + longer + R"("}})")),
              ElementsAre("spec.a 1 -> "));
}

TEST(WrittenFieldsTest, EqualValues_HaveEqualHashes) {
  const auto there = Fields(R"({"spec":{"a":"x"}})", R"({"spec":{"a":"y"}})", Form::kMerge,
                            R"({"spec":{"a":"y"}})");
  const auto back = Fields(R"({"spec":{"a":"y"}})", R"({"spec":{"a":"x"}})", Form::kMerge,
                           R"({"spec":{"a":"x"}})");
  ASSERT_EQ(there.size(), 1U);
  ASSERT_EQ(back.size(), 1U);
  EXPECT_EQ(there[0].before, back[0].now);
  EXPECT_EQ(there[0].now, back[0].before);
  EXPECT_NE(there[0].before, there[0].now);
  EXPECT_THAT(there[0].steps, ElementsAre("spec", "a"));
}

TEST(WrittenFieldsTest, BodyThatIsNoJson_TellsNothing) {
  EXPECT_THAT(Fields(R"({"spec":{"a":1}})", R"({"spec":{"a":2}})", Form::kFields, "spec: {a: 2}"),
              IsEmpty());
}

TEST(WrittenFieldsTest, ManyFields_AreLimited) {
  std::string before = R"({"spec":{"z":0)";
  std::string now = R"({"spec":{"z":0)";
  for (int i = 0; i < 40; ++i) {
    before += ",\"f" + std::to_string(i) + "\":1";
    now += ",\"f" + std::to_string(i) + "\":2";
  }
  EXPECT_EQ(Fields(before + "}}", now + "}}", Form::kWhole, now + "}}").size(), kMostWrittenFields);
}

}  // namespace
}  // namespace kinformer::internal::fights

#include "cli/wait_for.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "kinformer/object/kind_info.h"
#include "kinformer/object/object_from_json.h"

namespace kinformer::cli {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

const char* const kPod = R"({"metadata": {"name": "web-0", "labels": {"a.b/c": "x"}},
  "spec": {"hostNetwork": true, "containers": [{"image": "i"}]},
  "status": {"phase": "Running", "count": 3,
             "conditions": [{"type": "Ready", "status": "True"}]}})";

Result<bool> Holds(const std::string& wait_for) {
  const Result<WaitFor> parsed = ParseWaitFor(wait_for);
  if (!parsed) return parsed.error();
  const KindInfo* kind = internal::DynamicKindInfo("", "v1", "Pod", "pods", true);
  return parsed->condition->Holds(wait::ObservedObject(ObjectFromJson(*kind, kPod).OrExit()));
}

TEST(WaitFor, FormsOfKubectl) {
  EXPECT_EQ(ParseWaitFor("delete").OrExit().form, WaitFor::Form::kDelete);
  EXPECT_EQ(ParseWaitFor("Create").OrExit().form, WaitFor::Form::kCreate);
  for (const char* met :
       {"condition=Ready", "condition=ready", "condition=Ready=true", "CONDITION=Ready",
        "jsonpath={.status.phase}=Running", "jsonpath={.status.phase}='Running'",
        "jsonpath={.status.phase}", "jsonpath=.status.phase=Running", "jsonpath=status.count=3",
        "jsonpath={.spec.hostNetwork}=true", "jsonpath={.spec.containers[0].image}=i",
        "jsonpath={.metadata.labels['a.b/c']}=x", "jsonpath={.metadata.labels.a\\.b/c}=x",
        "jsonpath={.spec.containers}", "jsonpath={..image}=i",
        "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}=True"}) {
    const Result<bool> holds = Holds(met);
    ASSERT_TRUE(holds.ok()) << met << ": " << holds.error();
    EXPECT_TRUE(*holds) << met;
  }
  for (const char* unmet :
       {"condition=Ready=False", "condition=Other", "jsonpath={.status.phase}=Pending",
        "jsonpath={.status.nothing}", "jsonpath={.spec.containers[1].image}",
        "jsonpath={.status.phase.deeper}", "jsonpath={.status[0]}"}) {
    const Result<bool> holds = Holds(unmet);
    ASSERT_TRUE(holds.ok()) << unmet << ": " << holds.error();
    EXPECT_FALSE(*holds) << unmet;
  }
}

TEST(WaitFor, ObjectThatDoesNotExist_IsAnError) {
  const WaitFor ready = ParseWaitFor("condition=Ready").OrExit();
  EXPECT_EQ(ready.condition->Holds(wait::ObservedObject()).error().reason(), Reason::kNotFound);
}

TEST(WaitFor, Mistakes_AreAnsweredWithTheForms) {
  for (const char* text : {"", "nonsense", "condition", "condition=", "jsonpath=", "delete=x"}) {
    EXPECT_THAT(ParseWaitFor(text).error().message(),
                HasSubstr("unrecognized condition: \"" + std::string(text) + "\"; write --for="));
  }
  for (const auto& [text, want] : std::vector<std::pair<const char*, const char*>>{
           {"jsonpath={.a", "--for=jsonpath={.a: \"{.a\" has one brace of a pair"},
           {"jsonpath={.a[0}", "--for=jsonpath={.a[0}: "},
           {"jsonpath={.a}=", "has to have a value"}}) {
    EXPECT_THAT(ParseWaitFor(text).error().message(), HasSubstr(want)) << text;
  }
  EXPECT_THAT(Holds("jsonpath={.status.conditions[*].*}=x").error().message(),
              HasSubstr("more than one value"));
  EXPECT_THAT(Holds("jsonpath={.spec}=x").error().message(), HasSubstr("nested object or list"));
}

TEST(WaitTimeout, IsADurationInTheNotationOfGo) {
  EXPECT_EQ(ParseWaitTimeout("30s").OrExit(), seconds(30));
  EXPECT_EQ(ParseWaitTimeout("1m30s").OrExit(), seconds(90));
  EXPECT_EQ(ParseWaitTimeout("1.5s").OrExit(), milliseconds(1500));
  EXPECT_EQ(ParseWaitTimeout("250ms").OrExit(), milliseconds(250));
  EXPECT_EQ(ParseWaitTimeout("0").OrExit(), seconds(0));
  EXPECT_EQ(ParseWaitTimeout("5").OrExit(), seconds(5));
  EXPECT_EQ(ParseWaitTimeout("-1s").OrExit(), hours(7 * 24));
  for (const char* text : {"", "-", "s", "1x", "1s2", "2e9h", "200000h0x", "1000000000h"}) {
    EXPECT_FALSE(ParseWaitTimeout(text).ok()) << text;
  }
}

}  // namespace
}  // namespace kinformer::cli

#include "apiserver/builtin/defaults_plan.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/internal/registry.h"

#include "apiserver/builtin/defaults.h"
#include "apiserver/builtin/fill_in.h"

namespace kinformer::apiserver {
namespace {

const internal::MessageDescriptor& MessageOf(const char* group, const char* kind) {
  const KindInfo* type = internal::FindType(group, "v1", kind);
  EXPECT_NE(type, nullptr) << kind;
  return *type->message;
}

// Returns all plans below one, itself included.
std::vector<const MessagePlan*> All(const MessagePlan& root) {
  std::vector<const MessagePlan*> found = {&root};
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const FieldPlan& field : found[i]->fields) {
      if (field.child != nullptr &&
          std::find(found.begin(), found.end(), field.child) == found.end()) {
        found.push_back(field.child);
      }
    }
  }
  return found;
}

TEST(DefaultPlans, Names_AreFoundInAnyOrder) {
  DefaultPlans plans;
  std::size_t most = 0;
  for (const MessagePlan* plan : All(plans.For(MessageOf("", "Pod"), "v1 Pod"))) {
    const std::size_t size = plan->fields.size();
    most = std::max(most, size);
    for (std::size_t i = 0; i < size; ++i) {
      const std::string name(plan->fields[i].name);
      EXPECT_EQ(name, plan->fields[i].field->json_name);
      EXPECT_EQ(plan->Find(name), i);
      for (std::size_t next = 0; next <= size; ++next) {
        std::size_t after = next;
        EXPECT_EQ(plan->FindNext(name, after), i) << name << next;
        EXPECT_EQ(after, i + 1) << name << next;
      }
    }
    for (const char* name : {"", "a", "zz", "none"}) {
      std::size_t next = size / 2;
      EXPECT_EQ(plan->Find(name), MessagePlan::kNone);
      EXPECT_EQ(plan->FindNext(name, next), MessagePlan::kNone);
      EXPECT_EQ(next, size / 2);
    }
  }
  EXPECT_GT(most, 30U);
}

TEST(DefaultPlans, Fields_WrittenAlwaysAreListed) {
  DefaultPlans plans;
  for (const MessagePlan* plan : All(plans.For(MessageOf("", "Pod"), "v1 Pod"))) {
    std::vector<std::size_t> always;
    std::size_t ruled = 0;
    for (std::size_t i = 0; i < plan->fields.size(); ++i) {
      if (!plan->fields[i].field->omitempty) always.push_back(i);
      if (plan->fields[i].rules.empty()) continue;
      ++ruled;
      EXPECT_EQ(std::count(plan->ruled.begin(), plan->ruled.end(), i), 1);
    }
    EXPECT_EQ(plan->always, always);
    EXPECT_EQ(plan->ruled.size(), ruled);
    EXPECT_TRUE(plan->empty.is_object());
    // Defaults of {} are `empty`.
    json::Value made = json::Value::MakeObject();
    Added added;
    static_cast<void>(FillIn(*plan, made, added));
    EXPECT_EQ(made.Dump(), plan->empty.Dump());
  }
}

TEST(DefaultPlans, Plans_AreSharedByKindsWithoutRulesOfTheirOwn) {
  DefaultPlans plans;
  const internal::MessageDescriptor& map = MessageOf("", "ConfigMap");
  const MessagePlan& plan = plans.For(map, "");
  EXPECT_EQ(plan.message, &map);
  EXPECT_EQ(&plans.For(map, ""), &plan);
  EXPECT_EQ(&plans.For(map, "v1 ConfigMap"), &plan);
  EXPECT_EQ(&plans.For(map, ""), &plan);
  const internal::MessageDescriptor& pod = MessageOf("", "Pod");
  const MessagePlan& of_pod = plans.For(pod, "v1 Pod");
  EXPECT_EQ(of_pod.message, &pod);
  EXPECT_EQ(&plans.For(pod, "v1 Pod"), &of_pod);
  EXPECT_NE(&of_pod, &plan);
}

TEST(DefaultPlans, Plan_IsThatOfTheKindAskedForLast) {
  DefaultPlans plans;
  const internal::MessageDescriptor& pod = MessageOf("", "Pod");
  const MessagePlan& of_pod = plans.For(pod, "v1 Pod");
  const MessagePlan& of_any = plans.For(pod, "");
  EXPECT_NE(&of_pod, &of_any);
  EXPECT_EQ(&plans.For(pod, "v1 Pod"), &of_pod);
  EXPECT_EQ(&plans.For(pod, ""), &of_any);
  EXPECT_EQ(&plans.For(pod, "x/v1 Other"), &of_any);
}

TEST(DefaultPlans, Kinds_HaveRulesOfTheirOwn) {
  // The strategy of a workload's updates differs by kind, in messages of their own and in others.
  Defaults defaults;
  for (const auto& [kind, pointer, wanted] : {
           std::tuple("Deployment", "/spec/strategy/type", "RollingUpdate"),
           std::tuple("DaemonSet", "/spec/updateStrategy/type", "RollingUpdate"),
           std::tuple("StatefulSet", "/spec/podManagementPolicy", "OrderedReady"),
       }) {
    json::Value object = json::Parse(R"({"metadata":{"name":"x"}})").OrExit();
    ASSERT_TRUE(
        defaults.Apply(MessageOf("apps", kind), std::string("apps/v1 ") + kind, object).ok());
    EXPECT_EQ(std::as_const(object).At(pointer).StringOrEmpty(), wanted);
  }
}

}  // namespace
}  // namespace kinformer::apiserver

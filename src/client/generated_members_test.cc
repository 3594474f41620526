// Generated structs as members of user-defined structs: row 14.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/api/metav1_mutable.h"
#include "kinformer/internal/block_builder.h"
#include "kinformer/object/custom_resource.h"
#include "kinformer/object/ref.h"

namespace kinformer {
namespace {

using ::testing::HasSubstr;

struct JobSpec {
  corev1::PodTemplateSpec::Mutable template_{};
  std::optional<metav1::LabelSelector::Mutable> selector{};
};

struct JobStatus {
  std::vector<metav1::Condition::Mutable> conditions{};
  corev1::ResourceRequirements::Mutable used{};
  static constexpr auto kFields = std::tuple(Field("conditions", &JobStatus::conditions),
                                             Field("used", &JobStatus::used).OmitEmpty());
};

struct Job {
  static constexpr CustomKind kKind{.group = "example.com", .version = "v1"};
  JobSpec spec{};
  JobStatus status{};
};
using Jobs = CustomResource<Job>;

constexpr std::string_view kJob =
    R"({"metadata":{"name":"a","namespace":"n"},)"
    R"("spec":{"template":{"metadata":{"labels":{"app":"w"}},)"
    R"("spec":{"containers":[{"name":"main","image":"web:1","newer":[1]}]}},)"
    R"("selector":{"matchLabels":{"app":"w"}}},)"
    R"("status":{"conditions":[{"type":"Ready","status":"True",)"
    R"("lastTransitionTime":"2026-03-01T10:00:00Z","reason":"Up","message":"it \"is\""}]}})";

TEST(GeneratedMembers, AreReadAndWritten) {
  const auto built = internal::BuildFromJson(Jobs::kind_info(), kJob);
  ASSERT_TRUE(built) << built.error();
  const Ref<Jobs> ref(*built);
  const Job& job = ref->value();
  ASSERT_EQ(job.spec.template_.spec.containers.size(), 1U);
  EXPECT_EQ(job.spec.template_.spec.containers[0].image, "web:1");
  EXPECT_EQ(job.spec.selector->matchLabels.at("app"), "w");
  ASSERT_EQ(job.status.conditions.size(), 1U);
  EXPECT_EQ(job.status.conditions[0].message, "it \"is\"");
  EXPECT_EQ(job.status.conditions[0].lastTransitionTime.ToString(), "2026-03-01T10:00:00Z");

  Jobs::Mutable change = ref->DeepCopy();
  // Fields of newer servers in the generated part are kept, so an update loses nothing.
  EXPECT_FALSE(change.is_partial);
  change.status.conditions[0].status = "False";
  const json::Value written = ToValue(change);
  EXPECT_EQ(written.At("/spec/template/spec/containers/0/newer/0").AsInt64(), 1);
  EXPECT_EQ(written.At("/status/conditions/0/status").StringOrEmpty(), "False");
  EXPECT_EQ(written.At("/status").Find("used"), nullptr);
}

TEST(GeneratedMembers, ErrorsNameTheMember) {
  const auto built = internal::BuildFromJson(
      Jobs::kind_info(),
      R"({"metadata":{"name":"a","namespace":"n"},"status":{"conditions":[{"type":7}]}})");
  ASSERT_FALSE(built);
  EXPECT_THAT(built.error().message(), HasSubstr("status.conditions[0]: "));
  EXPECT_THAT(built.error().message(), HasSubstr("type"));
}

}  // namespace
}  // namespace kinformer

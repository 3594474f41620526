// Intake without a controller. informer_controller_test.cc has what becomes of the objects.

#include "cache/apply/intake.h"

#include <gtest/gtest.h>
#include <string>

#include "kinformer/base/log.h"
#include "kinformer/base/simulation.h"

#include "client/testing/test_pods.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;

class IntakeTest : public testing::Test {
 protected:
  Simulation sim_{{.log = NewNullLog()}};
  const std::string name_ = "pods";
};

TEST_F(IntakeTest, ObjectOfAnotherPart_IsForeign) {
  const StorePart blue("blue");
  Intake intake(sim_.env(), name_, blue, {}, {});
  EXPECT_FALSE(intake.IsForeign("blue"));
  EXPECT_TRUE(intake.IsForeign("red"));
  const StorePart all;
  Intake whole(sim_.env(), name_, all, {}, {});
  EXPECT_FALSE(whole.IsForeign("red"));
}

TEST_F(IntakeTest, WithoutTransform_ObjectStaysTheSame) {
  const StorePart all;
  Intake intake(sim_.env(), name_, all, {}, {});
  EXPECT_FALSE(intake.transforms());
  const ObjectRef pod = MakePod("default", "a", "1");
  EXPECT_EQ(intake.Transformed(pod).get(), pod.get());
}

TEST_F(IntakeTest, TransformThatChangesIdentity_IsReported) {
  struct Row {
    ObjectRef made;
    int renamed;
  };
  const StorePart all;
  for (const Row& row :
       {Row{MakePod("default", "a", "1", "u", "cut"), 0}, Row{MakePod("other", "a", "1", "u"), 1},
        Row{MakePod("default", "b", "1", "u"), 1}, Row{MakePod("default", "a", "2", "u"), 1},
        Row{MakePod("default", "a", "1", "v"), 1}}) {
    int renamed = 0;
    Intake intake(
        sim_.env(), name_, all, [&](const ObjectRef&) -> Result<ObjectRef> { return row.made; },
        [&] { ++renamed; });
    EXPECT_TRUE(intake.transforms());
    EXPECT_EQ(intake.Transformed(MakePod("default", "a", "1", "u")).get(), row.made.get());
    EXPECT_EQ(renamed, row.renamed);
  }
}

}  // namespace
}  // namespace kinformer::internal::cache

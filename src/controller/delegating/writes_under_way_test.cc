// Writes that are sent and not answered yet, and reads that wait for them.

#include "controller/delegating/writes_under_way.h"

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "kinformer/api/corev1.h"
#include "kinformer/base/simulation.h"

namespace kinformer::internal::delegating {
namespace {

using std::chrono::seconds;
using What = WritesUnderWay::What;

class WritesUnderWayTest : public ::testing::Test {
 protected:
  // Begins to wait for what concerns `which`, and returns a place for the result.
  std::shared_ptr<std::optional<Result<void>>> Wait(const ObjectName& which,
                                                    Duration patience = seconds(5)) {
    const auto result = std::make_shared<std::optional<Result<void>>>();
    Spawn(sim_.env(),
          WritesUnderWay::AnsweredTask(writes_, WritesUnderWay::NameOf(kPods), which,
                                       {.deadline = sim_.env().Now() + patience}),
          [result](Result<void> answered) { *result = std::move(answered); });
    sim_.RunReady();
    return result;
  }

  const KindInfo& kPods = corev1::Pod::kind_info();
  Simulation sim_;
  const std::shared_ptr<WritesUnderWay> writes_ = std::make_shared<WritesUnderWay>(sim_.env());
};

TEST_F(WritesUnderWayTest, AReadConcernsWritesOfItsObjectOrItsNamespace) {
  std::shared_ptr<void> write = writes_->Begin(kPods, {"ns", "a"}, What::kOne);
  EXPECT_TRUE(writes_->Concern(kPods, {"ns", "a"}));
  EXPECT_TRUE(writes_->Concern(kPods, {"ns", ""}));
  EXPECT_TRUE(writes_->Concern(kPods, {"", ""}));
  EXPECT_FALSE(writes_->Concern(kPods, {"ns", "b"}));
  EXPECT_FALSE(writes_->Concern(kPods, {"other", ""}));
  EXPECT_FALSE(writes_->Concern(corev1::ConfigMap::kind_info(), {"ns", "a"}));
  write.reset();
  EXPECT_FALSE(writes_->Concern(kPods, {"ns", "a"}));
}

TEST_F(WritesUnderWayTest, AWriteWithoutANameConcernsLists_AndOneOfManyConcernsAll) {
  std::shared_ptr<void> write = writes_->Begin(kPods, {"ns", ""}, What::kOne);
  EXPECT_TRUE(writes_->Concern(kPods, {"ns", ""}));
  EXPECT_FALSE(writes_->Concern(kPods, {"ns", "a"}));
  write = writes_->Begin(kPods, {"ns", ""}, What::kMany);
  EXPECT_TRUE(writes_->Concern(kPods, {"ns", "a"}));
  EXPECT_FALSE(writes_->Concern(kPods, {"other", "a"}));
}

TEST_F(WritesUnderWayTest, AReadWaitsForTheWritesThatHadBegun) {
  std::shared_ptr<void> first = writes_->Begin(kPods, {"ns", "a"}, What::kOne);
  const auto result = Wait({"ns", ""});
  EXPECT_FALSE(result->has_value());
  const std::shared_ptr<void> later = writes_->Begin(kPods, {"ns", "b"}, What::kOne);
  first.reset();
  sim_.RunReady();
  ASSERT_TRUE(result->has_value());
  EXPECT_TRUE((*result)->ok()) << "later writes are not waited for";
}

TEST_F(WritesUnderWayTest, AWriteThatIsNotAnswered_IsStale) {
  const std::shared_ptr<void> write = writes_->Begin(kPods, {"ns", "a"}, What::kOne);
  const auto result = Wait({"ns", "a"});
  sim_.RunFor(seconds(4));
  EXPECT_FALSE(result->has_value());
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(result->has_value());
  EXPECT_EQ((*result)->error().reason(), Reason::kStale);
  EXPECT_EQ((*result)->error().message(),
            "a write of pods \"ns/a\" by another worker is not answered yet; try again later");
}

}  // namespace
}  // namespace kinformer::internal::delegating

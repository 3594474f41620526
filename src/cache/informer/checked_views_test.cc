// KINFORMER_CHECK_VIEWS: detects a view that a handler keeps, even if the object is still in the
// cache. Row 10. In other builds reads of such a view succeed.

#include <gtest/gtest.h>
#include <optional>
#include <vector>

#include "kinformer/object/ref.h"

#include "cache/informer/testing/informer_fixture.h"
#include "object/block/ended_blocks.h"

namespace kinformer {
namespace {

class CheckedViews : public InformerTest {};

TEST_F(CheckedViews, ARefLivesOn) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  std::vector<Ref<Pod>> kept;
  static_cast<void>(
      informer.AddEventHandler({.on_add = [&](const auto& e) { kept.push_back(e.Retain()); }}));
  informer.Start();
  Settle();
  ASSERT_EQ(kept.size(), 1U);
  EXPECT_EQ(kept[0]->metadata().name(), "a");
}

TEST_F(CheckedViews, AResyncIsStillOfOneObject) {
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make({.resync_period = std::chrono::seconds(1)});
  int resyncs = 0;
  static_cast<void>(informer.AddEventHandler(
      {.on_update = [&](const auto& e) { resyncs += e.is_resync() ? 1 : 0; }}));
  informer.Start();
  Settle();
  sim_.RunFor(std::chrono::seconds(5));
  EXPECT_GT(resyncs, 0);
}

TEST_F(CheckedViews, AViewThatIsKeptIsFound) {
  if (!internal::kCheckViews) GTEST_SKIP() << "built without KINFORMER_CHECK_VIEWS";
  server_.Put("a", "1");
  SharedInformer<Pod> informer = Make();
  std::optional<Pod> kept;
  static_cast<void>(
      informer.AddEventHandler({.on_add = [&](const auto& e) { kept.emplace(e.object); }}));
  informer.Start();
  Settle();
  ASSERT_TRUE(kept.has_value());
  ASSERT_EQ(informer.Snapshot().size(), 1U) << "the object itself is still there";
  EXPECT_DEATH(static_cast<void>(kept->metadata().name().size()),
               "heap-use-after-free|a view was read after its object had ended");
}

}  // namespace
}  // namespace kinformer

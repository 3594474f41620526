#include "cache/apply/part_positions.h"

#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/simulation.h"

#include "cache/store/store_part.h"

namespace kinformer::internal::cache {
namespace {

class PartPositionsTest : public testing::Test {
 protected:
  // Commits once, with these positions.
  template <class... Positions>
  void Commit(Positions&... positions) {
    store_.Begin();
    (positions_.BeforeCommit(positions), ...);
    store_.Commit();
    (positions_.AfterCommit(positions), ...);
  }
  // Returns "version/epoch" of the store, or of a namespace for readers; "none": not covered.
  [[nodiscard]] std::string Whole() const { return Text(store_.Position()); }
  [[nodiscard]] std::string Of(std::string_view namespace_) const {
    const std::optional<StorePosition> position = positions_.Read(namespace_);
    return position ? Text(*position) : "none";
  }
  static std::string Text(const StorePosition& position) {
    return position.resource_version + "/" + std::to_string(position.epoch);
  }

  Simulation sim_;
  StoreCore store_{sim_.env(), {.name = "test"}};
  PartPositions positions_{store_};
};

TEST_F(PartPositionsTest, StoreVersion_IsOldestOfParts) {
  positions_.SetParts({"a", "b"});
  PartPosition& a = *positions_.Of("a");
  PartPosition& b = *positions_.Of("b");
  EXPECT_EQ(Of("a"), "/0");
  a.SetResourceVersion("7");
  Commit(a, b);
  EXPECT_EQ(Whole(), "/0") << "of b nothing is known";
  EXPECT_EQ(Of("a"), "7/0");
  EXPECT_EQ(a.resource_version(), "7");
  b.SetResourceVersion("9");
  Commit(a, b);
  EXPECT_EQ(Whole(), "7/0");
  b.AdvanceResourceVersion("12");
  Commit(a, b);
  EXPECT_EQ(Whole(), "7/0");
  a.AdvanceResourceVersion("10");
  Commit(a, b);
  EXPECT_EQ(Whole(), "10/0");
  a.AdvanceResourceVersion("20");
  Commit(a, b);
  EXPECT_EQ(Whole(), "12/0") << "now b is the oldest";
  EXPECT_EQ(Of("b"), "12/0");
}

TEST_F(PartPositionsTest, PartVersion_VisibleAfterCommit) {
  positions_.SetParts({"a"});
  PartPosition& a = *positions_.Of("a");
  a.SetResourceVersion("7");
  EXPECT_EQ(Of("a"), "/0");
  store_.Begin();
  positions_.BeforeCommit(a);
  EXPECT_EQ(Of("a"), "/0");
  store_.Commit();
  positions_.AfterCommit(a);
  EXPECT_EQ(Of("a"), "7/0");
  // The next writer of the part begins with what is committed.
  a.SetResourceVersion("8");
  EXPECT_EQ(positions_.Of("a")->resource_version(), "7");
  Commit(a);
  EXPECT_EQ(Of("a"), "7/0");
}

TEST_F(PartPositionsTest, PartVersion_GoesBackOnlyByList) {
  positions_.SetParts({"a", "b"});
  PartPosition& a = *positions_.Of("a");
  PartPosition& b = *positions_.Of("b");
  a.SetResourceVersion("7");
  b.SetResourceVersion("9");
  Commit(a, b);
  a.AdvanceResourceVersion("5");
  Commit(a);
  EXPECT_EQ(Of("a"), "7/0");
  EXPECT_EQ(a.resource_version(), "7");
  a.SetResourceVersion("5");
  Commit(a);
  EXPECT_EQ(Of("a"), "5/0");
  EXPECT_EQ(Whole(), "7/0") << "within an epoch the store's never goes back";
}

TEST_F(PartPositionsTest, AnEarlierEpochIsOlderWhateverTheVersionsSay) {
  positions_.SetParts({"a", "b"});
  PartPosition& a = *positions_.Of("a");
  PartPosition& b = *positions_.Of("b");
  for (PartPosition* position : {&a, &b}) position->SetResourceVersion("100");
  Commit(a, b);
  a.SetResourceVersion("3");
  a.SetEpoch(1);
  Commit(a, b);
  EXPECT_EQ(Whole(), "100/0");
  EXPECT_EQ(Of("a"), "3/1");
  b.SetResourceVersion("2");
  b.SetEpoch(1);
  Commit(a, b);
  EXPECT_EQ(Whole(), "2/1") << "all are there: it begins anew";
  b.SetEpoch(1);
  b.AdvanceResourceVersion("4");
  Commit(a, b);
  EXPECT_EQ(Whole(), "3/1");
  b.SetEpoch(2);
  Commit(a, b);
  EXPECT_EQ(Of("b"), "4/2") << "the epoch alone is news, too";
}

TEST_F(PartPositionsTest, AddedPartHoldsVersionBack_RemovedDoesNot) {
  positions_.SetParts({"a", "b"});
  PartPosition& a = *positions_.Of("a");
  // Outlives its part.
  const std::shared_ptr<PartPosition> removed = positions_.Of("b");
  PartPosition& b = *removed;
  a.SetResourceVersion("7");
  b.SetResourceVersion("5");
  Commit(a, b);
  EXPECT_EQ(Whole(), "5/0");
  positions_.SetParts({"a"});
  EXPECT_EQ(Of("b"), "none");
  b.SetResourceVersion("6");
  a.AdvanceResourceVersion("8");
  Commit(a, b);
  EXPECT_EQ(Whole(), "8/0");
  EXPECT_EQ(Of("b"), "none") << "nobody looks there any more";
  positions_.SetParts({"a", "c"});
  EXPECT_EQ(Of("c"), "/0");
  EXPECT_EQ(Of("a"), "8/0");
  a.AdvanceResourceVersion("9");
  Commit(a);
  EXPECT_EQ(Whole(), "8/0") << "of c nothing is known";
}

TEST_F(PartPositionsTest, UnnamedNamespaces_HaveVersionOfOthers) {
  positions_.SetParts({"a", std::string(kOtherNamespaces)});
  PartPosition& others = *positions_.Of(kOtherNamespaces);
  others.SetResourceVersion("7");
  Commit(others);
  EXPECT_EQ(Of("a"), "/0");
  EXPECT_EQ(Of("b"), "7/0");
  EXPECT_EQ(Of(""), "none");
}

TEST_F(PartPositionsTest, NextWriter_ContinuesAtPreviousPosition) {
  positions_.SetParts({"a"});
  PartPosition& first = *positions_.Of("a");
  first.SetResourceVersion("7");
  first.SetEpoch(2);
  Commit(first);
  positions_.SetParts({"a"});
  PartPosition& second = *positions_.Of("a");
  EXPECT_EQ(second.resource_version(), "7");
  second.AdvanceResourceVersion("6");
  second.SetEpoch(2);
  Commit(second);
  EXPECT_EQ(Of("a"), "7/2");
}

TEST_F(PartPositionsTest, SinglePart_HasTheVersionOfTheStore) {
  positions_.SetParts({""});
  PartPosition& whole = *positions_.Of("");
  whole.SetResourceVersion("7");
  whole.SetEpoch(1);
  Commit(whole);
  EXPECT_EQ(Whole(), "7/1");
  whole.AdvanceResourceVersion("6");
  Commit(whole);
  EXPECT_EQ(Whole(), "7/1");
  whole.AdvanceResourceVersion("8");
  Commit(whole);
  EXPECT_EQ(Whole(), "8/1");
  whole.SetResourceVersion("opaque");
  Commit(whole);
  EXPECT_EQ(Whole(), "opaque/1") << "whatever a list says";
  EXPECT_EQ(Of("a"), "none") << "its readers ask the store";
}

TEST_F(PartPositionsTest, PositionOfNoPart_CountsForNothing) {
  positions_.SetParts({"a"});
  PartPosition& a = *positions_.Of("a");
  a.SetResourceVersion("7");
  Commit(a);
  const std::shared_ptr<PartPosition> gone = positions_.Of("gone");
  gone->SetResourceVersion("3");
  Commit(*gone);
  EXPECT_EQ(Whole(), "7/0");
  EXPECT_EQ(Of("gone"), "none");
}

}  // namespace
}  // namespace kinformer::internal::cache

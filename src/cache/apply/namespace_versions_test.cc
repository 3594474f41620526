#include "cache/apply/namespace_versions.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/simulation.h"

#include "cache/store/store_part.h"

namespace kinformer::internal::cache {
namespace {

class NamespaceVersionsTest : public testing::Test {
 protected:
  // Commits once, with these writers of namespaces.
  template <class... Writers>
  void Commit(Writers&... writers) {
    store_.Begin();
    (writers.BeforeCommit(), ...);
    store_.Commit();
    (writers.AfterCommit(), ...);
  }
  // Returns "version/epoch" of the store, or of a namespace for readers; "none": not covered.
  [[nodiscard]] std::string Whole() const { return Text(store_.Position()); }
  [[nodiscard]] std::string Of(std::string_view namespace_) const {
    const std::optional<StorePosition> position = versions_.Of(namespace_);
    return position ? Text(*position) : "none";
  }
  static std::string Text(const StorePosition& position) {
    return position.resource_version + "/" + std::to_string(position.epoch);
  }

  Simulation sim_;
  StoreCore store_{sim_.env(), {.name = "test"}};
  NamespaceVersions versions_{store_};
};

TEST_F(NamespaceVersionsTest, StoreVersion_IsOldestOfNamespaces) {
  versions_.SetNamespaces({"a", "b"});
  PositionWriter a(store_, &versions_, "a");
  PositionWriter b(store_, &versions_, "b");
  EXPECT_EQ(Of("a"), "/0");
  a.SetResourceVersion("7");
  Commit(a, b);
  EXPECT_EQ(Whole(), "/0") << "of b nothing is known";
  EXPECT_EQ(Of("a"), "7/0");
  EXPECT_EQ(a.ResourceVersion(), "7");
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

TEST_F(NamespaceVersionsTest, NamespaceVersion_VisibleAfterCommit) {
  versions_.SetNamespaces({"a"});
  PositionWriter a(store_, &versions_, "a");
  a.SetResourceVersion("7");
  EXPECT_EQ(Of("a"), "/0");
  store_.Begin();
  a.BeforeCommit();
  EXPECT_EQ(Of("a"), "/0");
  store_.Commit();
  a.AfterCommit();
  EXPECT_EQ(Of("a"), "7/0");
  // A position that is set without a change of its writer is not published.
  versions_.Set("a", {.resource_version = "8"});
  Commit(a);
  EXPECT_EQ(Of("a"), "7/0");
}

TEST_F(NamespaceVersionsTest, NamespaceVersion_GoesBackOnlyByList) {
  versions_.SetNamespaces({"a"});
  PositionWriter a(store_, &versions_, "a");
  a.SetResourceVersion("7");
  Commit(a);
  a.AdvanceResourceVersion("5");
  Commit(a);
  EXPECT_EQ(Of("a"), "7/0");
  EXPECT_EQ(a.ResourceVersion(), "7");
  a.SetResourceVersion("5");
  Commit(a);
  EXPECT_EQ(Of("a"), "5/0");
  EXPECT_EQ(Whole(), "7/0") << "within an epoch the store's never goes back";
}

TEST_F(NamespaceVersionsTest, AnEarlierEpochIsOlderWhateverTheVersionsSay) {
  versions_.SetNamespaces({"a", "b"});
  PositionWriter a(store_, &versions_, "a");
  PositionWriter b(store_, &versions_, "b");
  for (PositionWriter* writer : {&a, &b}) writer->SetResourceVersion("100");
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

TEST_F(NamespaceVersionsTest, AddedNamespaceHoldsVersionBack_RemovedDoesNot) {
  versions_.SetNamespaces({"a", "b"});
  PositionWriter a(store_, &versions_, "a");
  PositionWriter b(store_, &versions_, "b");
  a.SetResourceVersion("7");
  b.SetResourceVersion("5");
  Commit(a, b);
  EXPECT_EQ(Whole(), "5/0");
  versions_.SetNamespaces({"a"});
  EXPECT_EQ(Of("b"), "none");
  b.SetResourceVersion("6");
  a.AdvanceResourceVersion("8");
  Commit(a, b);
  EXPECT_EQ(Whole(), "8/0");
  EXPECT_EQ(Of("b"), "none") << "nobody looks there any more";
  versions_.SetNamespaces({"a", "c"});
  EXPECT_EQ(Of("c"), "/0");
  EXPECT_EQ(Of("a"), "8/0");
  a.AdvanceResourceVersion("9");
  Commit(a);
  EXPECT_EQ(Whole(), "8/0") << "of c nothing is known";
}

TEST_F(NamespaceVersionsTest, UnnamedNamespaces_HaveVersionOfOthers) {
  versions_.SetNamespaces({"a", std::string(kOtherNamespaces)});
  PositionWriter others(store_, &versions_, kOtherNamespaces);
  others.SetResourceVersion("7");
  Commit(others);
  EXPECT_EQ(Of("a"), "/0");
  EXPECT_EQ(Of("b"), "7/0");
  EXPECT_EQ(Of(""), "none");
}

TEST_F(NamespaceVersionsTest, NewWriter_ContinuesAtPreviousPosition) {
  versions_.SetNamespaces({"a"});
  {
    PositionWriter first(store_, &versions_, "a");
    first.SetResourceVersion("7");
    first.SetEpoch(2);
    Commit(first);
  }
  PositionWriter second(store_, &versions_, "a");
  EXPECT_EQ(second.ResourceVersion(), "7");
  second.AdvanceResourceVersion("6");
  second.SetEpoch(2);
  Commit(second);
  EXPECT_EQ(Of("a"), "7/2");
}

TEST_F(NamespaceVersionsTest, WriterWithoutNamespaces_SetsStoreVersion) {
  PositionWriter writer(store_, nullptr, "");
  writer.SetResourceVersion("7");
  writer.SetEpoch(1);
  Commit(writer);
  EXPECT_EQ(Whole(), "7/1");
  EXPECT_EQ(writer.ResourceVersion(), "7");
  writer.AdvanceResourceVersion("6");
  Commit(writer);
  EXPECT_EQ(Whole(), "7/1");
  writer.AdvanceResourceVersion("8");
  Commit(writer);
  EXPECT_EQ(Whole(), "8/1");
}

}  // namespace
}  // namespace kinformer::internal::cache

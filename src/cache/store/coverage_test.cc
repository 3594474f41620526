// Tests of the answers to reads of objects that a store does not hold.

#include "cache/store/coverage.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/indexer.h"
#include "kinformer/cache/lister.h"
#include "kinformer/internal/indexer_core.h"

#include "cache/store/store_core.h"
#include "cache/store/testing/test_objects.h"

namespace kinformer {
namespace {

using internal::cache::Coverage;
using internal::cache::MakeObject;
using internal::cache::MakeThing;
using internal::cache::NameSet;
using internal::cache::StoreCore;
using internal::cache::Thing;
using ::testing::HasSubstr;

// An owner whose store is complete if its coverage says so. `asked` is called between the read of a
// version and the decision about it.
class FakeOwner final : public internal::StoreOwner {
 public:
  [[nodiscard]] Result<void> Complete(const Coverage& coverage,
                                      std::string_view namespace_) const override {
    const bool complete = coverage.IsComplete(namespace_);
    if (asked) asked();
    if (complete) return {};
    return Error(Reason::kNotSynced, "the informer of things has not synced");
  }
  void OnRead(const Coverage* coverage) const override {
    reads += coverage == nullptr || coverage->complete ? "+" : "-";
  }
  Result<void> AddIndexes(internal::NamedIndexFunctions, bool) override {
    indexes += "+";
    return {};
  }
  Result<void> RemoveIndexes(std::vector<std::string>) override {
    indexes += "-";
    return {};
  }
  [[nodiscard]] Result<void> WaitForResourceVersion(std::string_view, std::string_view,
                                                    const std::stop_token&,
                                                    std::optional<Duration>) const override {
    return {};
  }

  std::function<void()> asked{};
  // Reads that cannot return an error: "+" if their version is complete, "-" if not.
  mutable std::string reads{};
  // "+" for each call of AddIndexes, "-" for each of RemoveIndexes.
  std::string indexes{};
};

class CoverageTest : public ::testing::Test {
 protected:
  CoverageTest() {
    coverage_.complete = true;
    Publish();
    static_cast<void>(store_->Put(MakeObject("ns", "a", "1")));
  }
  void Publish() {
    store_->Begin();
    store_->SetCoverage(std::make_shared<const Coverage>(coverage_));
    store_->Commit();
  }
  [[nodiscard]] std::optional<Reason> Absence(std::string_view ns, std::string_view name) const {
    const Result<Ref<Thing>> got = lister_.Namespace(ns).Get(name);
    return got ? std::nullopt : std::optional(got.error().reason());
  }

  Simulation sim_;
  FakeOwner owner_;
  Coverage coverage_;
  const std::shared_ptr<StoreCore> store_ =
      std::make_shared<StoreCore>(sim_.env(), internal::cache::StoreCoreOptions{});
  const Indexer<Thing> indexer_{std::make_shared<internal::IndexerCore>(store_, owner_)};
  const Lister<Thing> lister_{indexer_};
};

// A cache never reports absence unless it knows it.
TEST_F(CoverageTest, AListerSaysWhyItCannotTell) {
  coverage_.unreadable = std::make_shared<const NameSet>(NameSet{{"ns", "broken"}});
  Publish();
  EXPECT_EQ(Absence("ns", "a"), std::nullopt);
  EXPECT_EQ(Absence("ns", "b"), Reason::kNotFound);
  EXPECT_EQ(Absence("ns", "broken"), Reason::kUnreadable);
  EXPECT_EQ(store_->Stats().unreadable, 1U);
  EXPECT_EQ(lister_.List().error().reason(), Reason::kUnreadable) << "one is missing";
  EXPECT_EQ(lister_.Namespace("ns").List().error().reason(), Reason::kUnreadable);
  EXPECT_TRUE(lister_.Namespace("other").List().ok());
  coverage_.complete = false;
  Publish();
  EXPECT_EQ(Absence("ns", "a"), std::nullopt);
  EXPECT_EQ(Absence("ns", "b"), Reason::kNotSynced);
  EXPECT_EQ(lister_.List().error().reason(), Reason::kNotSynced);
  EXPECT_EQ(lister_.ByIndex(kNamespaceIndex, "ns").error().reason(), Reason::kNotSynced);
}

TEST_F(CoverageTest, UnreadableObjects_FirstIsNamedOthersAreCounted) {
  coverage_.unreadable =
      std::make_shared<const NameSet>(NameSet{{"ns", "b"}, {"ns", "c"}, {"other", "d"}});
  Publish();
  EXPECT_THAT(lister_.List().error().message(), HasSubstr("\"ns/b\" and 2 more is malformed"));
  EXPECT_THAT(lister_.Namespace("ns").List().error().message(),
              HasSubstr("\"ns/b\" and 1 more is malformed"));
  EXPECT_THAT(lister_.Namespace("other").List().error().message(),
              HasSubstr("\"other/d\" is malformed"));
}

TEST_F(CoverageTest, ObjectsTheCacheDoesNotCover_AreOutOfScope) {
  coverage_.scope.namespace_ = "ns";
  Publish();
  EXPECT_EQ(Absence("ns", "b"), Reason::kNotFound);
  EXPECT_EQ(Absence("other", "b"), Reason::kOutOfScope);
  EXPECT_EQ(lister_.Namespace("other").List().error().reason(), Reason::kOutOfScope);
  EXPECT_TRUE(lister_.Namespace("ns").List().ok());
  coverage_.scope.name = "a";
  Publish();
  EXPECT_EQ(Absence("ns", "b"), Reason::kOutOfScope);
  EXPECT_THAT(lister_.Namespace("ns").Get("b").error().message(),
              HasSubstr("objects with namespace \"ns\" and the name \"a\" only"));
  EXPECT_EQ(Absence("ns", "a"), std::nullopt);
  static_cast<void>(store_->Erase("ns", "a"));
  EXPECT_EQ(Absence("ns", "a"), Reason::kNotFound);
  coverage_.scope = {.conditions = "label selector \"app=web\""};
  Publish();
  EXPECT_EQ(Absence("ns", "a"), Reason::kOutOfScope);
  const Error error = lister_.Namespace("ns").Get("a").error();
  EXPECT_TRUE(IsAbsent(error));
  EXPECT_FALSE(IsNotFound(error));
  EXPECT_THAT(error.message(), HasSubstr("object \"ns/a\""));
  EXPECT_THAT(error.message(), HasSubstr("label selector \"app=web\""));
  EXPECT_THAT(error.message(), HasSubstr("ask the API server"));
}

// Each namespace is complete by itself; the list of all names the incomplete ones.
TEST_F(CoverageTest, EachNamespaceSpeaksForItself) {
  internal::cache::NamespaceSet namespaces;
  namespaces.places = {{"ns", {.complete = true}}, {"slow", {}}};
  const auto publish = [&] {
    coverage_.namespaces = std::make_shared<const internal::cache::NamespaceSet>(namespaces);
    Publish();
  };
  coverage_.complete = false;
  publish();
  EXPECT_EQ(Absence("ns", "a"), std::nullopt);
  EXPECT_EQ(Absence("ns", "b"), Reason::kNotFound);
  EXPECT_EQ(Absence("slow", "b"), Reason::kNotSynced);
  EXPECT_EQ(Absence("other", "b"), Reason::kOutOfScope);
  EXPECT_TRUE(lister_.Namespace("ns").List().ok());
  EXPECT_EQ(lister_.Namespace("slow").List().error().reason(), Reason::kNotSynced);
  EXPECT_EQ(lister_.Namespace("other").List().error().reason(), Reason::kOutOfScope);
  EXPECT_EQ(lister_.List().error().reason(), Reason::kNotSynced);
  EXPECT_EQ(lister_.List().size(), 1U);
  EXPECT_THAT(lister_.Namespace("other").Get("b").error().message(),
              HasSubstr("one of the namespaces \"ns\", \"slow\" only"));
  // These are all namespaces, but which ones is unknown at first.
  namespaces.all = true;
  namespaces.known = false;
  publish();
  EXPECT_EQ(Absence("other", "b"), Reason::kNotSynced);
  namespaces.known = true;
  publish();
  EXPECT_EQ(Absence("other", "b"), Reason::kNotFound);
  EXPECT_EQ(Absence("slow", "b"), Reason::kNotSynced);
  namespaces.places["slow"].complete = true;
  coverage_.complete = true;
  publish();
  EXPECT_TRUE(lister_.List().ok());
}

// Each place has its own selectors; all other namespaces together form one place.
TEST_F(CoverageTest, Places_AnswerByTheirOwnScope) {
  using internal::cache::Scope;
  const auto scope = [](Scope of) { return std::make_shared<const Scope>(std::move(of)); };
  internal::cache::NamespaceSet namespaces;
  namespaces.places["ns"] = {.complete = true,
                             .scope = scope({.namespace_ = "ns", .conditions = "label x"})};
  namespaces.places["named"] = {.complete = true, .epoch = 3};
  namespaces.places["*"] = {.complete = false, .epoch = 2, .scope = scope({.without = {"never"}})};
  const auto publish = [&] {
    coverage_.namespaces = std::make_shared<const internal::cache::NamespaceSet>(namespaces);
    Publish();
  };
  coverage_.complete = false;
  publish();
  EXPECT_EQ(Absence("ns", "a"), std::nullopt);
  EXPECT_EQ(Absence("ns", "b"), Reason::kOutOfScope);
  EXPECT_THAT(lister_.Namespace("ns").Get("b").error().message(),
              HasSubstr("namespace \"ns\" and label x"));
  EXPECT_EQ(Absence("named", "b"), Reason::kNotFound);
  EXPECT_EQ(Absence("other", "b"), Reason::kNotSynced);
  EXPECT_EQ(lister_.Namespace("other").List().error().reason(), Reason::kNotSynced);
  EXPECT_EQ(Absence("never", "b"), Reason::kOutOfScope);
  EXPECT_THAT(lister_.Namespace("never").Get("b").error().message(),
              HasSubstr("another namespace than \"never\""));
  EXPECT_EQ(coverage_.namespaces->EpochOf("named"), 3U);
  EXPECT_EQ(coverage_.namespaces->EpochOf("other"), 2U);
  namespaces.places["*"].complete = true;
  coverage_.complete = true;
  publish();
  EXPECT_EQ(Absence("other", "b"), Reason::kNotFound);
  EXPECT_TRUE(lister_.Namespace("other").List().ok());
}

// An object that existed all the time, in a cache that becomes complete between the look-up and the
// check of completeness: the answer belongs to the version that was read.
TEST_F(CoverageTest, ObjectListedDuringRead_IsNotReportedMissing) {
  coverage_.complete = false;
  Publish();
  owner_.asked = [this] {
    owner_.asked = nullptr;
    store_->Begin();
    static_cast<void>(store_->Put(MakeObject("ns", "late", "2")));
    coverage_.complete = true;
    store_->SetCoverage(std::make_shared<const Coverage>(coverage_));
    store_->Commit();
  };
  const auto start_again = [this, first_list = owner_.asked] {
    static_cast<void>(store_->Erase("ns", "late"));
    coverage_.complete = false;
    Publish();
    owner_.asked = first_list;
  };
  EXPECT_EQ(Absence("ns", "late"), Reason::kNotSynced);
  EXPECT_EQ(Absence("ns", "late"), std::nullopt);
  start_again();
  const ObjectRange<Thing> all = lister_.Namespace("ns").List();
  EXPECT_EQ(all.size(), 1U);
  EXPECT_FALSE(all.ok());
  start_again();
  EXPECT_FALSE(lister_.ByIndex(kNamespaceIndex, "ns").ok());
}

// The last readable state is kept for comparisons only; it is not the current object.
TEST_F(CoverageTest, AnUnreadableObjectIsNotShownAsItWas) {
  coverage_.unreadable = std::make_shared<const NameSet>(NameSet{{"ns", "a"}});
  const auto before = store_->Snapshot();
  Publish();
  EXPECT_EQ(Absence("ns", "a"), Reason::kUnreadable);
  EXPECT_FALSE(indexer_.GetByKey("ns/a"));
  EXPECT_TRUE(store_->Get("ns", "a"));
  EXPECT_EQ(before->coverage()->unreadable, nullptr);
  EXPECT_NE(store_->Snapshot()->coverage()->unreadable, nullptr);
}

TEST_F(CoverageTest, NobodyButTheOwnerWritesItsStore) {
  Indexer<Thing> writer = indexer_;
  EXPECT_EQ(writer.Add(MakeThing("ns", "c", "1")).error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(writer.Replace({}, "1").error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(writer.DeleteByKey("ns/a").error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(writer.Bookmark("7").error().reason(), Reason::kInvalidArgument);
  EXPECT_EQ(writer.Transaction({}).error().reason(), Reason::kInvalidArgument);
  // The owner changes the indexes.
  EXPECT_TRUE(
      writer.AddIndexers({{"by", [](Thing, internal::IndexValues& out) { out.Add("x"); }}}).ok());
  EXPECT_TRUE(writer.RemoveIndexers({"by"}).ok());
  EXPECT_EQ(owner_.indexes, "+-");
  EXPECT_FALSE(store_->HasIndex("by"));
}

TEST_F(CoverageTest, LeftOutObject_IsOverLimit) {
  internal::cache::LeftOut left_out;
  left_out.Insert("", "ns", "b");
  left_out.Insert("", "other", "c");
  coverage_.left_out = std::make_shared<const internal::cache::LeftOut>(left_out);
  Publish();
  EXPECT_EQ(Absence("ns", "b"), Reason::kOverLimit);
  EXPECT_EQ(Absence("ns", "c"), Reason::kNotFound);
  EXPECT_EQ(store_->Stats().left_out, 2U);
  EXPECT_EQ(store_->Stats().unreadable, 0U);
  EXPECT_FALSE(Coverage().IsLeftOut("ns", "b"));
}

TEST_F(CoverageTest, ManyNamespaces_FirstTenAreNamed) {
  const auto message = [&](int count) {
    internal::cache::NamespaceSet namespaces;
    for (int i = 0; i < count; ++i) namespaces.places["n" + std::to_string(100 + i)] = {};
    coverage_.namespaces = std::make_shared<const internal::cache::NamespaceSet>(namespaces);
    Publish();
    return lister_.Namespace("ns").Get("b").error().message();
  };
  EXPECT_THAT(message(10), HasSubstr("\"n108\", \"n109\" only"));
  EXPECT_THAT(message(11), HasSubstr("\"n108\", \"n109\" and 1 more only"));
  EXPECT_THAT(message(30), HasSubstr("\"n108\", \"n109\" and 20 more only"));
}

// Defaults of a Coverage and a NamespaceSet.
TEST(Coverage, EmptyCoverage_IsNotComplete) {
  using internal::cache::NamespaceSet;
  EXPECT_FALSE(Coverage().complete);
  EXPECT_FALSE(Coverage().IsComplete("ns"));
  EXPECT_FALSE(NamespaceSet().all);
  EXPECT_TRUE(NamespaceSet().known);
  NamespaceSet namespaces;
  namespaces.places["ns"] = {};
  EXPECT_EQ(namespaces.EpochOf("ns"), 0U);
  EXPECT_EQ(namespaces.EpochOf("other"), std::nullopt);
  // A complete namespace does not make the list of all namespaces complete.
  namespaces.all = true;
  namespaces.places["ns"].complete = true;
  Coverage coverage{.namespaces = std::make_shared<const NamespaceSet>(namespaces)};
  EXPECT_TRUE(coverage.IsComplete("ns"));
  EXPECT_TRUE(coverage.IsComplete("other"));
  EXPECT_FALSE(coverage.IsComplete(""));
  namespaces.all = false;
  coverage.namespaces = std::make_shared<const NamespaceSet>(namespaces);
  EXPECT_FALSE(coverage.IsComplete("other"));
  coverage.complete = true;
  EXPECT_TRUE(coverage.IsComplete(""));
  EXPECT_TRUE(coverage.IsComplete("other"));
}

TEST_F(CoverageTest, TheOwnerHearsOfReadsThatCannotSayWhatTheyLack) {
  coverage_.complete = false;
  Publish();
  static_cast<void>(indexer_.Snapshot());
  static_cast<void>(indexer_.List());
  static_cast<void>(indexer_.ListKeys());
  static_cast<void>(lister_.Snapshot());
  EXPECT_EQ(owner_.reads, "----");
  EXPECT_FALSE(indexer_.GetByKey("ns/none"));
  EXPECT_EQ(owner_.reads, "-----");
  EXPECT_TRUE(indexer_.GetByKey("ns/a")) << "which is an answer";
  // These reads return an error themselves.
  EXPECT_FALSE(lister_.List().ok());
  EXPECT_FALSE(lister_.Namespace("ns").Get("none").ok());
  static_cast<void>(indexer_.core()->SnapshotAsItIs());
  EXPECT_EQ(owner_.reads, "-----");
  static_cast<void>(internal::IndexerCore::JointSnapshots(
      std::vector<const internal::IndexerCore*>{indexer_.core().get()}));
  EXPECT_EQ(owner_.reads, "------");
  coverage_.complete = true;
  Publish();
  static_cast<void>(indexer_.Snapshot());
  EXPECT_EQ(owner_.reads, "------+");
}

}  // namespace
}  // namespace kinformer

// CoverageWriter on its own: the coverage of each version of a store.

#include "cache/apply/coverage_writer.h"

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"

namespace kinformer::internal::cache {
namespace {

using testing::ElementsAre;

class CoverageWriterTest : public testing::Test {
 protected:
  CoverageWriterTest() { BeginLife(); }

  // Returns the coverage of the last commit.
  [[nodiscard]] std::shared_ptr<const Coverage> Now() const {
    const std::shared_ptr<const SnapshotCore> snapshot = store_.Snapshot();
    return {snapshot, snapshot->coverage()};
  }
  std::shared_ptr<const Coverage> Published() {
    store_.Begin();
    writer_->Publish();
    store_.Commit();
    return Now();
  }
  // Ends the informer's life, if there is one, and starts the next one, with a single place.
  void BeginLife(const Scope& scope = {}) {
    writer_.reset();
    writer_.emplace(store_);
    writer_->SetPlaces({""}, false, true, 0);
    writer_->SetScope("", scope);
    Published();
  }
  [[nodiscard]] static StorePart Part(const std::string& namespace_) {
    return StorePart(namespace_);
  }
  static KeySet Keys(const std::string& namespace_, const std::string& name) {
    KeySet keys;
    keys.Insert(namespace_, name);
    return keys;
  }

  Simulation sim_;
  StoreCore store_{sim_.env(), {.name = "test"}};
  std::optional<CoverageWriter> writer_;
};

// ---- the scope

TEST(ScopeOf, FieldSelectorOnKey_SetsNameAndNamespace) {
  EXPECT_EQ(ScopeOf({}), Scope{});
  const Scope labels = ScopeOf({.namespace_ = "ns", .labelSelector = "app=web"});
  EXPECT_EQ(labels.namespace_, "ns");
  EXPECT_EQ(labels.label_selector, "app=web");
  EXPECT_EQ(labels.conditions, "label selector \"app=web\"");
  const Scope key = ScopeOf({.fieldSelector = "metadata.name=a,metadata.namespace=blue"});
  EXPECT_EQ(key.name, "a");
  EXPECT_EQ(key.namespace_, "blue");
  EXPECT_EQ(key.field_selector, "");
  EXPECT_EQ(key.conditions, "");
  const Scope without = ScopeOf({.fieldSelector = "metadata.namespace!=a,metadata.namespace!=b"});
  EXPECT_THAT(without.without, ElementsAre("a", "b"));
  EXPECT_EQ(without.namespace_, "");
  EXPECT_EQ(without.conditions, "");
}

TEST(ScopeOf, TheRestOfAFieldSelectorIsNamed) {
  const Scope both = ScopeOf({.labelSelector = "app=web", .fieldSelector = "spec.nodeName=n"});
  EXPECT_EQ(both.conditions, "label selector \"app=web\" and field selector \"spec.nodeName=n\"");
  EXPECT_EQ(both.field_selector, "spec.nodeName=n");
  const Scope not_named = ScopeOf({.fieldSelector = "metadata.name!=a"});
  EXPECT_EQ(not_named.name, "");
  EXPECT_EQ(not_named.field_selector, "metadata.name!=a");
  const Scope mixed = ScopeOf({.fieldSelector = "metadata.name=a,spec.nodeName=n"});
  EXPECT_EQ(mixed.name, "a");
  EXPECT_EQ(mixed.conditions, "field selector \"metadata.name=a,spec.nodeName=n\"");
  EXPECT_EQ(ScopeOf({.fieldSelector = "no selector"}).field_selector, "no selector");
}

// ---- lives

TEST_F(CoverageWriterTest, ALifeBeginsAndEndsIncomplete) {
  EXPECT_FALSE(Now()->complete);
  writer_->SetComplete(true, {});
  EXPECT_TRUE(writer_->complete());
  EXPECT_FALSE(Now()->complete) << "only with the next commit";
  EXPECT_TRUE(Published()->complete);
  writer_.reset();
  EXPECT_FALSE(Now()->complete);
}

TEST_F(CoverageWriterTest, UnreadableAndLeftOut_StaySoInNextLife) {
  writer_->AddUnreadable({"ns", "u"});
  writer_->AddLeftOut({}, "ns", "l");
  // The end of a life publishes pending changes, too.
  BeginLife();
  EXPECT_TRUE(Now()->IsUnreadable("ns", "u"));
  EXPECT_TRUE(Now()->IsLeftOut("ns", "l"));
  EXPECT_TRUE(writer_->IsUnreadable("ns", "u"));
  EXPECT_TRUE(writer_->left_out().Contains("ns", "l"));
  writer_->RemoveUnreadable("ns", "u");
  writer_->RemoveLeftOut("ns", "l");
  EXPECT_EQ(Published()->unreadable, nullptr);
  EXPECT_EQ(Now()->left_out, nullptr);
}

TEST_F(CoverageWriterTest, PlacesAreKnownInTheNextLifeButNotComplete) {
  writer_->SetPlaces({"blue"}, false, true, 0);
  writer_->SetEpoch(Part("blue"), 3);
  writer_->SetScope("blue", {.name = "only"});
  writer_->SetComplete(true, Part("blue"));
  EXPECT_TRUE(Published()->complete);
  EXPECT_TRUE(Now()->IsComplete("blue"));
  writer_.reset();
  EXPECT_FALSE(Now()->complete);
  EXPECT_FALSE(Now()->IsComplete("blue"));
  writer_.emplace(store_);
  writer_->SetPlaces({"blue", "red"}, false, true, 0);
  Published();
  EXPECT_FALSE(Now()->IsComplete("blue"));
  EXPECT_EQ(Now()->namespaces->EpochOf("blue"), 3U);
  EXPECT_EQ(Now()->namespaces->EpochOf("red"), 0U);
  EXPECT_EQ(Now()->ScopeOf("blue").name, "only");
}

// ---- places

TEST_F(CoverageWriterTest, Coverage_CompleteOnceEachNamespaceIs) {
  writer_->SetPlaces({"blue", "red"}, false, true, 0);
  writer_->SetComplete(true, Part("blue"));
  EXPECT_FALSE(Published()->complete);
  EXPECT_TRUE(Now()->IsComplete("blue"));
  EXPECT_FALSE(Now()->IsComplete("red"));
  writer_->SetComplete(true, Part("green"));
  writer_->SetComplete(true, Part("red"));
  EXPECT_TRUE(Published()->complete);
  // A known place keeps its completeness; a new one is incomplete.
  writer_->SetPlaces({"green", "red"}, false, true, 0);
  EXPECT_FALSE(Published()->complete);
  EXPECT_TRUE(Now()->IsComplete("red"));
  EXPECT_FALSE(Now()->Includes("blue"));
  writer_->SetPlaces({"red"}, false, false, 0);
  EXPECT_FALSE(Published()->complete) << "it is not known which there are";
  writer_->SetPlaces({"red"}, true, true, 0);
  EXPECT_TRUE(Published()->complete);
  EXPECT_TRUE(Now()->Includes("blue")) << "all there are: there is nothing";
}

TEST_F(CoverageWriterTest, SetPlaces_ReplacesScopeOfTheSinglePlace) {
  BeginLife({.namespace_ = "old"});
  EXPECT_FALSE(Now()->Includes("blue"));
  writer_->SetPlaces({"blue"}, false, true, 0);
  EXPECT_EQ(Published()->scope.namespace_, "");
}

TEST_F(CoverageWriterTest, TheScopeOfAPlaceIsPublished) {
  writer_->SetPlaces({"blue"}, false, true, 0);
  Published();
  writer_->SetScope("blue", {.name = "only"});
  EXPECT_EQ(Published()->ScopeOf("blue").name, "only");
  writer_->SetScope("red", {.name = "elsewhere"});
  EXPECT_FALSE(Published()->Includes("red"));
}

TEST_F(CoverageWriterTest, AnEpochOfAPlaceNeverGoesBack) {
  writer_->SetPlaces({"blue"}, false, true, 0);
  for (const std::uint64_t epoch : {2U, 1U}) {
    writer_->SetEpoch(Part("blue"), epoch);
    EXPECT_EQ(Published()->namespaces->EpochOf("blue"), 2U);
  }
  writer_->SetEpoch(Part("red"), 5);
  EXPECT_EQ(Published()->namespaces->EpochOf("blue"), 2U);
}

// Handlers may have seen its objects in that epoch, when the store had a single place.
TEST_F(CoverageWriterTest, NewPlace_BeginsInTheEpochThatIsCurrent) {
  writer_->SetPlaces({"blue"}, false, true, 0);
  writer_->SetEpoch(Part("blue"), 1);
  writer_->SetPlaces({"blue", "red"}, false, true, 4);
  EXPECT_EQ(Published()->namespaces->EpochOf("red"), 4U);
  EXPECT_EQ(Now()->namespaces->EpochOf("blue"), 1U);
  writer_->SetPlaces({"blue"}, false, true, 5);
  writer_->SetPlaces({"blue", "red"}, false, true, 6);
  EXPECT_EQ(Published()->namespaces->EpochOf("red"), 6U) << "one that comes back";
}

TEST_F(CoverageWriterTest, RemovedPlace_DropsItsLeftOutObjects) {
  writer_->SetPlaces({"blue", "red"}, false, true, 0);
  writer_->AddLeftOut(Part("blue"), "blue", "a");
  writer_->AddLeftOut(Part("red"), "red", "a");
  EXPECT_EQ(Published()->left_out->SizeOf("red"), 1U);
  writer_->SetPlaces({"blue"}, false, true, 0);
  EXPECT_FALSE(Published()->IsLeftOut("red", "a"));
  EXPECT_TRUE(Now()->IsLeftOut("blue", "a"));
}

// ---- names

TEST_F(CoverageWriterTest, AListSaysWhatIsUnreadableInItsPart) {
  writer_->SetPlaces({"blue", "red"}, false, true, 0);
  writer_->AddUnreadable({"blue", "a"});
  writer_->AddUnreadable({"red", "a"});
  writer_->AssignUnreadable({{"blue", "b"}}, Part("blue"));
  Published();
  EXPECT_FALSE(Now()->IsUnreadable("blue", "a"));
  EXPECT_TRUE(Now()->IsUnreadable("blue", "b"));
  EXPECT_TRUE(Now()->IsUnreadable("red", "a"));
  writer_->AssignUnreadable({}, {});
  EXPECT_EQ(Published()->unreadable, nullptr);
}

TEST_F(CoverageWriterTest, AListSaysWhatIsLeftOut) {
  writer_->AddLeftOut({}, "ns", "a");
  writer_->AddUnreadable({"ns", "b"});
  writer_->AddUnreadable({"ns", "c"});
  Published();
  writer_->AssignLeftOut(Keys("ns", "b"), {});
  Published();
  EXPECT_FALSE(Now()->IsLeftOut("ns", "a"));
  EXPECT_TRUE(Now()->IsLeftOut("ns", "b"));
  EXPECT_FALSE(Now()->IsUnreadable("ns", "b")) << "it could be read";
  EXPECT_TRUE(Now()->IsUnreadable("ns", "c"));
  writer_->AssignLeftOut({}, {});
  EXPECT_EQ(Published()->left_out, nullptr);
}

// Equal pointers show at once that nothing has changed between two versions.
TEST_F(CoverageWriterTest, WithoutAChangeAVersionHasTheSameCoverage) {
  writer_->AddUnreadable({"ns", "u"});
  writer_->AddLeftOut({}, "ns", "l");
  const std::shared_ptr<const Coverage> before = Published();
  writer_->AddUnreadable({"ns", "u"});
  writer_->AddLeftOut({}, "ns", "l");
  writer_->RemoveUnreadable("ns", "other");
  writer_->RemoveLeftOut("ns", "other");
  writer_->SetComplete(false, {});
  EXPECT_EQ(Published().get(), before.get());
}

}  // namespace
}  // namespace kinformer::internal::cache

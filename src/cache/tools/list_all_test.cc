#include "kinformer/list_all.h"

#include <algorithm>
#include <string>
#include <vector>

#include "kinformer/simulation.h"

#include "cache/informer/testing/informer_fixture.h"
#include "cache/store/testing/test_objects.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace kinformer {
namespace {

using internal::cache::MakeThing;
using internal::cache::Thing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

class ListAllTest : public ::testing::Test {
 protected:
  ListAllTest() {
    EXPECT_TRUE(store_.Add(MakeThing("x", "a", "1", {{"tier", "front"}})));
    EXPECT_TRUE(store_.Add(MakeThing("x", "b", "1", {{"tier", "back"}})));
    EXPECT_TRUE(store_.Add(MakeThing("y", "c", "1", {{"tier", "front"}})));
  }
  std::vector<std::string> All(const LabelSelector& selector) {
    std::vector<std::string> names;
    EXPECT_TRUE(
        ListAll(store_, selector, [&](Thing t) { names.emplace_back(t.metadata().name()); }));
    return names;
  }
  std::vector<std::string> Of(std::string_view namespace_, const LabelSelector& selector) {
    std::vector<std::string> names;
    EXPECT_TRUE(ListAllByNamespace(store_, namespace_, selector,
                                   [&](Thing t) { names.emplace_back(t.metadata().name()); }));
    return names;
  }

  Simulation sim_;
  Indexer<Thing> store_{sim_.env()};
  const LabelSelector everything_;
  const LabelSelector front_ = LabelSelector::Parse("tier=front").OrExit();
};

TEST_F(ListAllTest, GoesThroughWhatMatches) {
  EXPECT_THAT(All(everything_), UnorderedElementsAre("a", "b", "c"));
  EXPECT_THAT(All(front_), UnorderedElementsAre("a", "c"));
  EXPECT_THAT(All(LabelSelector::Nothing()), IsEmpty());
}

TEST_F(ListAllTest, OfOneNamespaceOrOfAll) {
  EXPECT_THAT(Of("x", everything_), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(Of("x", front_), ElementsAre("a"));
  EXPECT_THAT(Of("", front_), UnorderedElementsAre("a", "c"));
  EXPECT_THAT(Of("none", everything_), IsEmpty());
  EXPECT_THAT(Of("x", LabelSelector::Nothing()), IsEmpty());
}

TEST_F(InformerTest, ListAllSaysWhatIsNotComplete) {
  server_.Put("a");
  SharedInformer<Pod> informer = Make();
  int count = 0;
  const auto list = [&] { return ListAll(informer.indexer(), {}, [&](Pod) { ++count; }); };
  const Result<void> early = list();
  ASSERT_FALSE(early);
  EXPECT_EQ(early.error().reason(), Reason::kNotSynced);
  informer.Start();
  Settle();
  EXPECT_TRUE(list());
  EXPECT_EQ(count, 1);
}

}  // namespace
}  // namespace kinformer

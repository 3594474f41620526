#include "kinformer/cache/undelta_store.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"

#include "cache/store/testing/test_objects.h"

namespace kinformer {
namespace {

using internal::cache::MakeThing;
using internal::cache::Thing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Pushes = std::vector<std::vector<std::string>>;

class UndeltaStoreTest : public ::testing::Test {
 protected:
  void Push(const ObjectRange<Thing>& all) {
    std::vector<std::string> texts;
    for (Thing thing : all) {
      texts.push_back(std::string(thing.metadata().name()) + " " +
                      std::string(thing.metadata().resourceVersion()));
    }
    std::sort(texts.begin(), texts.end());
    pushes_.push_back(std::move(texts));
    if (throws_) throw std::runtime_error("pushed");
  }

  Simulation sim_;
  Pushes pushes_;
  bool throws_ = false;
  UndeltaStore<Thing> store_{sim_.env(), [this](const ObjectRange<Thing>& all) { Push(all); }};
};

TEST_F(UndeltaStoreTest, AddAndUpdateEachPushTheWholeList_UD01) {
  ASSERT_TRUE(store_.Add(MakeThing("", "a", "1")));
  ASSERT_TRUE(store_.Add(MakeThing("", "b", "2")));
  ASSERT_TRUE(store_.Update(MakeThing("", "a", "3")));
  EXPECT_EQ(pushes_, (Pushes{{"a 1"}, {"a 1", "b 2"}, {"a 3", "b 2"}}));
}

TEST_F(UndeltaStoreTest, DeletePushesWhatIsLeft_UD02) {
  ASSERT_TRUE(store_.Add(MakeThing("", "a", "1")));
  ASSERT_TRUE(store_.Delete(MakeThing("", "a", "2")));
  EXPECT_EQ(pushes_, (Pushes{{"a 1"}, {}}));
}

TEST_F(UndeltaStoreTest, ReadingPushesNothing_UD03) {
  ASSERT_TRUE(store_.Add(MakeThing("", "a", "1")));
  EXPECT_THAT(store_.ListKeys(), ElementsAre("a"));
  EXPECT_TRUE(store_.GetByKey("a"));
  EXPECT_TRUE(store_.Get(MakeThing("", "a", "")));
  EXPECT_FALSE(store_.List().empty());
  EXPECT_EQ(store_.LastStoreSyncResourceVersion(), "1");
  ASSERT_TRUE(store_.Bookmark("5"));
  EXPECT_EQ(store_.LastStoreSyncResourceVersion(), "5");
  EXPECT_EQ(pushes_.size(), 1U);
}

TEST_F(UndeltaStoreTest, ReplacePushesOnce_UD04) {
  ASSERT_TRUE(store_.Add(MakeThing("", "a", "1")));
  pushes_.clear();
  ASSERT_TRUE(store_.Replace({.resourceVersion = "9",
                              .objects = {MakeThing("", "b", "2"), MakeThing("", "c", "3")},
                              .unreadable = {{"", "a"}}}));
  EXPECT_EQ(pushes_, (Pushes{{"a 1", "b 2", "c 3"}})) << "of an unreadable one the last state";
  ASSERT_TRUE(store_.Unreadable({"", "b"}, /*deleted=*/false));
  EXPECT_EQ(pushes_.size(), 1U);
  ASSERT_TRUE(store_.Unreadable({"", "b"}, /*deleted=*/true));
  EXPECT_EQ(pushes_.back(), (std::vector<std::string>{"a 1", "c 3"}));
}

TEST_F(UndeltaStoreTest, ARefusedWritePushesNothing) {
  EXPECT_FALSE(store_.Add(MakeThing("", "", "1")));
  EXPECT_THAT(pushes_, IsEmpty());
}

TEST_F(UndeltaStoreTest, APushThatThrowsPassesThroughAndTheWriteIsMade) {
  throws_ = true;
  EXPECT_THROW((void)store_.Add(MakeThing("", "a", "1")), std::runtime_error);
  throws_ = false;
  EXPECT_TRUE(store_.GetByKey("a"));
  ASSERT_TRUE(store_.Add(MakeThing("", "b", "2")));
  EXPECT_EQ(pushes_.back(), (std::vector<std::string>{"a 1", "b 2"}));
}

}  // namespace
}  // namespace kinformer

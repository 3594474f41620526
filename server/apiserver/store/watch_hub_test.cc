#include "apiserver/store/watch_hub.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinformer::apiserver {
namespace {

// A watch that counts its calls.
class Watch final : public Watcher {
 public:
  Watch(WatchHub& hub, std::string_view scope, std::string_view group) : hub_(hub) {
    hub_.Add(scope, group, *this);
  }
  ~Watch() override { hub_.Remove(*this); }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void OnEvents() override { ++events; }
  void OnClose() override { ++closed; }
  void OnExpire() override { ++expired; }
  void Wait() { hub_.Wait(*this); }
  WatchGroup& shared() { return group(); }

  int events = 0;
  int closed = 0;
  int expired = 0;

 private:
  WatchHub& hub_;
};

// Returns the events of each watch since the last call, as digits.
std::string Events(const std::vector<std::unique_ptr<Watch>>& watches) {
  std::string out;
  for (const auto& watch : watches) out += std::to_string(std::exchange(watch->events, 0));
  return out;
}

TEST(WatchHub, Expire_EndsAllWatchesWithTheError) {
  WatchHub hub;
  Watch everything(hub, "", "");
  Watch one(hub, "a/x", "");
  hub.Expire();
  EXPECT_EQ(everything.expired, 1);
  EXPECT_EQ(one.expired, 1);
  EXPECT_EQ(everything.closed, 0);
}

TEST(WatchHub, Events_WakeTheScopesThatTheyConcern) {
  WatchHub hub;
  std::vector<std::unique_ptr<Watch>> watches;
  hub.Notify("a", "a/x");  // nobody is there
  for (const char* scope : {"", "a/", "a/x", "b/", "x", "aa/"}) {
    watches.push_back(std::make_unique<Watch>(hub, scope, ""));
  }
  EXPECT_EQ(hub.size(), 6U);
  const auto notify = [&](std::string_view namespace_, std::string_view key) {
    for (const auto& watch : watches) watch->Wait();
    hub.Notify(namespace_, key);
    return Events(watches);
  };
  EXPECT_EQ(notify("a", "a/x"), "111000");
  EXPECT_EQ(notify("a", "a/y"), "110000");
  EXPECT_EQ(notify("b", "b/x"), "100100");
  EXPECT_EQ(notify("", "x"), "100010");
  EXPECT_EQ(notify("aa", "aa/x"), "100001");
  EXPECT_EQ(notify("c", "c/x"), "100000");
  // Without an "everything" watch, the others are still found.
  watches.erase(watches.begin());
  EXPECT_EQ(notify("a", "a/x"), "11000");
  EXPECT_EQ(hub.size(), 5U);
}

TEST(WatchHub, Events_WakeOnceAndOnlyThoseThatWait) {
  WatchHub hub;
  std::vector<std::unique_ptr<Watch>> watches;
  for (int i = 0; i < 4; ++i) watches.push_back(std::make_unique<Watch>(hub, "", ""));
  hub.Notify("", "x");
  EXPECT_EQ(Events(watches), "0000");
  watches[2]->Wait();
  watches[1]->Wait();
  watches[1]->Wait();  // twice is the same
  hub.Notify("", "x");
  EXPECT_EQ(Events(watches), "0110");
  hub.Notify("", "x");
  EXPECT_EQ(Events(watches), "0000");
  for (const std::size_t i : {3U, 0U}) watches[i]->Wait();
  hub.Notify("", "x");
  EXPECT_EQ(Events(watches), "1001");
}

// Removes each of four watches, of which each subset waits.
TEST(WatchHub, Remove_LeavesTheOthersAsTheyAre) {
  for (unsigned waiting = 0; waiting < 16; ++waiting) {
    for (std::size_t removed = 0; removed < 4; ++removed) {
      WatchHub hub;
      std::vector<std::unique_ptr<Watch>> watches;
      for (int i = 0; i < 4; ++i) watches.push_back(std::make_unique<Watch>(hub, "a/", ""));
      std::string wanted;
      for (std::size_t i = 4; i-- > 0;) {
        const bool waits = ((waiting >> i) & 1U) != 0;
        if (waits) watches[i]->Wait();
        if (i != removed) wanted.insert(0, waits ? "1" : "0");
      }
      watches.erase(watches.begin() + static_cast<std::ptrdiff_t>(removed));
      EXPECT_EQ(hub.size(), 3U);
      hub.Notify("a", "a/x");
      EXPECT_EQ(Events(watches), wanted) << waiting << " " << removed;
      // All of them can wait again.
      for (const auto& watch : watches) watch->Wait();
      hub.Notify("a", "a/x");
      EXPECT_EQ(Events(watches), "111") << waiting << " " << removed;
    }
  }
}

TEST(WatchHub, Close_ReachesAllWatchesOnce) {
  WatchHub hub;
  hub.Close();
  std::vector<std::unique_ptr<Watch>> watches;
  for (const char* scope : {"", "a/", "a/", "b/x"}) {
    watches.push_back(std::make_unique<Watch>(hub, scope, scope));
  }
  watches[1]->Wait();
  hub.Close();
  for (const auto& watch : watches) {
    EXPECT_EQ(watch->closed, 1);
    EXPECT_EQ(watch->events, 0);
  }
}

EventBatch Batch(std::uint64_t begin) {
  return {.begin = begin, .end = begin + 1, .text = nullptr};
}

TEST(WatchHub, Groups_AreSharedByScopeAndName) {
  WatchHub hub;
  Watch first(hub, "a/", "g");
  EXPECT_FALSE(first.shared().shared());
  {
    Watch second(hub, "a/", "g");
    EXPECT_EQ(&first.shared(), &second.shared());
    EXPECT_TRUE(first.shared().shared());
    first.shared().headers.Add("A", "b");
  }
  EXPECT_FALSE(first.shared().shared());
  for (const auto& [scope, group] :
       {std::pair("a/", "h"), std::pair("b/", "g"), std::pair("", "a/g"), std::pair("a/g", "")}) {
    Watch other(hub, scope, group);
    EXPECT_NE(&first.shared(), &other.shared()) << scope << group;
    EXPECT_EQ(other.shared().headers.size(), 0U);
  }
  // The last watch takes the group with it.
  {
    Watch gone(hub, "z/", "g");
    gone.shared().Add(Batch(1));
  }
  Watch fresh(hub, "z/", "g");
  EXPECT_EQ(fresh.shared().Find(1), nullptr);
}

TEST(WatchHub, Group_KeepsItsLastBatches) {
  WatchHub hub;
  Watch watch(hub, "", "");
  WatchGroup& group = watch.shared();
  EXPECT_EQ(group.Find(0), nullptr);
  for (std::uint64_t begin = 0; begin < 8; ++begin) {
    const EventBatch& added = group.Add(Batch(begin));
    EXPECT_EQ(added.begin, begin);
    EXPECT_EQ(added.end, begin + 1);
  }
  for (std::uint64_t begin = 0; begin < 8; ++begin) {
    const EventBatch* found = group.Find(begin);
    ASSERT_NE(found, nullptr) << begin;
    EXPECT_EQ(found->begin, begin);
  }
  group.Add(Batch(8));
  EXPECT_EQ(group.Find(0), nullptr) << "the oldest one";
  EXPECT_NE(group.Find(1), nullptr);
  EXPECT_NE(group.Find(8), nullptr);
  EXPECT_EQ(group.Find(9), nullptr);
}

TEST(WatchHub, Batches_AreDroppedOnceAllHaveCaughtUp) {
  WatchHub hub;
  Watch first(hub, "", "g");
  auto second = std::make_unique<Watch>(hub, "", "g");
  WatchGroup& group = first.shared();
  group.Add(Batch(1));
  first.Wait();
  first.Wait();
  EXPECT_NE(group.Find(1), nullptr) << "the other one needs it";
  second->Wait();
  EXPECT_EQ(group.Find(1), nullptr);
  // Events and removals take watches out of the count.
  hub.Notify("", "x");
  group.Add(Batch(2));
  first.Wait();
  EXPECT_NE(group.Find(2), nullptr);
  second->Wait();
  EXPECT_EQ(group.Find(2), nullptr);
  second.reset();
  Watch third(hub, "", "g");
  group.Add(Batch(3));
  EXPECT_NE(group.Find(3), nullptr) << "the first one waits still, the third one does not";
  third.Wait();
  EXPECT_EQ(group.Find(3), nullptr);
}

}  // namespace
}  // namespace kinformer::apiserver

// PendingEvents on its own: order, merging, and memory.

#include "cache/delivery/pending_events.h"

#include <gtest/gtest.h>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cache/delivery/testing/listener_fixture.h"

namespace kinformer::internal::cache {
namespace {

using client::MakePod;
using client::PodValue;
Texts Names(PendingEvents& events) {
  Texts names;
  while (!events.empty()) names.emplace_back(events.Take().event.object->name());
  return names;
}

TEST(PendingEvents, KeepsTheOrderInTheRoomOfWhatWaits) {
  PendingEvents events;
  for (int i = 0; i < 1000; ++i) {
    events.Append(Add("p" + std::to_string(i), ""));
    if (i >= 8) {
      EXPECT_EQ(events.Take().event.object->name(), "p" + std::to_string(i - 8));
    }
  }
  EXPECT_EQ(events.load().events, 8U);
  EXPECT_FALSE(events.IsBulky());
  EXPECT_EQ(Names(events).front(), "p992");
  EXPECT_EQ(events.load().bytes, 0U);
}

TEST(PendingEvents, AMarkIsTakenWithItsEvent) {
  Simulation sim;
  StoreCore store(sim.env(), {});
  PendingEvents events;
  events.Append(Add("a", ""));
  events.Append(Add("b", ""));
  events.Mark(store.Snapshot());
  events.Append(Add("c", ""));
  EXPECT_TRUE(events.HasMark());
  EXPECT_EQ(events.Take().state, nullptr);
  EXPECT_NE(events.Take().state, nullptr);
  EXPECT_FALSE(events.HasMark());
  EXPECT_EQ(events.Take().state, nullptr);
}

// The first merge does not visit all waiting events.
TEST(PendingEvents, OlderEventsAreFoundStepByStep) {
  PendingEvents events;
  events.Append(Update("oldest", "1", "2"));
  for (int i = 0; i < 100; ++i) events.Append(Add("p" + std::to_string(i), ""));
  EXPECT_EQ(events.Coalesce(Update("oldest", "2", "3")), 0U) << "it is not found yet";
  EXPECT_EQ(events.Coalesce(Update("p0", "", "1")), 1U);
  EXPECT_EQ(events.Coalesce(Update("oldest", "3", "4")), 1U) << "with the newer of the two";
  const Texts names = Names(events);
  ASSERT_EQ(names.size(), 102U);
  EXPECT_EQ(names[0], "oldest");
  EXPECT_EQ(names[1], "p1");
  EXPECT_EQ(names[100], "p0");
  EXPECT_EQ(names[101], "oldest");
}

// Merged events lead through states that existed, and end with the last one.
TEST(PendingEvents, RandomMerges_KeepHistoryConsistent) {
  struct Object {
    std::string uid;
    std::string value;
    bool operator==(const Object&) const = default;
  };
  using World = std::map<std::string, Object>;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    World truth;
    World heard;
    PendingEvents events;
    const auto hear = [&] {
      const Notification event = events.Take().event;
      const std::string name(event.object->name());
      const Object object{std::string(event.object->uid()), PodValue(*event.object)};
      ASSERT_EQ(heard.contains(name), event.type != EventType::kAdded) << name;
      if (event.type == EventType::kUpdated) {
        EXPECT_EQ(heard[name].value, PodValue(*event.old_object));
      }
      if (event.type == EventType::kDeleted) {
        heard.erase(name);
      } else {
        heard[name] = object;
      }
    };
    const auto happen = [&](int step) {
      const std::string name = "k" + std::to_string(random() % 30);
      const std::string value = std::to_string(step);
      Notification event;
      const auto it = truth.find(name);
      if (it == truth.end()) {
        const std::string uid = "u" + std::to_string(random() % 2);
        truth[name] = {uid, value};
        event = Add(name, value, uid);
      } else {
        const ObjectRef old = MakePod("", name, "1", it->second.uid, it->second.value);
        if (random() % 3 == 0) {
          truth.erase(it);
          event = {.type = EventType::kDeleted, .object = old};
        } else {
          it->second.value = value;
          event = {.type = EventType::kUpdated,
                   .old_object = old,
                   .object = MakePod("", name, "2", it->second.uid, value)};
        }
      }
      if (events.load().events >= 5) {
        events.Coalesce(event);
      } else {
        events.Append(event);
      }
    };
    for (int step = 0; step < 1000; ++step) {
      happen(step);
      if (random() % 4 == 0 && !events.empty()) hear();
      EXPECT_LE(events.load().events, 65U);
    }
    while (!events.empty()) hear();
    EXPECT_EQ(heard, truth) << "seed " << seed;
    EXPECT_EQ(events.load().bytes, 0U);
  }
}

}  // namespace
}  // namespace kinformer::internal::cache

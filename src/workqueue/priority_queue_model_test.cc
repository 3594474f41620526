// Random operations on a PriorityQueue and on a simple model of its guarantees: an item is queued
// once, none is lost, none is handed out twice at a time, and the next one is always the one with
// the highest rank.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <tuple>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/workqueue/priority_queue.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;

class Model {
 public:
  explicit Model(Duration ageing) : ageing_(ageing) {}

  void Add(int item, Duration after, int priority, SteadyTime now) {
    const auto [it, made] = entries_.try_emplace(item);
    Entry& entry = it->second;
    const bool rises = made || priority > entry.priority;
    if (rises) entry.priority = priority;
    if (after > Duration::zero()) {
      if (!made && entry.waits) {
        if (rises) Rise(entry, now);
        return;
      }
      if (rises) entry.order = next_++;
      entry.at = made ? now + after : std::min(entry.at, now + after);
    } else if (made || !entry.waits) {
      BeginToWait(entry, now);
    } else if (rises) {
      Rise(entry, now);
    }
  }

  void AdvanceTo(SteadyTime now) {
    std::vector<Entry*> due;
    for (auto& [item, entry] : entries_) {
      if (!entry.waits && entry.at <= now) due.push_back(&entry);
    }
    std::ranges::sort(due, [](const Entry* a, const Entry* b) {
      return std::tuple(a->at, -a->priority, a->order) < std::tuple(b->at, -b->priority, b->order);
    });
    for (Entry* entry : due) BeginToWait(*entry, entry->at);
  }

  std::optional<std::pair<int, int>> Get() {
    auto first = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      if (!it->second.waits || held_[it->first]) continue;
      if (first == entries_.end() || Place(it->second) < Place(first->second)) first = it;
    }
    if (first == entries_.end()) return std::nullopt;
    const std::pair<int, int> taken(first->first, first->second.priority);
    held_[taken.first] = true;
    entries_.erase(first);
    return taken;
  }
  void Done(int item) { held_[item] = false; }

  [[nodiscard]] std::size_t Waiting() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(entries_, [](const auto& entry) { return entry.second.waits; }));
  }
  [[nodiscard]] std::size_t Delayed() const { return entries_.size() - Waiting(); }
  std::vector<int> Held() const {
    std::vector<int> held;
    for (const auto& [item, is_held] : held_) {
      if (is_held) held.push_back(item);
    }
    return held;
  }

 private:
  struct Entry {
    bool waits = false;
    int priority = 0;
    int level = 0;    // the priority that determines its place
    SteadyTime at{};  // when it began to wait, or when its delay ends
    std::uint64_t order = 0;
  };

  [[nodiscard]] Duration Rank(int level, SteadyTime at) const {
    return ageing_ == Duration::zero() ? Duration::zero() : at.time_since_epoch() - level * ageing_;
  }
  [[nodiscard]] std::tuple<Duration, int, std::uint64_t> Place(const Entry& entry) const {
    return {Rank(entry.level, entry.at), -entry.level, entry.order};
  }
  void BeginToWait(Entry& entry, SteadyTime now) {
    entry.waits = true;
    entry.level = entry.priority;
    entry.at = now;
    entry.order = next_++;
  }
  void Rise(Entry& entry, SteadyTime now) {
    Entry risen = entry;
    BeginToWait(risen, now);
    if (Place(risen) < Place(entry)) entry = risen;
  }

  const Duration ageing_;
  std::map<int, Entry> entries_;
  std::map<int, bool> held_;
  std::uint64_t next_ = 0;
};

// With one flow, a fair queue has the order of every other.
class ModelTest : public ::testing::TestWithParam<std::tuple<Duration, bool>> {};

TEST_P(ModelTest, EveryStepIsAsTheModelSays_PQ25) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Simulation sim({.seed = seed});
    Env& env = sim.env();
    const auto [ageing, fair] = GetParam();
    PriorityQueue<int> queue(env, fair ? std::optional(FairFlows<int>()) : std::nullopt,
                             {.ageing = ageing});
    Model model(ageing);
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int items = 1 + below(40);
    const int priorities = 1 + below(seed % 10 == 0 ? 100 : 5);  // sometimes, more than are kept
    const auto get = [&] {
      const auto expected = model.Get();
      if (!expected) return false;
      const auto taken = queue.GetWithPriority();
      EXPECT_TRUE(taken.has_value());
      if (taken) {
        EXPECT_EQ(std::pair(taken->item, taken->priority), *expected);
      }
      return true;
    };
    const auto done = [&] {
      const std::vector<int> held = model.Held();
      if (held.empty()) return;
      const int item = held[static_cast<std::size_t>(below(static_cast<int>(held.size())))];
      model.Done(item);
      queue.Done(item);
    };
    for (int step = 0; step < 2000 && !HasFailure(); ++step) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", step " + std::to_string(step));
      const int choice = below(10);
      if (choice < 5) {
        const int item = below(items);
        const Duration after = milliseconds(std::max(0, below(30) - 20));
        const int priority = below(priorities) - priorities / 2;
        queue.AddWithOpts({.after = after, .priority = priority}, item);
        model.Add(item, after, priority, env.Now());
      } else if (choice < 7) {
        get();
      } else if (choice < 9) {
        done();
      } else {
        sim.RunFor(milliseconds(below(4)));
        model.AdvanceTo(env.Now());
      }
      EXPECT_EQ(queue.Len(), model.Waiting());
      EXPECT_EQ(queue.Delayed(), model.Delayed());
      EXPECT_EQ(queue.Waiting().size(), model.Waiting());
    }
    sim.RunFor(milliseconds(30));
    model.AdvanceTo(env.Now());
    while (!model.Held().empty()) done();
    const std::vector<int> waiting = queue.Waiting();
    EXPECT_EQ(waiting.size(), model.Waiting());
    for (const int item : waiting) {
      EXPECT_TRUE(get());
      EXPECT_EQ(model.Held(), std::vector<int>{item}) << "Waiting() tells the order";
      done();
    }
    EXPECT_EQ(queue.Len(), 0U);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Ageing, ModelTest,
                         ::testing::Combine(::testing::Values(Duration::zero(), milliseconds(1),
                                                              milliseconds(100)),
                                            ::testing::Bool()),
                         [](const auto& one) {
                           return std::to_string(std::get<Duration>(one.param).count()) + "ns" +
                                  (std::get<bool>(one.param) ? "Fair" : "");
                         });

}  // namespace
}  // namespace kinformer

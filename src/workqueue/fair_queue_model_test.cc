// Random operations on a fair PriorityQueue, and what must hold at each step: no item is lost or
// handed out twice, priority and age choose the level, the oldest item of its flow comes first, and
// two flows that wait get their shares.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/workqueue/priority_queue.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;

constexpr int kFlows = 7;
int FlowOf(int item) { return item % kFlows; }
double WeightOf(int flow) { return flow == 0 ? 4 : flow == 1 ? 0.5 : 1; }

// The items that wait or are held, without an order between flows.
class FairModel {
 public:
  explicit FairModel(Duration ageing) : ageing_(ageing) {}

  void Add(int item, int priority, SteadyTime now) {
    const auto [it, made] = waiting_.try_emplace(item, Entry{priority, priority, now, next_});
    ++next_;
    Entry& entry = it->second;
    if (made || priority <= entry.priority) return;
    entry.priority = priority;
    if (Rank(priority, now) > Rank(entry.level, entry.since)) return;
    entry.level = priority;
    entry.order = next_;
    if (ageing_ != Duration::zero()) entry.since = now;
  }
  void Done(int item) { held_.erase(item); }

  // Checks that `item` may be next, and takes it.
  void Taken(int item) {
    ASSERT_TRUE(waiting_.contains(item) && !held_.contains(item));
    const Entry taken = waiting_.at(item);
    for (const auto& [other, entry] : waiting_) {
      if (held_.contains(other)) continue;
      if (entry.level == taken.level && FlowOf(other) == FlowOf(item)) {
        EXPECT_LE(taken.order, entry.order) << other << " is the older one of its flow";
      }
      EXPECT_LE(BestOf(taken.level), std::tuple(Rank(entry.level, entry.since), -entry.level))
          << other << " has a level further ahead";
    }
    waiting_.erase(item);
    held_.insert(item);
  }

  [[nodiscard]] bool Available() const {
    return std::ranges::any_of(waiting_,
                               [&](const auto& one) { return !held_.contains(one.first); });
  }
  [[nodiscard]] std::size_t Waiting() const { return waiting_.size(); }
  [[nodiscard]] const std::set<int>& held() const { return held_; }

 private:
  struct Entry {
    int priority;
    int level;  // the priority that determines its place
    SteadyTime since;
    std::uint64_t order;
  };

  [[nodiscard]] Duration Rank(int level, SteadyTime since) const {
    return ageing_ == Duration::zero() ? Duration::zero()
                                       : since.time_since_epoch() - level * ageing_;
  }
  // Returns the rank of the oldest item of a level.
  [[nodiscard]] std::tuple<Duration, int> BestOf(int level) const {
    std::tuple<Duration, int> best{Duration::max(), 0};
    for (const auto& [item, entry] : waiting_) {
      if (entry.level != level || held_.contains(item)) continue;
      best = std::min(best, std::tuple(Rank(level, entry.since), -level));
    }
    return best;
  }

  const Duration ageing_;
  std::map<int, Entry> waiting_;
  std::set<int> held_;
  std::uint64_t next_ = 0;
};

class FairModelTest : public ::testing::TestWithParam<Duration> {};

TEST_P(FairModelTest, EachStepKeepsToTheRules) {
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation sim({.seed = seed});
    PriorityQueue<int> queue(
        sim.env(),
        FairFlows<int>{
            .flow_of = [](const int& item) { return std::to_string(FlowOf(item)); },
            .weight_of = [](const std::string& flow) { return WeightOf(std::stoi(flow)); }},
        {.ageing = GetParam()});
    FairModel model(GetParam());
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    const int items = 1 + below(80);
    const int priorities = 1 + below(seed % 10 == 0 ? 100 : 4);
    const auto get = [&] {
      const std::optional<int> item = queue.Get();
      ASSERT_TRUE(item.has_value());
      model.Taken(*item);
    };
    const auto done = [&] {
      if (model.held().empty()) return;
      const int item =
          *std::next(model.held().begin(), below(static_cast<int>(model.held().size())));
      model.Done(item);
      queue.Done(item);
    };
    for (int step = 0; step < 2000 && !HasFailure(); ++step) {
      const int choice = below(10);
      if (choice < 5) {
        const int item = below(items);
        const int priority = below(priorities) - priorities / 2;
        queue.AddWithOpts({.priority = priority}, item);
        model.Add(item, priority, sim.env().Now());
      } else if (choice < 7) {
        if (model.Available()) get();
      } else if (choice < 9) {
        done();
      } else {
        sim.RunFor(milliseconds(below(4)));
      }
      EXPECT_EQ(queue.Len(), model.Waiting());
    }
    while (!model.held().empty()) done();
    const std::vector<int> waiting = queue.Waiting();
    EXPECT_EQ(waiting.size(), model.Waiting());
    for (const int item : waiting) {
      get();
      EXPECT_EQ(model.held(), std::set<int>{item}) << "Waiting() tells the order";
      done();
    }
    EXPECT_EQ(queue.Len(), 0U);
  }
}

// However flows come and go: while two of them wait, none gets more than its share and the credit.
TEST_P(FairModelTest, FlowsThatWait_GetTheirShares) {
  for (std::uint64_t seed = 1; seed <= 20 && !HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Simulation sim({.seed = seed});
    PriorityQueue<int> queue(
        sim.env(),
        FairFlows<int>{
            .flow_of = [](const int& item) { return std::to_string(FlowOf(item)); },
            .weight_of = [](const std::string& flow) { return WeightOf(std::stoi(flow)); }},
        {.ageing = GetParam()});
    std::mt19937_64 random(seed);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::map<int, int> lengths;                    // items of each flow
    std::map<std::pair<int, int>, double> served;  // by the first, while both wait, by weight
    int next = 0;
    for (int step = 0; step < 5000; ++step) {
      const int flow = std::min(below(kFlows), below(kFlows));
      const int burst = below(100) == 0 ? 50 : below(2);
      for (int i = 0; i < burst; ++i) queue.Add(flow + kFlows * next++);
      lengths[flow] += burst;
      if (queue.Len() > 0) {
        const int item = *queue.Get();
        queue.Done(item);
        const int of = FlowOf(item);
        for (int other = 0; other < kFlows; ++other) {
          if (other == of || lengths[other] == 0) continue;
          served[{of, other}] += 1 / WeightOf(of);
          // The other one may be served by as much more from now on.
          const double ahead = served[{of, other}] - served[{other, of}];
          EXPECT_LE(ahead, 2 * 4 + 4 / 0.5) << of << " beside " << other;
        }
        if (--lengths[of] == 0) {
          for (int other = 0; other < kFlows; ++other) {
            served.erase({of, other});
            served.erase({other, of});
          }
        }
      }
      if (below(10) == 0) sim.RunFor(milliseconds(1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Ageing, FairModelTest,
                         ::testing::Values(Duration::zero(), milliseconds(1), milliseconds(100)),
                         [](const auto& ageing) {
                           return std::to_string(ageing.param.count()) + "ns";
                         });

}  // namespace
}  // namespace kinformer

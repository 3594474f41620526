// Fair queues: flows of items share the workers by weight.

#include <array>
#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/simulation.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/priority_queue.h"

#include "workqueue/fair_line.h"

namespace kinformer {
namespace {

using std::chrono::seconds;
using Queue = PriorityQueue<ObjectName>;

class FairQueueTest : public ::testing::Test {
 protected:
  void Make(FairFlows<ObjectName> flows = {}, PriorityQueueOptions options = {}) {
    queue_.emplace(sim_.env(), std::move(flows), options);
  }
  void Add(const std::string& flow, int count = 1, int priority = 0) {
    for (int i = 0; i < count; ++i) {
      queue_->AddWithOpts({.priority = priority}, {flow, std::to_string(++number_)});
    }
  }
  // Takes an item, finishes it, and returns its flow; empty: there is none.
  std::string Take() {
    if (queue_->Len() == 0) return {};
    const std::optional<ObjectName> item = queue_->Get();
    queue_->Done(*item);
    return item->namespace_;
  }
  // Returns how many takes there are up to and with the first of `flow`.
  int TakesUntil(const std::string& flow) {
    int takes = 1;
    while (Take() != flow) ++takes;
    return takes;
  }

  std::shared_ptr<TextMetrics> metrics_{NewTextMetrics()};
  Simulation sim_{{.metrics = metrics_}};
  std::optional<Queue> queue_;
  int number_ = 0;
};

TEST_F(FairQueueTest, FlowsThatWait_ShareByTheirWeights) {
  const std::map<std::string, double> weights{{"a", 1}, {"b", 2}, {"c", 4}, {"d", 0.5}};
  Make({.weight_of = [&](const std::string& flow) { return weights.at(flow); }});
  for (const auto& [flow, weight] : weights) Add(flow, 2000);
  std::map<std::string, double> taken;
  for (int i = 1; i <= 2000; ++i) {
    ++taken[Take()];
    for (const auto& [flow, weight] : weights) {
      EXPECT_NEAR(taken[flow], i * weight / 7.5, 2) << flow << " after " << i;
    }
  }
}

TEST_F(FairQueueTest, ATenantWithManyItems_HardlyDelaysAnother) {
  Make();
  Add("noisy", 10'000);
  for (int i = 0; i < 100; ++i) Take();
  Add("quiet");
  EXPECT_EQ(TakesUntil("quiet"), 1);
}

TEST_F(FairQueueTest, AFlowThatBegins_WaitsForOneTurnOfEachOther) {
  Make();
  for (int flow = 0; flow < 50; ++flow) Add("busy-" + std::to_string(flow), 100);
  for (int i = 0; i < 777; ++i) Take();
  Add("new", 20);
  for (int i = 0; i < 20; ++i) EXPECT_LE(TakesUntil("new"), 51);
}

TEST_F(FairQueueTest, AFlowThatLeavesAndComesBack_GainsNothing) {
  Make();
  Add("steady", 1000);
  int taken = 0;
  bool waits = false;
  for (int i = 0; i < 1000; ++i) {
    if (!waits) Add("restless");
    waits = Take() != "restless";
    if (!waits) ++taken;
  }
  EXPECT_NEAR(taken, 500, 10);
}

TEST_F(FairQueueTest, NewFlowsAllTheTime_AWaitingOneHasItsTurn) {
  Make();
  Add("waits", 10);
  int takes = 0;
  for (int left = 10; left > 0 && takes < 1000; ++takes) {
    Add("new-" + std::to_string(takes));
    if (Take() == "waits") --left;
  }
  EXPECT_LE(takes, 200);
}

TEST_F(FairQueueTest, ReturnedItems_HaveTheOrderOfTheirFlow) {
  Make();
  for (const char* name : {"1", "2", "3"}) queue_->Add({"a", name});
  std::string names;
  while (queue_->Len() > 0) {
    names += queue_->Get()->name;
    queue_->Done({"a", names.substr(names.size() - 1)});
  }
  EXPECT_EQ(names, "123");
}

TEST_F(FairQueueTest, PrioritiesAreBeforeFlows) {
  Make({}, {.ageing = Duration(0)});
  Add("a", 3, 5);
  Add("b", 1, 1);
  Add("a", 1, 1);
  std::string order;
  while (queue_->Len() > 0) order += Take();
  EXPECT_EQ(order, "aaaba");
}

TEST_F(FairQueueTest, Ageing_ALevelWhoseOldestItemHasWaitedIsNext) {
  Make({}, {.ageing = seconds(1)});
  Add("low", 1, -5);
  Add("noisy", 100);
  EXPECT_EQ(Take(), "noisy");
  sim_.RunFor(seconds(9));
  Add("young");
  EXPECT_EQ(Take(), "young") << "the oldest item of its level is as old as the low one";
  Add("young");
  for (int i = 0; i < 100; ++i) EXPECT_NE(Take(), "low") << i;
  EXPECT_EQ(Take(), "low");
  Add("low", 1, -5);
  sim_.RunFor(seconds(6));
  Add("young");
  EXPECT_EQ(Take(), "low") << "it has waited for more than five seconds longer";
}

TEST_F(FairQueueTest, FunctionsThatThrowOrErr_LoseNoItem) {
  int calls = 0;
  Make({.flow_of = [&](const ObjectName& item) -> std::string {
          if (++calls % 3 == 0) throw std::runtime_error("no flow");
          return item.namespace_;
        },
        .weight_of = [&](const std::string& flow) -> double {
          if (flow == "a") return std::numeric_limits<double>::quiet_NaN();
          if (flow == "b") return -1;
          if (flow == "c") return std::numeric_limits<double>::infinity();
          throw std::runtime_error("no weight");
        }});
  for (const char* flow : {"a", "b", "c", "d"}) Add(flow, 25);
  int taken = 0;
  while (!Take().empty()) ++taken;
  EXPECT_EQ(taken, 100);
  EXPECT_NE(metrics_->Text().find("kinformer_user_exceptions_total"), std::string::npos);
}

TEST_F(FairQueueTest, ItemsOfAnotherType_AreOneFlow) {
  PriorityQueue<int> queue(sim_.env(), FairFlows<int>());
  for (const int item : {3, 1, 2}) queue.Add(item);
  for (const int item : {3, 1, 2}) {
    EXPECT_EQ(queue.Get(), item);
    queue.Done(item);
  }
}

TEST_F(FairQueueTest, ItemAddedWhileHeld_ComesAgainAfterDone) {
  Make();
  queue_->Add({"a", "1"});
  const std::optional<ObjectName> held = queue_->Get();
  queue_->Add(*held);
  EXPECT_EQ(queue_->Len(), 1U);
  Add("b");
  EXPECT_EQ(Take(), "b");
  queue_->Done(*held);
  EXPECT_EQ(Take(), "a");
  EXPECT_EQ(queue_->Len(), 0U);
}

TEST_F(FairQueueTest, FlowsWithoutItems_AreForgotten) {
  internal::FairLine line(
      Duration(0),
      {.flow_of = [n = 0](const internal::QueueNode&) mutable { return std::to_string(n++); },
       .weight_of = [](const std::string&) { return 1.0; }});
  std::array<internal::QueueNode, 2> nodes;
  for (int i = 0; i < 100'000; ++i) {
    internal::QueueNode& node = nodes[static_cast<std::size_t>(i % 2)];
    if (i >= 2) {
      internal::QueueNode* const first = line.First();
      ASSERT_EQ(first, &node);
      line.Take(*first);
      first->processing = false;
    }
    line.Join(node);
  }
  EXPECT_EQ(line.size(), 2U);
  EXPECT_LE(line.flows(), internal::FairLine::kKeptFlows + 20);
}

}  // namespace
}  // namespace kinformer

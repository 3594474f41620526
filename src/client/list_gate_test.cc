#include "client/list_gate.h"

#include <gtest/gtest.h>
#include <vector>

#include "kinformer/simulation.h"

namespace kinformer::internal {
namespace {

TEST(ListGate, NoMoreThanItsWidthAndInOrder) {
  Simulation sim({.seed = 1});
  auto gate = std::make_shared<ListGate>(sim.env(), 2);
  std::vector<int> granted;
  std::vector<std::unique_ptr<ListGate::Ticket>> tickets;
  sim.env().loop().Post([&] {
    for (int i = 0; i < 5; ++i) tickets.push_back(gate->Enter([&, i] { granted.push_back(i); }));
    EXPECT_TRUE(granted.empty());
  });
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted.size(), 2u);
  sim.env().loop().Post([&] {
    tickets[2].reset();  // one that waits leaves
    tickets[0].reset();
  });
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted.size(), 3u);
  EXPECT_EQ(granted.back(), 3);
  sim.env().loop().Post([&] { tickets.clear(); });
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted.size(), 3u);
}

}  // namespace
}  // namespace kinformer::internal

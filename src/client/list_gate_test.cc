#include "client/list_gate.h"

#include <gtest/gtest.h>
#include <vector>

#include "kinformer/simulation.h"

namespace kinformer::internal::client {
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

// A thousand lists of a millisecond each, eight at a time: only the first eight are spread.
TEST(ListGate, APlaceThatComesFreeIsTakenAtOnce) {
  Simulation sim({.seed = 1});
  Env& env = sim.env();
  auto gate = std::make_shared<ListGate>(env, 8);
  std::vector<std::unique_ptr<ListGate::Ticket>> tickets(1000);
  std::vector<Timer> ends(tickets.size());
  std::size_t done = 0;
  env.loop().Post([&] {
    for (std::size_t i = 0; i < tickets.size(); ++i) {
      tickets[i] = gate->Enter([&, i] {
        ends[i] = env.loop().RunAt(env.Now() + std::chrono::milliseconds(1), [&, i] {
          ++done;
          tickets[i].reset();
        });
      });
    }
  });
  sim.RunFor(std::chrono::milliseconds(80 + 1000 / 8 + 5));
  EXPECT_EQ(done, tickets.size());
  sim.env().loop().Post([&] { ends.clear(); });
  sim.RunReady();
}

}  // namespace
}  // namespace kinformer::internal::client

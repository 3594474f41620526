#include "client/list_gate.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <vector>

#include "kinformer/base/simulation.h"

namespace kinformer::internal::client {
namespace {

TEST(ListGate, Tickets_AreGrantedInOrderUpToTheWidth) {
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
    tickets[2].reset();  // a waiting ticket leaves
    tickets[0].reset();
  });
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted.size(), 3u);
  EXPECT_EQ(granted.back(), 3);
  sim.env().loop().Post([&] { tickets.clear(); });
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted.size(), 3u);
}

TEST(ListGate, ReleasedTickets_AdmitTheNext) {
  Simulation sim({.seed = 1});
  auto gate = std::make_shared<ListGate>(sim.env(), 1);
  std::vector<int> granted;
  std::vector<std::unique_ptr<ListGate::Ticket>> tickets;
  const auto enter = [&](int i) { return gate->Enter([&, i] { granted.push_back(i); }); };
  sim.env().loop().Post([&] {
    for (int i = 0; i < 4; ++i) tickets.push_back(enter(i));
    tickets[0].reset();  // inside, but not yet notified
  });
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted, (std::vector<int>{1}));
  sim.env().loop().Post([&] { tickets[3].reset(); });  // still waiting
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted, (std::vector<int>{1}));
  sim.env().loop().Post([&] { tickets[1].reset(); });
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted, (std::vector<int>{1, 2}));
  sim.env().loop().Post([&] {
    tickets.clear();
    tickets.push_back(enter(4));
  });
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted, (std::vector<int>{1, 2, 4})) << "empty again";
  sim.env().loop().Post([&] { tickets.clear(); });
  sim.RunReady();
}

TEST(ListGate, WidthZero_CountsAsOne) {
  Simulation sim({.seed = 1});
  auto gate = std::make_shared<ListGate>(sim.env(), 0);
  int granted = 0;
  std::unique_ptr<ListGate::Ticket> first;
  std::unique_ptr<ListGate::Ticket> second;
  sim.env().loop().Post([&] {
    first = gate->Enter([&] { ++granted; });
    second = gate->Enter([&] { ++granted; });
  });
  sim.RunFor(std::chrono::seconds(1));
  EXPECT_EQ(granted, 1);
  sim.env().loop().Post([&] {
    first.reset();
    second.reset();
  });
  sim.RunReady();
}

// Requests that begin at the same instant are delayed by up to ten milliseconds for each ahead.
TEST(ListGate, SimultaneousTickets_AreSpreadOverTime) {
  Duration longest{0};
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Simulation sim({.seed = seed});
    auto gate = std::make_shared<ListGate>(sim.env(), 8);
    const SteadyTime begun = sim.env().Now();
    std::vector<Duration> waits;
    std::vector<std::unique_ptr<ListGate::Ticket>> tickets(8);
    sim.env().loop().Post([&] {
      for (auto& ticket : tickets) {
        ticket = gate->Enter([&] { waits.push_back(sim.env().Now() - begun); });
      }
    });
    sim.RunFor(std::chrono::seconds(1));
    ASSERT_EQ(waits.size(), 8U);
    EXPECT_EQ(waits.front(), Duration(0));
    longest = std::max(longest, waits.back());
    sim.env().loop().Post([&] { tickets.clear(); });
    sim.RunReady();
  }
  EXPECT_LE(longest, std::chrono::milliseconds(70));
  EXPECT_GT(longest, std::chrono::milliseconds(60));
}

// A thousand lists of a millisecond each, eight at a time: only the first eight are delayed.
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

// Fifty lists that a busy server refuses.
class BusyServer : public ::testing::Test {
 protected:
  void Enter(int informer) {
    tickets_[informer] = gate_->Enter([this, informer] { Asked(informer); });
  }
  void Asked(int informer) {
    ++asked_;
    sim_.env().loop().Post([this, informer] {
      if (busy_) {
        gate_->AskedToWait(std::chrono::seconds(1));
        tickets_[informer].reset();
        again_[informer] = sim_.env().loop().RunAt(sim_.env().Now() + std::chrono::seconds(2),
                                                   [this, informer] { Enter(informer); });
      } else {
        gate_->Welcome();
        tickets_[informer].reset();
        ++listed_;
      }
    });
  }

  Simulation sim_{{.seed = 1}};
  const std::shared_ptr<ListGate> gate_ = std::make_shared<ListGate>(sim_.env(), 8);
  std::map<int, std::unique_ptr<ListGate::Ticket>> tickets_;
  std::map<int, Timer> again_;
  bool busy_ = true;
  int asked_ = 0;
  int listed_ = 0;
};

TEST_F(BusyServer, WaitingLists_AreTriedOneASecondUntilAdmitted) {
  sim_.env().loop().Post([this] {
    for (int i = 0; i < 50; ++i) Enter(i);
  });
  sim_.RunFor(std::chrono::seconds(30));
  EXPECT_GE(asked_, 20);
  EXPECT_LE(asked_, 8 + 31) << "those who were on their way, and one a second";
  busy_ = false;
  EXPECT_TRUE(sim_.RunUntil([this] { return listed_ == 50; }, std::chrono::seconds(4)));
}

TEST_F(BusyServer, UnansweredList_HoldsUpNoOther) {
  sim_.env().loop().Post([this] {
    gate_->AskedToWait(std::chrono::hours(1));
    tickets_[-1] = gate_->Enter([] {});
    busy_ = false;
    Enter(1);
  });
  EXPECT_TRUE(sim_.RunUntil([this] { return listed_ == 1; }, std::chrono::seconds(5)));
}

}  // namespace
}  // namespace kinformer::internal::client

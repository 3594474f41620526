#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/apiserver/faults.h"
#include "kinformer/base/simulation.h"

namespace kinformer::apiserver {
namespace {

using std::chrono::nanoseconds;
using std::chrono::seconds;
using Request = FaultPlan::Request;

class FaultPlanTest : public ::testing::Test {
 protected:
  // Returns the text of the rule that hits; "-" for none.
  std::string Draw(const Request& request = {}) {
    const auto rule = plan_.Draw(request);
    return rule ? rule->text : "-";
  }

  Simulation sim_;
  FaultPlan plan_{sim_.env()};
};

TEST_F(FaultPlanTest, Conditions_MustAllHold) {
  struct Row {
    FaultRule rule;
    Request hit;
    Request missed;
  };
  for (const Row& row : {
           Row{{.verb = "list"}, {.verb = "list"}, {.verb = "lists"}},
           Row{{.resource = "pods"}, {.resource = "pods"}, {.resource = "pod"}},
           Row{{.namespace_ = "a"}, {.namespace_ = "a"}, {.namespace_ = ""}},
           Row{{.user_agent = "ctl"}, {.user_agent = "kubectl/1"}, {.user_agent = "kubelet"}},
           Row{{.only_continue = true}, {.continues = true}, {.initial_events = true}},
           Row{{.only_initial_events = true}, {.initial_events = true}, {.continues = true}},
           Row{{.verb = "get", .resource = "pods"},
               {.verb = "get", .resource = "pods"},
               {.verb = "get", .resource = "nodes"}},
           Row{{.verb = "get", .resource = "pods"},
               {.verb = "get", .resource = "pods"},
               {.verb = "list", .resource = "pods"}},
       }) {
    plan_.Clear();
    plan_.Add(row.rule);
    EXPECT_TRUE(plan_.Draw(row.hit).has_value());
    EXPECT_FALSE(plan_.Draw(row.missed).has_value());
    EXPECT_FALSE(plan_.Draw({}).has_value());
  }
  plan_.Clear();
  plan_.Add({.text = "any"});
  EXPECT_EQ(Draw({.verb = "get",
                  .resource = "pods",
                  .namespace_ = "a",
                  .user_agent = "u",
                  .continues = true,
                  .initial_events = true}),
            "any");
  EXPECT_EQ(Draw(), "any");
}

TEST_F(FaultPlanTest, FirstRuleThatHits_Counts) {
  const auto one = plan_.Add({.count = 1, .text = "one"});
  const auto two = plan_.Add({.text = "two"});
  EXPECT_EQ(one, 1U);
  EXPECT_EQ(two, 2U);
  EXPECT_EQ(Draw(), "one");
  EXPECT_EQ(Draw(), "two");
  EXPECT_EQ(Draw(), "two");
  EXPECT_EQ(plan_.hits(one), 1U);
  EXPECT_EQ(plan_.hits(two), 2U);
  EXPECT_EQ(plan_.hits(3), 0U);
  EXPECT_EQ(plan_.hits(), 3U);
  const auto rules = plan_.Rules();
  ASSERT_EQ(rules.size(), 2U);
  EXPECT_EQ(rules[0].id, one);
  EXPECT_EQ(rules[0].rule.text, "one");
  EXPECT_EQ(rules[0].hits, 1U);
  EXPECT_EQ(rules[1].id, two);
  EXPECT_EQ(rules[1].hits, 2U);
  EXPECT_TRUE(plan_.Remove(one));
  EXPECT_FALSE(plan_.Remove(one));
  EXPECT_EQ(plan_.Rules().size(), 1U);
  EXPECT_EQ(plan_.Rules().at(0).id, two);
  EXPECT_EQ(plan_.hits(one), 0U);
  EXPECT_EQ(plan_.hits(), 3U) << "removed rules included";
  plan_.Clear();
  EXPECT_TRUE(plan_.Rules().empty());
  EXPECT_EQ(Draw(), "-");
  EXPECT_EQ(plan_.Add({}), 3U) << "numbers are not used again";
}

TEST_F(FaultPlanTest, SkipAndCount_LimitTheHits) {
  struct Row {
    FaultRule rule;
    std::string outcome;
  };
  for (const Row& row : {
           Row{{.skip = 0}, "++++"},
           Row{{.skip = 1}, "-+++"},
           Row{{.skip = 3}, "---+"},
           Row{{.skip = -2}, "++++"},
           Row{{.count = 0}, "----"},
           Row{{.count = 1}, "+---"},
           Row{{.count = 3}, "+++-"},
           Row{{.count = -1}, "----"},
           Row{{.count = 2, .skip = 1}, "-++-"},
           Row{{.probability = 1}, "++++"},
           Row{{.probability = 0}, "----"},
       }) {
    plan_.Clear();
    plan_.Add(row.rule);
    std::string outcome;
    for (int i = 0; i < 4; ++i) outcome += Draw() == "-" ? '-' : '+';
    EXPECT_EQ(outcome, row.outcome);
  }
  // A request that is no match does not count for `skip`.
  plan_.Clear();
  plan_.Add({.verb = "get", .skip = 1});
  EXPECT_EQ(Draw({.verb = "list"}), "-");
  EXPECT_EQ(Draw({.verb = "get"}), "-");
  EXPECT_EQ(Draw({.verb = "get"}), "");
}

TEST_F(FaultPlanTest, Lasts_CountsFromAdd) {
  sim_.RunFor(seconds(7));
  plan_.Add({.lasts = seconds(10), .text = "short"});
  plan_.Add({.text = "long"});
  EXPECT_EQ(Draw(), "short");
  sim_.RunFor(seconds(10) - nanoseconds(1));
  EXPECT_EQ(Draw(), "short");
  sim_.RunFor(nanoseconds(1));
  EXPECT_EQ(Draw(), "long");
}

// The sequence of SplitMix64 from 1234567, as published with the algorithm.
TEST_F(FaultPlanTest, Seed_DeterminesTheDraws) {
  std::vector<double> units;
  for (const std::uint64_t number :
       {6457827717110365317U, 3203168211198807973U, 9817491932198370423U, 4593380528125082431U,
        16408922859458223821U}) {
    units.push_back(std::ldexp(static_cast<double>(number >> 11U), -53));
  }
  const auto hits = [&](const std::vector<double>& probabilities) {
    plan_.Seed(1234567);
    std::string out;
    for (const double probability : probabilities) {
      plan_.Clear();
      plan_.Add({.probability = probability});
      out += Draw() == "-" ? '-' : '+';
    }
    return out;
  };
  EXPECT_EQ(hits(units), "-----");
  for (double& unit : units) unit = std::nextafter(unit, 1);
  EXPECT_EQ(hits(units), "+++++");
  // A certain hit takes no number.
  EXPECT_EQ(hits({1, 1, units[0], 1, units[1], units[2]}), "++++++");
  EXPECT_EQ(hits({1, 1, std::nextafter(units[0], 0), units[1]}), "++-+");
}

TEST_F(FaultPlanTest, WithoutSeed_DrawsComeFromTheEnvironment) {
  std::vector<std::string> outcomes;
  for (const std::uint64_t seed : {3U, 3U, 4U}) {
    Simulation sim({.seed = seed});
    FaultPlan plan(sim.env());
    plan.Add({.probability = 0.5});
    std::string& outcome = outcomes.emplace_back();
    for (int i = 0; i < 64; ++i) outcome += plan.Draw({}) ? '+' : '-';
    EXPECT_NE(outcome.find('+'), std::string::npos);
    EXPECT_NE(outcome.find('-'), std::string::npos);
  }
  EXPECT_EQ(outcomes[0], outcomes[1]);
  EXPECT_NE(outcomes[0], outcomes[2]);
}

}  // namespace
}  // namespace kinformer::apiserver

// Events that arrive in one piece of network data: how many of them one turn of the loop applies,
// and in how many versions of the store.

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/core/testing/ticking_env.h"
#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Sizes = std::vector<std::size_t>;

class InformerBatches : public InformerTest {
 protected:
  static Texts Names(int number) {
    Texts names;
    for (int i = 0; i < number; ++i) names.push_back("p" + std::to_string(i));
    return names;
  }
  SharedInformer<Pod> Over(Env& env) {
    return SharedInformer<Pod>(env, server_.NewListerWatcher());
  }
  // Runs until there is nothing to do. Returns the different sizes of the cache between two tasks,
  // in order.
  Sizes SizesOf(const SharedInformer<Pod>& informer) {
    Sizes sizes{informer.Snapshot().size()};
    while (sim_.Step()) {
      const std::size_t size = informer.Snapshot().size();
      if (size != sizes.back()) sizes.push_back(size);
    }
    return sizes;
  }

  // Each reading of the clock takes time, so that a slice ends after each batch.
  internal::base::TickingEnv slow_{sim_.env(), milliseconds(2)};
};

TEST_F(InformerBatches, EventsReceivedTogether_AreAppliedTogether) {
  SharedInformer<Pod> informer = Over(sim_.env());
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  server_.PutTogether({"a", "b", "c"});
  EXPECT_EQ(SizesOf(informer), (Sizes{0, 3}));
  EXPECT_EQ(recorder->words, (Texts{"+a", "+b", "+c"}));
  server_.PutTogether(Names(2500));
  EXPECT_EQ(SizesOf(informer), (Sizes{3, 2503})) << "no time passes";
}

TEST_F(InformerBatches, ALongPieceIsAppliedOverTurnsOfTheLoop) {
  SharedInformer<Pod> informer = Over(slow_);
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  server_.PutTogether(Names(2500));
  const Sizes sizes = SizesOf(informer);
  EXPECT_EQ(sizes, (Sizes{0, 1000, 2000, 2500}));
  ExpectEqual(informer, server_);
  EXPECT_EQ(recorder->words.size(), 2500U);
}

// A task posted meanwhile need not wait until all events are applied.
TEST_F(InformerBatches, PostedTasks_RunBetweenSlices) {
  SharedInformer<Pod> informer = Over(slow_);
  informer.Start();
  Settle();
  server_.PutTogether(Names(3000));
  Sizes seen;
  int tasks = 4;
  std::function<void()> look;
  look = [&] {
    seen.push_back(informer.Snapshot().size());
    if (--tasks > 0) sim_.env().loop().Post([&] { look(); });
  };
  sim_.env().loop().Post([&] { look(); });
  Settle();
  ASSERT_EQ(seen.size(), 4U);
  EXPECT_LT(seen[0], seen[1]);
  EXPECT_LT(seen[1], seen[2]);
  EXPECT_LT(seen[1], 3000U);
}

// The same object occurs twice: both states are reported, in two versions.
TEST_F(InformerBatches, EveryStateOfAnObjectIsTold) {
  SharedInformer<Pod> informer = Over(sim_.env());
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  server_.PutTogether({"a", "b", "a", "a"}, "1");
  Settle();
  EXPECT_EQ(recorder->words, (Texts{"+a", "+b", "~a 1>1", "~a 1>1"}));
  ExpectEqual(informer, server_);
  EXPECT_EQ(informer.LastSyncResourceVersion(), server_.rv());
}

// Stop between two turns loses nothing, as the next life requests the rest.
TEST_F(InformerBatches, StopBetweenSlices_RestartDeliversTheRest) {
  SharedInformer<Pod> informer = Over(slow_);
  const auto recorder = Record(informer);
  informer.Start();
  Settle();
  server_.PutTogether(Names(2500));
  while (informer.Snapshot().size() == 0) ASSERT_TRUE(sim_.Step());
  ASSERT_LT(informer.Snapshot().size(), 2500U);
  informer.Stop();
  Settle();
  const std::size_t applied = informer.Snapshot().size();
  EXPECT_LT(applied, 2500U);
  informer.Start();
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(informer.HasSynced());
  ExpectEqual(informer, server_);
  Texts words = recorder->words;
  std::sort(words.begin(), words.end());
  EXPECT_EQ(words.size(), 2500U);
  EXPECT_EQ(std::unique(words.begin(), words.end()), words.end()) << "each once";
}

// ---- limits of 0

class ZeroLimits : public InformerTest, public testing::WithParamInterface<OverflowPolicy> {};

TEST_P(ZeroLimits, LimitOfZero_IsSmallestLimit) {
  InformerOptions<Pod> options;
  options.max_queued_bytes = 0;
  SharedInformer<Pod> informer = Make(std::move(options));
  const auto recorder = Record(informer, {.overflow = GetParam(), .max_events = 0, .max_bytes = 0});
  server_.Put("a", "1");
  informer.Start();
  Settle();
  EXPECT_TRUE(registration_.HasSynced());
  for (int i = 0; i < 20; ++i) {
    server_.Put("b" + std::to_string(i), "1");
    server_.Put("a", std::to_string(i + 2));
    Settle();
  }
  sim_.RunFor(seconds(30));
  ExpectEqual(informer, server_);
  EXPECT_EQ(server_.open_watches(), 1U);
  EXPECT_EQ(std::count_if(recorder->words.begin(), recorder->words.end(),
                          [](const std::string& word) { return word.starts_with("+b"); }),
            20);
  EXPECT_TRUE(std::any_of(recorder->words.begin(), recorder->words.end(),
                          [](const std::string& word) { return word.ends_with(">21"); }));
}

INSTANTIATE_TEST_SUITE_P(Policies, ZeroLimits,
                         testing::Values(OverflowPolicy::kCoalesce, OverflowPolicy::kBlock,
                                         OverflowPolicy::kDropAndResync));

}  // namespace
}  // namespace kinformer

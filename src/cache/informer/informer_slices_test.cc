// Operations on whole stores that must not block the loop.

#include <algorithm>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/cache/shared_informer.h"

#include "base/core/testing/ticking_env.h"
#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::microseconds;
using std::chrono::milliseconds;
using std::chrono::minutes;

// Each reading of the clock takes time, so that slices end.
class InformerSlices : public InformerTest {
 protected:
  InformerSlices() {
    for (int i = 0; i < kPods; ++i) server_.Put("pod-" + std::to_string(i), "old");
  }

  // Measures the time between turns of other tasks on the loop.
  void CountTurns() {
    const SteadyTime now = env_.Now();
    if (turns_++ != 0) longest_ = std::max<Duration>(longest_, now - last_turn_);
    last_turn_ = now;
    if (!counting_) return;
    if (between_) between_();
    sim_.env().loop().Post([this] { CountTurns(); });
  }
  template <class F>
  void WhileCounting(F work) {
    counting_ = true;
    turns_ = 0;
    longest_ = Duration(0);
    sim_.env().loop().Post([this] { CountTurns(); });
    work();
    counting_ = false;
    Settle();
  }

  static constexpr int kPods = 3000;
  internal::base::TickingEnv env_{sim_.env(), microseconds(50)};
  std::function<void()> between_{};
  bool counting_ = false;
  int turns_ = 0;
  SteadyTime last_turn_{};
  Duration longest_{0};
};

TEST_F(InformerSlices, AnIndexIsFilledOverTurnsOfTheLoop) {
  SharedInformer<Pod> informer(env_, server_.NewListerWatcher());
  informer.Start();
  Settle();
  ASSERT_EQ(informer.Snapshot().size(), static_cast<std::size_t>(kPods));
  const auto check = [&] {
    const Snapshot<Pod> snapshot = informer.Snapshot();
    const ObjectRange<Pod> found = snapshot.ByIndex("value", "new");
    if (!found.ok()) return false;
    std::size_t expected = 0;
    for (const Pod pod : snapshot) expected += pod.value() == "new" ? 1 : 0;
    EXPECT_EQ(found.size(), expected);
    return true;
  };
  int unseen = 0;
  between_ = [&] {
    if (check()) return;
    server_.Put("pod-" + std::to_string(unseen * 97 % kPods), "new");
    ++unseen;
  };
  WhileCounting([&] {
    ASSERT_TRUE(sim_.RunBlocking(
        [&] {
          ASSERT_TRUE(
              informer.AddIndexers({{"value", [](Pod pod, auto& out) { out.Add(pod.value()); }}}));
          EXPECT_TRUE(check()) << "whoever added it can use it";
        },
        minutes(1)));
  });
  // 3,000 calls of the function at 100 us, in slices of 1 ms that end at most 64 entries late.
  EXPECT_GT(unseen, 30);
  EXPECT_LT(longest_, milliseconds(30));
  EXPECT_GE(informer.indexer().ByIndex("value", "new").size(), 30U);
  EXPECT_TRUE(check());
}

TEST_F(InformerSlices, ARelistIsAppliedOverTurnsOfTheLoop) {
  internal::base::TickingEnv slow(sim_.env(), milliseconds(1));
  SharedInformer<Pod> informer(slow, server_.NewListerWatcher(),
                               {.trace = [this](const TraceEvent& event) {
                                 if (event.stage != "store" || !event.in_list) return;
                                 if (event.type == "REPLACED") {
                                   counting_ = false;
                                 } else if (!std::exchange(counting_, true)) {
                                   turns_ = 0;
                                   sim_.env().loop().Post([this] { CountTurns(); });
                                 }
                               }});
  informer.Start();
  Settle();
  int wholes = 0;
  between_ = [&] {
    EXPECT_EQ(informer.Snapshot().size(), static_cast<std::size_t>(kPods));
    EXPECT_TRUE(informer.lister().List().ok());
    ++wholes;
  };
  // Half of the pods are deleted, a third of the rest change, and some are new.
  WhileCutOff([&] {
    for (int i = 0; i < kPods; ++i) {
      const std::string name = "pod-" + std::to_string(i);
      if (i % 2 == 0) {
        server_.Delete(name);
      } else if (i % 3 == 0) {
        server_.Put(name, "new");
      }
    }
    for (int i = 0; i < kPods / 10; ++i) server_.Put("new-" + std::to_string(i), "new");
    // One object is deleted and created again, and another one is created and deleted.
    server_.Put("pod-0", "again");
  });
  // The clock is read once per 256 objects.
  EXPECT_GT(wholes, (kPods + kPods / 2) / 256);
  ExpectEqual(informer, server_);
  EXPECT_EQ(informer.Stats().deleted, static_cast<std::uint64_t>(kPods / 2 - 1));
  EXPECT_EQ(informer.Stats().modified, static_cast<std::uint64_t>(kPods / 6 + 1));
  EXPECT_EQ(informer.Stats().added, static_cast<std::uint64_t>(kPods + kPods / 10));
  between_ = nullptr;
  ForceRelist();
  ExpectEqual(informer, server_);
}

}  // namespace
}  // namespace kinformer

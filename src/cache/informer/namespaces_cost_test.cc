// Cost of listing many namespaces separately: about the same for each namespace, however many there
// are.

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/object/unstructured.h"

#include "base/core/testing/counted_heap.h"
#include "base/loop/testing/unserved_executor.h"
#include "client/testing/fake_lister_watcher.h"

namespace kinformer::internal::cache {
namespace {

using client::FakeServer;
// Wraps a loop and counts its tasks.
class CountedLoop final : public Executor {
 public:
  explicit CountedLoop(Executor& loop) : loop_(loop) {}
  void Post(Closure task) override {
    ++posts;
    loop_.Post(std::move(task));
  }
  [[nodiscard]] Timer RunAt(SteadyTime when, Closure task) override {
    return loop_.RunAt(when, std::move(task));
  }
  [[nodiscard]] bool InThisExecutor() const override { return loop_.InThisExecutor(); }

  std::size_t posts = 0;

 private:
  Executor& loop_;
};

struct Cost {
  std::size_t allocations = 0;  // in the turn of the loop that starts all of them
  std::size_t posts = 0;        // of the informer, for a list of one namespace
};

Cost CostOf(int namespaces) {
  Simulation sim;
  CountedLoop loop(sim.env().loop());
  base::EnvWithExecutors env(sim.env(), loop, sim.env().pool());
  std::map<std::string, std::unique_ptr<FakeServer>> servers;
  InformerOptions<Unstructured> options;
  for (int i = 0; i < namespaces; ++i) {
    const std::string& name = options.namespaces.emplace_back("ns-" + std::to_string(i));
    servers[name] = std::make_unique<FakeServer>(sim.env());
    servers[name]->namespace_name = name;
    servers[name]->scope.namespace_ = name;
    servers[name]->Put("a", "1");
  }
  SharedInformer<Unstructured> informer(
      env, [&](const std::string& name) { return servers[name]->NewListerWatcher(); },
      std::move(options));
  informer.Start();
  Cost cost;
  const std::size_t before = kinformer::testing::heap.calls;
  EXPECT_TRUE(sim.Step());
  cost.allocations = kinformer::testing::heap.calls - before;
  sim.RunReady();
  EXPECT_TRUE(informer.HasSynced());
  EXPECT_EQ(informer.Snapshot().size(), static_cast<std::size_t>(namespaces));
  FakeServer& one = *servers["ns-0"];
  one.Forget();
  one.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  loop.posts = 0;
  const std::size_t requests = one.requests.size();
  sim.RunFor(std::chrono::seconds(10));
  EXPECT_GT(one.requests.size(), requests);
  cost.posts = loop.posts;
  return cost;
}

TEST(NamespacesCost, GrowsWithTheirNumberOnly) {
  const Cost few = CostOf(100);
  const Cost many = CostOf(1000);
  EXPECT_LT(many.allocations, 15 * few.allocations);
  EXPECT_LT(many.posts, few.posts + 10) << "of one";
}

}  // namespace
}  // namespace kinformer::internal::cache

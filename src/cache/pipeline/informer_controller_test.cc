// Reflector, controller, store and processor put together by hand, without an informer.

#include "cache/pipeline/informer_controller.h"

#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/simulation.h"

#include "cache/pipeline/testing/fake_lister_watcher.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {
namespace {

class Ignore final : public ReflectorObserver {
 public:
  void OnWatchError(const Error& error) override { ADD_FAILURE() << error; }
};

// Deletes at the server whatever it is told was added.
class Eraser final : public RawHandler {
 public:
  Eraser(Env& env, FakeServer& server) : env_(env), server_(server) {}
  void Handle(const RawEvent& event) override {
    if (event.kind == EventKind::kDelete) {
      deleted.push_back(*event.key);
      return;
    }
    env_.loop().Post([this, name = std::string(event.block->name())] { server_.Delete(name); });
  }
  std::vector<std::string> deleted{};

 private:
  Env& env_;
  FakeServer& server_;
};

class ByHand : public testing::TestWithParam<QueueKind> {};

TEST_P(ByHand, CT_01_EveryDeletionComesThrough) {
  Simulation sim;
  FakeServer server(sim.env());
  const auto lister_watcher = server.NewListerWatcher();
  StoreCore store(sim.env(), {});
  Processor processor(sim.env());
  PipelineCounters counters;
  Ignore observer;
  int synced = 0;
  InformerControllerOptions options;
  options.queue = GetParam();
  options.synced = [&] { ++synced; };
  InformerController controller(sim.env(), store, processor, counters, std::move(options));
  Reflector reflector(sim.env(), *lister_watcher, controller, observer, {});
  const auto eraser = std::make_shared<Eraser>(sim.env(), server);
  processor.Add(std::make_shared<Listener>(sim.env(), eraser, ListenerConfig{},
                                           std::weak_ptr<InformerCore::Impl>()),
                Duration(0), nullptr, false);
  EXPECT_FALSE(controller.HasSynced());
  server.Put("before");
  sim.env().loop().Post([&] { reflector.Start(); });
  sim.RunReady();
  EXPECT_EQ(synced, 1);
  for (const char* name : {"a", "b", "c"}) server.Put(name);
  sim.RunReady();
  EXPECT_EQ(eraser->deleted,
            (std::vector<std::string>{"default/before", "default/a", "default/b", "default/c"}));
  EXPECT_EQ(store.size(), 0U);
  EXPECT_EQ(store.ResourceVersion(), server.rv());
  EXPECT_EQ(counters.added.load(), 4U);
  EXPECT_EQ(counters.deleted.load(), 4U);
}

INSTANTIATE_TEST_SUITE_P(BothQueues, ByHand,
                         testing::Values(QueueKind::kInOrder, QueueKind::kDeltaFIFO));

}  // namespace
}  // namespace kinformer::internal::cache

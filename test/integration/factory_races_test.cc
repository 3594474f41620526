// Start and Shutdown of a factory by two threads. Simulated threads do not change between the two
// steps of a Start, so these are real ones.

#include <barrier>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/object/unstructured.h"

namespace kinformer {
namespace {

// Answers nothing.
class SilentSource final : public ListerWatcher {
 public:
  std::unique_ptr<ListWatchCall> List(const ListOptions&, ListReceiver&) override {
    return std::make_unique<Call>();
  }
  std::unique_ptr<ListWatchCall> Watch(const ListOptions&, WatchReceiver&) override {
    return std::make_unique<Call>();
  }
  bool SetEntryOptions(const EntryOptions&) override { return true; }
  [[nodiscard]] bool IsWatchListSemanticsUnSupported() const override { return true; }
  [[nodiscard]] std::string Describe() const override { return "nothing"; }

 private:
  struct Call final : ListWatchCall {};
};

class SilentProvider final : public ListerWatcherProvider {
 public:
  explicit SilentProvider(Env& env) : env_(env) {}
  [[nodiscard]] Env& env() const override { return env_; }
  std::unique_ptr<ListerWatcher> NewListWatch(const KindInfo&, const std::string&,
                                              const std::function<void(ListOptions&)>&) override {
    return std::make_unique<SilentSource>();
  }

 private:
  Env& env_;
};

TEST(FactoryRaces, AfterShutdownNothingRunsThatStartBeganMeanwhile) {
  Runtime runtime({.log = NewNullLog()});
  const auto provider = std::make_shared<SilentProvider>(runtime.env());
  for (int round = 0; round < 3000; ++round) {
    SharedInformerFactory factory(provider);
    std::vector<SharedInformer<Unstructured>> informers;
    for (int i = 0; i < 16; ++i) {
      const std::string name = "things" + std::to_string(i);
      informers.push_back(factory.ForResource({"shop.example", "v1", name}, "Thing", true));
    }
    std::barrier together(2);
    std::thread starter([&] {
      together.arrive_and_wait();
      factory.Start();
    });
    together.arrive_and_wait();
    factory.Shutdown();
    starter.join();
    for (const auto& informer : informers) {
      ASSERT_TRUE(informer.IsStopped() || !informer.HasStarted()) << "round " << round;
    }
  }
}

}  // namespace
}  // namespace kinformer

// Shutdown of a factory while users still hold its informers.

#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer_factory.h"
#include "kinformer/object/partial_object_metadata.h"
#include "kinformer/object/unstructured.h"

#include "base/core/testing/fields_log.h"
#include "client/testing/fake_lister_watcher.h"

namespace kinformer {
namespace {

using internal::client::FakeServer;
using std::chrono::minutes;
using std::chrono::seconds;
using testing::HasSubstr;

// Serves the same collection for every resource.
class OneServer final : public ListerWatcherProvider {
 public:
  explicit OneServer(Env& env) : server(env), env_(env) {}
  [[nodiscard]] Env& env() const override { return env_; }
  std::unique_ptr<ListerWatcher> NewListWatch(const KindInfo&, const std::string&,
                                              const std::function<void(ListOptions&)>&) override {
    return server.NewListerWatcher();
  }
  FakeServer server;

 private:
  Env& env_;
};

class FactoryShutdownTest : public testing::Test {
 protected:
  SharedInformer<Unstructured> Widgets(SharedInformerFactory& factory) {
    return factory.ForResource({"shop.example", "v1", "widgets"}, "Widget", true);
  }

  Simulation sim_;
  const std::shared_ptr<OneServer> provider_ = std::make_shared<OneServer>(sim_.env());
};

TEST_F(FactoryShutdownTest, InformersThatAreHeldAreStoppedAndStayReadable) {
  SharedInformerFactory factory(provider_);
  FakeServer& server = provider_->server;
  server.Put("a");
  const auto widgets = Widgets(factory);
  factory.Start();
  sim_.RunReady();
  ASSERT_EQ(server.open_watches(), 1U);
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        factory.Shutdown();
        EXPECT_EQ(server.open_watches(), 0U) << "it waits for the end";
      },
      minutes(1)));
  EXPECT_TRUE(widgets.IsStopped());
  server.Put("b");
  sim_.RunFor(minutes(1));
  EXPECT_EQ(widgets.Snapshot().size(), 1U);
  factory.Start();
  sim_.RunFor(minutes(1));
  EXPECT_TRUE(widgets.IsStopped()) << "no start after Shutdown";
  EXPECT_EQ(server.open_watches(), 0U);
}

// client-go does nothing in this case either, and does not report it.
TEST_F(FactoryShutdownTest, StartWaitsAndReadsAfterShutdown_SayThatItIsOver) {
  const auto log = std::make_shared<internal::base::FieldsLog>(LogLevel::kInfo);
  Simulation sim({.log = log});
  const auto provider = std::make_shared<OneServer>(sim.env());
  provider->server.Put("a");
  SharedInformerFactory factory(provider);
  const auto before = Widgets(factory);
  ASSERT_TRUE(sim.RunBlocking([&] { factory.Shutdown(); }, minutes(1)));
  EXPECT_TRUE(log->lines.empty());

  const std::string words =
      "the factory has been shut down, and starts nothing any more: make another one";
  const auto expect_over = [&](const Error& error) {
    EXPECT_EQ(error.reason(), Reason::kStopped) << error;
    EXPECT_THAT(error.message(), HasSubstr(words));
  };
  auto after = Widgets(factory);
  const auto metadata = factory.MetadataInformerFor({"shop.example", "v1", "carts"}, "Cart");
  for (int i = 0; i < 2; ++i) factory.Start();
  EXPECT_EQ(log->Count("Start does nothing: " + words), 1U);
  EXPECT_EQ(log->lines.size(), 1U);
  const bool returned = sim.RunBlocking(
      [&] {
        expect_over(factory.WaitForCacheSync().error());
        expect_over(factory.WaitForHandlersSync().error());
        expect_over(after.WaitForCacheSync().error());
      },
      minutes(1));
  ASSERT_TRUE(returned);
  for (const auto& informer : {before, after}) {
    expect_over(informer.lister().Get("default", "a").error());
    expect_over(informer.lister().List().error());
  }
  expect_over(metadata.lister().List().error());
  EXPECT_EQ(log->Count("its factory had been shut down"), 3U) << "each informer once";
  EXPECT_EQ(log->lines.size(), 4U);

  // As in client-go, an informer runs if its own Start is called.
  after.Start();
  sim.RunReady();
  EXPECT_TRUE(after.lister().Get("default", "a").ok());
  ASSERT_TRUE(sim.RunBlocking([&] { EXPECT_TRUE(factory.WaitForCacheSync().ok()); }, minutes(1)));
  after.Stop();
}

TEST_F(FactoryShutdownTest, WaitForHandlersSync_EndsWithShutdown) {
  provider_->server.down = Error(Reason::kConnectionRefused, "refused");
  SharedInformerFactory factory(provider_);
  auto widgets = Widgets(factory);
  const EventHandlerRegistration handler =
      widgets.AddEventHandler({.on_add = [](const Added<Unstructured>&) {}}).OrExit();
  factory.Start();
  Timer later =
      sim_.env().loop().RunAt(sim_.env().Now() + seconds(10), [&] { factory.Shutdown(); });
  std::optional<Result<void>> result;
  ASSERT_TRUE(sim_.RunBlocking([&] { result = factory.WaitForHandlersSync(); }, minutes(5)));
  EXPECT_EQ(result->error().reason(), Reason::kStopped);
  ASSERT_TRUE(sim_.RunBlocking([&] { result = handler.WaitForSync(); }, minutes(5)));
  EXPECT_EQ(result->error().reason(), Reason::kStopped);
}

TEST_F(FactoryShutdownTest, ShutdownOnLoop_DoesNotWait) {
  SharedInformerFactory factory(provider_);
  provider_->server.Put("a");
  const auto widgets = Widgets(factory);
  factory.Start();
  sim_.RunReady();
  bool returned = false;
  sim_.env().loop().Post([&] {
    factory.Shutdown();
    returned = true;
  });
  sim_.RunReady();
  EXPECT_TRUE(returned);
  EXPECT_TRUE(widgets.IsStopped());
  EXPECT_EQ(provider_->server.open_watches(), 0U);
}

TEST_F(FactoryShutdownTest, Shutdown_RepeatedOrByDestructor_EndsWatches) {
  FakeServer& server = provider_->server;
  std::optional<SharedInformer<Unstructured>> widgets;
  {
    SharedInformerFactory factory(provider_);
    widgets = Widgets(factory);
    factory.Start();
    sim_.RunReady();
    EXPECT_EQ(server.open_watches(), 1U);
    const SteadyTime begun = sim_.env().Now();
    ASSERT_TRUE(sim_.RunBlocking(
        [&] {
          factory.Shutdown();
          factory.Shutdown();
        },
        minutes(1)));
    EXPECT_EQ(sim_.env().Now(), begun) << "nothing is waited for that is over";
    EXPECT_EQ(server.open_watches(), 0U);
  }
  {
    std::optional<SharedInformerFactory> factory(std::in_place, provider_);
    widgets = Widgets(*factory);
    factory->Start();
    sim_.RunReady();
    EXPECT_EQ(server.open_watches(), 1U);
    ASSERT_TRUE(sim_.RunBlocking([&] { factory.reset(); }, minutes(1)));
    EXPECT_EQ(server.open_watches(), 0U);
    EXPECT_TRUE(widgets->IsStopped());
  }
}

TEST_F(FactoryShutdownTest, Shutdown_DropsOrDrainsWaitingEvents) {
  for (const AtStop at_stop : {AtStop::kDiscard, AtStop::kDrain}) {
    SharedInformerFactory factory(provider_);
    FakeServer& server = provider_->server;
    auto widgets = Widgets(factory);
    int heard = 0;
    int inside = 0;
    widgets
        .AddEventHandler({.on_add =
                              [&](const Added<Unstructured>&) {
                                ++inside;
                                sim_.env().SleepFor(seconds(1));
                                --inside;
                                ++heard;
                              }},
                         {.at_stop = at_stop})
        .OrExit();
    for (int i = 0; i < 10; ++i) server.Put("w" + std::to_string(i));
    factory.Start();
    sim_.RunFor(seconds(2));
    ASSERT_TRUE(sim_.RunBlocking(
        [&] {
          factory.Shutdown();
          EXPECT_EQ(inside, 0);
          if (at_stop == AtStop::kDrain) {
            EXPECT_EQ(heard, 10);
          } else {
            EXPECT_LT(heard, 5);
          }
        },
        minutes(1)));
    const int before = heard;
    sim_.RunFor(minutes(1));
    EXPECT_EQ(heard, before);
  }
}

TEST_F(FactoryShutdownTest, ShutdownInHandler_WaitsForOtherHandlers_W30) {
  SharedInformerFactory factory(provider_);
  provider_->server.Put("a", "1");
  auto widgets = Widgets(factory);
  auto gadgets = factory.ForResource({"shop.example", "v1", "gadgets"}, "Gadget", true);
  bool other_returned = false;
  bool returned = false;
  const auto slow = [&](const Added<Unstructured>&) {
    sim_.env().SleepFor(seconds(3));
    other_returned = true;
  };
  const auto shuts_down = [&](const Added<Unstructured>&) {
    sim_.env().SleepFor(seconds(1));
    factory.Shutdown();
    EXPECT_TRUE(other_returned);
    returned = true;
  };
  ASSERT_TRUE(gadgets.AddEventHandler({.on_add = slow}).ok());
  ASSERT_TRUE(widgets.AddEventHandler({.on_add = shuts_down}).ok());
  factory.Start();
  sim_.RunFor(seconds(10));
  EXPECT_TRUE(returned);
  EXPECT_TRUE(widgets.IsStopped());
  EXPECT_TRUE(gadgets.IsStopped());
  EXPECT_EQ(provider_->server.open_watches(), 0U);
}

// Whatever the order: an informer may be started again, or by its factory, while that shuts down.
TEST(FactoryShutdownRaces, ShutdownReturnsAndAnInformerThatOnlyItsFactoryStartsIsStopped) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Simulation sim({.seed = seed});
    const auto provider = std::make_shared<OneServer>(sim.env());
    SharedInformerFactory factory(provider);
    auto widgets = factory.ForResource({"shop.example", "v1", "widgets"}, "Widget", true);
    const auto gadgets = factory.ForResource({"shop.example", "v1", "gadgets"}, "Gadget", true);
    if (seed % 2 == 0) factory.Start();
    int ended = 0;
    std::vector<std::unique_ptr<Thread>> threads;
    const auto run = [&](auto body) {
      threads.push_back(sim.env().NewThread("racer", [&ended, body] {
        body();
        ++ended;
      }));
    };
    run([&] { factory.Shutdown(); });
    run([&] { factory.Start(); });
    run([&] { widgets.Start(); });
    EXPECT_TRUE(sim.RunUntil([&] { return ended == 3; }, minutes(1))) << "seed " << seed;
    sim.RunFor(seconds(1));
    EXPECT_EQ(gadgets.IsStopped() || !gadgets.HasStarted(), true) << "seed " << seed;
    widgets.Stop();
    sim.RunFor(seconds(1));
    EXPECT_EQ(provider->server.open_watches(), 0U) << "seed " << seed;
    threads.clear();
  }
}

}  // namespace
}  // namespace kinformer

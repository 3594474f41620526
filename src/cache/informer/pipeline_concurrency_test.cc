// The pipeline on real threads, to be run under ThreadSanitizer.

#include <atomic>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "kinformer/base/metrics.h"
#include "kinformer/base/runtime.h"
#include "kinformer/cache/shared_informer.h"

#include "base/core/testing/on_loop.h"
#include "client/testing/fake_lister_watcher.h"

namespace kinformer {
namespace {

using internal::client::FakeServer;
using internal::client::PodValue;

class Pod {
 public:
  explicit Pod(const internal::Block* block) : block_(block) {}
  [[nodiscard]] std::string name() const { return std::string(block_->name()); }
  static const KindInfo& kind_info() { return internal::client::PodType(); }

 private:
  const internal::Block* block_;
};

// Waits for the watch: an informer in list mode has synced before it opens the watch.
void AwaitWatch(Env& env, const FakeServer& server) {
  for (bool watching = false; !watching;) {
    internal::base::OnLoop(env, [&] { watching = server.open_watches() > 0; });
    if (!watching) std::this_thread::yield();
  }
}

// Before Start no loop owns the store: each thread that adds an index writes to it.
TEST(PipelineConcurrency, IndexersAreAddedByManyBeforeAndDuringTheStart) {
  constexpr int kThreads = 4;
  constexpr int kEach = 50;
  const auto runtime = std::make_unique<Runtime>();
  Env& env = runtime->env();
  FakeServer server(env);
  {
    SharedInformer<Pod> informer(env, server.NewListerWatcher());
    internal::base::OnLoop(env, [&] { server.Put("first", "0"); });
    std::atomic<int> running{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        running.fetch_add(1);
        while (running.load() < kThreads) std::this_thread::yield();
        for (int i = 0; i < kEach; ++i) {
          const std::string name = std::to_string(t) + "/" + std::to_string(i);
          EXPECT_TRUE(
              informer.AddIndexers({{name, [](Pod pod, auto& out) { out.Add(pod.name()); }}}));
          if (t == 0 && i == kEach / 2) informer.Start();
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    // The index "namespace" is an additional one.
    EXPECT_EQ(informer.indexer().GetIndexers().size(), std::size_t{kThreads * kEach + 1});
    ASSERT_TRUE(informer.WaitForCacheSync({}, {.timeout = std::chrono::seconds(60)}).ok());
    EXPECT_EQ(informer.indexer().ByIndex("3/49", "first").size(), 1U);
  }
}

TEST(PipelineConcurrency, HandlersComeAndGoWhileEventsFlowAndReadersRead_CT03) {
  const std::shared_ptr<TextMetrics> metrics = NewTextMetrics();
  auto runtime = std::make_unique<Runtime>(RuntimeOptions{.metrics = metrics});
  Env& env = runtime->env();
  FakeServer server(env);
  {
    SharedInformer<Pod> informer(env, server.NewListerWatcher());
    std::atomic<std::uint64_t> heard{0};
    informer
        .AddEventHandler({.on_add = [&](const Added<Pod>&) { heard.fetch_add(1); },
                          .on_update = [&](const Updated<Pod>&) { heard.fetch_add(1); },
                          .on_delete = [&](const Deleted<Pod>&) { heard.fetch_add(1); }})
        .OrExit();
    internal::base::OnLoop(env, [&] { server.Put("first", "0"); });
    informer.Start();
    ASSERT_TRUE(informer.WaitForCacheSync({}, {.timeout = std::chrono::seconds(60)}).ok());

    std::atomic<bool> stop{false};
    std::vector<std::thread> threads;
    for (int t = 0; t < 3; ++t) {
      threads.emplace_back([&] {
        while (!stop.load(std::memory_order_relaxed)) {
          std::atomic<int> calls{0};
          auto registration =
              informer.AddEventHandler({.on_add = [&](const Added<Pod>&) { calls.fetch_add(1); }});
          if (!registration) return;
          EXPECT_TRUE(registration->WaitForSync().ok());
          EXPECT_GE(calls.load(), 1) << "all that was there has been delivered";
          EXPECT_TRUE(informer.RemoveEventHandler(*registration).ok());
        }
      });
    }
    threads.emplace_back([&] {
      while (!stop.load(std::memory_order_relaxed)) {
        std::size_t n = 0;
        for (const Pod pod : informer.Snapshot()) n += pod.name().size();
        EXPECT_GT(n, 0U);
        EXPECT_TRUE(informer.lister().Namespace("default").Get("first").ok());
        static_cast<void>(informer.Stats());
        EXPECT_NE(metrics->Text().find("informer_store_objects{name=\"pods\"}"), std::string::npos);
      }
    });
    for (int i = 0; i < 1000; ++i) {
      internal::base::OnLoop(env, [&] {
        const std::string name = "p" + std::to_string(i % 17);
        if (i % 5 == 4 && server.objects().contains({"default", name})) {
          server.Delete(name);
        } else {
          server.Put(name, std::to_string(i));
        }
        if (i % 100 == 50) server.EndWatches();
      });
    }
    stop.store(true);
    for (std::thread& thread : threads) thread.join();
    EXPECT_GT(heard.load(), 0U);
    informer.Stop();
    EXPECT_FALSE(informer.AddEventHandler(ResourceEventHandlerFuncs<Pod>{}).ok());
  }
  internal::base::OnLoop(env, [&] { EXPECT_EQ(server.open_watches(), 0U); });
  runtime.reset();
  // Informers and handlers that end leave their series at zero and add no new ones.
  const std::string text = metrics->Text();
  EXPECT_NE(text.find("\ninformer_store_objects{name=\"pods\"} 0\n"), std::string::npos) << text;
  const std::string waiting = "informer_handler_waiting_events{";
  EXPECT_NE(text.find(waiting + "name=\"pods\",handler=\"\"} 0\n"), std::string::npos) << text;
  EXPECT_EQ(text.find(waiting), text.rfind(waiting));
}

// Each worker continues until its call fails because the informer has stopped.
TEST(PipelineConcurrency, AHundredComeAndGoWhileEventsFlowAndItStops_SI16) {
  constexpr int kWorkers = 100;
  constexpr int kEvents = 10'000;
  constexpr int kEventsATurn = 100;
  Runtime runtime;
  Env& env = runtime.env();
  FakeServer server(env);
  SharedInformer<Pod> informer(env, server.NewListerWatcher());
  internal::base::OnLoop(env, [&] { server.Put("first", "0"); });
  informer.Start();
  ASSERT_TRUE(informer.WaitForCacheSync({}, {.timeout = std::chrono::seconds(60)}).ok());

  std::atomic<int> came{0};
  std::atomic<std::uint64_t> heard{0};
  std::vector<std::thread> workers;
  for (int t = 0; t < kWorkers; ++t) {
    workers.emplace_back([&] {
      for (;;) {
        auto registration = informer.AddEventHandler(
            {.on_add = [&](const Added<Pod>&) { heard.fetch_add(1, std::memory_order_relaxed); }});
        if (!registration) {
          EXPECT_EQ(registration.error().reason(), Reason::kStopped) << registration.error();
          return;
        }
        came.fetch_add(1, std::memory_order_relaxed);
        // Waits until the handler is added on the loop, which also limits the workers' tasks to one
        // for each.
        internal::base::OnLoop(env, [] {});
        const Result<void> removed = informer.RemoveEventHandler(*registration);
        EXPECT_TRUE(removed.ok()) << removed.error();
      }
    });
  }
  while (came.load() < kWorkers) std::this_thread::yield();
  std::thread stop;
  for (int i = 0; i < kEvents; i += kEventsATurn) {
    internal::base::OnLoop(env, [&] {
      for (int j = i; j < i + kEventsATurn; ++j) {
        server.Put("p" + std::to_string(j % 17), std::to_string(j));
      }
    });
    if (i == kEvents / 10 * 9) stop = std::thread([&] { informer.Stop(); });
  }
  stop.join();
  for (std::thread& worker : workers) worker.join();
  EXPECT_TRUE(informer.IsStopped());
  EXPECT_GT(heard.load(), 0U);
  internal::base::OnLoop(env, [&] { EXPECT_EQ(server.open_watches(), 0U); });
}

// Calls that return OK take effect in the informer; later calls return an error.
TEST(PipelineConcurrency, SetTransformRacesWithStart_SI10) {
  for (int round = 0; round < 20; ++round) {
    Runtime runtime;
    FakeServer server(runtime.env());
    internal::base::OnLoop(runtime.env(), [&] { server.Put("a", "1"); });
    SharedInformer<Pod> informer(runtime.env(), server.NewListerWatcher());
    std::atomic<int> transformed{0};
    std::atomic<int> errors{0};
    bool transform_set = false;
    bool handler_set = false;
    std::thread set([&] {
      transform_set = informer
                          .SetTransform([&](const Ref<Pod>& pod) -> Result<Ref<Pod>> {
                            transformed.fetch_add(1);
                            return pod;
                          })
                          .ok();
      handler_set = informer.SetWatchErrorHandler([&](const Error&) { errors.fetch_add(1); }).ok();
    });
    std::thread start([&] { informer.Start(); });
    set.join();
    start.join();
    ASSERT_TRUE(informer.WaitForCacheSync({}, {.timeout = std::chrono::seconds(60)}).ok());
    EXPECT_EQ(transformed.load() > 0, transform_set);
    AwaitWatch(runtime.env(), server);
    internal::base::OnLoop(runtime.env(), [&] {
      server.FailWatches(Error(Reason::kInternalError, "down").WithHttpStatus(500));
    });
    // The loop may run another thread's task before one that its own task has posted.
    while (informer.Stats().errors == 0) std::this_thread::yield();
    internal::base::OnLoop(runtime.env(), [] {});
    EXPECT_EQ(errors.load() > 0, handler_set);
    informer.Stop();
  }
}

TEST(PipelineConcurrency, HandlersAreAddedWhileItStarts_SI07) {
  for (int round = 0; round < 20; ++round) {
    Runtime runtime;
    FakeServer server(runtime.env());
    SharedInformer<Pod> informer(runtime.env(), server.NewListerWatcher());
    std::stop_source stop;
    std::thread run([&] { informer.Run(stop.get_token()); });
    std::thread add([&] {
      for (int i = 0; i < 10; ++i) {
        static_cast<void>(informer.AddEventHandler(ResourceEventHandlerFuncs<Pod>{}));
      }
    });
    add.join();
    // Before Run has started the wait returns an error at once.
    while (!informer.WaitForCacheSync({}, {.timeout = std::chrono::seconds(60)}).ok()) {
      std::this_thread::yield();
    }
    EXPECT_TRUE(informer.HasSynced());
    stop.request_stop();
    run.join();
    EXPECT_TRUE(informer.IsStopped());
  }
}

}  // namespace
}  // namespace kinformer

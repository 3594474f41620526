// The tools on real threads, to be run under ThreadSanitizer.

#include <atomic>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "kinformer/base/runtime.h"
#include "kinformer/cache/assume_cache.h"
#include "kinformer/cache/informer_watcher.h"
#include "kinformer/cache/wait_for_cache_sync.h"
#include "kinformer/cache/watch_until.h"
#include "kinformer/client/list_pager.h"
#include "kinformer/client/retry_watcher.h"

#include "base/core/testing/on_loop.h"
#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using internal::client::FakeServer;
using internal::client::MakePod;
using std::chrono::seconds;

class ToolsConcurrency : public ::testing::Test {
 protected:
  // Runs each body on a thread of its own, all at the same time.
  static void Together(std::vector<std::function<void()>> bodies) {
    std::vector<std::thread> threads;
    threads.reserve(bodies.size());
    for (std::function<void()>& body : bodies) threads.emplace_back(std::move(body));
    for (std::thread& thread : threads) thread.join();
  }
  // Changes pod "a" on the loop, `count` times.
  void Change(int count) {
    for (int i = 0; i < count; ++i) {
      internal::base::OnLoop(env_, [&] { server_.Put("a", std::to_string(i)); });
    }
  }

  Runtime runtime_;
  Env& env_ = runtime_.env();
  FakeServer server_{env_};
};

TEST_F(ToolsConcurrency, AssumeCacheIsUsedWhileTheInformerRuns) {
  internal::base::OnLoop(env_, [&] { server_.Put("a", "0"); });
  SharedInformer<Pod> informer(env_, server_.NewListerWatcher());
  std::atomic<int> heard{0};
  auto cache = std::make_unique<AssumeCache<Pod>>(informer);
  ASSERT_TRUE(cache->AddEventHandler({.on_add = [&](const Added<Pod>&) { heard.fetch_add(1); },
                                      .on_update =
                                          [&](const Updated<Pod>& e) {
                                            heard.fetch_add(1);
                                            EXPECT_FALSE(e.new_object.value().empty());
                                          }}));
  informer.Start();
  ASSERT_TRUE(cache->WaitForSync({}, seconds(60)));
  Together({[&] { Change(300); },
            [&] {
              for (int i = 0; i < 300; ++i) {
                const Ref<Pod> latest = cache->Get("default/a").OrExit();
                (void)cache->Assume(latest);  // may be out of date by now
                cache->Restore("default/a");
              }
            },
            [&] {
              for (int i = 0; i < 300; ++i) {
                EXPECT_EQ(cache->List().size(), 1U);
                EXPECT_TRUE(cache->GetAPIObj("default/a"));
              }
            }});
  Together({[&] { Change(50); }, [&] { cache.reset(); }});
  EXPECT_GT(heard.load(), 0);
}

TEST_F(ToolsConcurrency, ListPagerFetchesAheadAndIsStopped) {
  const ListPager<Pod> pager(
      env_,
      [](const ListOptions& options, const CallOptions&) -> Result<ObjectList<Pod>> {
        internal::ListedObjects page;
        for (int i = 0; i < 10; ++i) {
          page.items.push_back(MakePod("default", "p" + std::to_string(i), "1"));
        }
        page.metadata.resourceVersion = "1";
        page.metadata.continue_ = options.continue_ + "x";
        return ObjectList<Pod>(std::move(page));
      },
      {.page_buffer_size = 2});
  std::stop_source stop;
  int visited = 0;
  const Result<void> ended =
      pager.EachListItem({},
                         [&](const Ref<Pod>&) -> Result<void> {
                           if (++visited == 505) {
                             std::thread([&] { stop.request_stop(); }).join();
                           }
                           return {};
                         },
                         {.stop = stop.get_token()});
  EXPECT_EQ(ended.error().reason(), Reason::kCanceled);
  EXPECT_EQ(visited, 510);
}

TEST_F(ToolsConcurrency, WatchersAreReadAndStoppedWhileEventsFlow) {
  internal::base::OnLoop(env_, [&] { server_.Put("a", "0"); });
  Watcher<Pod> retry = NewRetryWatcher<Pod>(env_, "1", server_.NewListerWatcher()).value();
  auto made = NewIndexerInformerWatcher<Pod>(env_, server_.NewListerWatcher()).value();
  std::atomic<int> seen{0};
  const auto read = [&](Watcher<Pod> watcher) {
    for (auto next = watcher.Next(); next && *next; next = watcher.Next()) seen.fetch_add(1);
  };
  const auto stop = [&](const Watcher<Pod>& watcher) {
    while (seen.load() < 100) std::this_thread::yield();
    watcher.Stop();
  };
  Together({[&] { Change(500); }, [&] { read(retry); }, [&] { read(made.watcher); },
            [&] { read(retry); }, [&] { stop(retry); }, [&] { stop(made.watcher); }});
  EXPECT_GE(seen.load(), 100);
}

TEST_F(ToolsConcurrency, WaitsEndWhenAnotherThreadChangesWhatTheyWaitFor) {
  internal::base::OnLoop(env_, [&] { server_.Put("a", "0"); });
  SharedInformer<Pod> informer(env_, server_.NewListerWatcher());
  informer.Start();
  EXPECT_TRUE(WaitForNamedCacheSync(env_, "test", {informer}, {}, {.timeout = seconds(60)}));
  UntilResult<Pod> ended;
  Together({[&] {
              ended = UntilWithSync<Pod>(env_, server_.NewListerWatcher(), nullptr,
                                         {[](const ResourceWatchEvent<Pod>& event) -> Result<bool> {
                                           return event.object->value() == "49";
                                         }},
                                         {.timeout = seconds(60)});
            },
            [&] { Change(50); }});
  EXPECT_TRUE(ended.result);
}

}  // namespace
}  // namespace kinformer

// CacheController<T> and NewInformer<T>.

#include <chrono>
#include <gtest/gtest.h>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/controller.h"
#include "kinformer/cache/delta_fifo.h"
#include "kinformer/cache/real_fifo.h"

#include "cache/informer/testing/informer_fixture.h"

namespace kinformer {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

class CacheControllerTest : public testing::Test {
 protected:
  CacheControllerTest() : server_(sim_.env()) {}

  // Runs the controller until the returned object is destroyed, or until Stop.
  class Running {
   public:
    explicit Running(CacheControllerTest& test) : test_(test) {}
    ~Running() { test_.Stop(); }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;

   private:
    CacheControllerTest& test_;
  };
  [[nodiscard]] Running Run(CacheController<Pod>& controller) {
    thread_ =
        sim_.env().NewThread("controller", [&] { result_ = controller.Run(stop_.get_token()); });
    sim_.RunReady();
    return Running(*this);
  }
  void Stop() {
    stop_.request_stop();
    sim_.RunReady();
    if (thread_ != nullptr) thread_->Join();
    thread_.reset();
  }
  static Texts Keys(const Store<Pod>& store) {
    Texts keys = store.ListKeys();
    std::sort(keys.begin(), keys.end());
    return keys;
  }

  Simulation sim_;
  internal::client::FakeServer server_;
  std::stop_source stop_;
  Result<void> result_;

 private:
  std::unique_ptr<Thread> thread_;
};

TEST_F(CacheControllerTest, ProcessesEveryChange_CT01) {
  Store<Pod> store(sim_.env());
  auto queue = std::make_shared<DeltaFIFO<Pod>>(
      sim_.env(), DeltaFIFOOptions<Pod>{std::make_shared<StoreKeys<Pod>>(store)});
  Texts deleted;
  CacheController<Pod> controller(
      sim_.env(),
      {.queue = queue,
       .lister_watcher = server_.NewListerWatcher(),
       .process = [&](const Deltas<Pod>& deltas, bool) -> Result<void> {
         const Delta<Pod>& newest = deltas.back();
         if (newest.type == DeltaType::kDeleted) {
           deleted.push_back(Queue<Pod>::KeyOf(deltas));
           return store.Delete(newest.object);
         }
         sim_.env().loop().Post([this, name = newest.object->name()] { server_.Delete(name); });
         return store.Add(newest.object);
       }});
  EXPECT_FALSE(controller.HasSynced());
  EXPECT_EQ(controller.LastSyncResourceVersion(), "");
  server_.Put("before");
  const Running running = Run(controller);
  EXPECT_TRUE(controller.HasSynced());
  for (const char* name : {"a", "b"}) server_.Put(name);
  sim_.RunReady();
  EXPECT_EQ(deleted, (Texts{"default/before", "default/a", "default/b"}));
  EXPECT_EQ(controller.LastSyncResourceVersion(), server_.rv());
  Stop();
  EXPECT_TRUE(result_.ok());
  EXPECT_TRUE(queue->IsClosed());
  EXPECT_EQ(server_.open_watches(), 0U);
}

TEST_F(CacheControllerTest, RunsOnce) {
  auto queue = std::make_shared<RealFIFO<Pod>>(sim_.env());
  CacheController<Pod> controller(
      sim_.env(), {.queue = queue,
                   .lister_watcher = server_.NewListerWatcher(),
                   .process = [](const Deltas<Pod>&, bool) { return Result<void>(); }});
  const Running running = Run(controller);
  Stop();
  EXPECT_TRUE(sim_.RunBlocking(
      [&] { EXPECT_EQ(controller.Run({}).error().reason(), Reason::kStopped); }, minutes(1)));
}

TEST_F(CacheControllerTest, BatchesWhereThereIsAFunctionForThem_CT16) {
  auto queue = std::make_shared<RealFIFO<Pod>>(sim_.env());
  for (const char* name : {"a", "b", "c"}) {
    queue->Update(Ref<Pod>(internal::client::MakePod("default", name, "1"))).OrExit();
  }
  Texts calls;
  const auto note = [&](const std::string& what) {
    return [&calls, what](const Deltas<Pod>& deltas, bool) {
      calls.push_back(what + std::to_string(deltas.size()));
      return Result<void>();
    };
  };
  CacheController<Pod> controller(sim_.env(), {.queue = queue,
                                               .lister_watcher = server_.NewListerWatcher(),
                                               .process = note("single "),
                                               .process_batch = note("batch ")});
  const Running running = Run(controller);
  // One batch of what was queued, and then the first list.
  EXPECT_EQ(calls, (Texts{"batch 3", "single 1"}));
  server_.Put("d");
  sim_.RunReady();
  EXPECT_EQ(calls, (Texts{"batch 3", "single 1", "single 1"})) << "one is no batch";
}

TEST_F(CacheControllerTest, FailedDeltas_AreLost_NextChangeIsProcessed_CT17) {
  auto queue = std::make_shared<RealFIFO<Pod>>(sim_.env());
  for (const char* name : {"a", "b"}) {
    queue->Update(Ref<Pod>(internal::client::MakePod("default", name, "1"))).OrExit();
  }
  Texts calls;
  bool fails = true;
  const auto process = [&](const Deltas<Pod>& deltas, bool) -> Result<void> {
    std::string keys;
    for (const Delta<Pod>& delta : deltas) keys += Queue<Pod>::KeyOf(delta) + " ";
    calls.push_back(keys);
    if (fails) return Error(Reason::kInternalError, "no");
    return {};
  };
  CacheController<Pod> controller(sim_.env(), {.queue = queue,
                                               .lister_watcher = server_.NewListerWatcher(),
                                               .process = process,
                                               .process_batch = process});
  const Running running = Run(controller);
  server_.Put("c");
  sim_.RunReady();
  fails = false;
  server_.Put("d");
  sim_.RunReady();
  // The second call is for the list, which has no key.
  EXPECT_EQ(calls, (Texts{"default/a default/b ", " ", "default/c ", "default/d "}));
}

TEST_F(CacheControllerTest, AnErrorIsLoggedAndTheNextChangeComes) {
  auto queue = std::make_shared<RealFIFO<Pod>>(sim_.env());
  int calls = 0;
  CacheController<Pod> controller(sim_.env(),
                                  {.queue = queue,
                                   .lister_watcher = server_.NewListerWatcher(),
                                   .process = [&](const Deltas<Pod>&, bool) -> Result<void> {
                                     // The reason that Pop gives of a closed queue: but
                                     // this one is open.
                                     if (++calls < 3) return Error(Reason::kStopped, "no");
                                     return {};
                                   }});
  const Running running = Run(controller);
  server_.Put("a");
  server_.Put("b");
  sim_.RunReady();
  EXPECT_EQ(calls, 3);
}

TEST_F(CacheControllerTest, ProcessFunctionThrows_RunRethrows) {
  auto queue = std::make_shared<RealFIFO<Pod>>(sim_.env());
  CacheController<Pod> controller(sim_.env(),
                                  {.queue = queue,
                                   .lister_watcher = server_.NewListerWatcher(),
                                   .process = [](const Deltas<Pod>&, bool) -> Result<void> {
                                     throw std::runtime_error("out");
                                   }});
  EXPECT_TRUE(sim_.RunBlocking(
      [&] { EXPECT_THROW(static_cast<void>(controller.Run({})), std::runtime_error); },
      minutes(1)));
  EXPECT_EQ(server_.open_watches(), 0U);
}

// ---- NewInformer

TEST_F(CacheControllerTest, AnInformerTellsOfEveryDeletion_CT02) {
  Texts deleted;
  auto [store, controller] = NewInformer<Pod>(
      sim_.env(), server_.NewListerWatcher(),
      {.on_add =
           [&](const Added<Pod>& e) {
             sim_.env().loop().Post([this, name = e.object.name()] { server_.Delete(name); });
           },
       .on_delete = [&](const Deleted<Pod>& e) { deleted.push_back(e.key); }});
  const Running running = Run(*controller);
  for (const char* name : {"a", "b", "c"}) server_.Put(name);
  sim_.RunReady();
  EXPECT_EQ(deleted, (Texts{"default/a", "default/b", "default/c"}));
  EXPECT_EQ(Keys(store), Texts());
}

TEST_F(CacheControllerTest, AListIsOneStepAndDeletionsAreToldFirst_CT20_to_CT22) {
  auto recorder = std::make_shared<Recorder>();
  auto [store, controller] =
      NewInformer<Pod>(sim_.env(), server_.NewListerWatcher(),
                       std::static_pointer_cast<ResourceEventHandler<Pod>>(recorder),
                       {.initial_list = InitialList::kList});
  // Size of the store at each call of the handler.
  std::vector<std::size_t> sizes;
  recorder->hook = [&, read = store](const std::string&) { sizes.push_back(read.List().size()); };
  for (const char* name : {"a", "b", "c"}) server_.Put(name, "1");
  const Running running = Run(*controller);
  EXPECT_EQ(recorder->words, (Texts{"+a!", "+b!", "+c!"}));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 3, 3}));
  EXPECT_TRUE(controller->HasSynced());

  recorder->words.clear();
  sizes.clear();
  server_.down = Error(Reason::kInternalError, "down").WithHttpStatus(500);
  server_.FailWatches(Error(Reason::kExpired, "too old").WithHttpStatus(410));
  sim_.RunReady();
  server_.Put("a", "2");
  server_.Delete("c");
  server_.Put("d", "2");
  server_.Forget();
  server_.down.reset();
  sim_.RunFor(seconds(90));
  EXPECT_EQ(recorder->words, (Texts{"-c?", "~a 1>2", "~b 1>1", "+d"}));
  EXPECT_EQ(sizes, (std::vector<std::size_t>{3, 3, 3, 3}));
  EXPECT_EQ(Keys(store), (Texts{"default/a", "default/b", "default/d"}));
  EXPECT_EQ(store.LastStoreSyncResourceVersion(), server_.rv());

  recorder->words.clear();
  for (const char* name : {"a", "b", "d"}) server_.Delete(name);
  sim_.RunReady();
  EXPECT_EQ(recorder->words, (Texts{"-a", "-b", "-d"}));
}

TEST_F(CacheControllerTest, AnInformerHasIndexesResyncsAndKeepsWhatCannotBeRead) {
  auto recorder = std::make_shared<Recorder>();
  auto [store, controller] =
      NewInformer<Pod>(sim_.env(), server_.NewListerWatcher(),
                       std::static_pointer_cast<ResourceEventHandler<Pod>>(recorder),
                       {.initial_list = InitialList::kList, .resync_period = minutes(1)},
                       Indexers<Pod>{{"value", [](Pod pod, auto& out) { out.Add(pod.value()); }}});
  server_.Put("a", "1");
  const Running running = Run(*controller);
  EXPECT_EQ(store.IndexKeys("value", "1").value(), Texts{"default/a"});
  sim_.RunFor(seconds(70));
  EXPECT_EQ(recorder->words, (Texts{"+a!", "~a 1>1"}));
  server_.SendUnreadable(WatchEventType::kModified, "a", "5");
  sim_.RunReady();
  EXPECT_EQ(Keys(store), Texts{"default/a"});
  server_.SendUnreadable(WatchEventType::kDeleted, "a", "6");
  sim_.RunReady();
  EXPECT_EQ(Keys(store), Texts());
  EXPECT_EQ(recorder->words.back(), "-a?");
}

TEST_F(CacheControllerTest, AHandlerThatThrowsHarmsNobody_CT05) {
  int calls = 0;
  auto [store, controller] =
      NewInformer<Pod>(sim_.env(), server_.NewListerWatcher(), {.on_add = [&](const Added<Pod>&) {
                         ++calls;
                         throw std::runtime_error("no");
                       }});
  server_.Put("a");
  const Running running = Run(*controller);
  server_.Put("b");
  sim_.RunReady();
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(Keys(store), (Texts{"default/a", "default/b"}));
}

}  // namespace
}  // namespace kinformer

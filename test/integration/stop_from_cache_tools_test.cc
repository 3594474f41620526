// Each function that a program gives to a Reflector, a CacheController, a pager or a wait requests
// that this stops. It must return, and must not call the program afterwards.

#include <chrono>
#include <cstddef>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <ostream>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/simulation.h"
#include "kinformer/cache/await_condition.h"
#include "kinformer/cache/controller.h"
#include "kinformer/cache/delta_fifo.h"
#include "kinformer/cache/real_fifo.h"
#include "kinformer/cache/reflector.h"
#include "kinformer/cache/watch_until.h"
#include "kinformer/client/list_pager.h"
#include "kinformer/client/retry_watcher.h"

#include "client/testing/fake_lister_watcher.h"
#include "client/testing/pod_view.h"
#include "integration/ending_place.h"

namespace kinformer::testing {
namespace {

using internal::client::FakeServer;
using std::chrono::minutes;
using std::chrono::seconds;

class OwnStore final : public ReflectorStore<Pod> {
 public:
  explicit OwnStore(EndingPlace& place) : place_(place) {}
  Result<void> Add(const Ref<Pod>&) override { return Reach("Add"); }
  Result<void> Update(const Ref<Pod>&) override { return Reach("Update"); }
  Result<void> Delete(const Ref<Pod>&) override { return Reach("Delete"); }
  Result<void> Replace(ReplacedAllInfo<Pod>) override { return Reach("Replace"); }
  Result<void> Resync() override { return Reach("Resync"); }
  Result<void> Bookmark(std::string_view) override { return Reach("Bookmark"); }
  Result<void> Unreadable(const ObjectName&, bool) override { return Reach("Unreadable"); }

 private:
  Result<void> Reach(const char* function) {
    place_.Reach(function);
    return {};
  }
  EndingPlace& place_;
};

// The server, the place and the end of one case.
struct Scene {
  Simulation& sim;
  FakeServer& server;
  EndingPlace& place;
  std::stop_source& stop;

  [[nodiscard]] Env& env() const { return sim.env(); }
  [[nodiscard]] CallOptions Call() const { return {.stop = stop.get_token()}; }
};

Result<void> RunReflector(Scene& s) {
  ReflectorOptions options{
      .resync_period = minutes(1),
      .should_resync =
          [&s] {
            s.place.Reach("ShouldResync");
            return true;
          },
      .watch_error_handler = [&s](const Error&) { s.place.Reach("WatchErrorHandler"); }};
  Reflector<Pod> reflector(s.env(), s.server.NewListerWatcher(),
                           std::make_shared<OwnStore>(s.place), std::move(options));
  return reflector.Run(s.stop.get_token());
}

Result<void> RunController(Scene& s, bool batches) {
  const auto process = [&s](const char* function) {
    return [&s, function](const Deltas<Pod>&, bool) {
      s.place.Reach(function);
      return Result<void>();
    };
  };
  CacheController<Pod> controller(
      s.env(), {.queue = std::make_shared<RealFIFO<Pod>>(s.env()),
                .lister_watcher = s.server.NewListerWatcher(),
                .process = process("Process"),
                .process_batch = batches ? process("ProcessBatch") : ProcessFunc<Pod>()});
  return controller.Run(s.stop.get_token());
}

ConditionFunc<Pod> Never(Scene& s, const char* function) {
  return [&s, function](const ResourceWatchEvent<Pod>&) -> Result<bool> {
    s.place.Reach(function);
    return false;
  };
}

Result<void> WaitWithSync(Scene& s) {
  const PreconditionFunc<Pod> precondition = [&s](const Indexer<Pod>&) -> Result<bool> {
    s.place.Reach("Precondition");
    return false;
  };
  return UntilWithSync<Pod>(s.env(), s.server.NewListerWatcher(), precondition,
                            {Never(s, "ConditionWithSync")}, s.Call())
      .result;
}

Result<void> WaitFromAVersion(Scene& s) {
  return Until<Pod>(s.env(), "1", s.server.NewListerWatcher(), {Never(s, "Condition")}, s.Call())
      .result;
}

// Ends by the watch itself instead of by the caller's token.
Result<void> WaitOnAWatcher(Scene& s) {
  const auto watcher = NewRetryWatcher<Pod>(s.env(), "1", s.server.NewListerWatcher()).OrExit();
  const std::stop_callback stops(s.stop.get_token(), [&watcher] { watcher.Stop(); });
  return UntilWithoutRetry<Pod>(watcher, {Never(s, "ConditionOfAWatcher")}).result;
}

Result<void> AwaitOneObject(Scene& s) {
  const wait::ObjectCondition never("nothing", [&s](const wait::ObservedObject&) -> Result<bool> {
    s.place.Reach("ObjectCondition");
    return false;
  });
  SharedInformer<Pod> pods(s.env(), s.server.NewListerWatcher());
  pods.Start();
  const auto pod = AwaitCondition(pods, ObjectName{"default", "a"}, never, s.Call());
  return pod ? Result<void>() : Result<void>(pod.error());
}

ListPager<Pod> Pager(Scene& s, const char* function) {
  return ListPager<Pod>(
      s.env(),
      [&s, function](const ListOptions& options, const CallOptions&) -> Result<ObjectList<Pod>> {
        s.place.Reach(function);
        const int page = options.continue_.empty() ? 0 : std::stoi(options.continue_);
        internal::ListedObjects listed;
        for (const char* suffix : {"-a", "-b"}) {
          listed.items.push_back(
              internal::client::MakePod("default", std::to_string(page) + suffix, "1"));
        }
        listed.metadata.resourceVersion = "1";
        if (page < 100) listed.metadata.continue_ = std::to_string(page + 1);
        return ObjectList<Pod>(std::move(listed));
      },
      {.page_size = 2});
}

Result<void> ListInPages(Scene& s) {
  const Result<PagedList<Pod>> listed = Pager(s, "Page").List({}, s.Call());
  return listed.ok() ? Result<void>() : Result<void>(listed.error());
}

Result<void> VisitInPages(Scene& s) {
  return Pager(s, "PageBeingVisited")
      .EachListItem(
          {},
          [&s](const Ref<Pod>&) {
            s.place.Reach("Visit");
            return Result<void>();
          },
          s.Call());
}

struct Case {
  const char* function;
  Result<void> (*run)(Scene&);
  std::optional<Reason> outcome{};  // empty: it succeeds
  std::function<void(FakeServer&)> provoke{};
  friend std::ostream& operator<<(std::ostream& out, const Case& c) { return out << c.function; }
};

class StopFromCacheTools : public ::testing::TestWithParam<Case> {
 protected:
  Simulation sim_{{.seed = 32}};
  FakeServer server_{sim_.env()};
};

TEST_P(StopFromCacheTools, TheCallReturnsAndCallsNothingMore) {
  const Case& c = GetParam();
  server_.Put("a", "1");
  server_.Put("a", "2");
  std::stop_source stop;
  EndingPlace place(c.function);
  place.Arm([&] { stop.request_stop(); });
  Scene scene{sim_, server_, place, stop};
  std::optional<Result<void>> outcome;
  {
    const auto thread = sim_.env().NewThread("tool", [&] { outcome.emplace(c.run(scene)); });
    sim_.RunFor(seconds(1));
    if (c.provoke) c.provoke(server_);
    ASSERT_TRUE(sim_.RunUntil([&] { return place.ended(); }, minutes(10))) << place.reached();
    ASSERT_TRUE(sim_.RunUntil([&] { return outcome.has_value(); }, minutes(10)));
  }
  if (c.outcome) {
    ASSERT_FALSE(outcome->ok());
    EXPECT_EQ(outcome->error().reason(), *c.outcome) << outcome->error();
  } else {
    EXPECT_TRUE(outcome->ok()) << outcome->error();
  }
  const int calls = place.calls();
  server_.Put("late", "1");
  server_.Bookmark();
  sim_.RunFor(minutes(5));
  EXPECT_EQ(place.calls(), calls) << "nothing is called once it has returned";
  EXPECT_EQ(server_.open_watches(), 0U);
}

void AddsOne(FakeServer& server) { server.Put("b", "1"); }

INSTANTIATE_TEST_SUITE_P(
    All, StopFromCacheTools,
    ::testing::Values(
        Case{.function = "Replace", .run = RunReflector},
        Case{.function = "Add", .run = RunReflector, .provoke = AddsOne},
        Case{.function = "Update",
             .run = RunReflector,
             .provoke = [](FakeServer& server) { server.Put("a", "3"); }},
        Case{.function = "Delete",
             .run = RunReflector,
             .provoke = [](FakeServer& server) { server.Delete("a"); }},
        Case{.function = "Bookmark",
             .run = RunReflector,
             .provoke = [](FakeServer& server) { server.Bookmark(); }},
        Case{.function = "Unreadable",
             .run = RunReflector,
             .provoke =
                 [](FakeServer& server) {
                   server.SendUnreadable(WatchEventType::kAdded, "bad", "9");
                 }},
        Case{.function = "Resync", .run = RunReflector},
        Case{.function = "ShouldResync", .run = RunReflector},
        Case{.function = "WatchErrorHandler",
             .run = RunReflector,
             .provoke =
                 [](FakeServer& server) {
                   server.FailWatches(Error(Reason::kInternalError, "broken").WithHttpStatus(500));
                 }},
        Case{.function = "Process", .run = [](Scene& s) { return RunController(s, false); }},
        Case{.function = "ProcessBatch",
             .run = [](Scene& s) { return RunController(s, true); },
             .provoke = [](FakeServer& server) { server.PutTogether({"b", "c", "d"}); }},
        Case{.function = "Precondition", .run = WaitWithSync, .outcome = Reason::kCanceled},
        Case{.function = "ConditionWithSync", .run = WaitWithSync, .outcome = Reason::kCanceled},
        Case{.function = "Condition", .run = WaitFromAVersion, .outcome = Reason::kCanceled},
        Case{.function = "ConditionOfAWatcher", .run = WaitOnAWatcher, .outcome = Reason::kStopped},
        Case{.function = "ObjectCondition", .run = AwaitOneObject, .outcome = Reason::kCanceled},
        Case{.function = "Page", .run = ListInPages, .outcome = Reason::kCanceled},
        Case{.function = "PageBeingVisited", .run = VisitInPages, .outcome = Reason::kCanceled},
        Case{.function = "Visit", .run = VisitInPages, .outcome = Reason::kCanceled}),
    [](const auto& test) { return test.param.function; });

}  // namespace
}  // namespace kinformer::testing

// Calls of an AsyncDelegatingClient: awaited on the loop, in simulated time and without a thread.

#include "kinformer/controller/async_delegating_client.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/json/json.h"

#include "integration/delegating_client_fixture.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using Cached = AsyncDelegatingClient;
using ConfigMap = corev1::ConfigMap;
using Maps = Result<Ref<ConfigMap>>;
using Objects = Result<Ref<Unstructured>>;
using Lines = std::vector<std::string>;

class AsyncDelegatingClientTest : public DelegatingClientTest {
 protected:
  [[nodiscard]] Cached Async() const { return Cached(cached_); }
  // Runs the task on the loop, and returns when it has ended.
  template <class T>
  T Await(Task<T> task) {
    std::optional<T> result;
    Spawn<T>(sim_.env(), sim_.env().loop(), std::move(task),
             [&result](T got) { result.emplace(std::move(got)); });
    sim_.RunUntil([&] { return result.has_value(); }, minutes(10));
    return result ? *std::move(result) : T(Error(Reason::kInternalError, "it has not ended"));
  }
  // Fills the cache, whose watch lags from then on.
  void Synced() {
    Lag("configmaps");
    ASSERT_TRUE(Await(Async().List<ConfigMap>().AsTask()).ok());
  }
  void Delay(const std::string& verb) {
    server_.faults().Add({.verb = verb, .action = FaultAction::kDelay, .delay = hours(1)});
  }
};

std::string Said(const Maps& map) {
  if (!map) return map.error().ToString();
  return std::string((*map)->data()["color"]);
}
template <class T>
std::string Count(const Result<std::vector<T>>& all) {
  return all ? std::to_string(all->size()) : all.error().ToString();
}
std::string Done(const Result<void>& done) { return done ? "ok" : done.error().ToString(); }

// Each method for a kind that the compiler knows. Reads follow writes at once.
Task<Result<void>> TypedMethods(Cached cached, std::string name, Lines* said) {
  const ObjectName named{"default", std::move(name)};
  const ReadOptions all{.namespace_ = "default"};
  ConfigMap::Mutable map;
  map.metadata.namespace_ = named.namespace_;
  map.metadata.name = named.name;
  map.data["color"] = "blue";
  said->push_back("created " + Said(co_await cached.Create(map)));
  said->push_back("got " + Said(co_await cached.Get<ConfigMap>(named)));
  said->push_back("listed " + Count(co_await cached.List<ConfigMap>(all)));
  map.data["color"] = "red";
  said->push_back("updated " + Said(co_await cached.Update(map)));
  said->push_back("got " + Said(co_await cached.Get<ConfigMap>(named)));
  const kinformer::Patch patch{.body = R"({"data":{"color":"green"}})"};
  said->push_back("patched " + Said(co_await cached.Patch<ConfigMap>(named, patch)));
  said->push_back("got " + Said(co_await cached.Get<ConfigMap>(named)));
  ConfigMap::Mutable applied;
  applied.metadata.namespace_ = named.namespace_;
  applied.metadata.name = named.name;
  applied.data["color"] = "white";
  const ApplyOptions owner{.fieldManager = "painter", .force = true};
  said->push_back("applied " + Said(co_await cached.Apply(applied, owner)));
  said->push_back("got " + Said(co_await cached.Get<ConfigMap>(named)));
  const auto metadata = co_await cached.GetMetadata<ConfigMap>(named);
  said->push_back("metadata of " + std::string((*metadata)->metadata().name()));
  said->push_back("metadata of " + Count(co_await cached.ListMetadata<ConfigMap>(all)));
  const auto deleted = co_await cached.DeleteForAnswer<ConfigMap>(named);
  said->push_back(deleted && !deleted->pending ? "deleted" : "stays");
  said->push_back("listed " + Count(co_await cached.List<ConfigMap>(all)));
  said->push_back("created " + Said(co_await cached.Create(map)));
  said->push_back("deleted " + Done(co_await cached.Delete<ConfigMap>(named)));
  said->push_back("listed " + Count(co_await cached.List<ConfigMap>(all)));
  said->push_back("created " + Said(co_await cached.Create(map)));
  said->push_back("deleted all " + Done(co_await cached.DeleteAllOf<ConfigMap>(all)));
  said->push_back("listed " + Count(co_await cached.List<ConfigMap>(all)));
  co_return Result<void>();
}

TEST_F(AsyncDelegatingClientTest, EachMethodOfATypedKind_IsAwaitedOnTheLoop) {
  Synced();
  Lines said;
  EXPECT_TRUE(Await(TypedMethods(Async(), "a", &said)).ok());
  EXPECT_THAT(
      said, ElementsAre("created blue", "got blue", "listed 1", "updated red", "got red",
                        "patched green", "got green", "applied white", "got white", "metadata of a",
                        "metadata of 1", "deleted", "listed 0", "created red", "deleted ok",
                        "listed 0", "created red", "deleted all ok", "listed 0"));
}

std::string Said(const Objects& object) {
  if (!object) return object.error().ToString();
  return std::string((*object)->root()["data"]["color"].StringOrEmpty());
}

Task<Result<void>> MappedMethods(Cached cached, Lines* said) {
  const ObjectName named{"default", "a"};
  const ReadOptions all{.namespace_ = "default"};
  json::Value map = json::Parse(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},
                                    "data":{"color":"blue"}})")
                        .OrExit();
  said->push_back("created " + Said(co_await cached.Create(kMaps, map)));
  said->push_back("got " + Said(co_await cached.Get(kMaps, named)));
  said->push_back("listed " + Count(co_await cached.List(kMaps, all)));
  map.Ensure("data").Set("color", "red");
  said->push_back("updated " + Said(co_await cached.Update(kMaps, map)));
  const kinformer::Patch patch{.body = R"({"data":{"color":"green"}})"};
  said->push_back("patched " + Said(co_await cached.Patch(kMaps, named, patch)));
  said->push_back("got " + Said(co_await cached.Get(kMaps, named)));
  const auto deleted = co_await cached.DeleteForAnswer(kMaps, named);
  said->push_back(deleted && !deleted->pending ? "deleted" : "stays");
  said->push_back("listed " + Count(co_await cached.List(kMaps, all)));
  said->push_back("created " + Said(co_await cached.Create(kMaps, map)));
  said->push_back("deleted " + Done(co_await cached.Delete(kMaps, named)));
  said->push_back("created " + Said(co_await cached.Create(kMaps, map)));
  said->push_back("deleted all " + Done(co_await cached.DeleteAllOf(kMaps, all)));
  said->push_back("listed " + Count(co_await cached.List(kMaps, all)));
  co_return Result<void>();
}

// The namespace is that of the client, as the object has none.
TEST_F(AsyncDelegatingClientTest, EachMethodOfAMappedKind_IsAwaitedOnTheLoop) {
  for (const bool cached : {false, true}) {
    Use({}, {.cache_unstructured = cached});
    Lag("configmaps");
    Lines said;
    EXPECT_TRUE(Await(MappedMethods(Cached(cached_.WithNamespace("default")), &said)).ok());
    EXPECT_THAT(said,
                ElementsAre("created blue", "got blue", "listed 1", "updated red", "patched green",
                            "got green", "deleted", "listed 0", "created red", "deleted ok",
                            "created red", "deleted all ok", "listed 0"))
        << cached;
  }
}

Task<Result<void>> StatusOfAPod(Cached cached, Lines* said) {
  corev1::Pod::Mutable pod;
  pod.metadata.namespace_ = "default";
  pod.metadata.name = "p";
  pod.spec.containers.emplace_back();
  pod.spec.containers.back().name = "c";
  pod.spec.containers.back().image = "i";
  const auto created = co_await cached.Create(pod);
  if (!created) co_return created.error();
  pod.status.phase = "Running";
  const auto updated = co_await cached.UpdateStatus(pod);
  if (!updated) co_return updated.error();
  const ObjectName named{"default", "p"};
  const auto got = co_await cached.Get<corev1::Pod>(named);
  if (!got) co_return got.error();
  said->emplace_back((*got)->status().phase());
  const RestMapping pods{{"", "v1", "pods"}, {"", "v1", "Pod"}, true};
  const Objects whole = co_await cached.Get(pods, named);
  if (!whole) co_return whole.error();
  json::Value status = (*whole)->DeepCopy();
  status.Ensure("status").Set("phase", "Succeeded");
  const auto mapped = co_await cached.UpdateStatus(pods, status);
  if (!mapped) co_return mapped.error();
  const auto after = co_await cached.Get<corev1::Pod>(named);
  if (!after) co_return after.error();
  said->emplace_back((*after)->status().phase());
  co_return Result<void>();
}

TEST_F(AsyncDelegatingClientTest, UpdateStatus_IsSeenByTheNextRead) {
  Lag("pods");
  Lines said;
  const Result<void> done = Await(StatusOfAPod(Async(), &said));
  EXPECT_TRUE(done.ok()) << done.error();
  EXPECT_THAT(said, ElementsAre("Running", "Succeeded"));
}

TEST_F(AsyncDelegatingClientTest, AReadWaitsForTheSyncAndForAWriteOfTheBlockingForm) {
  Make("default", "a", "web");
  server_.faults().Add({.verb = "watch", .action = FaultAction::kDelay, .delay = seconds(10)});
  const ObjectName named = Named("a");
  const SteadyTime begun = sim_.env().Now();
  EXPECT_EQ(Said(Await(Async().Get<ConfigMap>(named).AsTask())), "blue");
  EXPECT_EQ(sim_.env().Now() - begun, seconds(10));

  Use({});
  Synced();
  ASSERT_TRUE(
      sim_.RunBlocking([&] { ASSERT_TRUE(cached_.Update(Map("a", "red")).ok()); }, minutes(1)));
  ASSERT_EQ(ColorOf(InCache<ConfigMap>(named)), "blue") << "the watch lags";
  EXPECT_EQ(Said(Await(Async().Get<ConfigMap>(named).AsTask())), "red");
  EXPECT_EQ(ColorOf(InCache<ConfigMap>(named)), "red") << "it is the cache that was read";
}

// The call has a copy.
TEST_F(AsyncDelegatingClientTest, AnObjectMayGoBeforeItsCallBegins) {
  Synced();
  std::optional<AsyncCall<Ref<Unstructured>>> call;
  {
    const auto map = std::make_unique<json::Value>(
        json::Parse(R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a",
                        "namespace":"default"},"data":{"color":"blue"}})")
            .OrExit());
    call.emplace(Async().Create(kMaps, *map));
  }
  sim_.RunFor(seconds(1));
  EXPECT_EQ(cached_.UnseenWrites(), 0U) << "nothing is sent before it begins";
  EXPECT_EQ(Said(Await(std::move(*call).AsTask())), "blue");
}

TEST_F(AsyncDelegatingClientTest, StopAndTimeout_EndWhateverItWaitsFor) {
  struct Case {
    const char* name;
    const char* delayed;  // the verb
    bool stopped;
  };
  for (const Case& row : std::vector<Case>{{"request", "get", false},
                                           {"request", "get", true},
                                           {"sync", "watch", false},
                                           {"sync", "watch", true}}) {
    SCOPED_TRACE(std::string(row.name) + (row.stopped ? " stopped" : " timeout"));
    server_.faults().Clear();
    const bool live = std::string(row.delayed) == "get";
    Use({.by_resource = {{ResourceOf<ConfigMap>(), {.cached = !live}}}});
    Delay(row.delayed);
    std::stop_source stop;
    const SteadyTime begun = sim_.env().Now();
    const Timer timer = sim_.env().loop().RunAt(begun + seconds(2), [&] { stop.request_stop(); });
    const ObjectName named = Named("a");
    auto call = Async().Get<ConfigMap>(named);
    const Maps ended = row.stopped
                           ? Await(std::move(call).WithStop(stop.get_token()).AsTask())
                           : Await(std::move(call).WithTimeout(milliseconds(1500)).AsTask());
    ASSERT_FALSE(ended.ok());
    EXPECT_EQ(ended.error().reason(), row.stopped ? Reason::kCanceled : Reason::kDeadlineExceeded);
    EXPECT_EQ(sim_.env().Now() - begun, row.stopped ? seconds(2) : milliseconds(1500));
  }
}

TEST_F(AsyncDelegatingClientTest, StopAndTimeout_EndAWaitForAnOwnWrite) {
  Lag("configmaps", hours(1));
  ASSERT_TRUE(Await(Async().List<ConfigMap>().AsTask()).ok());
  const ConfigMap::Mutable map = Map("a");
  ASSERT_TRUE(Await(Async().Create(map).AsTask()).ok());
  const ObjectName named = Named("a");
  std::stop_source stop;
  const SteadyTime begun = sim_.env().Now();
  const Timer timer = sim_.env().loop().RunAt(begun + seconds(3), [&] { stop.request_stop(); });
  Lines ended;
  const auto record = [&](const Maps& got) {
    ended.push_back(std::string(ReasonName(got.error().reason())) + " " +
                    std::to_string((sim_.env().Now() - begun) / seconds(1)));
  };
  Async().Get<ConfigMap>(named).WithStop(stop.get_token()).Start(record);
  Async().Get<ConfigMap>(named).WithTimeout(seconds(1)).Start(record);
  Cached(cached_.WithDeadline(begun + seconds(2))).Get<ConfigMap>(named).Start(record);
  Async().Get<ConfigMap>(named).Start(record);  // read_your_writes_timeout
  sim_.RunFor(minutes(5));
  ASSERT_THAT(ended, SizeIs(4));
  EXPECT_EQ(Lines(ended.begin(), ended.begin() + 3), (Lines{"Stale 1", "Stale 2", "Canceled 3"}));
  EXPECT_THAT(ended[3], HasSubstr("Stale"));
}

TEST_F(AsyncDelegatingClientTest, AThousandReadsThatWaitAtOnce_EndWithTheEvent) {
  constexpr int kReads = 1000;
  Synced();
  const ConfigMap::Mutable map = Map("a");
  ASSERT_TRUE(Await(Async().Create(map).AsTask()).ok());
  const ObjectName named = Named("a");
  int seen = 0;
  SteadyTime first = SteadyTime::max();
  for (int i = 0; i < kReads; ++i) {
    Async().Get<ConfigMap>(named).Start([&](const Maps& got) {
      if (seen == 0) first = sim_.env().Now();
      seen += Said(got) == "blue" ? 1 : 0;
    });
  }
  sim_.RunReady();
  EXPECT_EQ(seen, 0) << "the watch lags";
  EXPECT_TRUE(sim_.RunUntil([&] { return seen == kReads; }, kLag));
  EXPECT_EQ(sim_.env().Now(), first) << "one event ends them all";
}

TEST_F(AsyncDelegatingClientTest, ACallKeepsTheFactoryAndTheClient) {
  Make("default", "a", "web");
  const ObjectName named = Named("a");
  std::optional<Maps> got;
  Async().Get<ConfigMap>(named).Start([&](Maps map) { got.emplace(std::move(map)); });
  Use({});
  sim_.RunFor(seconds(30));
  ASSERT_TRUE(got.has_value());
  EXPECT_EQ(Said(*got), "blue");
}

// Thrown behind a wait.
struct Refused : std::runtime_error {
  Refused() : std::runtime_error("refused") {}
};
Task<Result<void>> Thrower(Cached cached, ObjectName name) {
  const Maps got = co_await cached.Get<ConfigMap>(name);
  throw Refused();
}
Task<Result<void>> Catcher(Cached cached, ObjectName name, bool* caught) {
  Task<Result<void>> thrower = Thrower(std::move(cached), std::move(name));
  try {
    co_return co_await thrower;
  } catch (const Refused&) {
    *caught = true;
  }
  co_return Result<void>();
}

TEST_F(AsyncDelegatingClientTest, AnExceptionBehindAWait_ReachesTheOneThatAwaits) {
  Synced();
  const ConfigMap::Mutable map = Map("a");
  ASSERT_TRUE(Await(Async().Create(map).AsTask()).ok());
  bool caught = false;
  EXPECT_TRUE(Await(Catcher(Async(), Named("a"), &caught)).ok());
  EXPECT_TRUE(caught);
  const ObjectName named = Named("a");
  Async().Get<ConfigMap>(named).Start([](const Maps&) { throw Refused(); });
  sim_.RunFor(seconds(1));
  EXPECT_THAT(log_->text(), HasSubstr("refused"));
}

TEST_F(AsyncDelegatingClientTest, Errors_AreThoseOfTheBlockingForm) {
  const ObjectName nameless{"a"};
  const ReadOptions limited{.namespace_ = "default", .limit = 1};
  const ReadOptions anywhere;
  const ConfigMap::Mutable map = Map("a");
  const ApplyOptions nobody;
  const std::vector<Error> awaited = {
      Await(Async().Get<ConfigMap>(nameless).AsTask()).error(),
      Await(Async().Delete<ConfigMap>(nameless).AsTask()).error(),
      Await(Async().DeleteAllOf<ConfigMap>(limited).AsTask()).error(),
      Await(Async().DeleteAllOf<ConfigMap>(anywhere).AsTask()).error(),
      Await(Async().Apply(map, nobody).AsTask()).error(),
      Await(Async().Update(map).AsTask()).error(),
      Await(Cached(cached_.WithNamespace("other")).Create(map).AsTask()).error()};
  std::vector<Error> blocking;
  ASSERT_TRUE(sim_.RunBlocking(
      [&] {
        blocking = {cached_.Get<ConfigMap>(nameless).error(),
                    cached_.Delete<ConfigMap>(nameless).error(),
                    cached_.DeleteAllOf<ConfigMap>(limited).error(),
                    cached_.DeleteAllOf<ConfigMap>(anywhere).error(),
                    cached_.Apply(map, nobody).error(),
                    cached_.Update(map).error(),
                    cached_.WithNamespace("other").Create(map).error()};
      },
      minutes(1)));
  ASSERT_EQ(awaited.size(), blocking.size());
  for (std::size_t i = 0; i < awaited.size(); ++i) {
    EXPECT_EQ(awaited[i].ToString(), blocking[i].ToString());
  }
}

}  // namespace
}  // namespace kinformer::testing

// Watches of a client that a Fake sees: those of the server in memory, and those that a test
// writes.

#include "kinformer/testing/fake_watch.h"

#include <chrono>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "kinformer/cache/shared_informer_factory.h"

#include "testing/fake_fixture.h"

namespace kinformer::testing {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::string NameOf(WatchEventType type) {
  switch (type) {
    case WatchEventType::kAdded:
      return "added";
    case WatchEventType::kModified:
      return "modified";
    case WatchEventType::kDeleted:
      return "deleted";
    default:
      return "other";
  }
}

// A watch on a simulated thread, until it ends or is destroyed.
class Watching {
 public:
  Watching(Env& env, ResourceClient<corev1::ConfigMap> maps, ListOptions options = {})
      : thread_(env.NewThread("watch", [this, maps = std::move(maps), options] {
          result_ = maps.Watch(options,
                               [this](const ResourceWatchEvent<corev1::ConfigMap>& event) {
                                 seen_.push_back(NameOf(event.type) + " " +
                                                 std::string(event.object->metadata().name()));
                                 return true;
                               },
                               {.stop = stop_.get_token()});
          ended_ = true;
        })) {}
  ~Watching() { Stop(); }
  Watching(const Watching&) = delete;
  Watching& operator=(const Watching&) = delete;

  void Stop() {
    stop_.request_stop();
    if (thread_ != nullptr) thread_->Join();
    thread_.reset();
  }
  [[nodiscard]] const std::vector<std::string>& seen() const { return seen_; }
  [[nodiscard]] bool ended() const { return ended_; }
  [[nodiscard]] const Result<void>& result() const { return result_; }

 private:
  std::vector<std::string> seen_;
  bool ended_ = false;
  Result<void> result_;
  std::stop_source stop_;
  std::unique_ptr<Thread> thread_;  // first to be destroyed
};

class FakeWatchTest : public FakeTest {
 protected:
  void Answer(const FakeWatch& watch) {
    fake_.AddWatchReactor("configmaps", [watch](Action&) { return watch; });
  }
  void Change(const std::string& name, const std::string& colour,
              const std::string& namespace_ = "default") {
    server_
        .Patch(kConfigMaps, {namespace_, name},
               json::Parse(R"({"data":{"colour":")" + colour + "\"}}").OrExit())
        .OrExit();
  }
  void Create(const std::string& name, const std::string& namespace_ = "default") {
    server_.Create(kConfigMaps, json::Parse(ToJson(Map(name, "blue", namespace_))).OrExit())
        .OrExit();
  }
};

TEST_F(FakeWatchTest, EveryWatchOfTheScopeGetsEachEventUntilItStops_FK_03) {
  const auto all = client_.For<corev1::ConfigMap>();
  const ListOptions from_now{.resourceVersion = "1"};
  Watching one(sim_.env(), maps_, from_now);
  Watching two(sim_.env(), maps_, from_now);
  Watching everywhere(sim_.env(), all, from_now);
  Watching elsewhere(sim_.env(), client_.For<corev1::ConfigMap>("kube-system"), from_now);
  sim_.RunFor(seconds(1));
  Create("a");
  Change("a", "red");
  sim_.RunFor(seconds(1));
  two.Stop();
  server_.Delete(kConfigMaps, {"default", "a"}).OrExit();
  Create("b", "kube-public");
  sim_.RunFor(seconds(1));
  const auto only = [](const std::vector<std::string>& seen) {
    std::vector<std::string> out;
    for (const std::string& line : seen) {
      if (line.ends_with(" a") || line.ends_with(" b")) out.push_back(line);
    }
    return out;
  };
  EXPECT_THAT(only(one.seen()), ElementsAre("added a", "modified a", "deleted a"));
  EXPECT_THAT(only(two.seen()), ElementsAre("added a", "modified a"));
  EXPECT_THAT(only(everywhere.seen()),
              ElementsAre("added a", "modified a", "deleted a", "added b"));
  EXPECT_THAT(only(elsewhere.seen()), IsEmpty());
}

// client-go's tracker sends the current state as additions here, and loses the deletion.
TEST_F(FakeWatchTest, WatchFromTheVersionOfAListGetsAllThatCameBetween_FK_08) {
  Create("a");
  Create("b");
  std::string version;
  Run([&] { version = maps_.List().OrExit().metadata().resourceVersion; });
  Change("a", "red");
  server_.Delete(kConfigMaps, {"default", "b"}).OrExit();
  Create("c");
  const Watching watch(sim_.env(), maps_, {.resourceVersion = version});
  sim_.RunFor(seconds(1));
  EXPECT_THAT(watch.seen(), ElementsAre("modified a", "deleted b", "added c"));
}

TEST_F(FakeWatchTest, EventsReachEveryWatchThatItAnswers) {
  const FakeWatch events;
  Answer(events);
  events.Add(Map("early", "blue"));
  const Watching one(sim_.env(), maps_);
  sim_.RunFor(seconds(1));
  const Watching two(sim_.env(), maps_);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(events.running(), 2);
  events.Modify(Map("a", "red"));
  events.Delete(Map("a", "red"));
  sim_.RunFor(seconds(1));
  EXPECT_THAT(one.seen(), ElementsAre("added early", "modified a", "deleted a"));
  EXPECT_THAT(two.seen(), ElementsAre("modified a", "deleted a")) << "the first was read before";
  events.Stop();
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(one.ended());
  EXPECT_TRUE(one.result().ok());
  EXPECT_EQ(events.running(), 0);

  const Watching three(sim_.env(), maps_);
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(three.ended()) << "it is stopped";
  events.Reset();
  const Watching four(sim_.env(), maps_);
  sim_.RunFor(seconds(1));
  EXPECT_FALSE(four.ended());
}

TEST_F(FakeWatchTest, WatchThatEndsIsNoReader) {
  const FakeWatch events;
  Answer(events);
  Watching one(sim_.env(), maps_);
  sim_.RunFor(seconds(1));
  EXPECT_EQ(events.running(), 1);
  one.Stop();
  sim_.RunFor(seconds(1));
  EXPECT_EQ(events.running(), 0);
  events.Add(Map("late", "blue"));
  const Watching two(sim_.env(), maps_);
  sim_.RunFor(seconds(1));
  EXPECT_THAT(two.seen(), ElementsAre("added late")) << "it waited";
}

TEST_F(FakeWatchTest, ErrorEventEndsTheWatchWithItsReason) {
  const FakeWatch events;
  Answer(events);
  const Watching watch(sim_.env(), maps_);
  events.Error(Error(Reason::kExpired, "too old resource version"));
  sim_.RunFor(seconds(1));
  ASSERT_TRUE(watch.ended());
  ASSERT_FALSE(watch.result().ok());
  EXPECT_TRUE(IsResourceExpired(watch.result()));
}

TEST_F(FakeWatchTest, InformerListsFromTheServerAndFollowsTheFakeWatch) {
  Create("a");
  const FakeWatch events;
  Answer(events);
  SharedInformerFactory factory(client_);
  const SharedInformer<corev1::ConfigMap> maps = factory.InformerFor<corev1::ConfigMap>();
  factory.Start();
  ASSERT_TRUE(sim_.RunUntil([&] { return maps.HasSynced() && events.running() == 1; }, minutes(1)));
  EXPECT_TRUE(maps.lister().Namespace("default").Get("a").ok());
  corev1::ConfigMapMutable map = Map("ghost", "white");
  map.metadata.resourceVersion = "1000";
  events.Add(map);
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(maps.lister().Namespace("default").Get("ghost").ok());
  EXPECT_THAT(fake_.Actions(), Contains(Action{.verb = "list", .resource = kConfigMaps}))
      << "a FakeWatch sends no initial events";
  ASSERT_TRUE(sim_.RunBlocking([&] { factory.Shutdown(); }, minutes(1)));
}

TEST_F(FakeWatchTest, WatchReactorsGetWatchesOnly) {
  int watches = 0;
  fake_.PrependWatchReactor("*", [&](Action& action) -> Reaction {
    EXPECT_EQ(action.verb, "watch");
    ++watches;
    return Error(Reason::kForbidden, "no watches today");
  });
  fake_.AddReactor("watch", "*", [](Action&) -> Reaction {
    ADD_FAILURE() << "a reactor for other requests";
    return Reaction::PassOn();
  });
  const Watching watch(sim_.env(), maps_);
  Run([&] { EXPECT_TRUE(maps_.List().ok()); });
  sim_.RunFor(seconds(1));
  EXPECT_TRUE(IsForbidden(watch.result()));
  EXPECT_EQ(watches, 1);
}

}  // namespace
}  // namespace kinformer::testing

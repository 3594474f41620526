// Each fault that the server can inject, and an informer that must survive it: cache and handler
// must equal the server, either during the fault, if a correct client can work with it, or after
// its end.

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/api/corev1_mutable.h"
#include "kinformer/apiserver/api_server.h"
#include "kinformer/base/simulation.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"
#include "kinformer/client/resource_client.h"

#include "simulation/delivery_checker.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using apiserver::FaultRule;
using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Checker = DeliveryChecker<corev1::ConfigMap>;
using State = std::map<std::string, std::string>;

const GroupVersionResource kConfigMaps{"", "v1", "configmaps"};
constexpr int kNames = 8;

enum class Modes { kBoth, kListOnly, kWatchListOnly };

class World;

struct Trial {
  std::vector<FaultRule> rules{};
  Modes modes = Modes::kBoth;
  // The fault exists from the start, or begins once the informer has synced.
  bool from_start = true;
  // The informer catches up while the fault lasts.
  bool stays = true;
  // Deleted objects are created again at once, with another uid.
  bool recreate = false;
  // The delivery rules must be observed. If the server itself goes back in time, only the outcome
  // is checked.
  bool rules_hold = true;
  Duration client_timeout{0};
  std::size_t max_chunk_bytes = 1000;
  std::function<void(World&)> midway{};
};

// One server, and one informer of the ConfigMaps in the namespace default.
class World {
 public:
  World(const Trial& trial, bool json, InitialList initial)
      : trial_(trial),
        sim_({.seed = 7, .start = WallTime(hours(480'000))}),
        // A fixed seed, so that garbage hits the intended bytes.
        server_(sim_.env(), {.bookmark_interval = seconds(20), .bootstrap_objects = false}),
        transport_(NewInMemoryTransport(
            sim_.env(), server_,
            {.max_chunk_bytes = trial.max_chunk_bytes, .random_chunks = true})),
        client_(Client::ForTransport(
            sim_.env(), transport_,
            {.qps = -1, .timeout = trial.client_timeout, .prefer_json = json})) {
    for (int i = 0; i < 6; ++i) Write(i);
    if (trial_.from_start) AddFaults();
    SharedInformer<corev1::ConfigMap> informer(
        sim_.env(), NewFilteredListWatch<corev1::ConfigMap>(client_, "default"),
        {.initial_list = initial});
    informer_ = std::make_unique<SharedInformer<corev1::ConfigMap>>(std::move(informer));
    checker_ = std::make_shared<Checker>(history_);
    informer_
        ->AddEventHandler(
            std::static_pointer_cast<ResourceEventHandler<corev1::ConfigMap>>(checker_))
        .OrExit();
    informer_->Start();
  }
  ~World() {
    informer_->Stop();
    sim_.RunReady();
    informer_.reset();
    sim_.RunReady();
  }

  void Run() {
    if (!trial_.from_start) {
      ASSERT_TRUE(sim_.RunUntil([this] { return Settled(); }, minutes(1))) << Difference();
      AddFaults();
      server_.CloseWatches();
    }
    for (int step = 0; step < 60; ++step) {
      Write(step);
      sim_.RunFor(milliseconds(step % 7 == 0 ? 3000 : 150));
      if (step == 30 && trial_.midway) trial_.midway(*this);
    }
    if (!trial_.stays) server_.faults().Clear();
    EXPECT_TRUE(sim_.RunUntil([this] { return Settled(); }, minutes(40))) << Difference();
    for (const auto& listed : server_.faults().Rules()) {
      EXPECT_GE(listed.hits, 1U) << "the fault never came to pass";
    }
    if (!trial_.rules_hold) return;
    for (const auto& breach : checker_->breaches()) ADD_FAILURE() << breach.text;
  }

  // Creates, changes or deletes an object, in turn.
  void Write(int step) {
    const std::string name = "map-" + std::to_string(step * 5 % kNames);
    const std::string ns = step % 4 == 3 ? "kube-system" : "default";
    const bool exists = server_.Get(kConfigMaps, {ns, name}).ok();
    if (exists && step % 3 == 0) {
      server_.Delete(kConfigMaps, {ns, name}).OrExit();
      if (!trial_.recreate) return;
    }
    Put(ns, name, "value " + std::to_string(step));
  }

  void Put(const std::string& ns, const std::string& name, const std::string& value) {
    const bool exists = server_.Get(kConfigMaps, {ns, name}).ok();
    json::Value object = json::Value::MakeObject(
        {{"metadata", json::Value::MakeObject({{"name", name}, {"namespace", ns}})},
         {"data", json::Value::MakeObject({{"value", value}})}});
    const json::Value stored = (exists ? server_.Update(kConfigMaps, std::move(object))
                                       : server_.Create(kConfigMaps, std::move(object)))
                                   .OrExit();
    history_.Put(ns + "/" + name,
                 {std::stoll(stored["metadata"]["resourceVersion"].StringOrEmpty()),
                  stored["metadata"]["uid"].StringOrEmpty(), value});
  }

  Simulation& sim() { return sim_; }
  apiserver::ApiServer& server() { return server_; }
  InMemoryTransport& transport() { return *transport_; }
  Client& client() { return client_; }
  const SharedInformer<corev1::ConfigMap>& informer() const { return *informer_; }

  void AddFaults() {
    for (const FaultRule& rule : trial_.rules) server_.faults().Add(rule);
  }

  [[nodiscard]] State Cached() const {
    State state;
    const auto snapshot = informer_->Snapshot();
    for (const corev1::ConfigMap map : snapshot) {
      state[std::string(map.metadata().namespace_()) + "/" + std::string(map.metadata().name())] =
          map.metadata().resourceVersion();
    }
    return state;
  }

  [[nodiscard]] bool Settled() const { return Difference().empty(); }

  [[nodiscard]] std::string Difference() const {
    const InformerStats stats = informer_->Stats();
    const std::string why = "; " + std::to_string(stats.AllLists()) + " lists, " +
                            std::to_string(stats.watches) +
                            " watches, last error: " + stats.status.ErrorText();
    if (!informer_->HasSynced()) return "not synced" + why;
    State wanted = server_.DumpState(kConfigMaps);
    std::erase_if(wanted, [](const auto& entry) { return !entry.first.starts_with("default/"); });
    if (Cached() != wanted) return "the cache differs from the server" + why;
    State believed;
    for (const auto& [key, state] : checker_->believed()) {
      believed[key] = std::to_string(state.version);
    }
    if (believed != wanted) return "the handler differs from the server" + why;
    return {};
  }

 private:
  const Trial& trial_;
  Simulation sim_;
  apiserver::ApiServer server_;
  std::shared_ptr<InMemoryTransport> transport_;
  Client client_;
  ServerHistory history_;
  std::shared_ptr<Checker> checker_;
  std::unique_ptr<SharedInformer<corev1::ConfigMap>> informer_;
};

// In JSON and in protobuf, with a list and with a watch-list as the initial list.
void Survives(const Trial& trial) {
  for (const bool json : {true, false}) {
    for (const InitialList initial : {InitialList::kList, InitialList::kWatchList}) {
      if (trial.modes == Modes::kListOnly && initial == InitialList::kWatchList) continue;
      if (trial.modes == Modes::kWatchListOnly && initial == InitialList::kList) continue;
      SCOPED_TRACE(std::string(json ? "json" : "protobuf") +
                   (initial == InitialList::kList ? ", list" : ", watch-list"));
      World(trial, json, initial).Run();
    }
  }
}

TEST(FaultTolerance, Refused_F01) {
  Survives({.rules = {{.action = FaultAction::kRefuse, .count = 5}}});
  Survives({.rules = {{.action = FaultAction::kRefuse, .probability = 0.5}},
            .midway = [](World& world) { world.server().CloseWatches(); }});
  Survives({.midway = [](World& world) {
    world.transport().Down();
    world.sim().RunFor(seconds(20));
    world.transport().Up();
  }});
}

TEST(FaultTolerance, ResetInTheMiddleOfAFrame_F02) {
  for (const std::size_t bytes : {0U, 1U, 333U, 1500U}) {
    SCOPED_TRACE(bytes);
    Survives({.rules = {{.verb = "watch",
                         .action = FaultAction::kCutBody,
                         .count = 6,
                         .after_bytes = bytes}}});
    Survives(
        {.rules =
             {{.verb = "list", .action = FaultAction::kCutBody, .count = 3, .after_bytes = bytes}},
         .modes = Modes::kListOnly});
    Survives(
        {.rules =
             {{.verb = "list", .action = FaultAction::kEndBody, .count = 3, .after_bytes = bytes}},
         .modes = Modes::kListOnly});
    Survives({.rules = {{.verb = "watch",
                         .action = FaultAction::kEndBody,
                         .count = 3,
                         .after_bytes = bytes}}});
  }
}

TEST(FaultTolerance, CleanEnd_F03) {
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kEndWatch, .after_events = 7}}});
  Survives(
      {.rules = {{.verb = "watch", .action = FaultAction::kEndWatch, .after = milliseconds(400)}}});
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kEndWatch, .count = 4}}});
}

TEST(FaultTolerance, TooOld_F04) {
  Survives({.rules = {{.verb = "watch",
                       .action = FaultAction::kWatchError,
                       .count = 4,
                       .status = 410,
                       .after_events = 1}},
            .from_start = false});
  Survives(
      {.rules = {{.verb = "watch", .action = FaultAction::kRespond, .count = 4, .status = 410}},
       .from_start = false});
  Survives(
      {.rules = {{.action = FaultAction::kOldResourceVersion, .count = 5}}, .from_start = false});
  Survives({.midway = [](World& world) {
    // Changes in this time can only be detected by a comparison.
    world.transport().Down();
    for (int i = 0; i < 12; ++i) world.Write(i);
    world.server().Compact(world.server().current_resource_version());
    world.transport().Up();
  }});
}

TEST(FaultTolerance, TooOldToContinue_F05) {
  // The first list gets "too old", so the next one asks for the latest version, in pages.
  Survives({.rules = {{.verb = "list",
                       .only_continue = true,
                       .action = FaultAction::kOldResourceVersion}},
            .modes = Modes::kListOnly,
            .from_start = true,
            .midway = [](World& world) {
              for (int i = 0; i < 700; ++i) world.Put("default", "many-" + std::to_string(i), "x");
              // The first error is for the request that precedes the resumed watch.
              world.server().faults().Add(
                  {.verb = "list", .action = FaultAction::kRespond, .count = 2, .status = 410});
              world.server().Compact(world.server().current_resource_version());
              world.server().CloseWatches();
              world.transport().CutSoon(0);
              world.Put("kube-system", "elsewhere", "x");
              world.server().Compact(world.server().current_resource_version());
            }});
}

TEST(FaultTolerance, OtherErrorEvents_F06) {
  for (const char* text : {R"({"a":1})", R"("x")", "null", "[]", "{}", "17",
                           R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p"}})"}) {
    SCOPED_TRACE(text);
    Survives({.rules = {{.verb = "watch",
                         .action = FaultAction::kErrorObject,
                         .count = 3,
                         .text = text,
                         .after_events = 1}},
              .from_start = false});
  }
  for (const int status : {500, 504, 403}) {
    Survives({.rules = {{.verb = "watch",
                         .action = FaultAction::kWatchError,
                         .count = 4,
                         .status = status,
                         .after_events = 2}}});
  }
}

TEST(FaultTolerance, TooManyRequests_F07) {
  Survives({.rules = {{.action = FaultAction::kRespond,
                       .count = 4,
                       .status = 429,
                       .retry_after = seconds(1)}}});
  Survives({.rules = {{.action = FaultAction::kRespond, .count = 4, .status = 429}}});
  Survives({.rules = {{.action = FaultAction::kRespond,
                       .count = 4,
                       .status = 429,
                       .text = "too many requests",
                       .retry_after = seconds(2)}}});
  // No client may flood the server: a minute of refusals costs a few dozen requests.
  const Trial trial{
      .rules = {{.action = FaultAction::kRespond, .lasts = minutes(1), .status = 429}}};
  World world(trial, true, InitialList::kList);
  world.sim().RunFor(minutes(1));
  EXPECT_LT(world.server().Stats().requests, 40U);
  world.Run();
}

TEST(FaultTolerance, ServerErrors_F08) {
  for (const int status : {500, 502, 503, 504}) {
    SCOPED_TRACE(status);
    Survives({.rules = {{.action = FaultAction::kRespond, .count = 5, .status = status}}});
    Survives({.rules = {{.action = FaultAction::kRespond,
                         .count = 5,
                         .status = status,
                         .text = "<html><body><h1>Bad Gateway</h1></body></html>",
                         .content_type = "text/html"}}});
  }
}

TEST(FaultTolerance, NotLetInForAWhile_F09) {
  for (const int status : {401, 403}) {
    SCOPED_TRACE(status);
    Survives({.rules = {{.action = FaultAction::kRespond, .lasts = seconds(8), .status = status}},
              .from_start = false});
    Survives({.rules = {{.action = FaultAction::kRespond, .lasts = seconds(8), .status = status}}});
  }
  // The cache must not change.
  const Trial trial{.midway = [](World& world) {
    const State before = world.Cached();
    world.server().faults().Add(
        {.action = FaultAction::kRespond, .lasts = minutes(2), .status = 401});
    world.server().CloseWatches();
    world.sim().RunFor(minutes(1));
    EXPECT_TRUE(world.informer().HasSynced());
    EXPECT_EQ(world.Cached(), before);
  }};
  Survives(trial);
}

TEST(FaultTolerance, NotThereYet_F10) {
  Survives({.rules = {{.action = FaultAction::kRespond, .lasts = seconds(15), .status = 404}}});
  Survives({.rules = {{.action = FaultAction::kRespond,
                       .lasts = seconds(15),
                       .status = 404,
                       .text = "404 page not found\n"}}});
}

TEST(FaultTolerance, Bookmarks_F11) {
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kNoBookmarks}},
            .modes = Modes::kListOnly});
  Survives(
      {.rules = {{.verb = "watch", .action = FaultAction::kNoBookmarks}}, .from_start = false});
  Survives({.rules = {{.verb = "watch",
                       .action = FaultAction::kBookmarksOnly,
                       .count = 1,
                       .delay = milliseconds(300)}},
            .from_start = false,
            .midway = [](World& world) { world.server().CloseWatches(); }});
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kOldBookmarks, .versions = 5}},
            .from_start = false,
            .midway = [](World& world) { world.server().CloseWatches(); }});
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kOldBookmarks, .versions = 1000}},
            .from_start = false,
            .midway = [](World& world) { world.transport().CutSoon(0); }});
}

TEST(FaultTolerance, NoWatchList_F12) {
  for (const int status : {422, 400}) {
    SCOPED_TRACE(status);
    Survives({.rules = {{.only_initial_events = true,
                         .action = FaultAction::kRespond,
                         .status = status}},
              .modes = Modes::kWatchListOnly});
  }
  Survives({.rules = {{.verb = "watch",
                       .only_initial_events = true,
                       .action = FaultAction::kNoInitialEnd}},
            .modes = Modes::kWatchListOnly,
            .stays = false});
  Survives({.rules = {{.verb = "watch",
                       .only_initial_events = true,
                       .action = FaultAction::kNoInitialEnd,
                       .count = 1}},
            .modes = Modes::kWatchListOnly});
}

TEST(FaultTolerance, Stalled_F13) {
  for (const std::size_t bytes : {0U, 500U, 2000U}) {
    SCOPED_TRACE(bytes);
    Survives(
        {.rules = {
             {.verb = "watch", .action = FaultAction::kStall, .count = 2, .after_bytes = bytes}}});
    Survives(
        {.rules =
             {{.verb = "list", .action = FaultAction::kStall, .count = 1, .after_bytes = bytes}},
         .modes = Modes::kListOnly,
         .client_timeout = minutes(1)});
  }
}

TEST(FaultTolerance, EventsAgain_F14) {
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kDuplicateEvents}}});
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kReplayEvents, .versions = 6}},
            .from_start = false,
            .midway = [](World& world) { world.transport().CutSoon(0); }});
}

TEST(FaultTolerance, LostDeletionAndAnotherObject_F15) {
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kLoseDeletes}}, .recreate = true});
}

TEST(FaultTolerance, Garbage_F16) {
  for (const std::size_t bytes : {0U, 200U}) {
    for (const char* text : {"{{{", "\x01\xff\xfe", "}\n", R"({"type":"NEWS","object":{}})",
                             R"({"type":"ADDED","object":17})"}) {
      SCOPED_TRACE(text);
      Survives(
          {.rules = {
               {.action = FaultAction::kGarbage, .count = 4, .text = text, .after_bytes = bytes}}});
    }
    Survives({.rules = {{.action = FaultAction::kGarbage,
                         .count = 4,
                         .text = "[",
                         .after_bytes = bytes,
                         .repeat = 100'000}}});
    Survives({.rules = {{.action = FaultAction::kGarbage,
                         .count = 2,
                         .text = "x",
                         .after_bytes = bytes,
                         .repeat = 1'500'000}},
              .max_chunk_bytes = 65536});
  }
  Survives({.rules = {{.action = FaultAction::kRespond,
                       .count = 4,
                       .status = 200,
                       .text = "<html>welcome</html>",
                       .content_type = "text/html"}}});
  Survives({.max_chunk_bytes = 65536, .midway = [](World& world) {
              world.Put("default", "huge", std::string(1'500'000, 'x'));
            }});
}

TEST(FaultTolerance, BackInTime_F17) {
  Survives({.rules_hold = false, .midway = [](World& world) {
              const auto version = world.server().current_resource_version();
              world.server().Restore(version - 12).OrExit();
            }});
}

// The server accepts a watch of a future version, like kube-apiserver, and sends nothing.
TEST(FaultTolerance, ARestoredBackupBehindTheClient_F17) {
  // Immediately, and after a time without a connection.
  for (const bool cut_off : {false, true}) {
    SCOPED_TRACE(cut_off);
    Survives({.rules_hold = false, .midway = [cut_off](World& world) {
                const auto version = world.server().current_resource_version();
                for (int i = 0; i < 40; ++i) world.Write(i);
                world.sim().RunFor(seconds(30));
                if (cut_off) world.transport().Down();
                world.server().Restore(version).OrExit();
                if (cut_off) {
                  world.sim().RunFor(seconds(20));
                  world.transport().Up();
                }
                // Long before the new history reaches the version of the old one.
                ASSERT_TRUE(world.sim().RunUntil([&] { return world.Settled(); }, minutes(2)))
                    << world.Difference();
                EXPECT_EQ(world.informer().Status().epochs, 1U);
              }});
  }
}

TEST(FaultTolerance, ARestoredBackupThatHasOvertakenTheClient_F17) {
  Survives({.rules_hold = false, .midway = [](World& world) {
              const auto version = world.server().current_resource_version();
              for (int i = 0; i < 10; ++i) world.Write(i);
              world.sim().RunFor(seconds(30));
              world.transport().Down();
              world.server().Restore(version).OrExit();
              // Other objects than the client knows, and more of them.
              for (int i = 0; i < kNames; ++i) {
                const std::string name = "map-" + std::to_string(i);
                static_cast<void>(world.server().Delete(kConfigMaps, {"default", name}).ok());
                world.Put("default", name, "of the new history");
              }
              for (int i = 0; i < 10; ++i) world.Put("kube-system", "noise", std::to_string(i));
              world.transport().Up();
              world.sim().RunFor(seconds(10));
              for (int i = 0; i < kNames; ++i) {
                world.Put("default", "map-" + std::to_string(i), "after that");
              }
              ASSERT_TRUE(world.sim().RunUntil([&] { return world.Settled(); }, minutes(2)))
                  << world.Difference();
              EXPECT_GE(world.informer().Stats().gaps, 1U);
            }});
}

TEST(FaultTolerance, StaleLists_F18) {
  Survives({.rules = {{.verb = "list", .action = FaultAction::kStaleRead, .versions = 9}},
            .modes = Modes::kListOnly,
            .rules_hold = false,
            .midway = [](World& world) {
              world.server().faults().Add(
                  {.verb = "watch", .action = FaultAction::kWatchError, .count = 1, .status = 410});
              world.server().CloseWatches();
            }});
}

TEST(FaultTolerance, DripAndFlood_F19) {
  Survives({.rules = {{.action = FaultAction::kDrip,
                       .count = 2,
                       .delay = milliseconds(1),
                       .chunk_bytes = 1}}});
  Survives({.rules = {{.action = FaultAction::kDrip, .delay = seconds(2)}}});
  Survives({.max_chunk_bytes = 1});
  // 10,000 events in one piece.
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kDrip, .delay = seconds(5)}},
            .max_chunk_bytes = std::size_t{64} << 20,
            .midway = [](World& world) {
              for (int i = 0; i < 10'000; ++i) {
                world.Put("default", "map-1", std::to_string(i));
              }
            }});
}

TEST(FaultTolerance, ForeignEvents_F20) {
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kForeignNamespace}}});
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kWrongKind}}});
  Survives({.rules = {{.verb = "watch", .action = FaultAction::kWrongKind, .text = "Secret"}}});
}

TEST(FaultTolerance, StaleWatchCache_F21) {
  Survives({.rules = {{.action = FaultAction::kStaleCache, .versions = 5}}});
  Survives({.rules = {{.action = FaultAction::kStaleCache, .versions = 5},
                      {.verb = "watch", .action = FaultAction::kDrip, .delay = seconds(1)}},
            .stays = false});
}

TEST(FaultTolerance, ConflictStorm_F22) {
  const Trial trial{
      .rules = {
          {.verb = "update", .action = FaultAction::kRespond, .probability = 0.7, .status = 409}}};
  World world(trial, false, InitialList::kList);
  world.Put("default", "counter", "0");
  // Two writers that read, increment and retry on conflicts.
  const auto maps = world.client().For<corev1::ConfigMap>("default");
  int conflicts = 0;
  const auto count = [&] {
    for (int done = 0; done < 20;) {
      const Ref<corev1::ConfigMap> now = maps.Get("counter").OrExit();
      corev1::ConfigMap::Mutable wanted = (*now).DeepCopy();
      wanted.data["value"] = std::to_string(std::stoi(wanted.data["value"]) + 1);
      const auto updated = maps.Update(wanted);
      if (updated) {
        ++done;
      } else {
        ASSERT_TRUE(IsConflict(updated.error())) << updated.error();
        ++conflicts;
      }
    }
  };
  const auto first = world.sim().env().NewThread("first", [&] { count(); });
  const auto second = world.sim().env().NewThread("second", [&] { count(); });
  ASSERT_TRUE(world.sim().RunBlocking(
      [&] {
        first->Join();
        second->Join();
      },
      minutes(10)));
  EXPECT_GT(conflicts, 40);
  const json::Value counter = world.server().Get(kConfigMaps, {"default", "counter"}).OrExit();
  EXPECT_EQ(counter["data"]["value"].StringOrEmpty(), "40") << "no update is lost";
}

TEST(FaultTolerance, WrongClocks_F24) {
  for (const Duration skew : {Duration(hours(24 * 3650)), Duration(hours(-24 * 3650))}) {
    Survives({.rules = {{.action = FaultAction::kSkewClock, .skew = skew}}});
  }
}

}  // namespace
}  // namespace kinformer::testing

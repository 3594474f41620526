#include "simulation/own_writes_simulation.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "kinformer/api/corev1_mutable.h"
#include "kinformer/base/simulation.h"
#include "kinformer/controller/delegating_client.h"
#include "kinformer/testing/api_server.h"

#include "simulation/dice.h"

namespace kinformer::testing {
namespace {

using apiserver::FaultAction;
using ConfigMap = corev1::ConfigMap;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::array<const char*, 2> kNamespaces = {"default", "kube-public"};
// The last two sometimes have finalizers.
constexpr std::array<const char*, 5> kNames = {"a", "b", "c", "kept-1", "kept-2"};
constexpr int kStepsOfAThread = 60;
constexpr int kThreadsOfAClient = 2;
constexpr std::uint64_t kOpen = std::numeric_limits<std::uint64_t>::max();

std::int64_t VersionOf(std::string_view text) {
  std::int64_t version = 0;
  std::from_chars(text.data(), text.data() + text.size(), version);
  return version;
}

// A request by any client that may remove an object from a cache: when it was sent, in the order of
// the run, and when it was answered.
struct Removal {
  std::uint64_t answered = kOpen;
};
struct Creation {
  std::int64_t version;
  std::string uid;
  std::string by;
};
// The server deleted the object between these versions.
struct OwnDelete {
  std::int64_t before;
  std::int64_t after;
  std::string only_of{};  // uid's creator; empty: any client
};
// Known history of an object, of changes by all clients.
struct History {
  std::vector<std::shared_ptr<Removal>> removals{};
  std::vector<Creation> creations{};
};
// Writes of one client to an object.
struct Own {
  std::int64_t version = 0;
  std::uint64_t sent = 0;
  bool selected = true;
  std::vector<OwnDelete> deletes{};
  // States (uid, version) in its cache before a deletion of many objects.
  std::set<std::pair<std::string, std::int64_t>> marked{};
};
// An object that a client's cache showed after the client had deleted it.
struct ShownAfterDelete {
  ObjectName name;
  std::string uid;
  OwnDelete deleted;
  std::string where;
};

class World {
 public:
  explicit World(std::uint64_t seed)
      : seed_(seed),
        sim_({.seed = seed}),
        dice_(seed),
        selects_(dice_.OneIn(3)),
        one_selects_(seed % 2 == 0) {
    for (int i = 0; i < 2; ++i) clients_.push_back(std::make_unique<Party>(*this, i));
  }

  OwnWritesReport Run() {
    const bool ended = sim_.RunBlocking(
        [this] {
          std::vector<std::unique_ptr<Thread>> threads;
          for (const auto& client : clients_) {
            static_cast<void>(client->cached.List<ConfigMap>());
            for (int i = 0; i < kThreadsOfAClient; ++i) {
              threads.push_back(sim_.env().NewThread("worker", [&client, i] { client->Work(i); }));
            }
          }
          while (working_ > 0) {
            ChangeFaults();
            sim_.env().SleepFor(seconds(2));
          }
          for (const auto& thread : threads) thread->Join();
          server_.faults().Clear();
          server_.With([](apiserver::ApiServer& server) { server.CloseWatches(); });
          sim_.env().SleepFor(minutes(3));
          for (const auto& client : clients_) client->CheckAtRest();
        },
        std::chrono::hours(2));
    if (!ended) Breach("the run does not end");
    CheckShownAfterDelete();
    return std::move(report_);
  }

 private:
  struct Party {
    Party(World& w, int index)
        : world(w),
          name("client " + std::to_string(index)),
          client(Client::ForTransport(w.sim_.env(), w.server_.transport(), {.qps = -1})),
          factory(std::make_shared<SharedInformerFactory>(client, w.FactoryOptions())),
          cached(client, factory, {.match_before_write = false}) {}

    void Work(int thread);
    void Write(Dice& dice, const ObjectName& object);
    void Read(Dice& dice, const ObjectName& object);
    void CheckAtRest();

    void Create(const ObjectName& object, bool selected, bool kept);
    void Patch(const ObjectName& object, const std::string& body, bool removes, bool selected);
    void Delete(const ObjectName& object);
    void DeleteAllOf(const std::string& namespace_);
    void Answered(const ObjectName& object, const Result<Ref<ConfigMap>>& answer, bool selected,
                  std::uint64_t sent);
    void Shown(const ObjectName& object, const Own& own, const ConfigMap& map,
               const std::string& where);
    void Absent(const ObjectName& object, const Own& own, const std::string& where);

    World& world;
    const std::string name;
    const Client client;
    const std::shared_ptr<SharedInformerFactory> factory;
    // Sends each write: what is not sent is answered by an object that may be deleted already, and
    // is no write of which the model knows when it was done. DriftSimulation has these.
    const DelegatingClient cached;
    std::map<ObjectName, Own> own;
  };

  void Breach(const std::string& text) {
    report_.breaches.push_back("seed " + std::to_string(seed_) + ": " + text);
  }
  [[nodiscard]] SharedInformerFactoryOptions FactoryOptions() const {
    const LabelSelector web = LabelSelector::Parse("app=web").OrExit();
    if (!selects_) return {};
    if (!one_selects_) return {.label_selector = web};
    return {.by_namespace = {{"default", {.label_selector = web}}, {"", {}}}};
  }
  // Whether caches hold only objects with the selected label in the namespace of `object`.
  [[nodiscard]] bool SelectsIn(const ObjectName& object) const {
    return selects_ && (!one_selects_ || object.namespace_ == "default");
  }
  std::int64_t VersionNow() {
    return server_.With(
        [](apiserver::ApiServer& server) { return server.current_resource_version(); });
  }
  // Sets the faults for watches that begin from now on.
  void ChangeFaults() {
    apiserver::FaultPlan& faults = server_.faults();
    faults.Clear();
    if (!dice_.OneIn(4)) {
      faults.Add({.verb = "watch",
                  .action = FaultAction::kDrip,
                  .probability = 0.8,
                  .delay = milliseconds(100) + dice_.Milliseconds(2500),
                  .chunk_bytes = dice_.OneIn(3) ? 300U : 0U});
    }
    if (dice_.OneIn(3)) {
      const char* verbs[] = {"create", "patch", "delete", "get"};
      faults.Add({.verb = dice_.OneOf(verbs),
                  .action = FaultAction::kDelay,
                  .probability = 0.3,
                  .delay = dice_.Milliseconds(1500)});
    }
    if (dice_.OneIn(2)) server_.With([](apiserver::ApiServer& server) { server.CloseWatches(); });
  }
  void CheckShownAfterDelete();
  [[nodiscard]] std::shared_ptr<Removal> BeginRemoval(const ObjectName& object) {
    return history_[object].removals.emplace_back(std::make_shared<Removal>());
  }

  const std::uint64_t seed_;
  Simulation sim_;
  ApiServer server_{sim_};
  Dice dice_;
  const bool selects_;
  const bool one_selects_;  // only one namespace has a selector
  OwnWritesReport report_;
  std::uint64_t order_ = 0;  // of events in this run
  int working_ = 2 * kThreadsOfAClient;
  std::map<ObjectName, History> history_;
  std::vector<ShownAfterDelete> shown_;
  std::vector<std::unique_ptr<Party>> clients_;
};

void World::Party::Work(int thread) {
  Dice dice(world.seed_, std::hash<std::string>()(name) % 1000 + static_cast<unsigned>(thread));
  for (int step = 0; step < kStepsOfAThread; ++step) {
    world.sim_.env().SleepFor(dice.Milliseconds(300));
    const ObjectName object{kNamespaces[dice.Below(kNamespaces.size())],
                            kNames[dice.Below(kNames.size())]};
    Write(dice, object);
    if (dice.OneIn(3)) world.sim_.env().SleepFor(dice.Milliseconds(1000));
    Read(dice, object);
  }
  --world.working_;
}

void World::Party::Write(Dice& dice, const ObjectName& object) {
  ++world.report_.writes;
  const bool kept = object.name.starts_with("kept");
  const bool selected = !dice.OneIn(4);
  switch (dice.Below(10)) {
    case 0:
    case 1:
    case 2:
      return Create(object, selected, kept && dice.OneIn(2));
    case 3:
    case 4:
      return Patch(object, R"({"data":{"n":")" + std::to_string(dice.Below(1000)) + R"("}})", false,
                   true);
    case 5:
      return Patch(
          object,
          R"({"metadata":{"labels":{"app":")" + std::string(selected ? "web" : "db") + R"("}}})",
          false, selected);
    case 6:
      if (dice.OneIn(4)) return DeleteAllOf(object.namespace_);
      return Delete(object);
    case 7:
      if (kept) return Patch(object, R"({"metadata":{"finalizers":null}})", true, true);
      return Delete(object);
    default:
      return Delete(object);
  }
}

void World::Party::Answered(const ObjectName& object, const Result<Ref<ConfigMap>>& answer,
                            bool selected, std::uint64_t sent) {
  if (!answer) return;
  Own& mine = own[object];
  const std::int64_t version = VersionOf((*answer)->metadata().resourceVersion());
  if (version < mine.version) return;
  mine.version = version;
  mine.sent = sent;
  mine.selected = selected;
}

void World::Party::Create(const ObjectName& object, bool selected, bool kept) {
  ConfigMap::Mutable map;
  map.metadata.namespace_ = object.namespace_;
  map.metadata.name = object.name;
  map.metadata.labels["app"] = selected ? "web" : "db";
  if (kept) map.metadata.finalizers = {"example.com/keep"};
  const std::uint64_t sent = ++world.order_;
  const std::shared_ptr<Removal> removal = selected ? nullptr : world.BeginRemoval(object);
  const Result<Ref<ConfigMap>> answer = cached.Create(map);
  if (removal != nullptr) removal->answered = ++world.order_;
  if (answer) {
    world.history_[object].creations.push_back({VersionOf((*answer)->metadata().resourceVersion()),
                                                std::string((*answer)->metadata().uid()), name});
  }
  Answered(object, answer, selected || !world.SelectsIn(object), sent);
}

void World::Party::Patch(const ObjectName& object, const std::string& body, bool removes,
                         bool selected) {
  const std::uint64_t sent = ++world.order_;
  const std::shared_ptr<Removal> removal =
      removes || !selected ? world.BeginRemoval(object) : nullptr;
  const Result<Ref<ConfigMap>> answer = cached.Patch<ConfigMap>(object, {.body = body});
  if (removal != nullptr) removal->answered = ++world.order_;
  if (!answer) return;
  const bool matches = (*answer)->metadata().labels()["app"] == "web" || !world.SelectsIn(object);
  Answered(object, answer, matches, sent);
}

void World::Party::Delete(const ObjectName& object) {
  const std::shared_ptr<Removal> removal = world.BeginRemoval(object);
  const std::int64_t before = world.VersionNow();
  const Result<void> answer = cached.Delete<ConfigMap>(object);
  if (answer) own[object].deletes.push_back({before, world.VersionNow()});
  removal->answered = ++world.order_;
}

void World::Party::DeleteAllOf(const std::string& namespace_) {
  std::vector<std::shared_ptr<Removal>> removals;
  for (const char* one : kNames) removals.push_back(world.BeginRemoval({namespace_, one}));
  std::vector<std::tuple<ObjectName, std::string, std::int64_t>> there;
  const std::int64_t before = world.VersionNow();
  const auto snapshot = factory->InformerFor<ConfigMap>().Snapshot();
  for (const ConfigMap map : snapshot) {
    const metav1::ObjectMeta metadata = map.metadata();
    if (metadata.namespace_() != namespace_ || metadata.deletionTimestamp()) continue;
    there.emplace_back(ObjectName{namespace_, std::string(metadata.name())},
                       std::string(metadata.uid()), VersionOf(metadata.resourceVersion()));
  }
  if (cached.DeleteAllOf<ConfigMap>({.namespace_ = namespace_})) {
    for (const auto& [object, uid, version] : there) own[object].marked.emplace(uid, version);
    // Objects that it had created and that its cache did not show yet.
    for (const char* one : kNames) {
      if (snapshot.Get(namespace_, one)) continue;
      own[{namespace_, one}].deletes.push_back({before, world.VersionNow(), name});
    }
  }
  for (const auto& removal : removals) removal->answered = ++world.order_;
}

void World::Party::Shown(const ObjectName& object, const Own& mine, const ConfigMap& map,
                         const std::string& where) {
  const metav1::ObjectMeta metadata = map.metadata();
  const std::int64_t version = VersionOf(metadata.resourceVersion());
  const std::string what =
      name + ": " + where + " shows " + object.ToString() + " at " + std::to_string(version);
  if (version < mine.version) {
    world.Breach(what + ", which it had written as " + std::to_string(mine.version));
  }
  if (mine.marked.contains({std::string(metadata.uid()), version})) {
    world.Breach(what + ", after a deletion of many");
  }
  if (metadata.deletionTimestamp()) return;
  for (const OwnDelete& deleted : mine.deletes) {
    world.shown_.push_back({object, std::string(metadata.uid()), deleted, what});
  }
}

void World::Party::Absent(const ObjectName& object, const Own& mine, const std::string& where) {
  if (mine.version == 0 || !mine.selected) return;
  for (const std::shared_ptr<Removal>& removal : world.history_[object].removals) {
    if (removal->answered > mine.sent) return;
  }
  world.Breach(name + ": " + where + " lacks " + object.ToString() + ", which it had written as " +
               std::to_string(mine.version));
}

void World::Party::Read(Dice& dice, const ObjectName& object) {
  ++world.report_.reads;
  if (!dice.OneIn(3)) {
    const Own mine = own[object];
    const Result<Ref<ConfigMap>> map = cached.Get<ConfigMap>(object);
    if (map) return Shown(object, mine, **map, "Get");
    if (IsAbsent(map.error())) return Absent(object, mine, "Get");
    if (map.error().reason() != Reason::kStale) {
      return world.Breach(name + ": Get: " + map.error().ToString());
    }
    ++world.report_.stale;
    return;
  }
  const std::map<ObjectName, Own> mine = own;
  const std::string namespace_ = dice.OneIn(2) ? object.namespace_ : "";
  const auto list = cached.List<ConfigMap>({.namespace_ = namespace_});
  if (!list) {
    if (list.error().reason() != Reason::kStale) {
      return world.Breach(name + ": List: " + list.error().ToString());
    }
    ++world.report_.stale;
    return;
  }
  std::set<ObjectName> found;
  for (const Ref<ConfigMap>& map : *list) {
    const ObjectName one{std::string(map->metadata().namespace_()),
                         std::string(map->metadata().name())};
    found.insert(one);
    const auto written = mine.find(one);
    if (written != mine.end()) Shown(one, written->second, *map, "List");
  }
  for (const auto& [one, written] : mine) {
    if (found.contains(one) || (!namespace_.empty() && one.namespace_ != namespace_)) continue;
    Absent(one, written, "List");
  }
}

void World::Party::CheckAtRest() {
  const auto list = cached.List<ConfigMap>();
  if (!list) return world.Breach(name + " at rest: " + list.error().ToString());
  std::map<std::string, std::string> here;
  for (const Ref<ConfigMap>& map : *list) {
    here[std::string(map->metadata().namespace_()) + "/" + std::string(map->metadata().name())] =
        map->metadata().resourceVersion();
  }
  std::map<std::string, std::string> there = world.server_.With(
      [](apiserver::ApiServer& server) { return server.DumpState({"", "v1", "configmaps"}); });
  if (!world.selects_ && here != there)
    world.Breach(name + " at rest: the cache is not the server");
  if (cached.UnseenWrites() != 0) {
    world.Breach(name + " at rest waits for " + std::to_string(cached.UnseenWrites()) + " writes");
  }
}

// Only the object that existed on the server at that time was deleted, and only if no other one can
// have been meant.
void World::CheckShownAfterDelete() {
  for (const ShownAfterDelete& shown : shown_) {
    const Creation* deleted = nullptr;
    bool unclear = false;
    for (const Creation& one : history_[shown.name].creations) {
      if (one.version > shown.deleted.after) continue;
      if (one.version > shown.deleted.before) unclear = true;
      if (deleted == nullptr || one.version > deleted->version) deleted = &one;
    }
    if (unclear || deleted == nullptr || deleted->uid != shown.uid) continue;
    const std::string& only_of = shown.deleted.only_of;
    if (!only_of.empty() && only_of != deleted->by) continue;
    Breach(shown.where + ", which it had deleted");
  }
}

}  // namespace

OwnWritesReport RunOwnWrites(std::uint64_t seed) { return World(seed).Run(); }

}  // namespace kinformer::testing

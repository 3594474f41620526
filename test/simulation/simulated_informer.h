// test/simulation/simulated_informer.h
//
// SimulatedInformer: an informer with handlers and snapshots, whose answers are compared with the
// server's history.

#ifndef KINFORMER_TEST_SIMULATION_SIMULATED_INFORMER_H_
#define KINFORMER_TEST_SIMULATION_SIMULATED_INFORMER_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/client/client.h"

#include "simulation/cache_limit.h"
#include "simulation/cache_shape.h"
#include "simulation/change_follower.h"
#include "simulation/delivery_checker.h"
#include "simulation/dice.h"
#include "simulation/informer_simulation.h"
#include "simulation/server_history.h"
#include "simulation/simulated_scene.h"

namespace kinformer::testing {

class SimulatedInformer {
 public:
  using ConfigMaps = SharedInformer<corev1::ConfigMap>;

  SimulatedInformer(SimulatedScene& scene, const Client& client, int number, Dice& dice);
  ~SimulatedInformer();
  SimulatedInformer(const SimulatedInformer&) = delete;
  SimulatedInformer& operator=(const SimulatedInformer&) = delete;

  void Start();
  void Stop();
  [[nodiscard]] std::string Describe() const;
  [[nodiscard]] bool running() const { return running_; }
  // Whether it is stopped, or has watched without problems for some seconds.
  [[nodiscard]] bool IsWell() const;
  // Version that it has reached.
  [[nodiscard]] std::int64_t version() const;
  // Maximum number of collections that it lists and watches.
  [[nodiscard]] double streams() const { return several_ ? 3 : 1; }
  // Maximum number of requests for its lists in that time, counted by page.
  [[nodiscard]] double Lists(Duration time) const;
  [[nodiscard]] ConfigMaps& cache() { return *informer_; }
  void JoinOrLeave(Dice& dice);
  void HoldOrRelease(Dice& dice);
  // Reads an object by name.
  void Read(Dice& dice);
  // Checks the change feed, if there is a follower.
  void Follow(Dice& dice);

  // Called after each step: compares a new version of the store with the server's history.
  void Look();
  // Called from time to time: checks the events between two moments without pending events.
  void LookClosely();
  // Compares a snapshot of the current version with the history of an honest server.
  void CheckContents(const Snapshot<corev1::ConfigMap>& snapshot) const;
  // Returns the remaining difference from the server; empty if there is none.
  [[nodiscard]] std::string Difference() const;
  // Called at the end: reports violations, and adds the figures of this informer.
  void Finish(SimulationReport& report);

 private:
  class Watcher;

  // A moment at which a handler has received everything in the store.
  struct Mark {
    std::int64_t version = 0;
    std::uint64_t lists = 0;
    std::uint64_t epochs = 0;
    std::uint64_t gaps = 0;
    std::uint64_t skipped = 0;
    std::size_t tombstones = 0;
    int life = 0;
    [[nodiscard]] bool Continues(const Mark& before) const {
      return lists == before.lists && epochs == before.epochs && gaps == before.gaps &&
             skipped == before.skipped && life == before.life;
    }
  };
  struct Handler {
    std::shared_ptr<Watcher> watcher;
    EventHandlerRegistration registration{};
    std::optional<Mark> mark{};
    std::int64_t joined_in = 0;  // start of the life in which it joined
    bool left = false;
    bool synced = false;
  };
  // A snapshot, and its content when it was taken.
  struct Held {
    Snapshot<corev1::ConfigMap> snapshot;
    Contents contents;
    std::array<std::size_t, 26> by_letter;
    std::vector<std::string> in_order;
  };

  void Join(Dice& dice);
  void Leave(Handler& handler);
  void Problem(const std::string& text) const;
  [[nodiscard]] static std::array<std::size_t, 26> Letters(
      const Snapshot<corev1::ConfigMap>& snapshot);
  // Keys in the order of the ordered index.
  [[nodiscard]] static std::vector<std::string> InOrder(
      const Snapshot<corev1::ConfigMap>& snapshot);
  [[nodiscard]] std::unique_ptr<ListerWatcher> NewListWatch(const Client& client,
                                                            const std::string& of_namespace) const;
  // Checks one key; `object` is null if the snapshot does not have it.
  void CheckKey(const std::string& key, const ServerHistory::Changes& changes,
                const corev1::ConfigMap* object, std::int64_t version) const;
  // Compares the index with the contents.
  void CheckIndex(const Snapshot<corev1::ConfigMap>& snapshot) const;
  void CheckOrder(const Snapshot<corev1::ConfigMap>& snapshot) const;
  void CheckHeld() const;
  // Whether its answer that an object of the namespace does not exist must be right.
  [[nodiscard]] bool HasSynced(const std::string& of_namespace) const;
  void CheckSynced();
  void CheckWindow(Handler& handler, const InformerStats& stats);
  // Checks that a synced reader knows every object that existed when its life began, at that
  // version, and has existed since.
  template <class Knows>
  void MustKnow(const std::string& who, std::int64_t since, const Knows& knows) const;

  // Whether the store equals the server at the store's version. Not so with several namespaces,
  // where the version is the oldest of all.
  [[nodiscard]] bool exact() const { return !several_; }

  SimulatedScene& scene_;
  const int number_;
  const CacheShape shape_;
  const ServerHistory& history_;  // as seen by this informer
  const std::string namespace_;
  const CacheLimit limit_;
  const bool several_;  // all namespaces, each with its own watch
  const bool others_;   // namespaces without options share one
  const bool resyncs_;
  std::int64_t page_size_ = 0;  // 0: the default
  std::unique_ptr<ConfigMaps> informer_;
  std::unique_ptr<ChangeFollower> follower_;  // null: none
  std::vector<Handler> handlers_;
  std::vector<Held> held_;
  bool running_ = false;
  int life_ = 0;
  std::int64_t began_at_ = 0;  // this life has at least this version once synced
  bool synced_ = false;
  // State of the newest snapshot that was checked.
  std::uint64_t seen_version_ = 0;
  std::int64_t seen_resource_version_ = 0;
  std::uint64_t seen_epoch_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t times_full_ = 0;  // versions with objects left out
  std::uint64_t windows_ = 0;
  std::uint64_t transformed_ = 0;
  std::uint64_t times_packed_ = 0;  // versions with packed objects
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SIMULATED_INFORMER_H_

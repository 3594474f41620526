// test/simulation/simulated_informer.h
//
// SimulatedInformer: an informer with handlers and snapshots, and what it says held against what
// the server has been.

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
#include "kinformer/client.h"
#include "kinformer/shared_informer.h"

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
  // It is stopped, or has watched undisturbed for some seconds.
  [[nodiscard]] bool IsWell() const;
  // That it has been told of.
  [[nodiscard]] std::int64_t version() const;
  // How many collections it lists and watches at most.
  [[nodiscard]] double streams() const { return several_ ? 3 : 1; }
  // How many requests its lists may take in that time, page by page.
  [[nodiscard]] double Lists(Duration time) const;
  [[nodiscard]] ConfigMaps& cache() { return *informer_; }
  void JoinOrLeave(Dice& dice);
  void HoldOrRelease(Dice& dice);
  // Asks for an object by name.
  void Read(Dice& dice);
  // Asks what has changed, where somebody follows that.
  void Follow(Dice& dice);

  // After a step: a new version of the store is compared with the server's history.
  void Look();
  // Now and then: what was told, between two moments at which all had been told.
  void LookClosely();
  // A snapshot of the current version against the history of an honest server.
  void CheckContents(const Snapshot<corev1::ConfigMap>& snapshot) const;
  // What still differs from the server; empty: nothing.
  [[nodiscard]] std::string Difference() const;
  // At the end: what must not have happened. Adds the figures of this informer.
  void Finish(SimulationReport& report);

 private:
  class Watcher;

  // A moment at which a handler has been told all that is in the store.
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
    std::int64_t joined_in = 0;  // the life: when it began
    bool left = false;
    bool synced = false;
  };
  // A snapshot, and what it showed when it was taken.
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
  // One key of them; `object` is null where the snapshot has none.
  void CheckKey(const std::string& key, const ServerHistory::Changes& changes,
                const corev1::ConfigMap* object, std::int64_t version) const;
  // The index against the contents.
  void CheckIndex(const Snapshot<corev1::ConfigMap>& snapshot) const;
  void CheckOrder(const Snapshot<corev1::ConfigMap>& snapshot) const;
  void CheckHeld() const;
  // Whether it may say that an object of the namespace does not exist.
  [[nodiscard]] bool HasSynced(const std::string& of_namespace) const;
  void CheckSynced();
  void CheckWindow(Handler& handler, const InformerStats& stats);
  // What was there when a life began, at that version, and has been since, who has synced in it
  // knows.
  template <class Knows>
  void MustKnow(const std::string& who, std::int64_t since, const Knows& knows) const;

  // What is stored is what the server had at the store's version. Keys come out of a DeltaFIFO one
  // after the other; of several namespaces, the store's version is the oldest.
  [[nodiscard]] bool exact() const { return in_order_ && !several_; }

  SimulatedScene& scene_;
  const int number_;
  const CacheShape shape_;
  const ServerHistory& history_;  // as it is to be seen here
  const std::string namespace_;
  const CacheLimit limit_;
  const bool several_;  // all namespaces, each with a watch of its own
  const bool others_;   // but those that are not named together
  const bool in_order_;
  const bool resyncs_;
  std::int64_t page_size_ = 0;  // 0: the default
  std::unique_ptr<ConfigMaps> informer_;
  std::unique_ptr<ChangeFollower> follower_;  // null: none
  std::vector<Handler> handlers_;
  std::vector<Held> held_;
  bool running_ = false;
  int life_ = 0;
  std::int64_t began_at_ = 0;  // what this life knows at least, once it has synced
  bool synced_ = false;
  // Of the newest snapshot that was looked at.
  std::uint64_t seen_version_ = 0;
  std::int64_t seen_resource_version_ = 0;
  std::uint64_t seen_epoch_ = 0;
  std::uint64_t looks_ = 0;
  std::uint64_t times_full_ = 0;  // versions that left objects out
  std::uint64_t windows_ = 0;
  std::uint64_t transformed_ = 0;
  std::uint64_t times_packed_ = 0;  // versions in which its objects were small
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_SIMULATED_INFORMER_H_

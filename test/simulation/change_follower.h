// test/simulation/change_follower.h
//
// ChangeFollower: maintains a copy of a cache from its change feed alone, and compares the copy
// with the cache and the server.

#ifndef KINFORMER_TEST_SIMULATION_CHANGE_FOLLOWER_H_
#define KINFORMER_TEST_SIMULATION_CHANGE_FOLLOWER_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/shared_informer.h"
#include "kinformer/cache/snapshot.h"
#include "kinformer/cache/store_changes.h"

#include "simulation/dice.h"
#include "simulation/informer_simulation.h"
#include "simulation/server_history.h"
#include "simulation/simulated_scene.h"

namespace kinformer::testing {

class ChangeFollower {
 public:
  using ConfigMaps = SharedInformer<corev1::ConfigMap>;
  // `history`: expected content of the cache. `exact`: the cache equals the server at the cache's
  // version. `informer` must outlive this.
  ChangeFollower(SimulatedScene& scene, const ServerHistory& history, const ConfigMaps& informer,
                 bool exact, int number, std::function<void(std::string)> problem);

  // Asks for the changes, or makes a request that the feed must refuse.
  void Follow(Dice& dice);
  void Finish(SimulationReport& report) const;

 private:
  using Changes = StoreChanges<corev1::ConfigMap>;

  // Known content of the cache, and the state of the cache at that time.
  struct Known {
    std::uint64_t version = 0;
    std::uint64_t epoch = 0;
    std::int64_t resource_version = 0;
    std::uint64_t changes = 0;  // number of changes counted by the cache
    std::uint64_t lists = 0;
    std::uint64_t gaps = 0;
    std::size_t queued = 0;  // not in the cache yet; may contain a list
    Contents contents{};
  };

  void Keep(Dice& dice);
  [[nodiscard]] Known Look() const;
  void Apply(const Changes& news);
  // Applies one change to `contents`.
  void ApplyOne(const NetChange<corev1::ConfigMap>& change, Contents& contents) const;
  // Checks that the changes happened on the server, with the right last states and order.
  void CompareWithServer(const Changes& news, const Known& now) const;

  SimulatedScene& scene_;
  const ServerHistory& history_;
  const ConfigMaps& informer_;
  const bool exact_;
  const std::function<void(std::string)> problem_;
  ChangeWindow window_{};
  bool keeps_ = false;
  std::uint64_t kept_from_ = 0;  // a version of the store
  Known known_{};
  std::uint64_t told_ = 0;
  std::uint64_t expired_ = 0;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_CHANGE_FOLLOWER_H_

// test/simulation/joint_reader.h
//
// JointReader: takes joint snapshots of the informers of a run, and of a store and its copy, and
// checks that all parts were current at the same time.

#ifndef KINFORMER_TEST_SIMULATION_JOINT_READER_H_
#define KINFORMER_TEST_SIMULATION_JOINT_READER_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/api/corev1.h"
#include "kinformer/cache/snapshot.h"

#include "simulation/dice.h"
#include "simulation/informer_simulation.h"
#include "simulation/server_history.h"
#include "simulation/simulated_informer.h"
#include "simulation/simulated_scene.h"

namespace kinformer::testing {

// Takes snapshots between steps of the simulation, and during an informer's writes, which must not
// be visible then.
class JointReader {
 public:
  using Informers = std::vector<std::unique_ptr<SimulatedInformer>>;
  // `informers` and its elements must not change while this exists.
  JointReader(SimulatedScene& scene, const Informers& informers);
  ~JointReader();
  JointReader(const JointReader&) = delete;
  JointReader& operator=(const JointReader&) = delete;

  void Look(Dice& dice);
  void Finish(SimulationReport& report);

 private:
  class Copier;
  static constexpr std::size_t kMostHeld = 3;
  static constexpr std::size_t kAtOnce =
      3;  // informers in a joint snapshot; the same one may occur twice

  struct Held {
    std::array<Snapshot<corev1::ConfigMap>, kAtOnce> snapshots;
    std::array<Contents, kAtOnce> contents;
  };

  // Takes a joint snapshot of randomly chosen informers.
  Held TakeOfInformers(Dice& dice);
  void LookAtCopy();
  void CheckHeld();

  SimulatedScene& scene_;
  const Informers& informers_;
  // Separate random numbers for snapshots during writes, so that the steps stay the same.
  Dice amid_write_;
  std::shared_ptr<Copier> copier_;
  std::vector<Held> held_;
  std::uint64_t taken_ = 0;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_SIMULATION_JOINT_READER_H_

// test/network/network_troubles.h
//
// NetworkTroubles: random faults of the connections of a SimulatedNetwork.

#ifndef KINFORMER_TEST_NETWORK_NETWORK_TROUBLES_H_
#define KINFORMER_TEST_NETWORK_NETWORK_TROUBLES_H_

#include <chrono>
#include <cstddef>
#include <vector>

#include "network/simulated_network.h"
#include "simulation/dice.h"

namespace kinformer::testing {

// Used by the test's thread.
class NetworkTroubles {
 public:
  NetworkTroubles(SimulatedNetwork& network, Dice& dice) : network_(network), dice_(dice) {}

  // Causes a random fault, or ends one.
  void Next() {
    const std::vector<std::size_t> open = network_.Open();
    const auto any = [&] { return open[dice_.Below(open.size())]; };
    switch (dice_.Below(10)) {
      case 0:
      case 1:
        if (!open.empty()) network_.Freeze(any());
        return;
      case 2:
        network_.FreezeAll();
        return;
      case 3:
        if (!open.empty()) network_.Cut(any());
        return;
      case 4:
        if (!open.empty()) network_.Drip(any(), 1 + dice_.Below(200), dice_.Milliseconds(500));
        return;
      case 5:
        if (!open.empty()) network_.Thaw(any());
        return;
      case 6:
        network_.SetOpening(SimulatedNetwork::Opening::kRefused);
        return;
      case 7:
        network_.SetOpening(SimulatedNetwork::Opening::kHanging);
        return;
      case 8:
        if (!open.empty()) network_.Reset(any());
        return;
      default:
        network_.SetOpening(SimulatedNetwork::Opening::kServed);
    }
  }

  // From now on new connections are served and none is slow. Frozen ones stay frozen, and forgotten
  // ones forgotten.
  void End() {
    network_.SetOpening(SimulatedNetwork::Opening::kServed);
    for (const std::size_t number : network_.Open()) network_.Drip(number, 0, Duration::zero());
  }

 private:
  SimulatedNetwork& network_;
  Dice& dice_;
};

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_NETWORK_NETWORK_TROUBLES_H_

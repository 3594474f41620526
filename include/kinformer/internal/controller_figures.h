// kinformer/internal/controller_figures.h
//
// ControllerFigures: what a controller does at one moment, for the page of a manager.

#ifndef KINFORMER_INTERNAL_CONTROLLER_FIGURES_H_
#define KINFORMER_INTERNAL_CONTROLLER_FIGURES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kinformer/base/env.h"

namespace kinformer::internal {

// Members may be read moments apart.
struct ControllerFigures {
  struct Running {
    std::string request{};  // as in logs
    Duration age{0};
  };

  // A reconcile that has failed.
  struct Failure {
    std::string request{};
    Duration ago{0};
    int attempts{0};  // that failed before
    std::string error{};
  };

  // A field whose writes are, or were, undone again and again.
  struct Fight {
    std::string request{};              // whose reconcile writes it
    std::string kind{};                 // of the object: "Deployment.apps"
    std::string object{};               // "namespace/name"
    std::string field{};                // path
    std::string type{};                 // "other writer", "itself", "server"
    std::string manager{};              // field manager of the controller; empty: unknown
    std::vector<std::string> others{};  // for "other writer": their field managers
    std::string own_value{};            // short plain values only
    std::string other_value{};
    std::size_t rounds{0};
    Duration begun{0};  // ago
    Duration ago{0};    // the last round
    bool under_way{false};
    Duration held{0};  // how long the request waits from now on
  };

  std::string name{};
  std::size_t workers{0};
  std::size_t waiting{0};           // requests that a free worker would take
  std::size_t delayed{0};           // requests that wait for a time
  Duration oldest{0};               // wait of the request that has waited longest
  std::size_t failing{0};           // requests whose last reconcile has failed
  std::string held_back{};          // why no reconcile may begin now; empty: it may
  std::uint64_t reconciles{0};      // that have ended since the start
  std::uint64_t errors{0};          // of these
  std::uint64_t parked{0};          // put aside, and not among these
  std::vector<Running> running{};   // one for each busy worker
  std::vector<Failure> failures{};  // the newest of each request, newest first
  std::vector<Fight> fights{};      // under way, and those that have ended last
};

// A Runnable that has figures.
class HasControllerFigures {
 public:
  virtual ~HasControllerFigures() = default;
  // Thread-safe. Does not block.
  [[nodiscard]] virtual ControllerFigures Figures() const = 0;
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_CONTROLLER_FIGURES_H_

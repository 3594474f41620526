// controller/debug/debug_state.h
//
// DebugState: what a program of informers and controllers does at one moment, as JSON for the page
// of a manager, for `kinformer top --url`, and for other programs. docs/guide/debug-page.md
// describes the document.

#ifndef KINFORMER_CONTROLLER_DEBUG_DEBUG_STATE_H_
#define KINFORMER_CONTROLLER_DEBUG_DEBUG_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/cache/factory_options.h"
#include "kinformer/internal/controller_figures.h"

namespace kinformer::internal::debug {

// The Lease of a leader election.
struct LeaseState {
  std::string name{};      // "namespace/name"
  std::string identity{};  // of this process
  std::string leader{};    // empty: not known yet
  bool leads{false};       // this process
};

// Figures of the process from the kernel.
struct ProcessState {
  std::string program{};
  std::int64_t pid{0};
  std::uint64_t resident_bytes{0};
  Duration cpu{0};  // of all threads, since the start
};
ProcessState ThisProcess();

struct DebugState {
  WallTime now{};
  Duration uptime{0};  // of the manager
  bool elected{false};
  std::optional<LeaseState> lease{};  // empty: no leader election
  ProcessState process{};
  std::vector<FactoryInformerStats> informers{};
  std::vector<ControllerFigures> controllers{};
};

// Returns the document. Numbers of time are seconds, of memory bytes. Events and reconciles are
// counted from the start, so that a reader makes rates from two documents.
std::string ToJson(const DebugState& state);

}  // namespace kinformer::internal::debug

#endif  // KINFORMER_CONTROLLER_DEBUG_DEBUG_STATE_H_

// kinformer/internal/waiting_request.h
//
// WaitingRequest: a request that a controller has yet to reconcile, for people who ask why nothing
// happens.

#ifndef KINFORMER_INTERNAL_WAITING_REQUEST_H_
#define KINFORMER_INTERNAL_WAITING_REQUEST_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/internal/cause_note.h"

namespace kinformer::internal {

struct WaitingRequest {
  enum class State : std::uint8_t {
    kInLine,   // for a worker
    kRunning,  // it was added while a worker has it
    kDelayed,  // until `ready_at`
    kParked,   // until a cache shows an own write
  };

  std::string key{};
  State state{};
  int priority{0};
  SteadyTime ready_at{};  // of kDelayed
  bool paced{false};      // its interval or its settle time is not over
  int attempts{0};        // that failed since its last success
  std::optional<Error> last_error{};
  CauseNote causes{};
};

// Requests of a queue that are asked for.
struct WaitingQuestion {
  const std::string& key;
  bool own;  // the request `key` is
  // Whether a request with these causes is. Called with the queue's lock held.
  const std::function<bool(const CauseNote&)>& is_woken_by;
};

// Requests that wait, and what holds them up.
struct WaitingAnswer {
  std::vector<WaitingRequest> requests{};
  bool fair{false};         // flows share the workers
  std::string held_back{};  // why no reconcile may begin now; empty: it may
};

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_WAITING_REQUEST_H_

// kinformer/controller/pace.h
//
// Pace: how often one object is reconciled, whatever happens to it.
//
//   ControllerOptions options{
//       .min_interval = 1s,  // of each object
//       .settle_time = 200ms,
//       .pace_of = [](const ObjectName& request) -> Pace {
//         if (request.namespace_ == "batch") return {.min_interval = 30s};
//         return {};
//       }};

#ifndef KINFORMER_CONTROLLER_PACE_H_
#define KINFORMER_CONTROLLER_PACE_H_

#include <optional>

#include "kinformer/base/time_span.h"

namespace kinformer {

// Pace of one object. Empty members have the controller's value. Values below zero count as zero.
struct Pace {
  std::optional<TimeSpan> min_interval{};  // ControllerOptions::min_interval
  std::optional<TimeSpan> settle_time{};   // ControllerOptions::settle_time
  std::optional<TimeSpan> settle_limit{};  // ControllerOptions::settle_limit
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_PACE_H_

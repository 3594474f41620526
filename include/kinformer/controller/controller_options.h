// kinformer/controller/controller_options.h
//
// Options of a controller.

#ifndef KINFORMER_CONTROLLER_CONTROLLER_OPTIONS_H_
#define KINFORMER_CONTROLLER_CONTROLLER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/time_span.h"

namespace kinformer {

// Options of a controller. Empty members other than `name` have the manager's value
// (ManagerOptions::controller), or else the default given here. Counterpart: controller.Options.
struct ControllerOptions {
  // Name in metrics, logs and messages; a ControllerBuilder uses the kind in lower case. Unique
  // within a manager, so that the metrics of two controllers are not added together.
  std::string name{};
  bool skip_name_validation{false};
  // Number of workers, each a thread, and so of requests reconciled at the same time. Default: 1.
  std::optional<std::size_t> max_concurrent_reconciles{};
  // Time for sources to sync, else Start fails and names those that did not. Default: 2 minutes.
  std::optional<TimeSpan> cache_sync_timeout{};
  // True: an exception of a reconciler counts as an error. False: it ends the process.
  std::optional<bool> recover_panic{};
  // True: a manager runs it only while this process is the leader.
  std::optional<bool> need_leader_election{};
  // True: changes are reconciled before the initial objects and before updates that changed
  // nothing. False: requests are reconciled in the order in which they were added.
  std::optional<bool> use_priority_queue{};
  // True: a manager lets it fill its caches and queue before this process leads, so that it can
  // reconcile at once afterwards. False: it begins to watch when the process becomes the leader.
  std::optional<bool> enable_warmup{};
  // Time for one reconcile, after which its ReconcileContext asks it to stop. Default: no limit.
  std::optional<TimeSpan> reconciliation_timeout{};
  // Staleness breaker: reconciles wait while a source's cache was last confirmed to be up to date
  // longer ago than this (InformerStatus::progress_age), so that a controller without its server
  // does not act on outdated objects. Use at least a minute and a half, since a quiet watch hears
  // from the server only about once a minute. Default: no limit.
  std::optional<TimeSpan> max_cache_age{};
  // Asked before each reconcile; while it returns false, reconciles wait. Must be quick. If it is
  // empty here and in the manager's options, a manager with leader election uses
  // LeaderElector::IsLeader for controllers that need election.
  std::function<bool()> is_leader{};
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_CONTROLLER_OPTIONS_H_

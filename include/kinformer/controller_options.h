// kinformer/controller_options.h
//
// How a controller works.

#ifndef KINFORMER_CONTROLLER_OPTIONS_H_
#define KINFORMER_CONTROLLER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "kinformer/env.h"
#include "kinformer/internal/time_span.h"

namespace kinformer {

// What is left empty is the manager's (ManagerOptions::controller), or else as said here; the name
// is the controller's own. Counterpart: controller.Options.
struct ControllerOptions {
  // In metrics, logs and messages. A ControllerBuilder takes the kind in lower case. Unique within
  // a manager, so that metrics of two controllers do not add up.
  std::string name{};
  bool skip_name_validation{false};
  // Workers, each a thread: so many requests are reconciled at a time, all of them different. 1.
  std::optional<std::size_t> max_concurrent_reconciles{};
  // How long sources may take to sync. 2 minutes; past it Start ends with an error that names them.
  std::optional<internal::TimeSpan> cache_sync_timeout{};
  // True: what a reconciler throws is an error like others. False: it ends the process.
  std::optional<bool> recover_panic{};
  // True: a manager starts it only while this process leads.
  std::optional<bool> need_leader_election{};
  // True: objects that are there at the start, and updates that changed nothing, wait behind
  // changes. False: requests come in the order in which they were added.
  std::optional<bool> use_priority_queue{};
  // True: a manager has it fill its caches and its queue before this process leads, so that it can
  // go on at once. False: it begins to watch when it leads.
  std::optional<bool> enable_warmup{};
  // How long a reconcile may take: then its ReconcileContext asks it to stop. No limit.
  std::optional<internal::TimeSpan> reconciliation_timeout{};
  // Staleness breaker: reconciles wait while the last proof that a cache is up to date, of one of
  // the sources, is older (InformerStatus::progress_age): a controller that has lost its server
  // does not act on what was. At least a minute and a half makes sense, since a quiet watch hears
  // from the server about once a minute. No limit.
  std::optional<internal::TimeSpan> max_cache_age{};
  // Asked before each reconcile; while it is false, reconciles wait. Must be quick. Left empty here
  // and by the manager's options, it is LeaderElector::IsLeader in a manager with leader election,
  // for controllers that need that.
  std::function<bool()> is_leader{};
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_OPTIONS_H_

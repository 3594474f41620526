// kinformer/controller/controller_options.h
//
// Options of a controller.

#ifndef KINFORMER_CONTROLLER_CONTROLLER_OPTIONS_H_
#define KINFORMER_CONTROLLER_CONTROLLER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/controller/fights.h"
#include "kinformer/controller/pace.h"
#include "kinformer/object/object_name.h"
#include "kinformer/workqueue/fair_flows.h"

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
  // While a request fails, an event brings its next attempt forward, but one attempt within this
  // time at most: so an object that changes all the time, and always fails, is not tried at each
  // change. Other events wait for the request's own delay. 0: each event brings an attempt forward,
  // as in controller-runtime. Default: 10 s.
  std::optional<TimeSpan> event_retry_interval{};
  // Least time between the beginnings of two reconciles of one request, for whatever reason it
  // returns: an event, a retry or a requeue. Events that come meanwhile are one: the request begins
  // when the interval is over. Default: 0.
  std::optional<TimeSpan> min_interval{};
  // A request with events begins when none has come for this time, so that a burst of changes is
  // one reconcile; at the latest settle_limit after the first event (default: ten times the settle
  // time). Default: 0.
  std::optional<TimeSpan> settle_time{};
  std::optional<TimeSpan> settle_limit{};
  // Returns the pace of a request, where it is not that of the three options above. Asked at each
  // event and each reconcile: must be quick. Requests of another type than ObjectName have their
  // text as name. If it throws, which is logged and counted, the options count.
  std::function<Pace(const ObjectName& request)> pace_of{};
  // Requests of equal priority share the workers by flows, by default one for each namespace, so
  // that a tenant with many requests delays the others by its share only. Default: off.
  std::optional<FairFlows<ObjectName>> fair_queue{};
  // True: a reconcile whose read lacks a write of its client is put aside if the cache does not
  // show the write soon (50 ms): the read fails with kStale, the reconcile's error does not count,
  // and the request returns once the cache shows the write, or read_your_writes_timeout is over. So
  // a watch that is late takes no worker. A request that was put aside twice in a row waits, as
  // with false: reads then wait for the write. Default: true.
  std::optional<bool> park_stale_reads{};
  // True: an update event that shows only what the reconcile of this very object has written does
  // not wake it again. Such an event leads from the version that the write was based on to the one
  // that it made, so no change of others is in it; several own writes in a row count as one. The
  // writes are those of a reconcile that returned without an error, on its own thread, by a
  // DelegatingClient: Update and Patch, Apply, and those of a status. All other requests and
  // controllers are woken as ever, and so is the object itself by creations, deletions, events of
  // other objects (children too), and writes from elsewhere. For controllers whose requests are
  // Requests. False: own writes wake, which a reconcile relies on that writes and returns to go on
  // at the event: so switch it on where each reconcile does all that is to be done. Default: false.
  std::optional<bool> filter_own_events{};
  // Recognises writers who undo each other, names them, and holds the request to a pace: see
  // fights.h. Default: FightOptions's.
  std::optional<FightOptions> fights{};
  // Staleness breaker: reconciles wait while a source's cache was last confirmed to be up to date
  // longer ago than this (InformerStatus::progress_age), so that a controller without its server
  // does not act on outdated objects. Use at least a minute and a half, since a quiet watch hears
  // from the server only about once a minute. Default: no limit.
  std::optional<TimeSpan> max_cache_age{};
  // Asked before each reconcile; while it returns false, reconciles wait. Must be quick. If it is
  // empty here and in the manager's options, a manager with leader election uses
  // LeaderElector::IsLeader for controllers that need election.
  std::function<bool()> is_leader{};
  // Called once, between the sync of the sources and the first reconcile, which waits for it; an
  // error ends the controller. If it is empty here and in the manager's options, a manager with
  // leader election waits, for controllers that need election, until its cluster's caches have all
  // that the server had when this process was elected (SharedInformerFactory::WaitUntilCurrent): so
  // what the leader before has written is seen, however late a watch is. A function that returns
  // at once switches that off.
  std::function<Result<void>(const std::stop_token& stop)> catch_up{};
};

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_CONTROLLER_OPTIONS_H_

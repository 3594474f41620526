// kinformer/controller/cache_checks.h
//
// Checks for /readyz: of caches that are out of date, and of own writes that they do not show.
//
//   manager->AddReadyzCheck("caches", CacheAgeCheck(manager->GetCluster(), 2min)).OrExit();
//
// ManagerOptions::readyz adds them.

#ifndef KINFORMER_CONTROLLER_CACHE_CHECKS_H_
#define KINFORMER_CONTROLLER_CACHE_CHECKS_H_

#include "kinformer/base/env.h"
#include "kinformer/controller/cluster.h"
#include "kinformer/endpoints/healthz.h"

namespace kinformer {

// Returns a check that fails while a running cache was last known to be up to date longer ago than
// `most` (InformerStatus::progress_age); its error names the cache and its age. A cache that has
// never had a list passes: see healthz for what waits for these. `cluster` must outlive the check.
[[nodiscard]] healthz::Checker CacheAgeCheck(const Cluster& cluster, Duration most);

// Returns a check that fails while a cache does not show what the cluster's client (GetClient)
// wrote longer ago than `most`; its error names the cache. `cluster` must outlive the check.
[[nodiscard]] healthz::Checker WriteLagCheck(const Cluster& cluster, Duration most);

}  // namespace kinformer

#endif  // KINFORMER_CONTROLLER_CACHE_CHECKS_H_

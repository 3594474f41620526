// kinformer/data_consistency_detector.h
//
// NewDataConsistencyDetector: compares each complete watch-list with a LIST at the same version.
// For debugging a server whose watches seem to differ from its lists. It is a ListerWatcher around
// another.
//
//   SharedInformer<corev1::Pod> pods(
//       env, NewDataConsistencyDetector(env, NewListWatch<corev1::Pod>(client), {}));
//
// The environment variable KUBE_WATCHLIST_INCONSISTENCY_DETECTOR=true, read once, enables it for
// every informer and reflector of the process, as in client-go.

#ifndef KINFORMER_DATA_CONSISTENCY_DETECTOR_H_
#define KINFORMER_DATA_CONSISTENCY_DETECTOR_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/list_watch.h"
#include "kinformer/object_name.h"

namespace kinformer {

// Result of one comparison.
struct DataConsistencyReport {
  std::string resourceVersion{};  // of both
  std::size_t objects = 0;        // in the watch-list
  // Sorted.
  std::vector<ObjectName> only_watched{};
  std::vector<ObjectName> only_listed{};
  std::vector<ObjectName> different{};  // in uid, resourceVersion or anything else

  [[nodiscard]] bool Equal() const {
    return only_watched.empty() && only_listed.empty() && different.empty();
  }
};

// Callback for the results.
struct DataConsistencyOptions {
  // Called on the loop after each comparison. Must be quick.
  std::function<void(const DataConsistencyReport&)> on_checked{};
};

// A debugging aid: each watch-list costs a LIST from the server's storage, and the watched objects
// are kept in memory until it arrives. A difference is logged as an error with the names of the
// first objects, and counted in kinformer_watchlist_inconsistencies_total; it is not repaired and
// stops nothing.
//
// The LIST has the selectors of the watch-list, its version, and the match rule Exact. While it
// fails it is repeated each second, until the next watch-list, or until the server has discarded
// that version. Objects are compared as received from the server, before a transform. Objects that
// are unreadable in both are equal. Nothing is compared at version "0", or for requests with a
// continue token.
//
// Loop-confined, as any ListerWatcher. `env` must outlive it. Counterpart: client-go
// util/consistencydetector, which ends the process instead.
std::unique_ptr<ListerWatcher> NewDataConsistencyDetector(Env& env,
                                                          std::unique_ptr<ListerWatcher> of,
                                                          DataConsistencyOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_DATA_CONSISTENCY_DETECTOR_H_

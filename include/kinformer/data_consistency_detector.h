// kinformer/data_consistency_detector.h
//
// NewDataConsistencyDetector: for who suspects that a server tells watchers something else than it
// lists. A ListerWatcher that compares each watch-list, once it is complete, with a LIST at the
// same version.
//
//   SharedInformer<corev1::Pod> pods(
//       env, NewDataConsistencyDetector(env, NewListWatch<corev1::Pod>(client), {}));
//
// The environment variable KUBE_WATCHLIST_INCONSISTENCY_DETECTOR=true, read once, does the same to
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

// What a comparison has found.
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

// Whom to tell.
struct DataConsistencyOptions {
  // Called on the loop after each comparison. Must be quick.
  std::function<void(const DataConsistencyReport&)> on_checked{};
};

// A debugging aid: each watch-list costs a LIST that goes to the server's storage, and until that
// has come, what the watch-list said is kept. A difference is an error in the log that names the
// first objects, and counts in kinformer_watchlist_inconsistencies_total; nothing is mended, and
// nothing ends.
//
// The LIST has the selectors of the watch-list, its version, and the match rule Exact; it is
// repeated each second while it fails, until the next watch-list, or until the server says that it
// has forgotten the version. Objects are compared as they come from the server, before a transform.
// What is unreadable in both is equal. There is no comparison at version "0", nor where a request
// has a continue token.
//
// Loop-confined, as any ListerWatcher. `env` must outlive it. Counterpart: client-go
// util/consistencydetector, which ends the process instead.
std::unique_ptr<ListerWatcher> NewDataConsistencyDetector(Env& env,
                                                          std::unique_ptr<ListerWatcher> of,
                                                          DataConsistencyOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_DATA_CONSISTENCY_DETECTOR_H_

// controller/client/blocked_reads.h
//
// BlockedReads: whether a read through a cache that has not synced has to wait, and why the cache
// does not fill.

#ifndef KINFORMER_CONTROLLER_CLIENT_BLOCKED_READS_H_
#define KINFORMER_CONTROLLER_CLIENT_BLOCKED_READS_H_

#include <set>
#include <string>
#include <string_view>

#include "kinformer/env.h"
#include "kinformer/internal/informer_core.h"

#include "base/mutex.h"

namespace kinformer::internal::delegating {

// Thread-safe; blocks for a moment at most. `env` outlives it.
class BlockedReads {
 public:
  explicit BlockedReads(Env& env) : env_(env) {}

  // Whether the namespace is in the cache as a whole, or none of it ever will be: then a read of it
  // need not wait for the other namespaces.
  static bool NeedsNoWait(const InformerCore& informer, std::string_view namespace_);

  // Why the cache does not fill, with the remedy, where the server forbids its list or watch; empty
  // otherwise. Logs it once for each informer: a read without a deadline has no error to show.
  std::string_view WhyRefused(const InformerCore& informer);

 private:
  Env& env_;
  base::Mutex mutex_;
  std::set<std::string> logged_ KINFORMER_GUARDED_BY(mutex_);  // descriptions of informers
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_CLIENT_BLOCKED_READS_H_

// controller/delegating/blocked_reads.h
//
// BlockedReads: whether a read must wait for a cache that has not synced, and the reason why the
// cache does not sync.

#ifndef KINFORMER_CONTROLLER_DELEGATING_BLOCKED_READS_H_
#define KINFORMER_CONTROLLER_DELEGATING_BLOCKED_READS_H_

#include <set>
#include <string>
#include <string_view>

#include "kinformer/base/env.h"
#include "kinformer/internal/informer_core.h"

#include "base/core/mutex.h"

namespace kinformer::internal::delegating {

// Thread-safe; blocks for a moment at most. `env` outlives it.
class BlockedReads {
 public:
  explicit BlockedReads(Env& env) : env_(env) {}

  // Whether the namespace is completely in the cache or never will be: then a read of it need not
  // wait for other namespaces.
  static bool NeedsNoWait(const InformerCore& informer, std::string_view namespace_);

  // Returns the reason and the remedy if the server forbids the cache's list or watch; otherwise
  // empty. Logs it once per informer, since a read without a deadline returns no error.
  std::string_view WhyRefused(const InformerCore& informer);

 private:
  Env& env_;
  base::Mutex mutex_;
  std::set<std::string> logged_ KINFORMER_GUARDED_BY(mutex_);  // descriptions of informers
};

}  // namespace kinformer::internal::delegating

#endif  // KINFORMER_CONTROLLER_DELEGATING_BLOCKED_READS_H_

#include "controller/delegating/blocked_reads.h"

#include <memory>

#include "kinformer/base/log.h"
#include "kinformer/internal/indexer_core.h"

#include "cache/store/coverage.h"

namespace kinformer::internal::delegating {
namespace {

constexpr std::string_view kRefused =
    "a read through the cache lists and watches all of its kind, which the server forbids: grant "
    "list and watch, or set cached = false for it in SharedInformerFactoryOptions::by_resource, so "
    "that each read asks the server";

}  // namespace

bool BlockedReads::NeedsNoWait(const InformerCore& informer, std::string_view namespace_) {
  const std::shared_ptr<const SnapshotCore> snapshot = informer.indexer().SnapshotAsItIs();
  const cache::Coverage* const coverage = snapshot->coverage();
  if (coverage == nullptr) return false;
  return coverage->IsComplete(namespace_) ||
         (!namespace_.empty() && !coverage->Includes(namespace_));
}

std::string_view BlockedReads::WhyRefused(const InformerCore& informer) {
  const NotSynced why = informer.WhyNotSynced();
  if (!why.last_error.has_value() || why.last_error->http_status() != 403) return {};
  const std::string& name = informer.Describe();
  {
    const base::MutexLock lock(mutex_);
    if (!logged_.insert(name).second) return kRefused;
  }
  env_.log().Log(LogLevel::kWarning, "a read waits for a cache that does not fill",
                 {{"informer", name}, {"why", std::string(kRefused)}});
  return kRefused;
}

}  // namespace kinformer::internal::delegating

// cache/informer/informer_context.h
//
// InformerContext: what an informer gives to its parts.

#ifndef KINFORMER_CACHE_INFORMER_INFORMER_CONTEXT_H_
#define KINFORMER_CACHE_INFORMER_INFORMER_CONTEXT_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>

#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/informer_core.h"

#include "cache/apply/informer_controller.h"
#include "cache/apply/part_positions.h"
#include "cache/delivery/handler_set.h"
#include "cache/delivery/processor.h"
#include "cache/figures/informer_metrics.h"
#include "cache/figures/informer_observers.h"
#include "cache/informer/informer_statuses.h"
#include "cache/informer/last_seen_versions.h"
#include "cache/store/store_core.h"
#include "cache/watch/reflector_status.h"

namespace kinformer::internal::cache {

enum class InformerStage : std::uint8_t { kCreated, kRunning, kStopped };

// References into an informer, which outlives its parts. The references never change; what is
// behind those that are not const does, on the loop.
struct InformerContext {
  // The informer, as its parts see it. Called on the loop.
  class Owner {
   public:
    // The first list of everything is in the store.
    virtual void OnSynced() = 0;
    // More is left out than the policy permits.
    virtual void OnUnsynced() = 0;
    virtual void OnCommitted() = 0;
    // Returns the ListerWatcher of a place; "": of all. Null with the error in `status` if none.
    [[nodiscard]] virtual std::unique_ptr<ListerWatcher> NewListerWatcher(
        const std::string& place, ReflectorStatus& status) = 0;
    // The same for Namespaces, with the error in the informer's status.
    [[nodiscard]] virtual std::unique_ptr<ListerWatcher> NewNamespacesListerWatcher() = 0;
    // Returns the transform that the program has set; empty: none.
    [[nodiscard]] virtual RawTransform Transform() const = 0;

   protected:
    ~Owner() = default;
  };

  // Returns the position of a namespace; "": of the whole store. Thread-safe.
  [[nodiscard]] StorePosition PositionOf(std::string_view namespace_) const;
  // Thread-safe.
  [[nodiscard]] bool Is(InformerStage s) const {
    return state.load(std::memory_order_acquire) == s;
  }

  Env& env;
  const std::string& describe;
  const std::string& metrics_name;
  const InformerSettings& settings;
  // Namespaces that it lists separately, and kOtherNamespaces for the rest. Empty: a single list of
  // all that its ListerWatcher covers.
  const std::set<std::string, std::less<>>& places;
  const bool namespaced;  // the kind has namespaces
  const std::atomic<InformerStage>& state;
  StoreCore& store;
  InformerMetrics* const metrics;  // null: none
  const std::shared_ptr<InformerObservers>& observers;
  PipelineCounters& counters;
  InformerStatuses& statuses;
  PartPositions& positions;
  LastSeenVersions& last_seen;
  HandlerSet& handlers;
  Processor& processor;
  const bool& ever_synced;
  Owner& owner;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INFORMER_CONTEXT_H_

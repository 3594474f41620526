#include "cache/pipeline/informer_life.h"

#include <utility>

#include "kinformer/internal/block_builder.h"

#include "base/deadline.h"
#include "cache/pipeline/data_consistency_detector.h"
#include "cache/pipeline/informer_impl.h"

namespace kinformer::internal::cache {
namespace {

// The user's transform, after the entry options where the lister watcher does not see to these.
RawTransform TransformOf(const InformerCore::Impl& informer, ListerWatcher& lister_watcher) {
  RawTransform transform = informer.Functions().transform;
  const EntryOptions entry = EntryOptionsOf(informer.settings);
  if (entry.IsDefault() || lister_watcher.SetEntryOptions(entry)) return transform;
  return [entry, transform = std::move(transform)](const ObjectRef& object) -> Result<ObjectRef> {
    Result<ObjectRef> built = RebuildBlock(*object, BuildOptionsOf(entry));
    return built && transform ? transform(*std::move(built)) : std::move(built);
  };
}

InformerControllerOptions ControllerOptionsOf(InformerCore::Impl& informer,
                                              ListerWatcher& lister_watcher,
                                              std::function<void(bool)> congested,
                                              std::function<void()> relist,
                                              std::function<void()> listed,
                                              std::function<void()> renamed) {
  const InformerSettings& settings = informer.settings;
  InformerControllerOptions options;
  options.name = informer.describe;
  options.queue = settings.queue;
  options.uid_change_is_update = settings.uid_change_is_update;
  options.ever_synced = informer.ever_synced;
  options.max_queued_bytes = settings.max_queued_bytes;
  options.scope = ScopeOf(lister_watcher.Scope());
  options.transform = TransformOf(informer, lister_watcher);
  options.trace = settings.trace;
  options.metrics = informer.metrics.get();
  options.synced = [&informer] { informer.OnSynced(); };
  options.epoch = [&informer] { return informer.reflector_status.epochs(); };
  options.committed = [&informer] { informer.OnCommitted(); };
  options.congested = std::move(congested);
  options.relist = std::move(relist);
  options.listed = std::move(listed);
  options.renamed = std::move(renamed);
  return options;
}

ReflectorOptions ReflectorOptionsOf(const InformerCore::Impl& informer) {
  const InformerSettings& settings = informer.settings;
  ReflectorOptions options;
  options.name = informer.describe;
  options.use_watch_list = settings.initial_list == InitialList::kWatchList;
  options.watch_list_page_size = settings.watch_list_page_size;
  options.min_watch_timeout = settings.min_watch_timeout;
  options.metrics = informer.metrics.get();
  options.resync_period = informer.handlers.ResyncCheckPeriod();
  return options;
}

}  // namespace

InformerLife::InformerLife(InformerCore::Impl& informer,
                           std::unique_ptr<ListerWatcher> lister_watcher)
    : lister_watcher_(DetectingIfAsked(informer.env, std::move(lister_watcher))),
      contained_(informer.env, *lister_watcher_),
      controller_(informer.env, *informer.store, informer.processor, informer.counters,
                  ControllerOptionsOf(
                      informer, contained_,
                      [this](bool congested) {
                        // Only what the reflector brings makes it so.
                        congested ? reflector_.Pause() : reflector_.Resume();
                      },
                      [this] { reflector_.Relist(); }, [this] { checker_.Listed(); },
                      [this] { checker_.Distrust(); })),
      checker_(informer.env, contained_, *informer.store, informer.counters,
               {.name = informer.describe,
                .period = informer.settings.consistency_check_period,
                .exact = [this] { return controller_.StoreIsExact(); },
                .relist = [this] { reflector_.Relist(); },
                .metrics = informer.metrics.get()}),
      reflector_(informer.env, contained_, controller_, informer.reflector_status,
                 ReflectorOptionsOf(informer)) {
  reflector_.SetLastSyncResourceVersion(informer.store->ResourceVersion());
  reflector_.Start();
  ArmRelist(informer.env, informer.settings.relist_period);
}

void InformerLife::ArmRelist(Env& env, Duration period) {
  if (period <= Duration(0)) return;
  relist_timer_ = env.loop().RunAt(base::After(env.Now(), period), [this, &env, period] {
    // Nothing where a list is due or under way.
    reflector_.Relist();
    ArmRelist(env, period);
  });
}

}  // namespace kinformer::internal::cache

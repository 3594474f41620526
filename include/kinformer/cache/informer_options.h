// kinformer/cache/informer_options.h
//
// Options and statistics of informers and handlers that do not depend on the object's type.
//
// Metrics, if the Env has an enabled sink (otherwise they cost nothing), under client-go's names
// where client-go has them. The label `name` is the informer's name; for informers of one name,
// counts and gauges are added up.
//   reflector_lists_total, _list_duration_seconds, _items_per_list     begun; time and size
//   reflector_watches_total, _short_watches_total                      opened; over at once
//   reflector_watch_duration_seconds, _items_per_watch                 of watches that have ended
//   reflector_last_resource_version, informer_store_resource_version   received; applied
//   informer_queued_items, informer_queued_bytes                       between reflector and store
//   informer_processing_latency_seconds                                of a batch or a list
//   informer_store_objects, informer_store_bytes                       in the store
//   informer_left_out_objects                                          as in InformerStats
//   informer_snapshots, _snapshot_bytes, _oldest_snapshot_seconds      as in snapshot_stats.h
//   reflector_errors_total, reflector_epochs_total, informer_gaps_total  as in InformerStats
//   reflector_refusals_total, reflector_watch_lists_total              as in InformerStats
//   informer_consistency_checks_total, informer_inconsistencies_total  as in InformerStats
//   informer_last_progress_timestamp_seconds    of the wall clock, where InformerStatus has an age
// With an additional label `namespace`, for informers whose options name the namespaces
// (`namespaces`, or those of `if_forbidden`):
//   informer_namespace_last_progress_timestamp_seconds
// The watch on Namespaces that some informers need (IfForbidden::watch_namespaces) has the
// informer's name followed by ", namespaces".
// With an additional label `handler`, the name in HandlerOptions; handlers without a name share the
// empty label:
//   informer_handler_waiting_events, _waiting_bytes                    live events that wait
//   informer_handler_delivered_total, _coalesced_total, _dropped_total

#ifndef KINFORMER_CACHE_INFORMER_OPTIONS_H_
#define KINFORMER_CACHE_INFORMER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/time_span.h"
#include "kinformer/cache/index.h"
#include "kinformer/cache/namespace_scope.h"
#include "kinformer/internal/callable.h"
#include "kinformer/object/entry_options.h"
#include "kinformer/object/field_selector.h"
#include "kinformer/object/label_selector.h"
#include "kinformer/object/projection.h"
#include "kinformer/object/shard_selector.h"
#include "kinformer/object/validation.h"

namespace kinformer {

template <class T>
class Ref;  // ref.h

// Policy for a handler that is slower than the events, once its queue is full.
enum class OverflowPolicy : std::uint8_t {
  // Merges the pending events of each object: add+update = add, add+delete = nothing, update+delete
  // = delete, delete+add = update, or both if the uids differ; at the place of the newest event. A
  // list that arrives while an earlier one is pending is merged with it and the events in between.
  kCoalesce,
  // Skips nothing: this informer waits for the handler, and so does its store. Beyond the
  // informer's byte budget the watch is closed; it resumes where it stopped.
  kBlock,
  // Drops all pending events; the handler then gets the difference between the state that it knows
  // and the store.
  kDropAndResync,
};

// Policy for pending events of a handler when its informer stops.
enum class AtStop : std::uint8_t {
  // Keeps them undelivered; they are delivered if the informer starts again. The default.
  kDiscard,
  // Delivers them: everything that is in the store by then. Stop still returns at once. Run, the
  // factory's Shutdown and the release of the last handle wait until all are delivered.
  kDrain,
};

// Method to get the first list. Counterpart: client-go's feature gate WatchListClient.
enum class InitialList : std::uint8_t {
  // A watch that begins with the existing objects; the default. If the server does not support it,
  // LIST is used at once, and for the following hour (ListerWatcher::WatchListDeclined).
  kWatchList,
  kList,
};

// Storage format of objects in the store.
enum class Compression : std::uint8_t {
  kNone,
  // Compresses with zstd, with a dictionary that is trained on the first list (of 128 objects or
  // more; a smaller one stays uncompressed). Memory falls to a third or less. Each read of an
  // object by key or from a Snapshot takes one or two microseconds to unpack it, into memory that
  // belongs to the Ref or the Snapshot; each write takes two more; the dictionary takes 140 KB. For
  // large caches that are read rarely.
  kZstd,
};

// Policy for an informer whose cache is full: see max_objects, max_bytes.
enum class LimitPolicy : std::uint8_t {
  // Not synced while objects are left out: HasSynced is false, WaitForCacheSync waits and reports
  // the reason (with fail_fast it fails), lists are kNotSynced. Delivered events stay valid.
  kNotSynced,
  // Synced with the objects that it has: lists contain what fits. Set it if the program works with
  // an incomplete cache.
  kServePart,
};

// A step of an event through the pipeline, for tracing.
struct TraceEvent {
  // "reflector" (received), "delta fifo" (queued), "store" (applied), "listener" (handler called).
  std::string_view stage;
  std::string_view type;  // "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "REPLACED", "SYNC"
  std::string_view key;   // empty if the event does not concern one object
  std::string_view resourceVersion;
  // delta fifo: queued entries, this one included. listener: pending events. store: its objects.
  // reflector, with type REPLACED and no key: objects in the list.
  std::size_t depth = 0;
  std::string_view listener{};  // the handler's name
  // True for a list or one of its objects: they pass the reflector as they arrive, the queue as one
  // entry, and the store if they are new to it. For a listener: an object that existed when it was
  // registered.
  bool in_list = false;
};

namespace internal {
struct TraceWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(kFits, "trace is called with each step: [](const TraceEvent& step) { ... }");
  }
};
struct TypedTransformWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(
        kFits,
        "a transform of a kind is called with a const Ref<T>& and gives a Result<Ref<T>>: "
        "[](const Ref<corev1::Pod>& pod) -> Result<Ref<corev1::Pod>> { auto change = "
        "pod->DeepCopy(); ...; return WithContent(pod, change); }");
  }
};
struct WatchErrorWords {
  template <bool kFits>
  static constexpr void Explain() {
    static_assert(
        kFits,
        "a handler of watch errors is called with the error alone: [](const Error& error) { ... }");
  }
};
}  // namespace internal

// Callback for each step.
using TraceFunc = internal::Callable<void(const TraceEvent& event), internal::TraceWords>;
// Function that returns the object to store in place of the received one: see
// SharedInformer::SetTransform and TransformOf. Counterpart: cache.TransformFunc.
template <class T>
using TypedTransformFunc =
    internal::Callable<Result<Ref<T>>(const Ref<T>& object), internal::TypedTransformWords>;
// Callback for each failed attempt to list or watch. Counterpart:
// cache.WatchErrorHandler.
using WatchErrorHandler = internal::Callable<void(const Error& error), internal::WatchErrorWords>;

// Options of one handler: its name, resyncs, and queue limits.
struct HandlerOptions {
  std::string name{};  // in logs and metrics; empty: "handler-1", ...
  // Interval at which all cached objects are delivered again as updates. Empty: the informer's
  // default. 0: never. At least 1 s, and at least the informer's own period once it runs.
  std::optional<TimeSpan> resync_period{};
  OverflowPolicy overflow{OverflowPolicy::kCoalesce};
  std::size_t max_events{4096};  // limit of pending live events; more: `overflow`
  // Limit for the memory of objects that only this queue keeps alive.
  std::size_t max_bytes{std::size_t{16} << 20};
  AtStop at_stop{AtStop::kDiscard};
};

// Statistics of one handler; members may be read moments apart.
struct HandlerStats {
  std::string name{};
  std::uint64_t delivered = 0;
  // Pending live events, without those that a list or resync still has to deliver.
  std::size_t waiting = 0;
  std::size_t waiting_bytes = 0;
  std::uint64_t coalesced = 0;
  std::uint64_t dropped = 0;
  std::uint64_t exceptions = 0;
  Duration longest_callback{0};
  Duration callback_age{0};  // of the running callback; 0: none runs
  Duration behind_for{0};    // time since it was last caught up; 0: it is now
  bool synced = false;
};

// Activity of an informer. In the last four states it waits, for InformerStatus::retry_in.
enum class InformerState : std::uint8_t {
  kNotStarted,
  kListing,   // a LIST or a watch-list is running
  kWatching,  // a watch that ended regularly is reopened at once
  kPaused,    // the watch is closed because a handler blocks (OverflowPolicy::kBlock)
  kStopped,
  kBackingOff,  // after a failed attempt, or before a relist
  kRefused,     // the server asked to wait: 429, or 5xx with Retry-After
  kForbidden,   // 401 or 403
  kAbsent,      // 404: the server does not have the resource; its CRD may be missing
};
// Returns "listing", "backing off", ...
[[nodiscard]] std::string_view ToString(InformerState state);

// State of listing and watching. An informer of several namespaces reports the namespace in the
// worst state, with the oldest progress; SharedInformer::Namespaces has all.
struct InformerStatus {
  InformerState state{};
  Duration state_age{0};               // time since it entered the state
  std::optional<Duration> retry_in{};  // time until the next attempt, in states that wait
  std::optional<Error> error{};        // empty: the last attempt succeeded and its watch works
  [[nodiscard]] std::string ErrorText() const { return error ? error->ToString() : ""; }
  // Time since the server last confirmed that the received state is complete: by the end of a list
  // (counted from its request), an event or bookmark of the watch, or an answer that the version is
  // still the newest. Empty before the first list. Queued changes are not in the store yet. A quiet
  // watch gets a bookmark about every minute.
  std::optional<Duration> progress_age{};
  // Number of times that the server went back in time (it was restored from a backup), and the time
  // since the last. The whole cache is then compared with a list, whatever the versions.
  std::uint64_t epochs = 0;
  std::optional<Duration> epoch_age{};
};

// State of one namespace of an informer that watches several.
struct NamespaceStatus {
  std::string namespace_{};  // empty: all namespaces without an entry
  // True if its first list is in the store, and no object is left out that must not be.
  bool synced = false;
  std::size_t objects = 0;
  std::size_t left_out = 0;       // as in InformerStats
  std::string resourceVersion{};  // that the store has reached
  InformerStatus status{};
};

// Statistics of an informer; members may be read moments apart.
struct InformerStats {
  std::size_t objects = 0;
  std::size_t object_bytes = 0;
  std::size_t unreadable = 0;  // existing objects with malformed bytes
  std::size_t left_out = 0;    // existing objects that did not fit (max_objects, max_bytes)
  std::uint64_t added = 0;     // changes of the store, by kind; lists included
  std::uint64_t modified = 0;
  std::uint64_t deleted = 0;
  std::uint64_t unchanged = 0;  // received in a known state or an older one: not applied
  std::uint64_t bookmarks = 0;
  // Completed lists. The first of either kind is the initial one, the rest are relists.
  std::uint64_t lists = 0;        // LIST
  std::uint64_t watch_lists = 0;  // watches that began with the existing objects
  [[nodiscard]] std::uint64_t AllLists() const { return lists + watch_lists; }
  std::uint64_t watches = 0;             // opened; a watch-list counts once its list is complete
  std::uint64_t errors = 0;              // failed attempts to list or watch
  std::uint64_t refusals = 0;            // errors by which the server asked to wait
  std::uint64_t gaps = 0;                // events showing that earlier ones are missing
  std::uint64_t consistency_checks = 0;  // completed; see consistency_check_period
  std::uint64_t inconsistencies = 0;     // checks that found, and repaired, a difference
  std::size_t queued = 0;                // entries between reflector and store
  std::size_t queued_bytes = 0;
  std::uint64_t delivered = 0;  // to all handlers
  std::uint64_t coalesced = 0;
  std::uint64_t dropped = 0;
  std::uint64_t handler_exceptions = 0;
  std::size_t handlers = 0;
  std::string resourceVersion{};  // of the store
  InformerStatus status{};
};

// Limits of WaitForCacheSync.
struct SyncWaitOptions {
  std::optional<TimeSpan> timeout{};
  // Fails at the first error that waiting does not cure: forbidden, unauthorized, not found, other
  // permanent 4xx errors, and a full cache (max_objects, max_bytes). Off by default, as in
  // client-go: a CRD may be created later.
  bool fail_fast{false};
};

// Options of an informer. Counterpart: cache.SharedIndexInformerOptions, cache.InformerOptions.
template <class T>
struct InformerOptions {
  Indexers<T> indexers{};  // in addition to "namespace", which every informer has
  // Name in logs and metrics; empty: the listed collection, "pods in namespace default".
  std::string name{};
  // Interval at which cached objects are redelivered to handlers without their own; 0: never.
  TimeSpan resync_period{};
  InitialList initial_list{InitialList::kWatchList};
  // Delivers OnUpdate if an object's uid changed while the watch was down, as in client-go. False:
  // OnDelete (tombstone), then OnAdd.
  bool uid_change_is_update{false};
  std::int64_t watch_list_page_size{0};  // of lists; 0: client-go's rules
  TimeSpan min_watch_timeout{};          // at least 5 min
  // Limit for the queue between reflector and store, beyond which the watch is closed (see
  // OverflowPolicy::kBlock). Several namespaces share it equally.
  std::size_t max_queued_bytes{std::size_t{64} << 20};
  // Called for every step of every event, on the loop or on a handler's thread. Must be quick and
  // thread-safe.
  TraceFunc trace{};
  // Namespace to watch; empty: the factory's, or all. Ignored if the informer is given a
  // ListerWatcher.
  std::string namespace_{};
  // Several namespaces in one cache, in addition to namespace_ if that is set. Each is listed and
  // watched separately, so that no cluster-wide permission is needed. The informer is synced when
  // all of them are; reads of one namespace depend on that one only. Empty: the factory's. If the
  // informer is given a ListerWatcher, which has one scope only, this is logged as an error.
  std::vector<std::string> namespaces{};
  // Fallback if the server forbids listing all namespaces. Otherwise as `namespaces`.
  IfForbidden if_forbidden{};
  // Selectors of cached objects, applied by the server; all objects by default. The factory's
  // selectors (factory_options.h) apply too: an object must match both. If the informer is given a
  // ListerWatcher, which has its own selectors, this is logged as an error.
  LabelSelector label_selector{};
  FieldSelector field_selector{};
  // Selects one of several equal parts of the objects, by a hash: replicas of a program share them.
  // Empty: the resource's (factory_options.h), or all. A ListerWatcher of the program has its own.
  ShardSelector shard_selector{};
  // Removes metadata.managedFields, which is a third of many objects and rarely read. It is skipped
  // in the received bytes, before memory is allocated. The objects do not count as partial: on
  // update the server keeps an object's managedFields. False: the factory's setting.
  bool drop_managed_fields{false};
  // Fields to keep. Empty: the factory's.
  Projection projection{};
  Validation validation{Validation::kShallow};
  // Limit for one object; larger ones are unreadable.
  std::size_t max_object_bytes{kDefaultMaxObjectBytes};
  Compression compression{Compression::kNone};
  // Limits of the cache: number of objects, and their bytes, as InformerStats counts `objects` and
  // `object_bytes`; 0: no limit. They hold during a list too. Not included: old versions that
  // snapshots and handlers keep, the table (some 60 bytes per object), indexes, and eight bytes for
  // each object that is left out.
  //
  // Cached objects are not evicted: a new object that does not fit is left out, and one that has
  // grown too large is removed (handlers get a deletion, with final_state_unknown). Get of such a
  // key is kOverLimit, not kNotFound. An object that changes when there is room is added; when a
  // good part of the limit is free, everything is listed again, at most once a minute, then less
  // often. The log reports once when this begins and when it ends. Several namespaces in one cache
  // share the limit: first come, first served; what one of them frees is offered in turn to those
  // that have left objects out.
  std::size_t max_objects{0};
  std::size_t max_bytes{0};
  LimitPolicy limit_policy{LimitPolicy::kNotSynced};
  // Interval at which the cache is compared with the server, for differences that no event shows: a
  // server restored from a backup that has overtaken this cache does not report them. Compares
  // keys, uids and resourceVersions with a metadata-only LIST at the cache's version. A difference
  // found twice is logged with its keys, counted, and repaired by a relist, all within the period.
  //
  // A cache of up to 10,000 objects is compared as a whole, in pages of 2,500; a larger one by four
  // pages a period, alternately over all objects and over a randomly chosen namespace. If the
  // server refuses that LIST, the check pauses for half an hour; this is logged once. Disabled
  // without ListMetadata, and for transforms that change names, uids or versions. 0: never.
  TimeSpan consistency_check_period{std::chrono::minutes(1)};
  // Interval at which everything is listed again, and handlers get the differences; 0: never, the
  // default, since watches miss nothing and losses are found without it (gaps, epochs, the check
  // above). A relist asks the server and repairs the cache; handlers get differences only. A resync
  // (resync_period) does not ask the server and repairs handlers: it delivers the cache again.
  TimeSpan relist_period{};
  // Treats a missing resource (404), such as a custom resource whose definition was not created, as
  // listed and empty: WaitForCacheSync does not wait for it, and Get is kNotFound. For programs
  // that work without it. When it appears, its objects are delivered as OnAdd within seconds, not
  // as initial objects. When it disappears, its objects are removed half a minute later, as always,
  // and the cache is then empty instead of kNotSynced. Off: a missing resource is not known to be
  // empty, since it may appear later.
  bool absent_is_empty{false};
};

namespace internal {

// Options of an informer without its type, from which its core is made.
using InformerSettings = InformerOptions<const Block*>;

// Returns all options but the indexers. Does not compile until a new option is named here too.
template <class T>
InformerSettings SettingsOf(InformerOptions<T> options) {
  auto& [indexers, name, resync_period, initial_list, uid_change_is_update, watch_list_page_size,
         min_watch_timeout, max_queued_bytes, trace, namespace_, namespaces, if_forbidden,
         label_selector, field_selector, shard_selector, drop_managed_fields, projection,
         validation, max_object_bytes, compression, max_objects, max_bytes, limit_policy,
         consistency_check_period, relist_period, absent_is_empty] = options;
  return {.indexers = {},
          .name = std::move(name),
          .resync_period = resync_period,
          .initial_list = initial_list,
          .uid_change_is_update = uid_change_is_update,
          .watch_list_page_size = watch_list_page_size,
          .min_watch_timeout = min_watch_timeout,
          .max_queued_bytes = max_queued_bytes,
          .trace = std::move(trace),
          .namespace_ = std::move(namespace_),
          .namespaces = std::move(namespaces),
          .if_forbidden = std::move(if_forbidden),
          .label_selector = std::move(label_selector),
          .field_selector = std::move(field_selector),
          .shard_selector = std::move(shard_selector),
          .drop_managed_fields = drop_managed_fields,
          .projection = std::move(projection),
          .validation = validation,
          .max_object_bytes = max_object_bytes,
          .compression = compression,
          .max_objects = max_objects,
          .max_bytes = max_bytes,
          .limit_policy = limit_policy,
          .consistency_check_period = consistency_check_period,
          .relist_period = relist_period,
          .absent_is_empty = absent_is_empty};
}

inline EntryOptions EntryOptionsOf(const InformerSettings& settings) {
  return {settings.drop_managed_fields, settings.projection, settings.validation,
          settings.max_object_bytes};
}

}  // namespace internal

}  // namespace kinformer

#endif  // KINFORMER_CACHE_INFORMER_OPTIONS_H_

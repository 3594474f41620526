// kinformer/informer_options.h
//
// The options and the figures of informers and handlers that do not depend on the object's type.
//
// Metrics, where the Env has a sink that is enabled (else nothing is counted for them), under
// client-go's names where it has them. The label `name` is the informer's; informers of one name
// are counted together and their gauges added up.
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
// With a label `namespace` besides, of informers whose options name the namespaces (`namespaces`,
// or those of `if_forbidden`):
//   informer_namespace_last_progress_timestamp_seconds
// What an informer needs to know which Namespaces there are (IfForbidden::watch_namespaces) is told
// of under its name and ", namespaces".
// With a label `handler` besides, the name that HandlerOptions gives; handlers without one share
// the empty label:
//   informer_handler_waiting_events, _waiting_bytes                    live events that wait
//   informer_handler_delivered_total, _coalesced_total, _dropped_total

#ifndef KINFORMER_INFORMER_OPTIONS_H_
#define KINFORMER_INFORMER_OPTIONS_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/entry_options.h"
#include "kinformer/env.h"
#include "kinformer/error.h"
#include "kinformer/field_selector.h"
#include "kinformer/index.h"
#include "kinformer/internal/callable.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/label_selector.h"
#include "kinformer/namespace_scope.h"
#include "kinformer/projection.h"
#include "kinformer/validation.h"

namespace kinformer {

template <class T>
class Ref;  // ref.h

// The queue between reflector and store.
enum class QueueKind : std::uint8_t {
  // Events are applied in the order received, a relist in one step. client-go's RealFIFO; the
  // default.
  kInOrder,
  // Events are collected per key, keys in the order of their first event. client-go's classic
  // DeltaFIFO.
  kDeltaFIFO,
};

// What a handler gets that is slower than the events, once its queue is full.
enum class OverflowPolicy : std::uint8_t {
  // Per object the net effect of what waits: add+update = add, add+delete = nothing, update+delete
  // = delete, delete+add = update, or both where the uids differ; in the place of the newest event.
  // A list that finds an earlier one still waiting joins it, with the events between them.
  kCoalesce,
  // Nothing is skipped: this informer waits for the handler, its store included. Past the
  // informer's byte budget the watch is closed; it resumes where it was.
  kBlock,
  // What waits is dropped; the handler then gets the difference between the state it knows and the
  // store.
  kDropAndResync,
};

// What becomes of the events that wait for a handler when its informer stops.
enum class AtStop : std::uint8_t {
  // They are not delivered; should the informer start again, they are then. The default.
  kDiscard,
  // They are: all that is in the store by then. Stop returns at once, as ever. Run, the factory's
  // Shutdown and the end of the last handle wait until the handler has had them.
  kDrain,
};

// How the first list is fetched. Counterpart: client-go's feature gate WatchListClient.
enum class InitialList : std::uint8_t {
  // As a watch that starts with what there is; the default. Where the server cannot do that, it is
  // a LIST, at once for the hour that follows (ListerWatcher::WatchListDeclined).
  kWatchList,
  kList,
};

// How the store keeps its objects.
enum class Compression : std::uint8_t {
  kNone,
  // Under zstd, with a dictionary that is trained on the first list (from 128 objects on; fewer
  // stay as they are). Memory falls to a third or less. Each read of an object by key or out of a
  // Snapshot takes a microsecond or two to unpack it, into memory that the Ref or the Snapshot
  // owns; each write takes two more; the dictionary takes 140 KB. For caches that are large and
  // looked into rarely.
  kZstd,
};

// What an informer is worth that has no room for all objects: max_objects, max_bytes.
enum class LimitPolicy : std::uint8_t {
  // It is not synced while one is left out: HasSynced is false, WaitForCacheSync waits and says
  // why (with fail_fast it ends), lists are kNotSynced. What has been told handlers stays true.
  kNotSynced,
  // It is synced, and serves what it has: a list is what there is room for. The user says that what
  // is missing may be missing.
  kServePart,
};

// One step of one event through the pipeline, for tracing.
struct TraceEvent {
  // "reflector" (received), "delta fifo" (queued), "store" (applied), "listener" (handler called).
  std::string_view stage;
  std::string_view type;  // "ADDED", "MODIFIED", "DELETED", "BOOKMARK", "REPLACED", "SYNC"
  std::string_view key;   // empty where the event is not about one object
  std::string_view resourceVersion;
  // delta fifo: entries queued, this one included. listener: events waiting. store: objects in it.
  // reflector, with type REPLACED and no key: objects in the list.
  std::size_t depth = 0;
  std::string_view listener{};  // the handler's name
  // A list, or one of its objects: they pass the reflector as they arrive, the queue in one piece,
  // and the store unless it has them already. For a listener: part of what was there when it
  // joined.
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

// A function that is told of each step.
using TraceFunc = internal::Callable<void(const TraceEvent& event), internal::TraceWords>;
// A function that says what is kept of an object of one kind: see SharedInformer::SetTransform and
// TransformOf. Counterpart: cache.TransformFunc.
template <class T>
using TypedTransformFunc =
    internal::Callable<Result<Ref<T>>(const Ref<T>& object), internal::TypedTransformWords>;
// A function that is told of each attempt to list or watch that fails. Counterpart:
// cache.WatchErrorHandler.
using WatchErrorHandler = internal::Callable<void(const Error& error), internal::WatchErrorWords>;

// How one handler is served: its name, its resyncs, and what happens when it is slow.
struct HandlerOptions {
  std::string name{};  // in logs and metrics; empty: "handler-1", ...
  // Redelivers all cached objects as updates this often. Empty: the informer's default. 0: never.
  // At least 1 s, and not less than the informer's own period once that runs.
  std::optional<internal::TimeSpan> resync_period{};
  OverflowPolicy overflow{OverflowPolicy::kCoalesce};
  std::size_t max_events{4096};  // live events that wait as they happened; more: `overflow`
  // Of the objects that only this queue keeps in memory.
  std::size_t max_bytes{std::size_t{16} << 20};
  AtStop at_stop{AtStop::kDiscard};
};

// A snapshot; the figures may be moments apart.
struct HandlerStats {
  std::string name{};
  std::uint64_t delivered = 0;
  // Live events; what a list or resync still has to deliver is not counted.
  std::size_t waiting = 0;
  std::size_t waiting_bytes = 0;
  std::uint64_t coalesced = 0;
  std::uint64_t dropped = 0;
  std::uint64_t exceptions = 0;
  Duration longest_callback{0};
  Duration callback_age{0};  // of the callback that is running; 0: none is
  Duration behind_for{0};    // since when something has been waiting or running; 0: caught up
  bool synced = false;
};

// What an informer is doing. The last five wait, until InformerStatus::retry_in is over.
enum class InformerState : std::uint8_t {
  kNotStarted,
  kListing,   // a LIST or a watch-list is under way
  kWatching,  // follows the changes; a watch that ended as agreed is opened again at once
  kPaused,    // the watch is closed because a handler holds everything up (OverflowPolicy::kBlock)
  kStopped,
  kBackingOff,  // after an attempt that failed, or before a relist
  kRefused,     // the server asks to wait: 429, or 5xx with Retry-After
  kForbidden,   // 401 or 403
  kAbsent,      // 404: the server does not have the resource; its CRD may be missing
};
// "listing", "backing off", ...
[[nodiscard]] std::string_view ToString(InformerState state);

// How listing and watching goes, as data. Of an informer that looks at several namespaces: that of
// the one that is worst off, with the oldest progress; SharedInformer::Namespaces has each.
struct InformerStatus {
  InformerState state{};
  Duration state_age{0};               // for how long it has been in that state
  std::optional<Duration> retry_in{};  // the states that wait: from now on; 0: at once
  std::optional<Error> error{};        // empty: the last attempt succeeded, and its watch holds
  [[nodiscard]] std::string ErrorText() const { return error ? error->ToString() : ""; }
  // How old the last word from the server is that what came until then is all there is: the end of
  // a list (its age is counted from when it was asked for), an event or a bookmark of the watch, or
  // an answer that says that the version is still the newest. Empty before the first list. What
  // waits in the queue is not in the store yet. A quiet watch gets a bookmark about every minute.
  std::optional<Duration> progress_age{};
  // How often the server went back in time (it was restored from a backup), and the age of the last
  // time. All that was cached before is compared with a list then, whatever its versions say.
  std::uint64_t epochs = 0;
  std::optional<Duration> epoch_age{};
};

// How listing and watching one namespace goes, of an informer that looks at several.
struct NamespaceStatus {
  std::string namespace_{};  // empty: all that have no entry of their own
  // Its first list is in the store, and nothing of it is left out that may not be.
  bool synced = false;
  std::size_t objects = 0;
  std::size_t left_out = 0;       // as in InformerStats
  std::string resourceVersion{};  // up to which the store has this namespace
  InformerStatus status{};
};

// A snapshot; the figures may be moments apart.
struct InformerStats {
  std::size_t objects = 0;
  std::size_t object_bytes = 0;
  std::size_t unreadable = 0;  // objects that are there but malformed
  std::size_t left_out = 0;    // objects that are there but found no room (max_objects, max_bytes)
  std::uint64_t added = 0;     // applied to the store, by kind; lists included
  std::uint64_t modified = 0;
  std::uint64_t deleted = 0;
  std::uint64_t unchanged = 0;  // came again as it was, or as it had been: not applied
  std::uint64_t bookmarks = 0;
  // Completed. The first of either kind is the initial list, the rest are relists.
  std::uint64_t lists = 0;        // LIST
  std::uint64_t watch_lists = 0;  // watches that began with what there is
  [[nodiscard]] std::uint64_t AllLists() const { return lists + watch_lists; }
  std::uint64_t watches = 0;             // opened; a watch-list is one once its list is complete
  std::uint64_t errors = 0;              // failed attempts to list or watch
  std::uint64_t refusals = 0;            // those of them where the server asked to wait
  std::uint64_t gaps = 0;                // events that showed that others before them are missing
  std::uint64_t consistency_checks = 0;  // completed; see consistency_check_period
  std::uint64_t inconsistencies = 0;     // those of them that found a difference, which was healed
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

// How long WaitForCacheSync may take.
struct SyncWaitOptions {
  std::optional<internal::TimeSpan> timeout{};
  // Return at the first error that waiting does not cure: forbidden, unauthorized, not found, and
  // what else of 4xx is not a matter of time; and a cache that is full (max_objects, max_bytes).
  // Off, as in client-go: a CRD may yet be created.
  bool fail_fast{false};
};

// Everything has a default. Counterpart: cache.SharedIndexInformerOptions, cache.InformerOptions.
template <class T>
struct InformerOptions {
  Indexers<T> indexers{};  // beside "namespace", which every informer has
  // In logs and metrics; empty: what it lists, "pods in namespace default".
  std::string name{};
  // Redelivers what is cached this often to handlers that do not say otherwise; 0: never.
  internal::TimeSpan resync_period{};
  QueueKind queue{QueueKind::kInOrder};
  InitialList initial_list{InitialList::kWatchList};
  // An object whose uid changed while nobody watched is OnDelete (tombstone), then OnAdd. True: one
  // OnUpdate, as in client-go.
  bool uid_change_is_update{false};
  std::int64_t watch_list_page_size{0};    // of lists; 0: client-go's rules
  internal::TimeSpan min_watch_timeout{};  // at least 5 min
  // What may wait between reflector and store before the watch is closed (see
  // OverflowPolicy::kBlock). Several namespaces have equal parts of it.
  std::size_t max_queued_bytes{std::size_t{64} << 20};
  // Called for every step of every event, on the loop or on a handler's thread. Must be quick and
  // thread-safe.
  TraceFunc trace{};
  // Which namespace to look in: empty is the factory's, or all. Ignored where the informer is given
  // a ListerWatcher.
  std::string namespace_{};
  // Several namespaces behind one cache, beside namespace_ if that is given: each is listed and
  // watched by itself, so that nothing cluster-wide need be allowed. The informer is synced when
  // all of them are; what is read of one depends on that one alone. Empty: the factory's. An error
  // in the log where the informer is given a ListerWatcher: it has one place to look.
  std::vector<std::string> namespaces{};
  // Where all namespaces are looked at, and the server forbids that. As `namespaces` otherwise.
  IfForbidden if_forbidden{};
  // Which objects to keep a copy of; all by default. The server selects. Beside what the factory
  // selects (factory_options.h): an object must match both. An error in the log where the informer
  // is given a ListerWatcher: it has selectors of its own.
  LabelSelector label_selector{};
  FieldSelector field_selector{};
  // Leaves metadata.managedFields out: a third of many objects, and nobody reads them. Skipped as
  // bytes, before the object's memory is taken. The objects are not partial: the server keeps the
  // managedFields of an object that is sent without. False: as the factory says.
  bool drop_managed_fields{false};
  // Keeps only some of the fields. Empty: the factory's.
  Projection projection{};
  Validation validation{Validation::kShallow};
  // A larger object is unreadable.
  std::size_t max_object_bytes{kDefaultMaxObjectBytes};
  Compression compression{Compression::kNone};
  // How many objects the cache may hold, and how many bytes of them, as InformerStats counts
  // `objects` and `object_bytes`; 0: no limit. It holds while a list streams in, too. Old versions
  // that snapshots and handlers still have, the table (some 60 bytes for each object) and indexes
  // come on top, and eight bytes for each object that is left out.
  //
  // Nothing is pushed out for what comes later: a new object that finds no room is left out, and so
  // is one that has grown (handlers hear of its deletion, with final_state_unknown). Get of such a
  // key is kOverLimit, not kNotFound. An object that changes when there is room comes in; where a
  // good part of the room is free, all is listed again, at most once a minute, then less often.
  // The log says once when it begins and when it ends. Several namespaces behind one cache share
  // the limit: who comes first is served first, and what one of them frees is offered to those that
  // have left objects out, in turn.
  std::size_t max_objects{0};
  std::size_t max_bytes{0};
  LimitPolicy limit_policy{LimitPolicy::kNotSynced};
  // Compares the cache with the server this often, for what no event shows: one that was restored
  // from a backup and has overtaken this cache says nothing of what differs. Keys, uids and
  // resourceVersions are compared with a metadata-only LIST at the cache's own version. What
  // differs twice is logged with its keys, counted, and healed by a relist, all within the period.
  //
  // A cache of up to 10,000 objects is seen as a whole, in pages of 2,500; of a larger one it is
  // four pages a period, alternately over all objects and over a namespace that is drawn. Where the
  // server refuses that LIST, the check rests for half an hour; the log says so once. Off without
  // ListMetadata, and where a transform changes names, uids or versions. 0: never.
  internal::TimeSpan consistency_check_period{std::chrono::minutes(1)};
  // Lists everything anew this often, and tells handlers what differs; 0: never, the default, since
  // a watch misses nothing and what servers lose is found without (gaps, epochs, the check above).
  // A relist asks the server and repairs the cache; handlers hear of differences only. A resync
  // (resync_period) asks nobody and repairs handlers: it tells them again what is in the cache.
  internal::TimeSpan relist_period{};
  // A resource that the server does not have (404), such as a custom resource whose definition has
  // not been made, counts as listed and empty: WaitForCacheSync does not wait for it, and Get is
  // kNotFound. For programs that work without it. When it appears, its objects are OnAdd within
  // seconds, as news. When it goes, its objects leave half a minute later, as always, and then the
  // cache is empty rather than kNotSynced. Off: what is absent is not known to be empty, since it
  // may only be late.
  bool absent_is_empty{false};
};

namespace internal {

// The options of an informer without its type: what its core is made with.
using InformerSettings = InformerOptions<const Block*>;

// All but the indexers. Does not compile until a new option is named here, too.
template <class T>
InformerSettings SettingsOf(InformerOptions<T> options) {
  auto& [indexers, name, resync_period, queue, initial_list, uid_change_is_update,
         watch_list_page_size, min_watch_timeout, max_queued_bytes, trace, namespace_, namespaces,
         if_forbidden, label_selector, field_selector, drop_managed_fields, projection, validation,
         max_object_bytes, compression, max_objects, max_bytes, limit_policy,
         consistency_check_period, relist_period, absent_is_empty] = options;
  return {.indexers = {},
          .name = std::move(name),
          .resync_period = resync_period,
          .queue = queue,
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

#endif  // KINFORMER_INFORMER_OPTIONS_H_

// kinformer/sinks/snapshot_feed.h
//
// SnapshotFeed: keeps a SnapshotSink (snapshot_sink.h) equal to collections of the API server.
//
//   SnapshotFeed feed(client.env(), OpenSqliteSink("pods.sqlite").OrExit());
//   feed.Add({.name = "pods"}, NewListWatch(client, {"", "v1", "pods"}));
//   feed.Run(stop.token()).OrExit();

#ifndef KINFORMER_SINKS_SNAPSHOT_FEED_H_
#define KINFORMER_SINKS_SNAPSHOT_FEED_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>

#include "kinformer/base/env.h"
#include "kinformer/base/error.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"
#include "kinformer/cache/informer_options.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/internal/pimpl.h"
#include "kinformer/sinks/snapshot_sink.h"

namespace kinformer {

namespace internal::sinks {
class FeedCore;  // sinks/feed/feed_core.h
}  // namespace internal::sinks

// Options of a SnapshotFeed.
struct SnapshotFeedOptions {
  // Policy for a sink that is slower than the changes. kBlock: closes the watch until the sink has
  // caught up, and skips nothing. kCoalesce: keeps the newest waiting change of each object.
  // kDropAndResync: drops what waits and lists again; the sink gets the difference.
  OverflowPolicy overflow{OverflowPolicy::kBlock};
  // Limits of waiting changes of one resource; more: `overflow`.
  std::size_t max_events{16384};
  std::size_t max_bytes{std::size_t{64} << 20};
  // Time for which changes gather into one commit. 0: each commit takes what waits.
  TimeSpan commit_interval{std::chrono::milliseconds(100)};
  // Run lists each resource, commits the difference, and returns.
  bool once{false};
  InitialList initial_list{InitialList::kWatchList};
  // Called on the loop whenever listing or watching fails, instead of logging. Must be quick.
  std::function<void(const ExportedResource& resource, const Error& error)> on_watch_error{};
  // Called on the thread of Run after each commit, with its batch.
  std::function<void(const SinkBatch& batch)> on_commit{};
};

// Feeds a sink.
//
// Each resource is listed and watched as by a Reflector, without a cache: in memory are the changes
// that wait, and a list until it is committed. Each commit takes the sink from one version of the
// collection to a later one. Where the sink holds a version, the watch begins there, and nothing is
// listed. If the server no longer has that version (410), or is older than it, the feed lists, and
// commits the difference between the list and the sink's objects.
//
// An object whose bytes are malformed keeps its last readable state in the sink.
//
// Add before Run. `env` must outlive the feed; destroy it after Run has returned, and not on the
// loop. Run may be called again. Thread-compatible.
class SnapshotFeed {
 public:
  SnapshotFeed(Env& env, std::shared_ptr<SnapshotSink> sink, SnapshotFeedOptions options = {});
  ~SnapshotFeed();
  SnapshotFeed(const SnapshotFeed&) = delete;
  SnapshotFeed& operator=(const SnapshotFeed&) = delete;

  // Adds a resource. Its objects must arrive as JSON, as they do for NewListWatch of a
  // GroupVersionResource. Its ListerWatcher says which objects: `resource.source` should tell.
  void Add(ExportedResource resource, std::unique_ptr<ListerWatcher> lister_watcher);

  // Feeds the sink until `stop` is requested, and with `once` until all is committed. Changes that
  // wait at a stop are not committed: the next Run gets them again. Errors: kCanceled if `once` was
  // stopped early; kWouldDeadlock on the loop; those of the sink that do not pass.
  Result<void> Run(const std::stop_token& stop);

 private:
  const internal::Pimpl<internal::sinks::FeedCore> core_;
};

}  // namespace kinformer

#endif  // KINFORMER_SINKS_SNAPSHOT_FEED_H_

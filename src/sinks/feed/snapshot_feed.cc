#include "kinformer/sinks/snapshot_feed.h"

#include <utility>

#include "sinks/feed/feed_core.h"

namespace kinformer {

std::string SinkChange::Key() const {
  std::string key(namespace_());
  if (!key.empty()) key += '/';
  key += name();
  return key;
}

SnapshotFeed::SnapshotFeed(Env& env, std::shared_ptr<SnapshotSink> sink,
                           SnapshotFeedOptions options)
    : core_(std::make_unique<internal::sinks::FeedCore>(env, std::move(sink), std::move(options))) {
}

SnapshotFeed::~SnapshotFeed() = default;

void SnapshotFeed::Add(ExportedResource resource, std::unique_ptr<ListerWatcher> lister_watcher) {
  core_->Add(std::move(resource), std::move(lister_watcher));
}

Result<void> SnapshotFeed::Run(const std::stop_token& stop) { return core_->Run(stop); }

}  // namespace kinformer

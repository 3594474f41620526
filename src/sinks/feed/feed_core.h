// sinks/feed/feed_core.h
//
// FeedCore: the part of a SnapshotFeed that calls the sink.

#ifndef KINFORMER_SINKS_FEED_FEED_CORE_H_
#define KINFORMER_SINKS_FEED_FEED_CORE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/client/lister_watcher.h"
#include "kinformer/sinks/snapshot_feed.h"
#include "kinformer/sinks/snapshot_sink.h"

#include "base/core/backoff.h"
#include "sinks/feed/feed_part.h"

namespace kinformer::internal::sinks {

// For the thread of Run, and Add before it.
class FeedCore {
 public:
  FeedCore(Env& env, std::shared_ptr<SnapshotSink> sink, SnapshotFeedOptions options);

  void Add(ExportedResource resource, std::unique_ptr<ListerWatcher> lister_watcher);
  Result<void> Run(const std::stop_token& stop);

 private:
  struct Fed {
    std::unique_ptr<ListerWatcher> lister_watcher{};
    std::shared_ptr<FeedPart> part{};
    std::string held{};  // the sink's version
    bool listed = false;
  };

  Result<void> Feed(const std::stop_token& stop);
  // Runs `on_loop` there, and waits for its end.
  void OnLoop(const std::function<void()>& on_loop);
  // Waits for a step that is due. Returns null at a stop.
  Fed* Next(const std::stop_token& stop);
  Result<void> Commit(Fed& fed, FeedStep step, const std::stop_token& stop);
  Result<SinkBatch> BatchOf(const Fed& fed, FeedStep step, const std::stop_token& stop);
  // Calls a function of the sink until it succeeds, or fails for good.
  template <class Call>
  auto Persist(std::string_view function, const Fed& fed, const std::stop_token& stop,
               const Call& call) -> decltype(call());
  // Waits. Returns false at a stop.
  bool Pause(Duration duration, const std::stop_token& stop);

  Env& env_;
  const std::shared_ptr<SnapshotSink> sink_;
  const SnapshotFeedOptions options_;
  const std::unique_ptr<Monitor> monitor_;
  base::BackoffManager backoff_;
  std::vector<Fed> fed_{};
  std::size_t next_ = 0;  // whose turn it is
};

}  // namespace kinformer::internal::sinks

#endif  // KINFORMER_SINKS_FEED_FEED_CORE_H_

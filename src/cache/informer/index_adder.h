// cache/informer/index_adder.h
//
// IndexAdder: adds indexes to the store of an informer, which may be running, and removes them.

#ifndef KINFORMER_CACHE_INFORMER_INDEX_ADDER_H_
#define KINFORMER_CACHE_INFORMER_INDEX_ADDER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/snapshot_core.h"
#include "kinformer/result.h"

#include "base/core/mutex.h"
#include "cache/store/fifo_buffer.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

// A store has one writer. Before the informer is started, that is whoever adds indexes, one after
// the other; from then on it is the loop, where an index is filled in slices between other work.
class IndexAdder : public std::enable_shared_from_this<IndexAdder> {
 public:
  IndexAdder(Env& env, std::shared_ptr<StoreCore> store) : env_(env), store_(std::move(store)) {}

  // Thread-safe. From now on the loop alone writes the store.
  void HandOverToLoop();
  // Thread-safe. Drops those that exist if `skip_existing`, and is kAlreadyExists where one of them
  // is another function's; else kAlreadyExists if there are any.
  Result<void> Check(NamedIndexFunctions& indexes, bool skip_existing) const;
  // Thread-safe. Adds all or none, after another Check. Before the hand-over at once; afterwards it
  // blocks until they can be read, and is kWouldDeadlock on the loop thread. `informer` is what
  // messages call it.
  Result<void> Add(NamedIndexFunctions indexes, bool skip_existing, std::string_view informer);
  // Thread-safe. Removes all or none, and blocks as Add does until no reader that comes sees them.
  Result<void> Remove(std::vector<std::string> names, std::string_view informer);

 private:
  struct Request {
    NamedIndexFunctions indexes{};
    bool skip_existing = false;
    std::vector<std::string> removed{};  // before any are added
    std::function<void(Result<void>)> done{};
    Result<void> dropped{};  // what was wrong with those that were dropped
  };

  Result<void> Do(Request request, std::string_view what, std::string_view informer);
  // By the writer.
  Result<void> Begin(Request& request);
  // On the loop: fills the indexes of the first request until the turn is over, and comes back.
  void Work();
  void WorkLater();

  Env& env_;
  const std::shared_ptr<StoreCore> store_;
  base::Mutex mutex_;
  bool loop_writes_ KINFORMER_GUARDED_BY(mutex_) = false;
  // Of the loop.
  FifoBuffer<Request> requests_;
  // The indexes of the first request are being filled, or go with the next commit.
  bool filling_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INDEX_ADDER_H_

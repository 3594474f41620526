// cache/informer/index_adder.h
//
// IndexAdder: adds indexes to the store of an informer, running or not, and removes them.

#ifndef KINFORMER_CACHE_INFORMER_INDEX_ADDER_H_
#define KINFORMER_CACHE_INFORMER_INDEX_ADDER_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/internal/snapshot_core.h"

#include "base/core/mutex.h"
#include "cache/store/fifo_buffer.h"
#include "cache/store/store_core.h"

namespace kinformer::internal::cache {

// A store has one writer: before the informer starts, the callers that add indexes, one at a time;
// afterwards the loop, which fills an index in slices between other work.
class IndexAdder : public std::enable_shared_from_this<IndexAdder> {
 public:
  IndexAdder(Env& env, std::shared_ptr<StoreCore> store) : env_(env), store_(std::move(store)) {}

  // Makes the loop the only writer of the store from now on. Thread-safe.
  void HandOverToLoop();
  // With `skip_existing` removes the existing ones from `indexes`, and returns kAlreadyExists if
  // one belongs to another function; else returns kAlreadyExists if any exists. Thread-safe.
  Result<void> Check(NamedIndexFunctions& indexes, bool skip_existing) const;
  // Adds all indexes or none, after another Check. Before the hand-over does so at once; afterwards
  // blocks until they are readable, and returns kWouldDeadlock on the loop thread. `informer`: its
  // name in messages. Thread-safe.
  Result<void> Add(NamedIndexFunctions indexes, bool skip_existing, std::string_view informer);
  // Removes all or none; blocks as Add does until new readers do not see them. Thread-safe.
  Result<void> Remove(std::vector<std::string> names, std::string_view informer);

 private:
  struct Request {
    NamedIndexFunctions indexes{};
    bool skip_existing = false;
    std::vector<std::string> removed{};  // removes these; `indexes` is then empty
    std::function<void(Result<void>)> done{};
    Result<void> dropped{};  // error about the existing indexes that were skipped
  };

  Result<void> Do(Request request, std::string_view what, std::string_view informer);
  // Starts a request. Called by the store's writer.
  Result<void> Begin(Request& request);
  // Fills the indexes of the first request for one slice, then posts itself. On the loop.
  void Work();
  void WorkLater();

  Env& env_;
  const std::shared_ptr<StoreCore> store_;
  base::Mutex mutex_;
  bool loop_writes_ KINFORMER_GUARDED_BY(mutex_) = false;
  // Used on the loop only.
  FifoBuffer<Request> requests_;
  // True while the indexes of the first request are filled or wait for the next commit.
  bool filling_ = false;
};

}  // namespace kinformer::internal::cache

#endif  // KINFORMER_CACHE_INFORMER_INDEX_ADDER_H_

// kinformer/internal/informer_core.h
//
// InformerCore: the untyped informer that SharedInformer<T> is a thin shell over, compiled once. Store, reflector, queue,
// controller, processor and listeners are behind it.

#ifndef KINFORMER_INTERNAL_INFORMER_CORE_H_
#define KINFORMER_INTERNAL_INFORMER_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/event_handler.h"
#include "kinformer/informer_options.h"
#include "kinformer/internal/block.h"
#include "kinformer/list_watch.h"
#include "kinformer/result.h"

namespace kinformer::internal {

class StoreCore;
class IndexValues;
class Listener;

// One event for a handler, without a type.
struct RawEvent {
  enum class Kind : std::uint8_t { kAdd, kUpdate, kDelete };
  Kind kind{};
  bool is_in_initial_list = false;
  bool final_state_unknown = false;
  const std::string* key = nullptr;
  const Block* old_block = nullptr;  // kUpdate only
  const Block* block = nullptr;      // of a delete: the last known state
};

class RawHandler {
 public:
  virtual ~RawHandler() = default;
  virtual void Handle(const RawEvent& event) = 0;
};

// Gives raw events to a typed handler.
template <class T>
class HandlerAdapter final : public RawHandler {
 public:
  explicit HandlerAdapter(std::shared_ptr<ResourceEventHandler<T>> handler)
      : handler_(std::move(handler)) {}

  void Handle(const RawEvent& e) override {
    switch (e.kind) {
      case RawEvent::Kind::kAdd:
        return handler_->OnAdd(Added<T>{*e.key, T(e.block), e.is_in_initial_list, e.block});
      case RawEvent::Kind::kUpdate:
        return handler_->OnUpdate(
            Updated<T>{*e.key, T(e.old_block), T(e.block), e.old_block, e.block});
      case RawEvent::Kind::kDelete:
        return handler_->OnDelete(Deleted<T>{*e.key, T(e.block), e.final_state_unknown, e.block});
    }
  }

 private:
  std::shared_ptr<ResourceEventHandler<T>> handler_;
};

// Why an informer is not synced.
struct NotSynced {
  std::string informer;  // "pods in namespace default"
  bool started = false;
  std::optional<Error> last_error{};
};

using RawTransform = std::function<Result<ObjectRef>(ObjectRef)>;
using RawIndexFunction = std::function<void(const Block&, IndexValues&)>;
// Makes the ListerWatcher of one life of the informer, on the loop.
using ListerWatcherSource = std::function<std::unique_ptr<ListerWatcher>()>;

// The counted front: whoever holds a shared_ptr to it keeps the informer alive; the last one stops it. Thread-safe.
class InformerCore : public std::enable_shared_from_this<InformerCore> {
 public:
  // `describe` is what messages call it: "pods in namespace default".
  static std::shared_ptr<InformerCore> Create(Env& env, std::string describe,
                                              ListerWatcherSource source,
                                              InformerSettings settings);
  ~InformerCore();
  InformerCore(const InformerCore&) = delete;
  InformerCore& operator=(const InformerCore&) = delete;

  Result<std::shared_ptr<Listener>> AddHandler(std::shared_ptr<RawHandler> handler,
                                               HandlerOptions options);
  Result<void> RemoveHandler(const std::shared_ptr<Listener>& listener);

  // Blocks while the informer runs, until the index is complete.
  Result<void> AddIndex(std::string name, RawIndexFunction function);
  void LogIfError(const Result<void>& result) const;
  Result<void> SetTransform(RawTransform transform);
  Result<void> SetWatchErrorHandler(std::function<void(const Error&)> handler);

  void Start();
  void Stop();
  void Run(const std::stop_token& stop);
  // Waits until no callback runs, except one that calls this.
  void WaitIdle();

  [[nodiscard]] bool HasSynced() const;
  [[nodiscard]] bool HasStarted() const;
  [[nodiscard]] bool IsStopped() const;
  [[nodiscard]] bool IsTornDown() const;  // stopped, and nothing of it runs any more
  [[nodiscard]] std::string LastSyncResourceVersion() const;
  [[nodiscard]] InformerStats Stats() const;
  [[nodiscard]] NotSynced WhyNotSynced() const;
  [[nodiscard]] const std::string& Describe() const;
  // In which namespace it looks; empty: all, or cluster scope.
  [[nodiscard]] const std::string& ScopeNamespace() const;
  // Present, but its bytes are malformed.
  [[nodiscard]] bool IsUnreadable(std::string_view namespace_, std::string_view name) const;

  [[nodiscard]] Env& env() const;
  [[nodiscard]] StoreCore& store() const;
  [[nodiscard]] const std::shared_ptr<StoreCore>& shared_store() const;

  // Calls `notify` on some thread whenever an answer of HasSynced, IsTornDown or WhyNotSynced may have changed, until the
  // returned token is destroyed.
  [[nodiscard]] std::shared_ptr<void> Observe(std::function<void()> notify) const;

  struct Impl;

 private:
  explicit InformerCore(std::shared_ptr<Impl> impl);
  std::shared_ptr<Impl> impl_;
};

// An informer of its own: `lister_watcher` serves all its lives.
std::shared_ptr<InformerCore> NewStandaloneInformer(Env& env,
                                                    std::unique_ptr<ListerWatcher> lister_watcher,
                                                    InformerSettings settings);

// Functions on Listener, whose definition is private.
bool ListenerHasSynced(const Listener& listener);
HandlerStats ListenerStats(const Listener& listener);
Result<void> ListenerWaitForSync(const std::shared_ptr<Listener>& listener,
                                 const std::stop_token& stop, std::optional<Duration> timeout);
Result<void> RemoveListener(const std::shared_ptr<Listener>& listener);

// Waits until all are synced. See SharedInformerFactory::WaitForCacheSync for the errors.
Result<void> WaitForSync(Env& env, const std::vector<std::shared_ptr<InformerCore>>& informers,
                         const std::stop_token& stop, const SyncWaitOptions& options);

}  // namespace kinformer::internal

#endif  // KINFORMER_INTERNAL_INFORMER_CORE_H_

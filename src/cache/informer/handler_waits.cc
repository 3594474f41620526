// Waits for handlers: until they have returned from their initial events, and until a reader has
// something to read.

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "kinformer/internal/cache_tasks.h"
#include "kinformer/internal/informer_core.h"

#include "base/core/deadline.h"
#include "cache/delivery/listener.h"
#include "cache/informer/informer_impl.h"

namespace kinformer::internal {

bool ListenerHasSynced(const cache::Listener& listener) { return listener.HasSynced(); }
HandlerStats ListenerStats(const cache::Listener& listener) { return listener.Stats(); }

namespace {

// Returns why a wait for that handler's sync would not end; empty if it may.
std::optional<Error> NeverSyncs(const std::shared_ptr<cache::Listener>& listener) {
  if (listener == nullptr) {
    return Error(Reason::kInvalidArgument, "this registration belongs to no handler");
  }
  const std::shared_ptr<cache::ListenerOwner> informer = listener->owner().lock();
  if (informer != nullptr && !informer->HasStarted()) {
    return Error(Reason::kNotSynced,
                 "the informer for " + informer->Describe() +
                     " is not started: its handler would never sync; call Start");
  }
  return std::nullopt;
}

// Waits for all of them. The informer must outlive the task.
Task<Result<void>> AllSynced(const InformerCore& informer,
                             std::vector<std::shared_ptr<cache::Listener>> handlers,
                             std::stop_token stop, std::optional<Duration> timeout) {
  const SteadyTime deadline = base::After(informer.env().Now(), timeout.value_or(Duration(0)));
  for (const std::shared_ptr<cache::Listener>& listener : handlers) {
    std::optional<Duration> rest;
    if (timeout) rest = std::max(Duration(0), deadline - informer.env().Now());
    Result<void> synced = co_await ListenerSyncTask(listener, stop, rest);
    // A handler that was removed meanwhile need not sync.
    const bool gone = listener->removed() && !informer.IsStopped();
    if (!synced && !gone) co_return synced;
  }
  co_return Result<void>();
}

}  // namespace

Result<void> ListenerWaitForSync(const std::shared_ptr<cache::Listener>& listener,
                                 const std::stop_token& stop, std::optional<Duration> timeout) {
  if (std::optional<Error> never = NeverSyncs(listener)) return *std::move(never);
  return listener->WaitForSync(stop, timeout);
}

Task<Result<void>> ListenerSyncTask(std::shared_ptr<cache::Listener> listener, std::stop_token stop,
                                    std::optional<Duration> timeout) {
  if (std::optional<Error> never = NeverSyncs(listener)) co_return *std::move(never);
  co_return co_await cache::Listener::Synced(std::move(listener), std::move(stop), timeout);
}

Task<Result<std::vector<PulledEvent>>> PullTask(std::shared_ptr<cache::Listener> listener,
                                                std::size_t most,
                                                std::optional<SteadyTime> deadline,
                                                std::stop_token stop) {
  return cache::Listener::Pulled(std::move(listener), most, deadline, std::move(stop));
}

Result<void> PullEvents(cache::Listener& listener, std::size_t most,
                        std::optional<SteadyTime> deadline, const std::stop_token& stop,
                        std::vector<PulledEvent>& events) {
  return listener.Pull(most, deadline, stop, events);
}

Task<Result<void>> InformerCore::HandlersSyncTask(std::shared_ptr<const InformerCore> informer,
                                                  std::stop_token stop,
                                                  std::optional<Duration> timeout) {
  co_return co_await AllSynced(*informer, informer->impl_->handlers.All(), std::move(stop),
                               timeout);
}

Result<void> InformerCore::WaitForHandlersSync(const std::stop_token& stop,
                                               std::optional<Duration> timeout) const {
  const auto handlers = impl_->handlers.All();
  bool waits = false;
  for (const std::shared_ptr<cache::Listener>& listener : handlers) {
    if (listener->HasSynced() || (listener->removed() && !IsStopped())) continue;
    if (std::optional<Error> never = NeverSyncs(listener)) return *std::move(never);
    if (std::optional<Error> deadlock = listener->WhyNotWait()) return *std::move(deadlock);
    waits = true;
  }
  if (!waits) return {};
  return BlockOn(env(), AllSynced(*this, handlers, stop, timeout));
}

}  // namespace kinformer::internal

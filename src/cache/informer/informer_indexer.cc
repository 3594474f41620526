// The reading side of an informer: the store under its Lister, Indexer and Snapshot.

#include <memory>
#include <string>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/base/task.h"
#include "kinformer/internal/indexer_core.h"
#include "kinformer/internal/informer_core.h"

#include "cache/informer/informer_impl.h"
#include "cache/store/coverage.h"

namespace kinformer::internal {

void InformerCore::FactoryEnded() { impl_->factory_ended.store(true, std::memory_order_release); }

bool InformerCore::HasFactoryEnded() const {
  return impl_->factory_ended.load(std::memory_order_acquire);
}

bool InformerCore::WaitsForEndedFactory() const { return impl_->WaitsForEndedFactory(); }

Error InformerCore::FactoryIsShutDown() {
  return Error(Reason::kStopped,
               "the factory has been shut down, and starts nothing any more: make another one");
}

bool InformerCore::Impl::WaitsForEndedFactory() const {
  return factory_ended.load(std::memory_order_acquire) && Is(State::kCreated);
}

Result<void> InformerCore::Impl::Complete(const cache::Coverage& coverage,
                                          std::string_view namespace_) const {
  if (refused) return *refused;
  if (Is(State::kStopped)) {
    return Error(Reason::kStopped, "the informer of " + describe +
                                       " was stopped, so what it has cached may be out of date; "
                                       "Start it again, then WaitForCacheSync");
  }
  if (coverage.IsComplete(namespace_)) return {};
  if (WaitsForEndedFactory()) {
    SayReadTooEarly();
    return FactoryIsShutDown().WithContext("the informer of " + describe + " was never started");
  }
  const bool of_namespace = coverage.namespaces != nullptr && !namespace_.empty();
  const bool may_be_full =
      !of_namespace || (coverage.left_out != nullptr && coverage.left_out->SizeOf(namespace_) != 0);
  if (Is(State::kRunning) && may_be_full) {
    if (const std::optional<Error> full = OverLimit()) {
      return Error(Reason::kNotSynced,
                   "the informer of " + describe + " counts as not synced: " + full->message());
    }
  }
  std::string message = "the informer of " + describe + " has not synced";
  if (of_namespace) message += " namespace \"" + std::string(namespace_) + '"';
  if (Is(State::kCreated)) {
    message += ": it was not started; call Start, then WaitForCacheSync";
  } else if (const std::optional<Error> error =
                 statuses.LastError(of_namespace ? namespace_ : std::string_view())) {
    message += ": " + error->ToString();
  } else {
    message += " yet; wait with WaitForCacheSync";
  }
  SayReadTooEarly();
  return Error(Reason::kNotSynced, std::move(message));
}

void InformerCore::Impl::SayReadTooEarly() const {
  if (read_too_early_.exchange(true, std::memory_order_relaxed)) return;
  if (WaitsForEndedFactory()) {
    env.log().Log(
        LogLevel::kWarning,
        "a cache was read that nobody fills: its factory had been shut down before it was "
        "started; make another factory",
        {{"informer", describe}});
    return;
  }
  env.log().Log(LogLevel::kWarning,
                "a cache was read before it had synced, when it can say nothing yet; call Start, "
                "then WaitForCacheSync, and look at the errors of what is read",
                {{"informer", describe}, {"started", Is(State::kCreated) ? "no" : "yes"}});
}

void InformerCore::Impl::OnRead(const cache::Coverage* coverage) const {
  // The usual case, checked first to keep reads fast.
  if (synced.load(std::memory_order_acquire)) return;
  if (read_too_early_.load(std::memory_order_relaxed)) return;
  if (coverage == nullptr || coverage->IsComplete("") || Is(State::kStopped)) return;
  SayReadTooEarly();
}

Result<void> InformerCore::Impl::AddIndexes(NamedIndexFunctions indexes, bool skip_existing) {
  // Existing indexes need no wait, so the call works on the loop and after Stop.
  Result<void> free = index_adder->Check(indexes, skip_existing);
  if (indexes.empty() || (!free && !skip_existing)) return free;
  if (Is(State::kStopped)) {
    return Error(Reason::kStopped, "index \"" + indexes.front().first +
                                       "\" was not added: the informer for " + describe +
                                       " has stopped already");
  }
  Result<void> added = index_adder->Add(std::move(indexes), skip_existing, describe);
  return added ? free : added;
}

Result<void> InformerCore::Impl::RemoveIndexes(std::vector<std::string> names) {
  if (Is(State::kStopped)) {
    return Error(Reason::kStopped, "no index was removed: the informer for " + describe +
                                       " has stopped already, and keeps what it has");
  }
  return index_adder->Remove(std::move(names), describe);
}

std::shared_ptr<IndexerCore> IndexerOf(const std::shared_ptr<InformerCore>& informer) {
  // The indexer is a member of the informer and shares its reference count.
  return std::shared_ptr<IndexerCore>(informer, &informer->indexer());
}

Result<void> AddIndexesTo(InformerCore& informer, NamedIndexFunctions indexes, bool skip_existing) {
  return informer.indexer().AddIndexes(std::move(indexes), skip_existing);
}

// ---- waits for a version

Result<void> InformerCore::Impl::WaitForResourceVersion(std::string_view namespace_,
                                                        std::string_view resourceVersion,
                                                        const std::stop_token& stop,
                                                        std::optional<Duration> timeout) const {
  if (auto result = cache::VersionWaiters::WithoutWaiting(context, namespace_, resourceVersion)) {
    return *std::move(result);
  }
  if (env.OnLoopThread()) {
    return cache::VersionWaiters::OnLoop(context, namespace_, resourceVersion);
  }
  return BlockOn(env, version_waiters.Wait(context, std::string(namespace_),
                                           std::string(resourceVersion), stop, timeout));
}

Task<Result<void>> InformerCore::VersionTask(std::shared_ptr<const InformerCore> informer,
                                             std::string version, std::stop_token stop,
                                             std::optional<Duration> timeout) {
  const Impl& impl = *informer->impl_;
  if (auto result = cache::VersionWaiters::WithoutWaiting(impl.context, {}, version)) {
    co_return *std::move(result);
  }
  co_return co_await impl.version_waiters.Wait(impl.context, {}, std::move(version),
                                               std::move(stop), timeout);
}

Result<void> InformerCore::WaitForResourceVersion(std::string_view resourceVersion,
                                                  const std::stop_token& stop,
                                                  std::optional<Duration> timeout) const {
  return impl_->WaitForResourceVersion({}, resourceVersion, stop, timeout);
}

Result<void> IndexerCore::WaitForResourceVersion(std::string_view namespace_,
                                                 std::string_view resourceVersion,
                                                 const std::stop_token& stop,
                                                 std::optional<Duration> timeout) const {
  if (owner_ != nullptr)
    return owner_->WaitForResourceVersion(namespace_, resourceVersion, stop, timeout);
  return Error(Reason::kInvalidArgument,
               "this store is kept up to date by the program, not by an informer: nobody can wait "
               "for a resourceVersion of it");
}

}  // namespace kinformer::internal

#include "kinformer/internal/assume_cache_core.h"

#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "kinformer/cache/resource_event_handler.h"
#include "kinformer/internal/informer_core.h"
#include "kinformer/object/object_name.h"

#include "base/core/forked.h"
#include "cache/delivery/listener.h"
#include "cache/delivery/notification.h"
#include "cache/delivery/replay.h"
#include "cache/store/resource_version.h"

namespace kinformer::internal {
namespace {

ObjectName SplitKey(std::string_view key) {
  const auto [namespace_, name] = SplitStoreKey(key);
  return {std::string(namespace_), std::string(name)};
}

}  // namespace

// Checks now and then that handlers keep up, as long as they have work. The timer and the check run
// on the loop; tasks on the loop keep this object alive.
class HandlerWatch final : public std::enable_shared_from_this<HandlerWatch> {
 public:
  explicit HandlerWatch(Env& env) : env_(env) {}

  void Add(const std::shared_ptr<cache::Listener>& listener) {
    const std::lock_guard lock(mu_);
    std::erase_if(listeners_, [](const auto& other) { return other.expired(); });
    listeners_.push_back(listener);
  }
  // Arms the timer. Called when an event waits for some handler. Thread-safe.
  void Wake() {
    if (awake_.exchange(true, std::memory_order_acq_rel)) return;
    env_.loop().Post([weak = weak_from_this()] {
      if (const std::shared_ptr<HandlerWatch> self = weak.lock()) self->Arm();
    });
  }

 private:
  void Arm() {
    timer_ = env_.loop().RunAt(env_.Now() + cache::kHandlerWatchPeriod, [weak = weak_from_this()] {
      if (const std::shared_ptr<HandlerWatch> self = weak.lock()) self->Look();
    });
  }
  void Look() {
    std::vector<std::weak_ptr<cache::Listener>> all;
    {
      const std::lock_guard lock(mu_);
      all = listeners_;
    }
    // Set before the check: later events arm the timer again.
    awake_.store(false, std::memory_order_release);
    bool busy = false;
    for (const std::weak_ptr<cache::Listener>& weak : all) {
      const std::shared_ptr<cache::Listener> listener = weak.lock();
      if (listener != nullptr && !listener->removed()) busy |= listener->NameIfSlow();
    }
    if (busy && !awake_.exchange(true, std::memory_order_acq_rel)) Arm();
  }

  Env& env_;
  std::atomic<bool> awake_{false};
  Timer timer_;
  std::mutex mu_;
  std::vector<std::weak_ptr<cache::Listener>> listeners_;
};

struct AssumeCacheCore::Impl {
  Impl(Env& e, std::string r) : env(e), resource(std::move(r)) {}

  void Tell(const cache::Notification& event);
  void PutLatest(const ObjectRef& object);
  [[nodiscard]] Error NotFound(const ObjectName& name) const {
    if (name.name.empty()) {
      return Error(Reason::kInvalidArgument, resource + ": the key \"" + name.ToString() +
                                                 "\" has no name: write \"namespace/name\"");
    }
    return Error(Reason::kNotFound,
                 resource + " \"" + name.ToString() + "\" not found in the assume cache");
  }

  Env& env;
  const std::string resource;
  // Written under the lock, read without it.
  const std::shared_ptr<IndexerCore> latest = std::make_shared<IndexerCore>(env);

  mutable std::mutex mu;
  struct Known {
    ObjectRef api;            // last state that the informer reported
    std::uint64_t epoch = 0;  // epoch of `api`
    bool assumed = false;     // the latest state is an assumed one
  };
  // Guarded by mu. One entry per object in `latest`.
  std::map<ObjectName, Known> known;
  std::vector<std::shared_ptr<cache::Listener>> listeners;
  std::size_t handlers_so_far = 0;
  const std::shared_ptr<HandlerWatch> watch = std::make_shared<HandlerWatch>(env);
};

void AssumeCacheCore::Impl::Tell(const cache::Notification& event) {
  std::erase_if(listeners, [](const auto& listener) { return listener->removed(); });
  if (!listeners.empty()) watch->Wake();
  for (const std::shared_ptr<cache::Listener>& listener : listeners) {
    const bool needs_state = listener->options().overflow == OverflowPolicy::kDropAndResync;
    listener->Push(std::span(&event, 1), needs_state ? latest->Snapshot() : nullptr);
  }
}

void AssumeCacheCore::Impl::PutLatest(const ObjectRef& object) {
  // Known, as it has a name.
  LogError(env, latest->Put(object));
}

AssumeCacheCore::AssumeCacheCore(Env& env, std::string resource, NamedIndexFunctions indexes)
    : impl_(std::make_unique<Impl>(env, std::move(resource))) {
  LogError(env, impl_->latest->AddIndexes(std::move(indexes), /*skip_existing=*/true));
}

AssumeCacheCore::~AssumeCacheCore() {
  if (base::LeaveIfForkedOff(impl_->env, impl_)) return;
  std::vector<std::shared_ptr<cache::Listener>> listeners;
  {
    const std::lock_guard lock(impl_->mu);
    listeners = std::exchange(impl_->listeners, {});
  }
  for (const std::shared_ptr<cache::Listener>& listener : listeners) listener->Discard();
  for (const std::shared_ptr<cache::Listener>& listener : listeners) listener->WaitIdle();
}

const std::shared_ptr<IndexerCore>& AssumeCacheCore::latest() const { return impl_->latest; }

// ---- events of the informer

void AssumeCacheCore::OnAddOrUpdate(ObjectRef object, std::uint64_t epoch) {
  const std::string_view version = object->resourceVersion();
  const ObjectName name = NameOf(*object);
  const std::lock_guard lock(impl_->mu);
  const auto [it, is_new] = impl_->known.try_emplace(name);
  it->second.api = object;
  const bool epoch_begins = std::exchange(it->second.epoch, epoch) < epoch;
  ObjectRef old;
  if (!is_new) {
    old = impl_->latest->Get(name.namespace_, name.name);
    // The informer reports the version that was assumed: the server's answer to a write, or a
    // resync. The assumed form may differ. Versions of two epochs cannot be compared, and what was
    // assumed in an earlier epoch no longer holds.
    const auto order = cache::CompareResourceVersion(version, old->resourceVersion());
    if (!epoch_begins && order && *order != std::strong_ordering::greater) return;
  }
  it->second.assumed = false;
  impl_->PutLatest(object);
  const EventType type = is_new ? EventType::kAdded : EventType::kUpdated;
  impl_->Tell({.type = type, .old_object = std::move(old), .object = std::move(object)});
}

void AssumeCacheCore::OnDelete(const Block& object, bool final_state_unknown) {
  const ObjectName name = NameOf(object);
  const std::lock_guard lock(impl_->mu);
  if (impl_->known.erase(name) == 0) return;
  ObjectRef old = impl_->latest->Get(name.namespace_, name.name);
  LogError(impl_->env, impl_->latest->Delete(name.namespace_, name.name, object.resourceVersion()));
  impl_->Tell({.type = EventType::kDeleted,
               .final_state_unknown = final_state_unknown,
               .object = std::move(old)});
}

// ---- calls of users

Result<void> AssumeCacheCore::Assume(ObjectRef object) {
  if (!object || object->name().empty()) {
    return Error(Reason::kInvalidArgument,
                 "an object without a name cannot be assumed: give one that a server has answered "
                 "with");
  }
  const ObjectName name = NameOf(*object);
  const std::lock_guard lock(impl_->mu);
  const auto it = impl_->known.find(name);
  if (it == impl_->known.end()) return impl_->NotFound(name);
  ObjectRef old = impl_->latest->Get(name.namespace_, name.name);
  const auto order =
      cache::CompareResourceVersion(object->resourceVersion(), old->resourceVersion());
  const std::string versions = "(stored: " + std::string(old->resourceVersion()) +
                               ", assume: " + std::string(object->resourceVersion()) + ")";
  if (!order) {
    return Error(Reason::kInvalidArgument, impl_->resource + " \"" + name.ToString() +
                                               "\": one of the resourceVersions is no number " +
                                               versions);
  }
  if (*order == std::strong_ordering::less) {
    return Error(Reason::kConflict, impl_->resource + " \"" + name.ToString() +
                                        "\" is out of sync " + versions +
                                        ": take the latest with Get and decide again");
  }
  it->second.assumed = true;
  impl_->PutLatest(object);
  impl_->Tell(
      {.type = EventType::kUpdated, .old_object = std::move(old), .object = std::move(object)});
  return {};
}

void AssumeCacheCore::Restore(std::string_view key) {
  const ObjectName name = SplitKey(key);
  const std::lock_guard lock(impl_->mu);
  const auto it = impl_->known.find(name);
  if (it == impl_->known.end() || !std::exchange(it->second.assumed, false)) return;
  ObjectRef old = impl_->latest->Get(name.namespace_, name.name);
  impl_->PutLatest(it->second.api);
  impl_->Tell(
      {.type = EventType::kUpdated, .old_object = std::move(old), .object = it->second.api});
}

Result<ObjectRef> AssumeCacheCore::Get(std::string_view key) const {
  const ObjectName name = SplitKey(key);
  ObjectRef found = impl_->latest->Get(name.namespace_, name.name);
  if (!found) return impl_->NotFound(name);
  return found;
}

Result<ObjectRef> AssumeCacheCore::GetAPIObj(std::string_view key) const {
  const ObjectName name = SplitKey(key);
  const std::lock_guard lock(impl_->mu);
  const auto it = impl_->known.find(name);
  if (it == impl_->known.end()) return impl_->NotFound(name);
  return it->second.api;
}

// ---- handlers

std::shared_ptr<cache::Listener> AssumeCacheCore::AddHandler(std::shared_ptr<RawHandler> handler,
                                                             HandlerOptions options) {
  const std::lock_guard lock(impl_->mu);
  ++impl_->handlers_so_far;
  if (options.name.empty()) options.name = "handler-" + std::to_string(impl_->handlers_so_far);
  cache::ListenerConfig config;
  config.options = std::move(options);
  config.informer = "assume cache for " + impl_->resource;
  auto listener = std::make_shared<cache::Listener>(
      impl_->env, std::move(handler), std::move(config), std::weak_ptr<cache::ListenerOwner>());
  cache::Replay replay;
  replay.after = impl_->latest->Snapshot();
  replay.initial = true;
  listener->PushReplay(std::move(replay));
  listener->PushSynced();
  impl_->listeners.push_back(listener);
  impl_->watch->Add(listener);
  impl_->watch->Wake();
  return listener;
}

Result<void> AssumeCacheCore::RemoveHandler(const std::shared_ptr<cache::Listener>& listener) {
  {
    const std::lock_guard lock(impl_->mu);
    if (std::erase(impl_->listeners, listener) == 0 &&
        (listener == nullptr || !listener->removed())) {
      return Error(
          Reason::kInvalidArgument,
          "the handler was not removed: it is not one of the assume cache for " + impl_->resource);
    }
  }
  return listener->Remove();
}

}  // namespace kinformer::internal

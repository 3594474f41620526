#include "kinformer/workqueue/flowcontrol.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/core/backoff.h"
#include "base/core/mutex.h"

namespace kinformer::flowcontrol {

using internal::base::MutexLock;
using internal::base::Scaled;

struct Backoff::Impl {
  struct Entry {
    Duration delay{};
    SteadyTime last{};  // when it last grew
  };

  Impl(Env& e, BackoffOptions o) : env(e), options(std::move(o)) {}

  [[nodiscard]] bool HasExpired(SteadyTime event, const Entry& entry) const {
    if (options.has_expired) return options.has_expired(event, entry.last, options.max);
    return event - entry.last > Scaled(options.max, 2);
  }
  [[nodiscard]] Duration Extra(Duration delay) const {
    return Scaled(delay, options.jitter * RandomUnit(env));
  }
  // Returns the delay that applies to a failure at that time.
  [[nodiscard]] std::optional<Entry> At(std::string_view id, SteadyTime event) const {
    const MutexLock lock(mutex);
    const auto found = entries.find(id);
    if (found == entries.end() || HasExpired(event, found->second)) return std::nullopt;
    return found->second;
  }

  Env& env;
  const BackoffOptions options;
  mutable internal::base::Mutex mutex;
  std::map<std::string, Entry, std::less<>> entries KINFORMER_GUARDED_BY(mutex);
};

Backoff::Backoff(Env& env, BackoffOptions options)
    : impl_(std::make_unique<Impl>(env, std::move(options))) {}
Backoff::~Backoff() = default;

Duration Backoff::Get(std::string_view id) const {
  const MutexLock lock(impl_->mutex);
  const auto found = impl_->entries.find(id);
  return found == impl_->entries.end() ? Duration(0) : found->second.delay;
}

void Backoff::Next(std::string_view id, SteadyTime event) {
  const Duration initial = impl_->options.initial;
  const SteadyTime now = impl_->env.Now();
  const MutexLock lock(impl_->mutex);
  const auto [at, is_new] = impl_->entries.try_emplace(std::string(id));
  Impl::Entry& entry = at->second;
  if (is_new || impl_->HasExpired(event, entry)) {
    entry.delay = initial + impl_->Extra(initial);
  } else {
    entry.delay =
        std::min<Duration>(Scaled(entry.delay, 2) + impl_->Extra(entry.delay), impl_->options.max);
  }
  entry.last = now;
}

void Backoff::Reset(std::string_view id) {
  const MutexLock lock(impl_->mutex);
  if (const auto found = impl_->entries.find(id); found != impl_->entries.end()) {
    impl_->entries.erase(found);
  }
}

bool Backoff::IsInBackOffSince(std::string_view id, SteadyTime event) const {
  const std::optional<Impl::Entry> entry = impl_->At(id, event);
  return entry && impl_->env.Now() - event < entry->delay;
}

bool Backoff::IsInBackOffSinceUpdate(std::string_view id, SteadyTime event) const {
  const std::optional<Impl::Entry> entry = impl_->At(id, event);
  return entry && event - entry->last < entry->delay;
}

void Backoff::GC() {
  const SteadyTime now = impl_->env.Now();
  const MutexLock lock(impl_->mutex);
  std::erase_if(impl_->entries, [&](const auto& e) { return impl_->HasExpired(now, e.second); });
}

std::size_t Backoff::size() const {
  const MutexLock lock(impl_->mutex);
  return impl_->entries.size();
}

}  // namespace kinformer::flowcontrol

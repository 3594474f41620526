#include "cache/informer/informer_statuses.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "cache/figures/informer_metrics.h"
#include "cache/store/store_part.h"

namespace kinformer::internal::cache {
namespace {

// Returns a rank: a larger number is a worse status.
int Badness(const InformerStatus& status) {
  switch (status.state) {
    case InformerState::kForbidden:
      return 8;
    case InformerState::kAbsent:
      return 7;
    case InformerState::kBackingOff:
      return 6;
    case InformerState::kRefused:
      return 5;
    case InformerState::kListing:
      // Repeating a failed list is as bad as waiting for the repetition.
      return status.error ? 6 : 4;
    case InformerState::kNotStarted:
      return 3;
    case InformerState::kPaused:
      return 2;
    case InformerState::kWatching:
      return 1;
    case InformerState::kStopped:
      return 0;
  }
  return 0;
}

}  // namespace

InformerStatuses::InformerStatuses(Env& env, const std::string& informer,
                                   std::shared_ptr<InformerObservers> observers,
                                   InformerMetrics* metrics)
    : env_(env), informer_(informer), observers_(std::move(observers)), metrics_(metrics) {
  static_cast<void>(Of(""));
}

void InformerStatuses::SetErrorHandler(const WatchErrorHandler& handler) {
  on_error_ = handler;
  const base::MutexLock lock(mutex_);
  for (auto& [place, one] : places_) one->status.SetErrorHandler(handler);
}

ReflectorStatus& InformerStatuses::Of(const std::string& place) {
  const base::MutexLock lock(mutex_);
  std::shared_ptr<One>& one = places_[place];
  if (one == nullptr) {
    one = std::make_shared<One>(
        env_, place.empty() ? informer_ : informer_ + ", " + DescribedPlace(place), observers_,
        metrics_);
    one->status.SetErrorHandler(on_error_);
  }
  return one->status;
}

void InformerStatuses::SetPlaces(const std::set<std::string, std::less<>>& places) {
  for (const std::string& place : places) static_cast<void>(Of(place));
  const base::MutexLock lock(mutex_);
  for (auto it = places_.begin(); it != places_.end();) {
    if (places.contains(it->first)) {
      ++it;
      continue;
    }
    const ReflectorStatus& status = it->second->status;
    status.AddTo(gone_);
    gone_.status.epochs += status.epochs();
    it = places_.erase(it);
  }
}

void InformerStatuses::Stopped() {
  const base::MutexLock lock(mutex_);
  for (auto& [place, one] : places_) one->status.Stopped();
}

InformerStatuses::Places InformerStatuses::Now() const {
  const base::MutexLock lock(mutex_);
  return places_;
}

std::optional<Error> InformerStatuses::LastError(std::string_view namespace_) const {
  std::optional<Error> first;
  std::string_view where;
  std::size_t more = 0;
  const Places places = Now();
  const bool has_own = places.contains(namespace_);
  const std::string_view key = has_own ? namespace_ : kOtherNamespaces;
  for (const auto& [place, one] : places) {
    if (!namespace_.empty() && !place.empty() && place != key) continue;
    std::optional<Error> error = one->status.LastError();
    if (!error) continue;
    if (first) {
      ++more;
      continue;
    }
    first = std::move(error);
    where = place;
  }
  if (!first || where.empty() || !namespace_.empty()) return first;
  std::string context =
      where == kOtherNamespaces ? DescribedPlace(where) : "namespace \"" + std::string(where) + '"';
  if (more > 0) context += ", and " + std::to_string(more) + " more that failed";
  return std::move(*first).WithContext(context);
}

std::uint64_t InformerStatuses::epochs() const {
  const base::MutexLock lock(mutex_);
  std::uint64_t sum = gone_.status.epochs;
  for (const auto& [place, one] : places_) sum += one->status.epochs();
  return sum;
}

InformerStatus InformerStatuses::Status() const {
  const Places places = Now();
  std::optional<InformerStatus> worst;
  std::optional<Duration> progress_age = Duration(0);
  std::optional<Duration> epoch_age;
  for (const auto& [place, one] : places) {
    InformerStatus status = one->status.Status();
    progress_age = progress_age && status.progress_age
                       ? std::optional(std::max(*progress_age, *status.progress_age))
                       : std::nullopt;
    if (status.epoch_age && (!epoch_age || *status.epoch_age < *epoch_age)) {
      epoch_age = status.epoch_age;
    }
    if (!worst || Badness(status) > Badness(*worst)) worst = std::move(status);
  }
  if (!worst) worst.emplace();
  worst->epochs = epochs();
  worst->epoch_age = epoch_age;
  worst->progress_age = places.empty() ? std::nullopt : progress_age;
  return *std::move(worst);
}

std::vector<NamespaceStatus> InformerStatuses::Namespaces() const {
  std::vector<NamespaceStatus> all;
  for (const auto& [place, one] : Now()) {
    if (!place.empty()) all.push_back({.namespace_ = place, .status = one->status.Status()});
  }
  return all;
}

void InformerStatuses::AddTo(InformerStats& stats) const {
  {
    const base::MutexLock lock(mutex_);
    stats.lists += gone_.lists;
    stats.watch_lists += gone_.watch_lists;
    stats.watches += gone_.watches;
    stats.errors += gone_.errors;
    stats.refusals += gone_.refusals;
    for (const auto& [place, one] : places_) one->status.AddTo(stats);
  }
  stats.status = Status();
}

void InformerStatuses::ReportProgress() {
  if (metrics_ == nullptr) return;
  {
    // A single place has reported its own, which is the oldest.
    const base::MutexLock lock(mutex_);
    if (places_.size() == 1) return;
  }
  const InformerStatus status = Status();
  if (!status.progress_age) return;
  const Duration wall = (env_.WallNow() - *status.progress_age).time_since_epoch();
  metrics_->last_progress->Set(std::chrono::duration<double>(wall).count());
}

}  // namespace kinformer::internal::cache

#include "kinformer/controller/cluster.h"

#include <algorithm>
#include <utility>

#include "kinformer/base/until.h"
#include "kinformer/events/event_broadcaster.h"
#include "kinformer/events/events.h"

#include "base/core/deadline.h"

namespace kinformer {

Result<std::shared_ptr<Cluster>> Cluster::New(Env& env, const Config& config,
                                              const ClusterOptions& options) {
  ClientOptions how = options.client;
  const bool limited = how.rate_limiter != nullptr || config.rate_limiter != nullptr;
  if (!limited && how.qps == 0 && config.qps == 0) how.qps = -1;
  Result<Client> client = Client::NewForConfig(env, config, how);
  if (!client) return std::move(client).error();
  return std::make_shared<Cluster>(*client, options);
}

Cluster::Cluster(const Client& client, const ClusterOptions& options)
    : rest_(client),
      event_options_(options.events),
      series_options_(options.series_events),
      cache_(std::make_shared<SharedInformerFactory>(client, options.cache)),
      client_(client, cache_, options.reads) {}

Cluster::~Cluster() { cache_->Shutdown(); }

std::shared_ptr<EventRecorder> Cluster::GetEventRecorderFor(const std::string& component) {
  const std::lock_guard lock(mutex_);
  if (events_ == nullptr) {
    events_ = std::make_unique<EventBroadcaster>(env(), event_options_);
    events_->StartRecordingToSink(NewEventSink(rest_));
  }
  return events_->NewRecorder({.component = component});
}

std::shared_ptr<events::EventRecorder> Cluster::GetEventRecorder(
    const std::string& reporting_controller) {
  const std::lock_guard lock(mutex_);
  if (series_ == nullptr) {
    series_ = std::make_unique<events::EventBroadcaster>(env(), series_options_);
    series_->StartRecordingToSink(events::NewEventSink(rest_));
  }
  return series_->NewRecorder(reporting_controller);
}

void Cluster::ShutDownEvents(Duration timeout) {
  internal::Pimpl<EventBroadcaster> core;
  internal::Pimpl<events::EventBroadcaster> series;
  {
    const std::lock_guard lock(mutex_);
    core = std::move(events_);
    series = std::move(series_);
  }
  const SteadyTime deadline = internal::base::After(env().Now(), timeout);
  const auto left = [&] { return std::max(deadline - env().Now(), Duration(0)); };
  if (core != nullptr) core->Shutdown(left());
  if (series != nullptr) series->Shutdown(left());
}

Result<void> Cluster::Start(const std::stop_token& stop) {
  cache_->Start();
  while (SleepUnlessStopped(env(), stop, std::chrono::hours(24))) {
  }
  cache_->Shutdown();
  return {};
}

Result<void> Cluster::WaitUntilReady(const std::stop_token& stop) {
  cache_->Start();
  return cache_->WaitForCacheSync(stop);
}

}  // namespace kinformer

#include "kinformer/cluster.h"

#include <utility>

#include "kinformer/until.h"

namespace kinformer {

Result<std::shared_ptr<Cluster>> Cluster::New(Env& env, const Config& config,
                                              const ClusterOptions& options) {
  Result<Client> client = Client::NewForConfig(env, config, options.client);
  if (!client) return std::move(client).error();
  return std::make_shared<Cluster>(*client, options);
}

Cluster::Cluster(const Client& client, const ClusterOptions& options)
    : rest_(client),
      event_options_(options.events),
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

void Cluster::ShutDownEvents(Duration timeout) {
  std::unique_ptr<EventBroadcaster> events;
  {
    const std::lock_guard lock(mutex_);
    events.swap(events_);
  }
  if (events != nullptr) events->Shutdown(timeout);
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

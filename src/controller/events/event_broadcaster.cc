#include <atomic>
#include <memory>
#include <utility>
#include <vector>

#include "kinformer/event_recorder.h"
#include "kinformer/metrics.h"

#include "base/deadline.h"
#include "base/mutex.h"
#include "base/user_call.h"
#include "controller/events/event_delivery.h"
#include "controller/events/event_name.h"
#include "controller/events/event_watcher.h"

namespace kinformer {

using internal::events::EventDelivery;
using internal::events::EventName;
using internal::events::EventWatcher;
using internal::events::Lost;

// Recorders and threads share it.
struct EventBroadcaster::Impl {
  Impl(Env& e, const EventBroadcasterOptions& o) : env(e), options(o) {
    for (const char* why : {"queue full", "no answer", "refused", "shutdown"}) {
      lost.push_back(env.metrics().NewCounter("kinformer_events_lost_total",
                                              "Events that were not written", {{"why", why}}));
    }
    filtered = env.metrics().NewCounter("kinformer_events_filtered_total",
                                        "Events that were too much of the same", {});
  }

  void Publish(const corev1::EventMutable& event) {
    std::size_t without_room = 0;
    bool tell = false;
    {
      const internal::base::MutexLock lock(mutex);
      for (const auto& watcher : watchers) without_room += watcher->Push(event) ? 0 : 1;
      // Once: who gives too many gives many.
      tell = without_room > 0 && !std::exchange(full_told, true);
    }
    for (; without_room > 0; --without_room) CountLost(Lost::kQueueFull);
    if (!tell) return;
    env.log().Log(LogLevel::kWarning, "events are lost: more are given than can be written",
                  {{"queued", std::to_string(options.max_queued)}});
  }
  void Start(EventWatcher::Take take) {
    auto watcher = std::make_unique<EventWatcher>(env, options.max_queued, std::move(take));
    const internal::base::MutexLock lock(mutex);
    watchers.push_back(std::move(watcher));
  }
  void CountLost(Lost why) { lost[static_cast<std::size_t>(why)]->Add(); }

  Env& env;
  const EventBroadcasterOptions options;
  std::vector<std::shared_ptr<Counter>> lost;  // by Lost
  std::shared_ptr<Counter> filtered;
  internal::base::Mutex mutex;
  std::vector<std::unique_ptr<EventWatcher>> watchers KINFORMER_GUARDED_BY(mutex);
  bool full_told KINFORMER_GUARDED_BY(mutex) = false;
};

namespace {

class Recorder final : public EventRecorder {
 public:
  using Publish = std::function<void(const corev1::EventMutable&)>;

  Recorder(Env& env, corev1::EventSourceMutable source, Publish publish)
      : env_(env), source_(std::move(source)), publish_(std::move(publish)) {}

  void AnnotatedEvent(const corev1::ObjectReferenceMutable& about,
                      std::map<std::string, std::string> annotations, std::string_view type,
                      std::string_view reason, std::string message) override {
    if (about.name.empty() || about.kind.empty()) {
      Refuse("an event is about nothing: its reference has no kind or no name", reason, message);
      return;
    }
    if (type != kEventTypeNormal && type != kEventTypeWarning) {
      Refuse("an event's type is neither Normal nor Warning", reason, message);
      return;
    }
    corev1::EventMutable event;
    event.metadata.name = EventName(about.name, env_);
    event.metadata.namespace_ = about.namespace_.empty() ? "default" : about.namespace_;
    event.metadata.annotations = std::move(annotations);
    event.involvedObject = about;
    event.reason = reason;
    event.message = std::move(message);
    event.type = type;
    event.source = source_;
    event.reportingComponent = source_.component;
    event.reportingInstance = source_.host;
    event.count = 1;
    event.firstTimestamp = metav1::Time(
        std::chrono::floor<std::chrono::seconds>(env_.WallNow()).time_since_epoch().count());
    event.lastTimestamp = event.firstTimestamp;
    publish_(event);
  }

 private:
  void Refuse(std::string_view why, std::string_view reason, const std::string& message) const {
    env_.log().Log(
        LogLevel::kError, why,
        {{"component", source_.component}, {"reason", std::string(reason)}, {"message", message}});
  }

  Env& env_;
  const corev1::EventSourceMutable source_;
  const Publish publish_;
};

}  // namespace

EventBroadcaster::EventBroadcaster(Env& env, const EventBroadcasterOptions& options)
    : impl_(std::make_shared<Impl>(env, options)) {}

EventBroadcaster::~EventBroadcaster() { Shutdown(); }

std::shared_ptr<EventRecorder> EventBroadcaster::NewRecorder(corev1::EventSourceMutable source) {
  return std::make_shared<Recorder>(
      impl_->env, std::move(source),
      [impl = impl_](const corev1::EventMutable& event) { impl->Publish(event); });
}

void EventBroadcaster::StartRecordingToSink(std::unique_ptr<EventSink> sink) {
  // The thread of the watcher ends before this goes.
  Impl* const impl = impl_.get();
  const auto delivery = std::make_shared<EventDelivery>(
      impl->env, impl->options, std::move(sink), [impl](Lost why) { impl->CountLost(why); },
      [impl] { impl->filtered->Add(); });
  impl->Start([delivery](const corev1::EventMutable& event, const std::stop_token& stop) {
    delivery->Deliver(event, stop);
  });
}

void EventBroadcaster::StartEventWatcher(
    std::function<void(const corev1::EventMutable&)> on_event) {
  impl_->Start([&env = impl_->env, on_event = std::move(on_event)](
                   const corev1::EventMutable& event, const std::stop_token&) {
    static_cast<void>(internal::base::CallUser(env, "event watcher", [&] { on_event(event); }));
  });
}

void EventBroadcaster::StartLogging() {
  StartEventWatcher([&env = impl_->env](const corev1::EventMutable& event) {
    const corev1::ObjectReferenceMutable& about = event.involvedObject;
    env.log().Log(
        event.type == kEventTypeWarning ? LogLevel::kWarning : LogLevel::kInfo, "event",
        {{"object", about.namespace_.empty() ? about.name : about.namespace_ + "/" + about.name},
         {"kind", about.kind},
         {"apiVersion", about.apiVersion},
         {"type", event.type},
         {"reason", event.reason},
         {"message", event.message}});
  });
}

void EventBroadcaster::Shutdown(Duration timeout) {
  std::vector<std::unique_ptr<EventWatcher>> ending;
  {
    const internal::base::MutexLock lock(impl_->mutex);
    ending.swap(impl_->watchers);
  }
  const SteadyTime deadline = internal::base::After(impl_->env.Now(), timeout);
  for (const auto& watcher : ending) {
    for (std::size_t given_up = watcher->End(deadline); given_up > 0; --given_up) {
      impl_->CountLost(Lost::kShutdown);
    }
  }
}

}  // namespace kinformer

#include "controller/events/broadcaster_core.h"

#include <string>
#include <utility>

#include "kinformer/events/event_recorder.h"
#include "kinformer/events/event_sink.h"

#include "base/core/deadline.h"
#include "base/core/user_call.h"
#include "controller/events/event_parts.h"

namespace kinformer::internal::events {
namespace {

// Passes events to a function of the user.
template <class Event>
class UserTaker final : public EventTaker<Event> {
 public:
  UserTaker(Env& env, std::function<void(const Event&)> on_event)
      : env_(env), on_event_(std::move(on_event)) {}
  void Take(const Event& event, const std::stop_token&) override {
    static_cast<void>(base::CallUser(env_, "event watcher", [&] { on_event_(event); }));
  }

 private:
  Env& env_;
  const std::function<void(const Event&)> on_event_;
};

}  // namespace

template <class Event>
BroadcasterCore<Event>::BroadcasterCore(Env& env, Options options)
    : env_(env),
      options_(std::move(options)),
      skipped_(env.metrics().NewCounter("kinformer_events_filtered_total",
                                        "Events that were too much of the same", {})) {
  constexpr std::array kReasons = {"queue full", "no answer", "refused", "shutdown"};
  for (std::size_t i = 0; i < kReasons.size(); ++i) {
    lost_[i] = env.metrics().NewCounter("kinformer_events_lost_total",
                                        "Events that were not written", {{"why", kReasons[i]}});
  }
}

template <class Event>
void BroadcasterCore<Event>::Publish(const Event& event) {
  std::size_t without_room = 0;
  bool tell = false;
  bool no_sink = false;
  {
    const base::MutexLock lock(mutex_);
    for (const auto& watcher : watchers_) without_room += watcher->Push(event) ? 0 : 1;
    // Logged only once, because many events usually follow.
    tell = without_room > 0 && !std::exchange(full_told_, true);
    no_sink = !started_ && !std::exchange(logged_no_sink_, true);
  }
  if (no_sink) {
    env_.log().Log(LogLevel::kWarning,
                   "events go nowhere: their broadcaster has no sink; call "
                   "StartRecordingToSink(NewEventSink(client)) before the first one",
                   {{"reason", event.reason}});
  }
  for (; without_room > 0; --without_room) CountLost(Lost::kQueueFull);
  if (!tell) return;
  env_.log().Log(LogLevel::kWarning, "events are lost: more are given than can be written",
                 {{"queued", std::to_string(options_.max_queued)}});
}

template <class Event>
void BroadcasterCore<Event>::StartRecording(std::unique_ptr<BasicEventSink<Event>> sink) {
  // The thread of the watcher ends before this object is destroyed.
  Start(std::make_unique<EventDelivery<Event>>(
      env_,
      DeliveryOptions{.max_attempts = options_.max_attempts,
                      .retry_delay = options_.retry_delay,
                      .lost = [this](Lost why) { CountLost(why); },
                      .skipped = [this] { skipped_->Add(); }},
      std::move(sink), options_.new_correlation()));
}

template <class Event>
void BroadcasterCore<Event>::StartWatcher(std::function<void(const Event&)> on_event) {
  Start(std::make_unique<UserTaker<Event>>(env_, std::move(on_event)));
}

template <class Event>
void BroadcasterCore<Event>::StartLogging() {
  StartWatcher([&env = env_](const Event& event) {
    const corev1::ObjectReferenceMutable& about = AboutOf(event);
    env.log().Log(
        event.type == kEventTypeWarning ? LogLevel::kWarning : LogLevel::kInfo, "event",
        {{"object", about.namespace_.empty() ? about.name : about.namespace_ + "/" + about.name},
         {"kind", about.kind},
         {"apiVersion", about.apiVersion},
         {"type", event.type},
         {"reason", event.reason},
         {"message", TextOf(event)}});
  });
}

template <class Event>
void BroadcasterCore<Event>::Start(std::unique_ptr<EventTaker<Event>> taker) {
  auto watcher = std::make_unique<EventWatcher<Event>>(env_, options_.max_queued, std::move(taker));
  const base::MutexLock lock(mutex_);
  watchers_.push_back(std::move(watcher));
  started_ = true;
}

template <class Event>
void BroadcasterCore<Event>::Shutdown(Duration timeout) {
  std::vector<std::unique_ptr<EventWatcher<Event>>> ending;
  {
    const base::MutexLock lock(mutex_);
    std::vector<std::unique_ptr<EventWatcher<Event>>> all = std::exchange(leaving_, {});
    for (auto& watcher : std::exchange(watchers_, {})) all.push_back(std::move(watcher));
    for (auto& watcher : all) {
      const bool own = watcher->OnOwnThread();
      if (own) watcher->LetEnd();
      (own ? leaving_ : ending).push_back(std::move(watcher));
    }
  }
  const SteadyTime deadline = base::After(env_.Now(), timeout);
  for (const auto& watcher : ending) {
    for (std::size_t given_up = watcher->End(deadline); given_up > 0; --given_up) {
      CountLost(Lost::kShutdown);
    }
  }
}

template class BroadcasterCore<corev1::EventMutable>;
template class BroadcasterCore<eventsv1::EventMutable>;

}  // namespace kinformer::internal::events

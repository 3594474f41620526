#include "testing/watch_events.h"

#include <utility>

#include "apiserver/errors/status.h"
#include "base/core/deadline.h"

namespace kinformer {
namespace internal::kit {

WatchEvents::Id WatchEvents::Add(std::function<void()> wake) {
  const std::scoped_lock lock(mutex_);
  readers_[next_] = {
      .wake = std::move(wake), .frames = std::exchange(waiting_, {}), .ended = stopped_};
  return next_++;
}

void WatchEvents::Remove(Id id) {
  const std::scoped_lock lock(mutex_);
  readers_.erase(id);
}

bool WatchEvents::Take(Id id, std::deque<std::string>& frames) {
  const std::scoped_lock lock(mutex_);
  Reader& reader = readers_.at(id);
  frames = std::exchange(reader.frames, {});
  return !reader.ended;
}

void WatchEvents::Send(const std::string& frame) {
  const std::scoped_lock lock(mutex_);
  bool is_read = false;
  for (auto& [id, reader] : readers_) {
    if (reader.ended) continue;
    is_read = true;
    reader.frames.push_back(frame);
    reader.wake();
  }
  if (!is_read) waiting_.push_back(frame);
}

void WatchEvents::Stop() {
  const std::scoped_lock lock(mutex_);
  stopped_ = true;
  for (auto& [id, reader] : readers_) {
    reader.ended = true;
    reader.wake();
  }
}

void WatchEvents::Reset() {
  const std::scoped_lock lock(mutex_);
  stopped_ = false;
  waiting_.clear();
}

int WatchEvents::readers() const {
  const std::scoped_lock lock(mutex_);
  int running = 0;
  for (const auto& [id, reader] : readers_) running += reader.ended ? 0 : 1;
  return running;
}

// One watch. Loop-confined, but for the wake function that it gives to the events.
class WatchAnswer final : public HttpCall {
 public:
  WatchAnswer(Env& env, const testing::FakeWatch& watch, Duration timeout,
              ResponseReceiver& receiver)
      : events_(watch.events_), state_(std::make_shared<State>(env, *events_, receiver)) {
    state_->id = events_->Add([&loop = env.loop(), weak = std::weak_ptr(state_)] {
      loop.Post([weak] {
        if (const auto state = weak.lock()) state->Pump();
      });
    });
    state_->turn = env.loop().RunAt(env.Now(), [state = state_.get()] { state->Begin(); });
    if (timeout > Duration::zero()) {
      state_->limit = env.loop().RunAt(base::After(env.Now(), timeout),
                                       [state = state_.get()] { state->RunOut(); });
    }
  }
  ~WatchAnswer() override { events_->Remove(state_->id); }

 private:
  struct State {
    State(Env& e, WatchEvents& w, ResponseReceiver& r) : env(e), events(w), receiver(r) {}

    void Begin() {
      HttpHeaders headers;
      headers.Add("Content-Type", "application/json");
      receiver.OnHeaders(200, headers);
      begun = true;
      Pump();
    }
    // Gives what has come, and the end in a turn of its own, since that may destroy the watch.
    void Pump() {
      if (!begun || ended) return;
      std::deque<std::string> frames;
      ended = !events.Take(id, frames);
      for (const std::string& frame : frames) receiver.OnData(frame);
      if (ended) turn = env.loop().RunAt(env.Now(), [this] { receiver.OnDone({}); });
    }
    void RunOut() {
      if (std::exchange(ended, true)) return;
      receiver.OnDone(Error(Reason::kDeadlineExceeded, "no complete response in time"));
    }

    Env& env;
    WatchEvents& events;
    ResponseReceiver& receiver;
    WatchEvents::Id id = 0;
    Timer turn;
    Timer limit;
    bool begun = false;
    bool ended = false;
  };

  const std::shared_ptr<WatchEvents> events_;
  const std::shared_ptr<State> state_;
};

std::unique_ptr<HttpCall> NewWatchAnswer(Env& env, const testing::FakeWatch& watch,
                                         Duration timeout, ResponseReceiver& receiver) {
  return std::make_unique<WatchAnswer>(env, watch, timeout, receiver);
}

}  // namespace internal::kit

namespace testing {

FakeWatch::FakeWatch() : events_(std::make_shared<kinformer::internal::kit::WatchEvents>()) {}

void FakeWatch::Send(std::string_view type, const json::Value& object) const {
  events_->Send(json::Value::MakeObject({{"type", type}, {"object", object}}).Dump() + "\n");
}

void FakeWatch::Error(const kinformer::Error& error) const {
  Send("ERROR", json::Parse(apiserver::StatusJson(error)).OrExit());
}

void FakeWatch::Stop() const { events_->Stop(); }
void FakeWatch::Reset() const { events_->Reset(); }
int FakeWatch::running() const { return events_->readers(); }

}  // namespace testing
}  // namespace kinformer

#include "client/limiter_waits.h"

#include <deque>
#include <stop_token>
#include <string>
#include <utility>

#include "base/core/user_call.h"

namespace kinformer::internal::client {

struct LimiterPlace {
  SteadyTime deadline{};
  std::function<void(Result<void>)> done{};  // of the loop; empty: the request no longer waits
  std::stop_source stop{};
};

// The requests that wait for one limiter. Whatever is under way keeps it.
class LimiterLine : public std::enable_shared_from_this<LimiterLine> {
 public:
  LimiterLine(std::shared_ptr<Env> env, std::shared_ptr<flowcontrol::RateLimiter> limiter)
      : env_(std::move(env)), limiter_(std::move(limiter)) {}

  void Add(std::shared_ptr<LimiterPlace> place) {
    waiting_.push_back(std::move(place));
    if (!busy_) AskForNext();
  }

 private:
  void AskForNext() {
    while (!waiting_.empty() && !waiting_.front()->done) waiting_.pop_front();
    busy_ = !waiting_.empty();
    if (!busy_) return;
    const std::shared_ptr<LimiterPlace> place = std::move(waiting_.front());
    waiting_.pop_front();
    env_->pool().Post([line = shared_from_this(), place] {
      Result<void> result = line->Ask(*place);
      Executor& loop = line->env_->loop();
      loop.Post([line, place, result = std::move(result)]() mutable {
        line->Answer(*place, std::move(result));
      });
    });
  }
  // Called on a thread of the pool.
  Result<void> Ask(const LimiterPlace& place) {
    if (place.stop.stop_requested()) return {};
    return base::CallUserForResult(
        *env_, "RateLimiter::Wait",
        [&] { return limiter_->Wait(place.stop.get_token(), place.deadline); },
        [] { return std::string(); });
  }
  void Answer(LimiterPlace& place, Result<void> result) {
    const auto done = std::exchange(place.done, nullptr);
    AskForNext();
    if (done) done(std::move(result));
  }

  const std::shared_ptr<Env> env_;
  const std::shared_ptr<flowcontrol::RateLimiter> limiter_;
  std::deque<std::shared_ptr<LimiterPlace>> waiting_;
  bool busy_ = false;
};

LimiterWait::LimiterWait(std::shared_ptr<LimiterLine> line, std::shared_ptr<LimiterPlace> place)
    : line_(std::move(line)), place_(std::move(place)) {}

LimiterWait& LimiterWait::operator=(LimiterWait&& other) noexcept {
  if (this != &other) {
    Leave();
    line_ = std::move(other.line_);
    place_ = std::move(other.place_);
  }
  return *this;
}

LimiterWait::~LimiterWait() { Leave(); }

void LimiterWait::Leave() {
  if (place_ == nullptr) return;
  const std::shared_ptr<LimiterPlace> place = std::exchange(place_, nullptr);
  if (!place->done) return;  // answered
  place->done = nullptr;
  place->stop.request_stop();
}

LimiterWait LimiterWaits::Begin(const std::shared_ptr<flowcontrol::RateLimiter>& limiter,
                                SteadyTime deadline, std::function<void(Result<void>)> done) {
  std::shared_ptr<LimiterLine> line = lines_[limiter.get()].lock();
  if (line == nullptr) {
    std::erase_if(lines_, [](const auto& entry) { return entry.second.expired(); });
    line = std::make_shared<LimiterLine>(env_, limiter);
    lines_[limiter.get()] = line;
  }
  auto place = std::make_shared<LimiterPlace>();
  place->deadline = deadline;
  place->done = std::move(done);
  line->Add(place);
  return {std::move(line), std::move(place)};
}

}  // namespace kinformer::internal::client

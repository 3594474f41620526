#include "base/loop/own_job.h"

#include <utility>

#include "base/loop/own_work.h"

namespace kinformer::internal::base {

struct OwnJob::State {
  State(Env& job_env, Env& home) : monitor(home.NewMonitor()), env(&job_env) {}

  std::stop_source stop{};
  // A Monitor, because posting a task may switch threads in simulated time.
  const std::unique_ptr<Monitor> monitor;
  Env* env;  // under monitor; null: given up
};

OwnJob& OwnJob::operator=(OwnJob&& other) noexcept {
  std::shared_ptr<State> next = std::exchange(other.state_, nullptr);
  GiveUp();
  state_ = std::move(next);
  return *this;
}

OwnJob OwnJob::Start(Env& env, Work work) {
  const OwnWork place = OwnWorkOf(env);
  auto state = std::make_shared<State>(env, place.env);
  place.threads.Post([state, work = std::move(work), &home = place.env, ends = place.ends] {
    const std::stop_callback at_end(ends, [&state] { state->stop.request_stop(); });
    Closure then = work(home, state->stop.get_token());
    MonitorLock lock(*state->monitor);
    if (state->env == nullptr) return;
    state->env->loop().Post([state, run = std::move(then)]() mutable {
      bool wanted = false;
      {
        MonitorLock still(*state->monitor);
        wanted = state->env != nullptr;
      }
      if (wanted) run();
    });
  });
  return OwnJob(std::move(state));
}

void OwnJob::GiveUp() {
  const std::shared_ptr<State> state = std::exchange(state_, nullptr);
  if (state == nullptr) return;
  state->stop.request_stop();
  MonitorLock lock(*state->monitor);
  state->env = nullptr;
}

}  // namespace kinformer::internal::base

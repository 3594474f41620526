// base/loop/own_job.h
//
// OwnJob: one piece of the library's own blocking work, and what is to happen on the loop then.

#ifndef KINFORMER_BASE_LOOP_OWN_JOB_H_
#define KINFORMER_BASE_LOOP_OWN_JOB_H_

#include <functional>
#include <memory>
#include <stop_token>

#include "kinformer/env.h"
#include "kinformer/task.h"

namespace kinformer::internal::base {

// A handle on the job; its destruction gives the job up. Belongs to the loop of the Env it was
// started with, and must be gone before that Env; the work itself may outlast both.
class OwnJob {
 public:
  // Blocks, on a thread of own_work.h. Uses the Env that it is given, not the one of Start. Ends
  // soon after its stop is requested, which happens when the job is given up or the Env ends.
  // Gives what is to happen on the loop.
  using Work = std::function<Task(Env& env, const std::stop_token& stop)>;

  OwnJob() = default;
  OwnJob(OwnJob&&) noexcept = default;
  OwnJob& operator=(OwnJob&& other) noexcept;
  ~OwnJob() { GiveUp(); }

  // On the loop, as long as the handle is there, what `work` gives is run on `env`'s loop.
  [[nodiscard]] static OwnJob Start(Env& env, Work work);
  // Never waits for the work. What it gives is not run any more.
  void GiveUp();

 private:
  struct State;
  explicit OwnJob(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_{};
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_OWN_JOB_H_

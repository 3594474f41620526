// base/loop/own_job.h
//
// OwnJob: one piece of the library's own blocking work, with a continuation on the loop.

#ifndef KINFORMER_BASE_LOOP_OWN_JOB_H_
#define KINFORMER_BASE_LOOP_OWN_JOB_H_

#include <functional>
#include <memory>
#include <stop_token>

#include "kinformer/base/closure.h"
#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// Handle of the job; its destructor gives the job up. Belongs to the loop of the Env passed to
// Start, and must be destroyed before that Env; the work itself may outlive both.
class OwnJob {
 public:
  // Blocks, on a thread of own_work.h. Must use the Env that it is given, not that of Start, and
  // must end soon after its stop is requested, which happens when the job is given up or the Env
  // ends. Returns the task to run on the loop.
  using Work = std::function<Closure(Env& env, const std::stop_token& stop)>;

  OwnJob() = default;
  OwnJob(OwnJob&&) noexcept = default;
  OwnJob& operator=(OwnJob&& other) noexcept;
  ~OwnJob() { GiveUp(); }

  // Runs `work`, then its task on the loop of `env`, if the handle still exists. Call on the loop.
  [[nodiscard]] static OwnJob Start(Env& env, Work work);
  // Does not wait for the work. The work's task will not run.
  void GiveUp();

 private:
  struct State;
  explicit OwnJob(std::shared_ptr<State> state) : state_(std::move(state)) {}

  std::shared_ptr<State> state_{};
};

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_LOOP_OWN_JOB_H_

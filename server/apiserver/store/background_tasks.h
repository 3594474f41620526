// apiserver/store/background_tasks.h
//
// BackgroundTasks: work that a server does by itself after the writes that cause it, in bounded
// turns of the loop.

#ifndef KINFORMER_APISERVER_STORE_BACKGROUND_TASKS_H_
#define KINFORMER_APISERVER_STORE_BACKGROUND_TASKS_H_

#include <deque>
#include <functional>

#include "kinformer/base/env.h"

#include "base/core/own_calls.h"

namespace kinformer::apiserver {

// Runs tasks one after the other, as many in a turn as time permits, so that requests are served in
// between, however many there are. A long task does a part and posts the rest. Destruction drops
// tasks that have not run. Loop-confined.
class BackgroundTasks {
 public:
  explicit BackgroundTasks(Env& env) : env_(env) {}
  BackgroundTasks(const BackgroundTasks&) = delete;
  BackgroundTasks& operator=(const BackgroundTasks&) = delete;

  void Post(std::function<void()> task);

 private:
  void Schedule();
  void Turn();

  Env& env_;
  std::deque<std::function<void()>> tasks_;
  bool scheduled_ = false;
  const internal::base::OwnCalls own_calls_{};
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_BACKGROUND_TASKS_H_

// apiserver/store/background_tasks.h
//
// BackgroundTasks: what a server does by itself, after the writes that ask for it, in turns of the
// loop that have an end.

#ifndef KINFORMER_APISERVER_STORE_BACKGROUND_TASKS_H_
#define KINFORMER_APISERVER_STORE_BACKGROUND_TASKS_H_

#include <deque>
#include <functional>
#include <memory>

#include "kinformer/env.h"

namespace kinformer::apiserver {

// Runs tasks one after the other, as many in a turn as there is time for: however many there are,
// others are served in between. A task that has much to do does a part of it and posts the rest.
// What has not run when this goes is dropped. Loop-confined.
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
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_STORE_BACKGROUND_TASKS_H_

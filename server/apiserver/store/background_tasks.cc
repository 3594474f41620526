#include "apiserver/store/background_tasks.h"

#include <cstddef>
#include <utility>

#include "base/core/work_slice.h"

namespace kinformer::apiserver {
namespace {

// Limit of tasks in one turn, in case the clock does not advance.
constexpr std::size_t kMostTasks = 64;

}  // namespace

void BackgroundTasks::Post(std::function<void()> task) {
  tasks_.push_back(std::move(task));
  if (!scheduled_) Schedule();
}

void BackgroundTasks::Schedule() {
  scheduled_ = true;
  env_.loop().Post(own_calls_.Guard([this] { Turn(); }));
}

void BackgroundTasks::Turn() {
  const internal::base::WorkSlice turn(env_);
  for (std::size_t done = 0; !tasks_.empty() && done < kMostTasks && !turn.over(); ++done) {
    const std::function<void()> task = std::move(tasks_.front());
    tasks_.pop_front();
    task();
  }
  scheduled_ = false;
  if (!tasks_.empty()) Schedule();
}

}  // namespace kinformer::apiserver

#include "apiserver/request/off_loop.h"

#include <memory>
#include <utility>

namespace kinformer::apiserver {

OffLoop::~OffLoop() {
  loop_.reset();  // waits for the work that uses the jobs
  jobs_.clear();
}

Executor& OffLoop::Thread() {
  if (loop_ == nullptr) loop_ = env_.NewLoop("apiserver");
  return loop_->env().loop();
}

void OffLoop::Begin(std::shared_ptr<Flow> flow, std::coroutine_handle<> at,
                    std::function<void()> work) {
  Executor& thread = Thread();
  jobs_.push_front({.flow = std::move(flow), .at = at, .work = std::move(work)});
  const Jobs::iterator job = jobs_.begin();
  thread.Post(
      [job, &loop = env_.loop(), end = own_calls_.Guard([this, job] { End(job); })]() mutable {
        if (job->flow->wanted()) job->work();
        loop.Post(std::move(end));
      });
}

void OffLoop::End(Jobs::iterator job) {
  Jobs ended;
  ended.splice(ended.begin(), jobs_, job);
  job->flow->Continue(job->at);
}

OffLoop::Ticket OffLoop::Start(std::function<void()> work, std::function<void()> then) {
  auto ticket = std::make_shared<int>(0);
  // Destroying the captured objects may be expensive, too.
  struct Ticketed {
    std::function<void()> work;
    std::function<void()> then;
    std::weak_ptr<int> wanted;
  };
  auto job = std::make_shared<Ticketed>(
      Ticketed{.work = std::move(work), .then = std::move(then), .wanted = ticket});
  Executor& thread = Thread();
  thread.Post([&loop = env_.loop(), &thread, job = std::move(job)]() mutable {
    if (!job->wanted.expired()) job->work();
    loop.Post([&thread, job = std::move(job)]() mutable {
      // Without a waiter, the thread may no longer exist.
      if (job->wanted.expired()) return;
      job->then();
      thread.Post([job = std::move(job)] {});
    });
  });
  return ticket;
}

}  // namespace kinformer::apiserver

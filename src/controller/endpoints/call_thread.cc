#include "controller/endpoints/call_thread.h"

#include <utility>

#include "controller/endpoints/text_response.h"
#include "transport/responses.h"

namespace kinformer::internal::endpoints {

class CallThread::Waiting final : public transport::Deferred {
 public:
  [[nodiscard]] std::weak_ptr<Waiting*> self() const { return self_; }
  void Answer(std::unique_ptr<ResponseStream> response) {
    if (response == nullptr) response = TextResponse(500, "the handler gave no response\n");
    Begin(std::move(response));
  }

 private:
  // Goes with this: who holds it weakly sees whether anybody still waits.
  const std::shared_ptr<Waiting*> self_ = std::make_shared<Waiting*>(this);
};

CallThread::CallThread(Env& env, std::string name)
    : env_(env), name_(std::move(name)), monitor_(env.NewMonitor()) {}

CallThread::~CallThread() {
  stop_.request_stop();
  std::unique_ptr<Thread> thread;
  {
    const MonitorLock lock(*monitor_);
    ending_ = true;
    thread = std::move(thread_);
    monitor_->NotifyAll();
  }
  if (thread != nullptr) thread->Join();
}

std::unique_ptr<ResponseStream> CallThread::Answer(Call call) {
  auto waiting = std::make_unique<Waiting>();
  const MonitorLock lock(*monitor_);
  if (jobs_.size() >= kMaxWaiting) return TextResponse(503, "too many requests wait already\n");
  jobs_.push_back({.call = std::move(call), .waiting = waiting->self()});
  if (thread_ == nullptr) thread_ = env_.NewThread(name_, [this] { Run(); });
  monitor_->NotifyAll();
  return waiting;
}

void CallThread::Run() {
  MonitorLock lock(*monitor_);
  while (true) {
    while (jobs_.empty() && !ending_) lock.Wait();
    if (ending_) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    if (job.waiting.expired()) continue;
    monitor_->Unlock();
    Then then = job.call(stop_.get_token());
    env_.loop().Post([waiting = job.waiting, then = std::move(then)] {
      if (const auto place = waiting.lock()) (*place)->Answer(then());
    });
    monitor_->Lock();
  }
}

}  // namespace kinformer::internal::endpoints

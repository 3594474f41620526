#include "controller/endpoints/call_thread.h"

#include <utility>

#include "base/core/forked.h"
#include "base/core/user_call.h"
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
  // Expires with this object, so holders of a weak pointer see whether the client still waits.
  const std::shared_ptr<Waiting*> self_ = std::make_shared<Waiting*>(this);
};

namespace {

std::unique_ptr<ResponseStream> Failed() {
  return TextResponse(500, "what answers this request has thrown an exception\n");
}

}  // namespace

CallThread::CallThread(Env& env, std::string name)
    : env_(env), name_(std::move(name)), monitor_(env.NewMonitor()) {}

CallThread::~CallThread() {
  if (base::LeaveIfForkedOff(env_, jobs_)) return;
  stop_.request_stop();
  std::unique_ptr<Thread> thread;  // joined after the lock is released
  const MonitorLock lock(*monitor_);
  ending_ = true;
  thread = std::move(thread_);
  monitor_->NotifyAll();
}

std::unique_ptr<ResponseStream> CallThread::Answer(Call call, std::size_t bytes) {
  auto waiting = std::make_unique<Waiting>();
  const MonitorLock lock(*monitor_);
  // Removes requests whose clients no longer wait, since they must not take up room.
  std::erase_if(jobs_, [&](const Job& job) {
    if (!job.waiting.expired()) return false;
    bytes_ -= job.bytes;
    return true;
  });
  if (jobs_.size() >= kMaxWaiting || bytes_ + bytes > kMaxWaitingBytes) {
    return TextResponse(503, "too many requests wait already\n");
  }
  jobs_.push_back({.call = std::move(call), .waiting = waiting->self(), .bytes = bytes});
  bytes_ += bytes;
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
    bytes_ -= job.bytes;
    if (job.waiting.expired()) continue;
    monitor_->Unlock();
    Then then;
    const Result<void> called = base::CallUser(
        env_, "what answers a request", [&] { then = job.call(stop_.get_token()); },
        [&] { return name_; });
    if (!called) then = &Failed;
    env_.loop().Post([&env = env_, name = name_, waiting = job.waiting, then = std::move(then)] {
      const auto place = waiting.lock();
      if (place == nullptr) return;
      std::unique_ptr<ResponseStream> response;
      const Result<void> made = base::CallUser(
          env, "what answers a request", [&] { response = then(); }, [&] { return name; });
      (*place)->Answer(made ? std::move(response) : Failed());
    });
    monitor_->Lock();
  }
}

}  // namespace kinformer::internal::endpoints

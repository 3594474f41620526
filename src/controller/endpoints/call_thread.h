// controller/endpoints/call_thread.h
//
// CallThread: answers requests with the results of blocking calls. Calls run on a thread of this
// object; their results are completed on the loop.

#ifndef KINFORMER_CONTROLLER_ENDPOINTS_CALL_THREAD_H_
#define KINFORMER_CONTROLLER_ENDPOINTS_CALL_THREAD_H_

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"

namespace kinformer::internal::endpoints {

// Loop-confined, except that construction and destruction may be on any other thread. The
// destructor stops the running call, waits for it, and drops the others.
class CallThread {
 public:
  // Makes the response, on the loop.
  using Then = std::function<std::unique_ptr<ResponseStream>()>;
  // Runs on the thread. The token is stopped in the destructor.
  using Call = std::function<Then(const std::stop_token& stop)>;

  // Limits of waiting calls, by number and by total bytes.
  static constexpr std::size_t kMaxWaiting = 256;
  static constexpr std::size_t kMaxWaitingBytes = std::size_t{4} << 20;

  CallThread(Env& env, std::string name);
  ~CallThread();
  CallThread(const CallThread&) = delete;
  CallThread& operator=(const CallThread&) = delete;

  // Returns the response of `call`. If the client no longer waits, neither part of the call runs.
  // 503: too many calls wait. 500: a part threw, which is logged with the thread's name. `bytes`:
  // size of the client's data that the call holds.
  std::unique_ptr<ResponseStream> Answer(Call call, std::size_t bytes = 0);

 private:
  class Waiting;
  struct Job {
    Call call;
    std::weak_ptr<Waiting*> waiting;
    std::size_t bytes = 0;
  };

  void Run();

  Env& env_;
  const std::string name_;
  std::stop_source stop_;
  const std::unique_ptr<Monitor> monitor_;
  // Guarded by monitor_.
  std::deque<Job> jobs_;
  std::size_t bytes_ = 0;  // of all jobs
  bool ending_ = false;
  std::unique_ptr<Thread> thread_;  // made at its first use
};

}  // namespace kinformer::internal::endpoints

#endif  // KINFORMER_CONTROLLER_ENDPOINTS_CALL_THREAD_H_

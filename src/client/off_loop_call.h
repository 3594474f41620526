// client/off_loop_call.h
//
// OffLoop: work that blocks on the disk, for which a task waits.

#ifndef KINFORMER_CLIENT_OFF_LOOP_CALL_H_
#define KINFORMER_CLIENT_OFF_LOOP_CALL_H_

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <utility>

#include "kinformer/base/closure.h"
#include "kinformer/base/result.h"
#include "kinformer/base/task.h"
#include "kinformer/client/request_options.h"

#include "base/loop/own_job.h"
#include "client/loop_call.h"

namespace kinformer::internal::client {

class OffLoopCall final : public LoopCall {
 public:
  OffLoopCall(Env& env, std::function<void()> work) : LoopCall(env), work_(std::move(work)) {}

 private:
  void Begin() override {
    job_ = base::OwnJob::Start(
        env(), [weak = weak_from_this(), work = std::move(work_)](Env&, const std::stop_token&) {
          work();
          return Closure([weak] {
            const std::shared_ptr<LoopCall> self = weak.lock();
            if (self != nullptr) static_cast<OffLoopCall&>(*self).Complete({});
          });
        });
  }
  void End() override { job_.GiveUp(); }

  std::function<void()> work_;
  base::OwnJob job_;
};

// Returns what `work` returns, which runs on one of the library's own threads. It must not use what
// ends with the caller.
template <class T>
Task<Result<T>> OffLoop(Env& env, std::stop_token stop, std::function<T()> work) {
  const auto out = std::make_shared<std::optional<T>>();
  std::function<void()> run = [out, work = std::move(work)] { out->emplace(work()); };
  auto call = std::make_shared<OffLoopCall>(env, std::move(run));
  CallOptions options;
  options.stop = std::move(stop);
  Result<void> done = co_await LoopCall::Run(std::move(call), std::move(options));
  if (!done) co_return std::move(done).error();
  co_return std::move(**out);
}

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_OFF_LOOP_CALL_H_

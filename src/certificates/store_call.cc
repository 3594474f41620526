#include "certificates/store_call.h"

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

#include "base/core/user_call.h"
#include "base/loop/own_work.h"
#include "base/loop/signal.h"

namespace kinformer::internal::certificates {
namespace {

// The result, which another thread sets.
class Outcome {
 public:
  void Set(Result<void> result) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
  }
  [[nodiscard]] std::optional<Result<void>> Get() const {
    const std::lock_guard lock(mutex_);
    return result_;
  }

 private:
  mutable std::mutex mutex_;
  std::optional<Result<void>> result_;
};

}  // namespace

Task<Result<void>> UpdateStore(Env& env, std::shared_ptr<certificate::Store> store,
                               CertificatePair pair, std::shared_ptr<void> alive) {
  const bool own = dynamic_cast<certificate::FileStore*>(store.get()) != nullptr;
  Executor& executor = own ? base::OwnWorkOf(env).threads : env.pool();
  const auto outcome = std::make_shared<Outcome>();
  const auto signal = std::make_shared<base::Signal>();
  executor.Post([&env, store = std::move(store), pair = std::move(pair), outcome, signal,
                 alive = std::move(alive)] {
    outcome->Set(base::CallUserForResult(
        env, "certificate store", [&] { return store->Update(pair); },
        [] { return std::string(); }));
    signal->Notify();
  });
  std::function<std::optional<Result<void>>()> check = [outcome] { return outcome->Get(); };
  Task<Result<void>> wait = base::AwaitUntil(env, signal, {}, std::nullopt, std::move(check));
  co_return co_await wait;
}

}  // namespace kinformer::internal::certificates

#include "controller/manager/webhook_runnable.h"

#include <chrono>
#include <memory>

#include "kinformer/until.h"

namespace kinformer::internal {

Result<void> WebhookRunnable::Start(const std::stop_token& stop) {
  std::unique_ptr<WebhookListener> listener;
  if (listens_) {
    auto listening = WebhookListener::Listen(env_, server_, options_);
    if (!listening) return Error(listening.error()).WithContext("ManagerOptions::webhook");
    listener = *std::move(listening);
  }
  server_.SetStarted(true);
  while (SleepUnlessStopped(env_, stop, std::chrono::hours(24))) {
  }
  server_.SetStarted(false);
  if (listener != nullptr) listener->Shutdown(std::chrono::minutes(1));
  return {};
}

}  // namespace kinformer::internal

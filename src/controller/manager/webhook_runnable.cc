#include "controller/manager/webhook_runnable.h"

#include <chrono>
#include <utility>

#include "kinformer/base/log.h"
#include "kinformer/base/until.h"

namespace kinformer::internal {

WebhookRunnable::WebhookRunnable(Client client, Options options)
    : client_(std::move(client)),
      env_(client_.env()),
      options_(std::move(options)),
      server_(env_, options_.server),
      monitor_(env_.NewMonitor()) {}

std::uint16_t WebhookRunnable::port() const {
  MonitorLock lock(*monitor_);
  return listener_ == nullptr ? std::uint16_t{0} : listener_->port();
}

Result<void> WebhookRunnable::Check() const {
  MonitorLock lock(*monitor_);
  if (!options_.listens || listener_ != nullptr) return {};
  return Error(Reason::kNotSynced, options_.certificates
                                       ? "the webhooks do not listen: there is no certificate yet"
                                       : "the webhooks do not listen");
}

Result<void> WebhookRunnable::Listen(WebhookListenerOptions options) {
  auto listening = WebhookListener::Listen(env_, server_, std::move(options));
  if (!listening) return Error(listening.error()).WithContext("ManagerOptions::webhook");
  server_.SetStarted(true);
  MonitorLock lock(*monitor_);
  listener_ = *std::move(listening);
  monitor_->NotifyAll();
  return {};
}

Result<void> WebhookRunnable::Offer(const CertificatePair& pair) {
  std::shared_ptr<WebhookListener> listener;
  {
    MonitorLock lock(*monitor_);
    listener = listener_;
  }
  if (listener != nullptr) {
    if (Result<void> set = listener->SetCertificate(pair); !set) {
      env_.log().Log(LogLevel::kError, "the webhooks go on with the certificate they have",
                     {{"err", set.error().ToString()}});
    }
    return {};
  }
  WebhookListenerOptions options = options_.listener;
  options.certificate = pair;
  return Listen(std::move(options));
}

Result<void> WebhookRunnable::Start(const std::stop_token& stop) {
  Result<void> result;
  if (options_.listens && options_.certificates) {
    // Stopped with the manager, or if a certificate cannot be used.
    std::stop_source own;
    const std::stop_callback on_stop(stop, [&own] { own.request_stop(); });
    const WebhookCertificates certificates(client_, *options_.certificates);
    certificates.Run(own.get_token(), [&](const CertificatePair& pair) {
      result = Offer(pair);
      if (!result) own.request_stop();
    });
  } else {
    if (options_.listens) {
      result = Listen(options_.listener);
    } else {
      server_.SetStarted(true);
    }
    while (result && SleepUnlessStopped(env_, stop, std::chrono::hours(24))) {
    }
  }
  End();
  return result;
}

void WebhookRunnable::End() {
  std::shared_ptr<WebhookListener> listener;
  {
    MonitorLock lock(*monitor_);
    listener = std::move(listener_);
    ended_ = true;
    monitor_->NotifyAll();
  }
  server_.SetStarted(false);
  if (listener != nullptr) listener->Shutdown(std::chrono::minutes(1));
}

Result<void> WebhookRunnable::WaitUntilReady(const std::stop_token& stop) {
  const std::stop_callback on_stop(stop, [this] {
    MonitorLock lock(*monitor_);
    monitor_->NotifyAll();
  });
  MonitorLock lock(*monitor_);
  while (options_.listens && listener_ == nullptr && !ended_ && !stop.stop_requested()) lock.Wait();
  return {};
}

}  // namespace kinformer::internal

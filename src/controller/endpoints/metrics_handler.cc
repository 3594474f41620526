#include <memory>
#include <utility>

#include "kinformer/endpoints/metrics_server.h"

#include "controller/endpoints/call_thread.h"
#include "transport/responses.h"

namespace kinformer {
namespace {

using internal::endpoints::CallThread;
using internal::transport::WholeBody;

class MetricsHandler final : public Handler {
 public:
  MetricsHandler(Env& env, std::shared_ptr<const TextMetrics> metrics)
      : metrics_(std::move(metrics)), thread_(env, "metrics") {}

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest) override {
    return thread_.Answer([this](const std::stop_token&) {
      return [text = metrics_->Text()] {
        HttpHeaders headers;
        headers.Add("Content-Type", "text/plain; version=0.0.4; charset=utf-8");
        return std::make_unique<WholeBody>(200, std::move(headers), text);
      };
    });
  }

 private:
  const std::shared_ptr<const TextMetrics> metrics_;
  CallThread thread_;
};

}  // namespace

std::shared_ptr<Handler> NewMetricsHandler(Env& env, std::shared_ptr<const TextMetrics> metrics) {
  return std::make_shared<MetricsHandler>(env, std::move(metrics));
}

}  // namespace kinformer

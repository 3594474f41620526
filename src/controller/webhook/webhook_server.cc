#include "kinformer/webhook/webhook_server.h"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "kinformer/base/metrics.h"
#include "kinformer/internal/head_judge.h"

#include "base/core/forked.h"
#include "base/core/mutex.h"
#include "controller/webhook/endpoint.h"
#include "controller/webhook/pending_answer.h"
#include "controller/webhook/webhook_heads.h"

namespace kinformer {
namespace {

using internal::base::MutexLock;
using internal::webhook::Endpoint;
using internal::webhook::HttpAnswer;
using internal::webhook::IfThrown;
using internal::webhook::PendingAnswer;

std::string PathOf(std::string_view verb, const GroupVersionKind& kind) {
  std::string path = "/" + std::string(verb) + "-" + kind.group + "-" + kind.version + "-";
  for (char& c : path) {
    if (c == '.') c = '-';
  }
  for (const char c : kind.kind) {
    path.push_back(c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c);
  }
  return path;
}

// An endpoint with its metrics.
struct Measured {
  Measured(Env& e, std::string p, std::unique_ptr<Endpoint> of)
      : env(e),
        path(std::move(p)),
        endpoint(std::move(of)),
        latency(env.metrics().NewHistogram("controller_runtime_webhook_latency_seconds",
                                           "Histogram of the latency of processing admission "
                                           "requests",
                                           {{"webhook", path}})),
        in_flight(env.metrics().NewGauge("controller_runtime_webhook_requests_in_flight",
                                         "Current number of admission requests being served.",
                                         {{"webhook", path}})) {
    Count("200", 0);
    Count("500", 0);
  }

  void Count(std::string_view code, double amount) const {
    env.metrics()
        .NewCounter("controller_runtime_webhook_requests_total",
                    "Total number of admission requests by HTTP status code.",
                    {{"webhook", path}, {"code", code}})
        ->Add(amount);
  }

  [[nodiscard]] HttpAnswer Answer(const HttpRequest& request, const std::stop_token& stop) const {
    in_flight->Add(1);
    const SteadyTime begin = env.Now();
    HttpAnswer answer = endpoint->Answer(request, stop);
    in_flight->Add(-1);
    Answered(answer, begin);
    return answer;
  }

  [[nodiscard]] std::optional<HttpAnswer> RefuseHead(const HttpRequest& head) const {
    const SteadyTime begin = env.Now();
    std::optional<HttpAnswer> answer = endpoint->RefuseHead(head);
    if (answer) Answered(*answer, begin);
    return answer;
  }

  void Answered(const HttpAnswer& answer, SteadyTime begin) const {
    latency->Observe(std::chrono::duration<double>(env.Now() - begin).count());
    Count(std::to_string(answer.status), 1);
  }

  Env& env;
  const std::string path;
  const std::unique_ptr<Endpoint> endpoint;
  const std::shared_ptr<Histogram> latency;
  const std::shared_ptr<Gauge> in_flight;
};

std::unique_ptr<PendingAnswer> Ready(HttpAnswer answer) {
  auto out = std::make_unique<PendingAnswer>();
  out->place()->Put(std::move(answer));
  return out;
}

std::unique_ptr<PendingAnswer> NotFound() {
  return Ready({.status = 404, .content_type = "text/plain", .body = "404 page not found\n"});
}

// Counts running calls, and lets others wait until there are none.
class Running {
 public:
  explicit Running(Env& env) : monitor_(env.NewMonitor()) {}
  // Counts as running until the last copy is destroyed.
  [[nodiscard]] std::shared_ptr<void> Begin() {
    const MonitorLock lock(*monitor_);
    ++count_;
    return {this, [](Running* self) {
              const MonitorLock inner(*self->monitor_);
              if (--self->count_ == 0) self->monitor_->NotifyAll();
            }};
  }
  void AwaitNone() {
    MonitorLock lock(*monitor_);
    while (count_ > 0) lock.Wait();
  }

 private:
  const std::unique_ptr<Monitor> monitor_;
  std::size_t count_ = 0;
};

}  // namespace

internal::transport::HeadJudge& HeadsIn(WebhookServer& server);

std::string GenerateMutatePath(const GroupVersionKind& kind) { return PathOf("mutate", kind); }
std::string GenerateValidatePath(const GroupVersionKind& kind) { return PathOf("validate", kind); }

struct WebhookServer::Impl final : internal::transport::HeadJudge {
  Impl(Env& e, const WebhookServerOptions& options)
      : env(e),
        if_thrown(options.recover_panic ? IfThrown::kAnswer : IfThrown::kTerminate),
        running(e) {}

  Result<void> Add(const std::string& path, std::unique_ptr<Endpoint> endpoint) {
    if (!path.starts_with('/')) {
      return Error(Reason::kInvalidArgument,
                   "a webhook's path begins with a slash, and \"" + path + "\" does not");
    }
    auto made = std::make_shared<const Measured>(env, path, std::move(endpoint));
    const MutexLock lock(mutex);
    if (endpoints.try_emplace(path, std::move(made)).second) return {};
    return Error(Reason::kAlreadyExists,
                 "there is a webhook at " + path +
                     ": register several handlers for one kind as one, by "
                     "admission::MultiValidatingHandler, or at other paths");
  }

  [[nodiscard]] std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) override {
    const std::shared_ptr<const Measured> endpoint = Find(head.target);
    if (endpoint == nullptr) return NotFound();
    std::optional<HttpAnswer> refusal = endpoint->RefuseHead(head);
    return refusal ? Ready(*std::move(refusal)) : nullptr;
  }
  // A member of the server's class, to access its implementation.
  [[nodiscard]] static HeadJudge& In(WebhookServer& server) { return *server.impl_; }
  friend HeadJudge& HeadsIn(WebhookServer& server) { return In(server); }

  [[nodiscard]] std::shared_ptr<const Measured> Find(std::string_view target) {
    const MutexLock lock(mutex);
    const auto found = endpoints.find(target.substr(0, target.find('?')));
    return found == endpoints.end() ? nullptr : found->second;
  }

  Env& env;
  const IfThrown if_thrown;
  // Outlives the server if its checkers do.
  const std::shared_ptr<std::atomic<bool>> started = std::make_shared<std::atomic<bool>>(false);
  Running running;
  internal::base::Mutex mutex;
  std::map<std::string, std::shared_ptr<const Measured>, std::less<>> endpoints
      KINFORMER_GUARDED_BY(mutex);
};

WebhookServer::WebhookServer(Env& env, const WebhookServerOptions& options)
    : impl_(std::make_unique<Impl>(env, options)) {}

WebhookServer::~WebhookServer() {
  if (!internal::base::LeaveIfForkedOff(impl_->env, impl_)) impl_->running.AwaitNone();
}

Result<void> WebhookServer::Register(const std::string& path, admission::Handler handler) {
  auto endpoint = internal::webhook::NewAdmissionEndpoint(impl_->env, path, std::move(handler),
                                                          impl_->if_thrown);
  return impl_->Add(path, std::move(endpoint));
}

Result<void> WebhookServer::RegisterAuthentication(const std::string& path,
                                                   authentication::Handler handler) {
  auto endpoint = internal::webhook::NewAuthenticationEndpoint(impl_->env, path, std::move(handler),
                                                               impl_->if_thrown);
  return impl_->Add(path, std::move(endpoint));
}

Result<void> WebhookServer::RegisterConversions(Conversions conversions, const std::string& path) {
  auto endpoint = internal::webhook::NewConversionEndpoint(impl_->env, path, std::move(conversions),
                                                           impl_->if_thrown);
  return impl_->Add(path, std::move(endpoint));
}

void WebhookServer::SetStarted(bool started) {
  impl_->started->store(started, std::memory_order_relaxed);
}

std::function<Result<void>()> WebhookServer::StartedChecker() const {
  return [started = impl_->started]() -> Result<void> {
    if (started->load(std::memory_order_relaxed)) return {};
    return Error(Reason::kServiceUnavailable, "the webhook server has not been started yet");
  };
}

internal::transport::HeadJudge& internal::webhook::HeadsOf(WebhookServer& server) {
  return HeadsIn(server);
}

std::unique_ptr<ResponseStream> WebhookServer::Handle(HttpRequest request) {
  std::shared_ptr<const Measured> endpoint = impl_->Find(request.target);
  if (endpoint == nullptr) return NotFound();
  auto answer = std::make_unique<PendingAnswer>();
  // The user's functions in an endpoint must be destroyed before the call counts as ended.
  impl_->env.pool().Post([running = impl_->running.Begin(), endpoint = std::move(endpoint),
                          request = std::move(request), place = answer->place(),
                          gone = answer->gone()]() mutable {
    endpoint->env.loop().Post([place, found = endpoint->Answer(request, gone)]() mutable {
      place->Put(std::move(found));
    });
    endpoint.reset();
  });
  return answer;
}

}  // namespace kinformer

#include "kinformer/webhook/webhook_listener.h"

#include <cstddef>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <typeinfo>
#include <utility>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/internal/head_judge.h"
#include "kinformer/webhook/webhook_server.h"

#include "base/core/forked.h"
#include "controller/certificates/offered_certificate.h"
#include "controller/webhook/pending_answer.h"
#include "controller/webhook/webhook_heads.h"
#include "http/request_policy.h"
#include "http/server.h"
#include "http/tls_stream.h"

namespace kinformer {
namespace {

using internal::http::Compression;
using internal::http::MessageForm;
using internal::http::PeerIdentity;
using internal::http::RequestPolicy;
using internal::http::Server;
using internal::http::TlsContext;

// Larger than the limit of a review, so that the webhook itself reports a review that is too large.
constexpr std::size_t kMaxBodyBytes = std::size_t{8} << 20;

class WebhookPolicy final : public RequestPolicy {
 public:
  explicit WebhookPolicy(bool needs_certificate) : needs_certificate_(needs_certificate) {}

  std::unique_ptr<ResponseStream> Admit(const PeerIdentity& peer,
                                        HttpRequest& request) const override {
    if (needs_certificate_ && peer.common_name.empty()) {
      return Refuse(401, "a client certificate is required");
    }
    request.user = peer.common_name;
    return nullptr;
  }
  Compression CompressionOf(const HttpRequest&) const override { return Compression::kNone; }
  bool AnswersWithMessages(const HttpRequest&) const override { return false; }
  MessageForm FormOf(std::string_view) const override { return MessageForm::kLine; }
  std::unique_ptr<ResponseStream> Refuse(int status, std::string_view message) const override {
    auto answer = std::make_unique<internal::webhook::PendingAnswer>();
    answer->place()->Put(
        {.status = status, .content_type = "text/plain", .body = std::string(message) + "\n"});
    return answer;
  }

 private:
  const bool needs_certificate_;
};

// A webhook server that also judges heads. Loop-confined.
class JudgedWebhooks final : public Handler, public internal::transport::HeadJudge {
 public:
  explicit JudgedWebhooks(WebhookServer& server)
      : server_(server), heads_(internal::webhook::HeadsOf(server)) {}

  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    return server_.Handle(std::move(request));
  }
  std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) override {
    return heads_.JudgeHead(head);
  }

 private:
  WebhookServer& server_;
  HeadJudge& heads_;
};

std::string FolderOf(const WebhookListenerOptions& options) {
  if (!options.cert_dir.empty()) return options.cert_dir;
  std::error_code ignored;
  return (std::filesystem::temp_directory_path(ignored) / "k8s-webhook-server" / "serving-certs")
      .string();
}

}  // namespace

struct WebhookListener::Impl {
  explicit Impl(Env& e, WebhookListenerOptions o) : env(e), options(std::move(o)) {}

  [[nodiscard]] Result<TlsContext> Context(const CertificatePair& pair) const {
    return internal::http::NewTlsContext({.cert_pem = pair.cert_pem,
                                          .key_pem = pair.key_pem,
                                          .client_ca_pem = options.client_ca_pem},
                                         options.http2);
  }

  Env& env;
  const WebhookListenerOptions options;
  std::unique_ptr<JudgedWebhooks> webhooks{};  // null: another Handler is served
  std::unique_ptr<Server> server{};
  std::unique_ptr<CertificateWatcher> watcher{};  // destroyed before the server it notifies
};

Result<std::unique_ptr<WebhookListener>> WebhookListener::Listen(Env& env, Handler& handler,
                                                                 WebhookListenerOptions options) {
  // Before the start of a thread that reads certificates.
  if (Result<void> fits = Server::CheckEnv(env); !fits) return std::move(fits).error();
  auto impl = std::make_unique<Impl>(env, std::move(options));
  CertificatePair pair = impl->options.certificate;
  if (pair.cert_pem.empty()) {
    const std::string folder = FolderOf(impl->options);
    auto watcher = CertificateWatcher::New(
        env, {folder + "/" + impl->options.cert_name, folder + "/" + impl->options.key_name},
        impl->options.cert_read_interval);
    if (!watcher) return std::move(watcher).error();
    impl->watcher = *std::move(watcher);
    pair = impl->watcher->Current();
  }
  Result<TlsContext> context = impl->Context(pair);
  if (!context) return std::move(context).error();
  // A derived class may serve paths that this class does not know.
  if (typeid(handler) == typeid(WebhookServer)) {
    impl->webhooks = std::make_unique<JudgedWebhooks>(dynamic_cast<WebhookServer&>(handler));
  }
  auto server =
      Server::Listen(env, impl->webhooks != nullptr ? *impl->webhooks : handler,
                     {.address = impl->options.address,
                      .port = impl->options.port,
                      .max_body_bytes = kMaxBodyBytes,
                      .http2 = impl->options.http2},
                     std::make_shared<const WebhookPolicy>(!impl->options.client_ca_pem.empty()),
                     *std::move(context));
  if (!server) {
    const Error& error = server.error();
    if (error.reason() != Reason::kTransport) return error;
    return Error(error.reason(),
                 error.message() + ": give WebhookListenerOptions another port, 0 for any");
  }
  impl->server = *std::move(server);
  if (impl->watcher != nullptr) {
    internal::certificates::OfferCertificates(
        env, *impl->watcher, *impl->server,
        [self = impl.get()](const CertificatePair& now) { return self->Context(now); });
  }
  return std::unique_ptr<WebhookListener>(new WebhookListener(std::move(impl)));
}

WebhookListener::WebhookListener(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
WebhookListener::~WebhookListener() { internal::base::LeaveIfForkedOff(impl_->env, impl_); }

std::uint16_t WebhookListener::port() const { return impl_->server->port(); }

Result<void> WebhookListener::SetCertificate(const CertificatePair& certificate) {
  Result<TlsContext> context = impl_->Context(certificate);
  if (!context) return std::move(context).error();
  impl_->server->SetTls(*std::move(context));
  return {};
}

void WebhookListener::Shutdown(Duration grace) { impl_->server->Shutdown(grace); }

}  // namespace kinformer

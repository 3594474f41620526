#include "kinformer/endpoints/endpoint_server.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "kinformer/endpoints/certificate_watcher.h"
#include "kinformer/internal/head_judge.h"

#include "base/core/mutex.h"
#include "controller/certificates/offered_certificate.h"
#include "controller/endpoints/endpoint_address.h"
#include "controller/endpoints/text_response.h"
#include "http/request_policy.h"
#include "http/server.h"
#include "http/tls_stream.h"
#include "x509/tls_authority.h"

namespace kinformer {

using internal::base::Mutex;
using internal::base::MutexLock;
using internal::endpoints::NotFoundResponse;
using internal::endpoints::TextResponse;
using internal::http::Compression;
using internal::http::MessageForm;
using internal::http::TlsContext;

namespace {

// Admits every request, since handlers authorize themselves. Refusals have plain text bodies.
class EndpointPolicy final : public internal::http::RequestPolicy {
 public:
  [[nodiscard]] std::unique_ptr<ResponseStream> Admit(const internal::http::PeerIdentity& peer,
                                                      HttpRequest& request) const override {
    request.on_loopback = peer.on_loopback;
    return nullptr;
  }
  [[nodiscard]] Compression CompressionOf(const HttpRequest&) const override {
    return Compression::kIfLong;
  }
  [[nodiscard]] bool AnswersWithMessages(const HttpRequest&) const override { return false; }
  [[nodiscard]] MessageForm FormOf(std::string_view) const override { return MessageForm::kLine; }
  [[nodiscard]] std::unique_ptr<ResponseStream> Refuse(int status,
                                                       std::string_view message) const override {
    return TextResponse(status, std::string(message) + "\n");
  }
};

// Thread-safe.
class Router final : public Handler, public internal::transport::HeadJudge {
 public:
  void Add(const std::string& path, std::shared_ptr<Handler> handler) {
    const MutexLock lock(mutex_);
    handlers_.push_back(handler);
    routes_[path] = std::move(handler);
  }

  [[nodiscard]] std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    Handler* const handler = FindFor(request);
    return handler != nullptr ? handler->Handle(std::move(request)) : NotFoundResponse();
  }
  [[nodiscard]] std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) override {
    Handler* const handler = FindFor(head);
    if (handler == nullptr) return NotFoundResponse();
    auto* const judge = dynamic_cast<internal::transport::HeadJudge*>(handler);
    return judge == nullptr ? nullptr : judge->JudgeHead(head);
  }

 private:
  Handler* FindFor(const HttpRequest& request) {
    return Find(request.target.substr(0, request.target.find('?')));
  }
  Handler* Find(const std::string& path) {
    const MutexLock lock(mutex_);
    for (auto route = routes_.rbegin(); route != routes_.rend(); ++route) {
      if (IsBelow(path, route->first)) return route->second.get();
    }
    return nullptr;
  }
  static bool IsBelow(std::string_view path, std::string_view top) {
    if (!path.starts_with(top)) return false;
    return path.size() == top.size() || top.ends_with('/') || path[top.size()] == '/';
  }

  Mutex mutex_;
  // If two paths match, one is a prefix of the other, and the longer one is later in the map.
  std::map<std::string, std::shared_ptr<Handler>> routes_ KINFORMER_GUARDED_BY(mutex_);
  // Includes replaced handlers, which may still have answers in progress.
  std::vector<std::shared_ptr<Handler>> handlers_ KINFORMER_GUARDED_BY(mutex_);
};

Result<TlsContext> ContextOf(const CertificatePair& pair) {
  return internal::http::NewTlsContext(
      {.cert_pem = pair.cert_pem, .key_pem = pair.key_pem, .client_ca_pem = {}}, true);
}

Result<CertificatePair> SelfSigned(Env& env, const std::string& ip) {
  auto authority = internal::x509::TlsAuthority::Make("kinformer-endpoints", env.WallNow());
  if (!authority) return authority.error();
  auto made = authority->ServerCertificate({"localhost", "127.0.0.1", "::1", ip});
  if (!made) return made.error();
  return CertificatePair{std::move(made->cert_pem), std::move(made->key_pem)};
}

// A certificate and the watcher that reloads it.
struct Material {
  CertificatePair pair{};
  std::unique_ptr<CertificateWatcher> watcher{};  // null: the certificate does not change
};

Result<Material> MaterialOf(Env& env, const std::string& ip, const EndpointServerOptions& options) {
  if (!options.cert_pem.empty()) return Material{.pair = {options.cert_pem, options.key_pem}};
  if (options.cert_dir.empty()) {
    Result<CertificatePair> made = SelfSigned(env, ip);
    if (!made) return made.error();
    return Material{.pair = *std::move(made)};
  }
  const std::string folder = options.cert_dir + "/";
  auto watcher = CertificateWatcher::New(
      env, {folder + options.cert_name, folder + options.key_name}, options.cert_read_interval);
  if (!watcher) return watcher.error();
  CertificatePair pair = (*watcher)->Current();
  return Material{std::move(pair), *std::move(watcher)};
}

}  // namespace

struct EndpointServer::Impl {
  Router router{};
  std::unique_ptr<internal::http::Server> server{};  // null: nothing is open
  std::unique_ptr<CertificateWatcher> watcher{};     // destroyed before the server it notifies
};

Result<std::unique_ptr<EndpointServer>> EndpointServer::Listen(
    Env& env, const std::string& address, const EndpointServerOptions& options) {
  const auto parsed = internal::endpoints::ParseEndpointAddress(address);
  if (!parsed) return parsed.error();
  auto impl = std::make_unique<Impl>();
  if (!*parsed) return std::unique_ptr<EndpointServer>(new EndpointServer(std::move(impl)));
  const auto& [ip, port] = **parsed;
  const auto fail = [&](Error error) {
    return error.WithContext("the server at \"" + address + "\"");
  };
  const auto refuse = [&](const Error& error) {
    return fail(
        Error(error.reason(), error.message() + ": give another address, or \"0\" for none"));
  };
  // Before the start of a thread that reads certificates.
  if (Result<void> fits = internal::http::Server::CheckEnv(env); !fits) return refuse(fits.error());
  TlsContext tls;
  if (options.tls) {
    Result<Material> material = MaterialOf(env, ip, options);
    Result<TlsContext> context =
        material ? ContextOf(material->pair) : Result<TlsContext>(material.error());
    if (!context) return fail(context.error());
    tls = *std::move(context);
    impl->watcher = std::move(material->watcher);
  }
  apiserver::HttpServerOptions http{.address = ip,
                                    .port = port,
                                    .max_connections = options.max_connections,
                                    .max_header_bytes = options.max_header_bytes,
                                    .max_body_bytes = options.max_body_bytes,
                                    .header_timeout = options.header_timeout,
                                    .idle_timeout = options.idle_timeout,
                                    .gzip_above_bytes = std::size_t{1} << 10};
  auto server = internal::http::Server::Listen(env, impl->router, std::move(http),
                                               std::make_shared<EndpointPolicy>(), std::move(tls));
  if (!server) return refuse(server.error());
  impl->server = *std::move(server);
  if (impl->watcher != nullptr) {
    internal::certificates::OfferCertificates(env, *impl->watcher, *impl->server, &ContextOf);
  }
  return std::unique_ptr<EndpointServer>(new EndpointServer(std::move(impl)));
}

EndpointServer::EndpointServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
EndpointServer::~EndpointServer() = default;

void EndpointServer::Handle(const std::string& path, std::shared_ptr<Handler> handler) {
  impl_->router.Add(path, std::move(handler));
}

std::uint16_t EndpointServer::port() const {
  return impl_->server == nullptr ? 0 : impl_->server->port();
}

void EndpointServer::Shutdown(Duration grace) {
  if (impl_->server != nullptr) impl_->server->Shutdown(grace);
}

}  // namespace kinformer

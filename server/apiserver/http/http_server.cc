#include "kinformer/apiserver/http_server.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "apiserver/http/api_policy.h"
#include "apiserver/http/authentication.h"
#include "apiserver/http/kubeconfig_text.h"
#include "apiserver/http/own_names.h"
#include "apiserver/registry/user_info.h"
#include "http/server.h"
#include "http/tls_stream.h"
#include "transport/contained_handler.h"
#include "x509/tls_authority.h"

namespace kinformer::apiserver {

using internal::http::Server;
using internal::http::TlsContext;
using internal::http::TlsServerMaterial;
using internal::x509::TlsAuthority;

namespace {

std::string TextOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return std::move(text).str();
}

}  // namespace

struct HttpServer::Impl {
  explicit Impl(HttpServerOptions given) : options(std::move(given)) {}

  [[nodiscard]] std::string Host() const {
    if (options.address == "0.0.0.0") return "127.0.0.1";
    if (options.address == "::") return "::1";
    return options.address;
  }

  [[nodiscard]] std::string Url() const {
    std::string host = Host();
    if (host.find(':') != std::string::npos) host = "[" + host + "]";
    return (options.tls ? "https://" : "http://") + host + ":" + std::to_string(server->port());
  }

  // Returns the stored authority, or makes a new one.
  [[nodiscard]] Result<TlsAuthority> Authority(WallTime now) const {
    if (options.cert_dir.empty()) return TlsAuthority::Make("kinformer-ca", now);
    const std::string cert_file = options.cert_dir + "/ca.crt";
    const std::string key_file = options.cert_dir + "/ca.key";
    const bool kept = std::filesystem::exists(cert_file);
    if (kept != std::filesystem::exists(key_file)) {
      return Error(Reason::kConfig, "of " + cert_file + " and " + key_file +
                                        " only one is there: put the other back, or take it away");
    }
    if (kept) {
      auto authority = TlsAuthority::FromPem(TextOf(cert_file), TextOf(key_file), now);
      if (!authority) return Error(authority.error()).WithContext(cert_file + ", " + key_file);
      return authority;
    }
    std::error_code failure;
    std::filesystem::create_directories(options.cert_dir, failure);
    auto made = TlsAuthority::Make("kinformer-ca", now);
    if (!made) return made;
    if (Result<void> written = WritePrivateFile(key_file, made->key_pem()); !written) {
      return written.error();
    }
    if (Result<void> written = WritePrivateFile(cert_file, made->ca_pem()); !written) {
      return written.error();
    }
    return made;
  }

  // Returns null without TLS. Certificates made by the server are also put into the kubeconfig.
  Result<TlsContext> PrepareTls(Env& env) {
    if (!options.tls) return TlsContext();
    TlsServerMaterial material{options.cert_pem, options.key_pem, options.client_ca_pem};
    if (material.cert_pem.empty()) {
      auto authority = Authority(env.WallNow());
      if (!authority) return authority.error();
      std::vector<std::string> hosts = {
          "localhost",  "127.0.0.1",          "::1",
          "kubernetes", "kubernetes.default", "kubernetes.default.svc"};
      hosts.push_back(Host());
      hosts.insert(hosts.end(), options.host_names.begin(), options.host_names.end());
      auto certificate = authority->ServerCertificate(hosts);
      if (!certificate) return certificate.error();
      material.cert_pem = std::move(certificate->cert_pem);
      material.key_pem = std::move(certificate->key_pem);
      kubeconfig.ca_pem = authority->ca_pem();
      if (material.client_ca_pem.empty()) {
        material.client_ca_pem = authority->ca_pem();
        if (options.bearer_token.empty()) {
          auto client = authority->ClientCertificate(kKubeconfigUser, {kPrivilegedGroup});
          if (!client) return client.error();
          kubeconfig.cert_pem = std::move(client->cert_pem);
          kubeconfig.key_pem = std::move(client->key_pem);
        }
      }
    }
    return internal::http::NewTlsContext(material, options.http2);
  }

  const HttpServerOptions options;
  KubeconfigParts kubeconfig{};
  std::unique_ptr<Server> server{};
};

Result<std::unique_ptr<HttpServer>> HttpServer::Listen(Env& env, Handler& handler,
                                                       HttpServerOptions options) {
  auto impl = std::make_unique<Impl>(std::move(options));
  Result<TlsContext> tls = impl->PrepareTls(env);
  if (!tls) return tls.error();
  std::function<bool(const std::string&)> certified;
  if (*tls != nullptr) {
    certified = [context = *tls](const std::string& name) {
      return internal::http::IsCertifiedFor(context, name);
    };
  }
  auto policy = std::make_shared<const ApiPolicy>(
      impl->options,
      [&env, &handler](const std::string& token) {
        return internal::transport::AcceptsContained(env, handler, token);
      },
      std::move(certified));
  auto server = Server::Listen(env, handler, impl->options, std::move(policy), *std::move(tls));
  if (!server) return server.error();
  if (LetsAnybodyIn(impl->options) && !impl->options.handler_authorizes &&
      !IsLoopbackAddress(impl->options.address)) {
    env.log().Log(
        LogLevel::kWarning,
        "the server listens beyond this machine and lets in everybody: set bearer_token, "
        "and tls",
        {{"address", impl->options.address}, {"port", std::to_string((*server)->port())}});
  }
  impl->server = *std::move(server);
  impl->kubeconfig.url = impl->Url();
  impl->kubeconfig.user = kKubeconfigUser;
  impl->kubeconfig.token = impl->options.bearer_token;
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(impl)));
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return impl_->server->port(); }
std::string HttpServer::url() const { return impl_->kubeconfig.url; }
const std::string& HttpServer::ca_pem() const { return impl_->kubeconfig.ca_pem; }
std::string HttpServer::Kubeconfig() const { return KubeconfigText(impl_->kubeconfig); }
Result<void> HttpServer::WriteKubeconfig(const std::string& path) const {
  return WritePrivateFile(path, Kubeconfig());
}

void HttpServer::CloseConnections() { impl_->server->CloseConnections(); }
void HttpServer::GoAway() { impl_->server->GoAway(); }
void HttpServer::SetMaxStreams(std::uint32_t streams) { impl_->server->SetMaxStreams(streams); }
void HttpServer::Shutdown(Duration grace) { impl_->server->Shutdown(grace); }
HttpServerStats HttpServer::Stats() const { return impl_->server->Stats(); }

}  // namespace kinformer::apiserver

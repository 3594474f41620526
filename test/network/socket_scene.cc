#include "network/socket_scene.h"

#include <unistd.h>
#include <utility>

#include <boost/asio/io_context.hpp>

#include "base/loop/io_loop.h"
#include "network/lets_in.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer::testing {
namespace {

using internal::transport::TestCertificate;

// Made once: nothing that is tested here depends on them.
struct Certificates {
  TestCertificate ca = internal::transport::MakeTestCa("test ca");
  TestCertificate server = internal::transport::MakeTestCertificate(ca, "127.0.0.1");
  internal::http::TlsContext context =
      internal::http::NewTlsContext({server.cert, server.key, ca.cert}, /*http2=*/true).OrExit();
};

const Certificates& TheCertificates() {
  static const Certificates certificates;
  return certificates;
}

}  // namespace

struct SocketScene::Sockets {
  boost::asio::io_context io{1};
};

SocketScene::SocketScene(std::uint64_t seed, std::shared_ptr<LogSink> log)
    : sockets_(std::make_unique<Sockets>()), sim_({.seed = seed, .log = std::move(log)}) {
  internal::base::GiveSockets(sim_.env(), sockets_->io);
  network_ = std::make_unique<SimulatedNetwork>(sim_.env(), sockets_->io, [this](int socket) {
    if (server_ == nullptr) {
      ::close(socket);
    } else {
      server_->Adopt(socket);
    }
  });
}

SocketScene::~SocketScene() {
  StopServing();
  network_.reset();
  sim_.RunFor(Duration(1));
}

void SocketScene::Serve(Handler& handler) {
  server_ = internal::http::Server::Listen(env(), handler, {}, std::make_shared<LetsIn>(),
                                           TheCertificates().context)
                .OrExit();
}

void SocketScene::StopServing() {
  server_.reset();
  sim_.RunReady();
}

std::unique_ptr<Transport> SocketScene::NewTransport(HttpTransportOptions options) {
  options.base_url = "https://127.0.0.1:6443";
  options.tls.ca_pem = TheCertificates().ca.cert;
  options.use_environment_proxy = false;
  return internal::transport::NewHttpTransportOver(env(), std::move(options), *network_).OrExit();
}

Credentials SocketScene::ClientCertificate(const std::string& name) {
  TestCertificate made = internal::transport::MakeTestCertificate(TheCertificates().ca, name);
  return {.authorization = {}, .cert_pem = std::move(made.cert), .key_pem = std::move(made.key)};
}

void SocketScene::OnLoop(const std::function<void()>& work) {
  bool done = false;
  env().loop().Post([&] {
    work();
    done = true;
  });
  sim_.RunUntil([&] { return done; }, Duration::max());
}

}  // namespace kinformer::testing

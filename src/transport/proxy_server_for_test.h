// transport/proxy_server_for_test.h
//
// A proxy on 127.0.0.1 for tests of the transport: CONNECT of HTTP, and SOCKS5.

#ifndef KINFORMER_TRANSPORT_PROXY_SERVER_FOR_TEST_H_
#define KINFORMER_TRANSPORT_PROXY_SERVER_FOR_TEST_H_

#include <mutex>
#include <openssl/ssl.h>
#include <optional>
#include <string>
#include <vector>

#include "transport/acceptor_for_test.h"
#include "transport/loopback_server_for_test.h"

namespace kinformer::internal::transport {

// Leads every tunnel to one port of 127.0.0.1, whatever name the client gives. One thread for each
// connection.
class ProxyServer {
 public:
  struct Options {
    int target = 0;                                // port of the server behind it
    const TestCertificate* certificate = nullptr;  // the client speaks TLS with it
    std::string user{};                            // "name:password"; empty: anybody may use it
  };
  explicit ProxyServer(Options options);
  ~ProxyServer();
  ProxyServer(const ProxyServer&) = delete;
  ProxyServer& operator=(const ProxyServer&) = delete;

  [[nodiscard]] std::string address() const {
    return "127.0.0.1:" + std::to_string(acceptor_->port());
  }
  // Returns what the clients asked for: "CONNECT kube.example:6443", "SOCKS5 kube.example:6443".
  [[nodiscard]] std::vector<std::string> asked() const;

 private:
  class Client;
  void Serve(int fd);
  [[nodiscard]] bool Connect(Client& client);
  [[nodiscard]] bool Socks(Client& client);
  void Relay(Client& client) const;
  void Note(const std::string& what);

  const Options options_;
  SSL_CTX* tls_ = nullptr;
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;
  std::optional<Acceptor> acceptor_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_PROXY_SERVER_FOR_TEST_H_

#include "transport/proxy_server_for_test.h"

#include <arpa/inet.h>
#include <array>
#include <cstddef>
#include <netinet/in.h>
#include <openssl/evp.h>
#include <poll.h>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace kinformer::internal::transport {

namespace {

sockaddr_in Loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

std::string Base64(const std::string& text) {
  std::string out(4 * (text.size() / 3 + 1) + 1, '\0');
  const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(out.data()),
                                   reinterpret_cast<const unsigned char*>(text.data()),
                                   static_cast<int>(text.size()));
  out.resize(static_cast<std::size_t>(size));
  return out;
}

}  // namespace

// The client's end of a connection.
class ProxyServer::Client {
 public:
  Client(int fd, SSL* ssl) : fd_(fd), ssl_(ssl) {}
  ~Client() { SSL_free(ssl_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  [[nodiscard]] int fd() const { return fd_; }
  [[nodiscard]] bool pending() const { return ssl_ != nullptr && SSL_pending(ssl_) > 0; }
  std::size_t Read(char* data, std::size_t size) {
    const ssize_t n =
        ssl_ != nullptr ? SSL_read(ssl_, data, static_cast<int>(size)) : recv(fd_, data, size, 0);
    return n <= 0 ? 0 : static_cast<std::size_t>(n);
  }
  // Returns exactly that many bytes, or fewer at the end.
  std::string Take(std::size_t size) {
    std::string out;
    char byte = 0;
    while (out.size() < size && Read(&byte, 1) == 1) out += byte;
    return out;
  }
  bool Write(std::string_view bytes) {
    const ssize_t n = ssl_ != nullptr
                          ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                          : send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    return n == static_cast<ssize_t>(bytes.size());
  }

 private:
  const int fd_;
  SSL* const ssl_;
};

ProxyServer::ProxyServer(Options options) : options_(std::move(options)) {
  if (options_.certificate != nullptr) tls_ = NewServerContext(*options_.certificate);
  acceptor_.emplace([this](int fd) { Serve(fd); });
}

ProxyServer::~ProxyServer() {
  acceptor_.reset();
  SSL_CTX_free(tls_);
}

std::vector<std::string> ProxyServer::asked() const {
  const std::lock_guard lock(mutex_);
  return asked_;
}

void ProxyServer::Note(const std::string& what) {
  const std::lock_guard lock(mutex_);
  asked_.push_back(what);
}

void ProxyServer::Serve(int fd) {
  SSL* ssl = nullptr;
  bool open = true;
  if (tls_ != nullptr) {
    ssl = SSL_new(tls_);
    SSL_set_fd(ssl, fd);
    open = SSL_accept(ssl) == 1;
  }
  Client client(fd, ssl);
  char first = 0;
  if (open && client.Read(&first, 1) == 1) {
    if (first == 5 ? Socks(client) : Connect(client)) Relay(client);
  }
}

// The first letter of CONNECT is read already.
bool ProxyServer::Connect(Client& client) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    const std::string more = client.Take(1);
    if (more.empty()) return false;
    head += more;
  }
  const auto begin = head.find(' ') + 1;
  Note("CONNECT " + head.substr(begin, head.find(' ', begin) - begin));
  const std::string wanted = "Proxy-Authorization: Basic " + Base64(options_.user) + "\r\n";
  if (!options_.user.empty() && head.find(wanted) == std::string::npos) {
    client.Write(
        "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n"
        "Proxy-Authenticate: Basic realm=\"x\"\r\n\r\n");
    return false;
  }
  return client.Write("HTTP/1.1 200 OK\r\n\r\n");
}

// The version in the first message is read already. RFC 1928 and RFC 1929.
bool ProxyServer::Socks(Client& client) {
  client.Take(static_cast<unsigned char>(client.Take(1)[0]));  // methods
  const bool secret = !options_.user.empty();
  client.Write(secret ? std::string_view("\x05\x02", 2) : std::string_view("\x05\x00", 2));
  if (secret) {
    client.Take(1);
    const std::string name = client.Take(static_cast<unsigned char>(client.Take(1)[0]));
    const std::string password = client.Take(static_cast<unsigned char>(client.Take(1)[0]));
    const bool good = name + ":" + password == options_.user;
    client.Write(good ? std::string_view("\x01\x00", 2) : std::string_view("\x01\x01", 2));
    if (!good) return false;
  }
  const std::string request = client.Take(4);
  if (request.size() != 4) return false;
  std::string host = "(an address)";
  if (request[3] == 3) {
    host = client.Take(static_cast<unsigned char>(client.Take(1)[0]));
  } else {
    client.Take(request[3] == 1 ? 4 : 16);
  }
  const std::string port = client.Take(2);
  if (port.size() != 2) return false;
  Note("SOCKS5 " + host + ":" +
       std::to_string(static_cast<unsigned char>(port[0]) * 256 +
                      static_cast<unsigned char>(port[1])));
  return client.Write(std::string_view("\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00", 10));
}

void ProxyServer::Relay(Client& client) const {
  const int server = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = Loopback(options_.target);
  bool open = connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  std::array<char, 16384> data{};
  while (open) {
    std::array<pollfd, 2> wait{{{.fd = client.fd(), .events = POLLIN, .revents = 0},
                                {.fd = server, .events = POLLIN, .revents = 0}}};
    if (!client.pending() && poll(wait.data(), wait.size(), -1) < 0) break;
    if (client.pending() || wait[0].revents != 0) {
      const std::size_t n = client.Read(data.data(), data.size());
      open = n > 0 && send(server, data.data(), n, MSG_NOSIGNAL) == static_cast<ssize_t>(n);
    }
    if (open && wait[1].revents != 0) {
      const ssize_t n = recv(server, data.data(), data.size(), 0);
      open = n > 0 && client.Write({data.data(), static_cast<std::size_t>(n)});
    }
  }
  close(server);
}

}  // namespace kinformer::internal::transport

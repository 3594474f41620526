// integration/raw_http.h
//
// Sends requests byte by byte over a socket, which no client would send.

#ifndef KINFORMER_TEST_INTEGRATION_RAW_HTTP_H_
#define KINFORMER_TEST_INTEGRATION_RAW_HTTP_H_

#include <arpa/inet.h>
#include <cstdint>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace kinformer::testing {

// A socket connected to a port of this machine, with time limits.
class RawSocket {
 public:
  explicit RawSocket(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval limit{.tv_sec = 30, .tv_usec = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
  }
  ~RawSocket() { ::close(fd_); }
  RawSocket(const RawSocket&) = delete;
  RawSocket& operator=(const RawSocket&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  // Sends as much as the other side accepts.
  void Send(std::string_view bytes) const {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  // Sends as much as possible without blocking.
  void SendSome(std::string_view bytes) const {
    static_cast<void>(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT));
  }
  // Reads and discards about `bytes` bytes. Returns how many there were.
  [[nodiscard]] std::size_t Drop(std::size_t bytes) const {
    std::vector<char> buffer(std::size_t{64} << 10);
    std::size_t dropped = 0;
    while (dropped < bytes) {
      const ssize_t n = ::recv(fd_, buffer.data(), buffer.size(), 0);
      if (n <= 0) break;
      dropped += static_cast<std::size_t>(n);
    }
    return dropped;
  }
  // Returns everything until the other side ends the connection.
  [[nodiscard]] std::string ReadToEnd() const {
    std::string all;
    std::vector<char> buffer(std::size_t{64} << 10);
    for (ssize_t n = 0; (n = ::recv(fd_, buffer.data(), buffer.size(), 0)) > 0;) {
      all.append(buffer.data(), static_cast<std::size_t>(n));
    }
    return all;
  }

 private:
  const int fd_;
  bool connected_ = false;
};

struct RawReply {
  int status = 0;      // 0: nothing that looks like an answer
  std::string text{};  // unchanged head and body
};

inline RawReply Exchange(std::uint16_t port, std::string_view bytes) {
  const RawSocket socket(port);
  socket.Send(bytes);
  RawReply reply{.text = socket.ReadToEnd()};
  constexpr std::string_view kVersion = "HTTP/1.1 ";
  if (reply.text.starts_with(kVersion) && reply.text.size() > kVersion.size() + 3) {
    reply.status = std::stoi(reply.text.substr(kVersion.size(), 3));
  }
  return reply;
}

using RawFields = std::vector<std::pair<std::string, std::string>>;

// Formats a request like a client, with Host and Content-Length unless `fields` has them.
inline std::string RequestText(std::string_view method, std::string_view target,
                               const RawFields& fields = {}, std::string_view body = {}) {
  const auto has = [&](std::string_view name) {
    for (const auto& [given, value] : fields) {
      if (given == name) return true;
    }
    return false;
  };
  std::string text(method);
  text.append(" ").append(target).append(" HTTP/1.1\r\n");
  if (!has("Host")) text += "Host: localhost\r\n";
  for (const auto& [name, value] : fields) text += name + ": " + value + "\r\n";
  if (!body.empty() && !has("Content-Length") && !has("Transfer-Encoding")) {
    text += "Content-Length: " + std::to_string(body.size()) + "\r\n";
  }
  text += "Connection: close\r\n\r\n";
  return text.append(body);
}

}  // namespace kinformer::testing

#endif  // KINFORMER_TEST_INTEGRATION_RAW_HTTP_H_

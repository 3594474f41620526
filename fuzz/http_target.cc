// Heads of HTTP requests from a socket: for any bytes, the server must answer in HTTP or end the
// connection, and its handler gets only unambiguous requests.

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <netinet/in.h>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "kinformer/apiserver/http_server.h"
#include "kinformer/base/runtime.h"

#include "fuzz/target.h"
#include "fuzz/targets.h"

namespace kinformer::fuzz {
namespace {

class Empty final : public ResponseStream {
 public:
  [[nodiscard]] int status() const override { return 200; }
  [[nodiscard]] const HttpHeaders& headers() const override { return headers_; }
  State Read(std::size_t, std::vector<BodyChunk>&) override { return State::kEnd; }
  void SetWake(std::function<void()>) override {}

 private:
  HttpHeaders headers_;
};

std::string Lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return out;
}

// Looks at what gets as far as a handler.
class Judge final : public Handler {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    int hosts = 0;
    for (const auto& [name, value] : request.headers) {
      const std::string lower = Lower(name);
      Require(lower.find_first_of(std::string_view(" \t\r\n:\0", 6)) == std::string::npos,
              "a header's name is a word", name);
      Require(value.find_first_of(std::string_view("\r\n\0", 3)) == std::string::npos,
              "a header's value is one line", value);
      hosts += lower == "host" ? 1 : 0;
      if (lower == "origin") {
        Require(Lower(value).ends_with(Lower(request.headers.Get("host"))),
                "a page from elsewhere is refused", value);
      }
      if (lower == "transfer-encoding") Require(Lower(value) == "chunked", "chunked", value);
    }
    Require(hosts <= 1, "there is one Host");
    const std::string host = Lower(request.headers.Get("host"));
    Require(host.empty() || host.find("localhost") != std::string::npos ||
                host.starts_with("127.") || host.starts_with('['),
            "the Host is ours", host);
    return std::make_unique<Empty>();
  }
};

struct Served {
  Runtime runtime{{.name = "fuzz"}};
  Judge judge{};
  std::unique_ptr<apiserver::HttpServer> server =
      apiserver::HttpServer::Listen(runtime.env(), judge, {.max_body_bytes = 4096}).OrExit();
};

// Connects to the server. Each connection has another loopback address, because thousands of
// connections a second use up the ports of one address.
int Connect(std::uint16_t port) {
  static std::uint32_t connections = 0;
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK + ++connections % 0xffff);
  Require(::bind(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0, "there are ports",
          std::strerror(errno));
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  int error = ::connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0 ? 0 : errno;
  // The fuzzer's own alarm: the connection is made all the same.
  if (error == EINTR) {
    pollfd made{.fd = fd, .events = POLLOUT, .revents = 0};
    (void)TEMP_FAILURE_RETRY(::poll(&made, 1, 8000));
    socklen_t size = sizeof error;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
  }
  Require(error == 0, "the server is there", std::strerror(error));
  return fd;
}

}  // namespace

void FuzzHttpHead(std::string_view input) {
  static Served served;
  const int fd = Connect(served.server->port());
  const timeval limit{.tv_sec = 8, .tv_usec = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  while (!input.empty()) {
    const ssize_t sent = TEMP_FAILURE_RETRY(::send(fd, input.data(), input.size(), MSG_NOSIGNAL));
    if (sent <= 0) break;
    input.remove_prefix(static_cast<std::size_t>(sent));
  }
  ::shutdown(fd, SHUT_WR);
  std::string answer;
  std::array<char, 4096> buffer{};
  ssize_t got = 0;
  while ((got = TEMP_FAILURE_RETRY(::recv(fd, buffer.data(), buffer.size(), 0))) > 0) {
    answer.append(buffer.data(), static_cast<std::size_t>(got));
  }
  Require(got == 0 || errno != EAGAIN, "the connection ends when its client is through");
  // A reset by a port that is used again at once is no answer either.
  const linger now{.l_onoff = 1, .l_linger = 0};
  ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  ::close(fd);
  Require(answer.empty() || answer.starts_with("HTTP/1.1 "), "an answer is HTTP", answer);
}

}  // namespace kinformer::fuzz

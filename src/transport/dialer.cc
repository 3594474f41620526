#include "kinformer/client/dialer.h"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <netdb.h>
#include <string>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace kinformer {
namespace {

constexpr time_t kConnectSeconds = 10;

Error Failed(const std::string& what, int code) {
  const Reason reason = code == ECONNREFUSED ? Reason::kConnectionRefused : Reason::kTransport;
  return {reason, "cannot connect to " + what + ": " + std::generic_category().message(code)};
}

// Returns the connected socket, or minus the number of an error.
int Connected(int family, const sockaddr* address, socklen_t size) {
  const int fd = socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return -errno;
  // Limits connect(2), too.
  timeval limit{.tv_sec = kConnectSeconds, .tv_usec = 0};
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(fd, address, size) != 0) {
    const int code = errno == EINPROGRESS ? ETIMEDOUT : errno;
    close(fd);
    return -code;
  }
  limit.tv_sec = 0;
  setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  return fd;
}

}  // namespace

DialFunc DialUnixSocket(std::string path) {
  return [path = std::move(path)](const DialTarget&) -> Result<int> {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.empty() || path.size() >= sizeof address.sun_path) {
      return Error(Reason::kConfig, "the path of a Unix domain socket has 1 to " +
                                        std::to_string(sizeof address.sun_path - 1) +
                                        " bytes, but this one has " + std::to_string(path.size()));
    }
    std::memcpy(address.sun_path, path.data(), path.size());
    if (path.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size() +
                                             (path.front() == '@' ? 0 : 1));
    const int fd = Connected(AF_UNIX, reinterpret_cast<const sockaddr*>(&address), size);
    if (fd < 0) return Failed("the Unix domain socket " + path, -fd);
    return fd;
  };
}

DialFunc DialAddress(std::string host, std::uint16_t port) {
  return [host = std::move(host), port](const DialTarget&) -> Result<int> {
    const std::string name = host + ":" + std::to_string(port);
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    if (const int code = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
        code != 0) {
      return Error(Reason::kTransport,
                   "cannot connect to " + name + ": " + std::string(gai_strerror(code)));
    }
    const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> addresses(found, &freeaddrinfo);
    int fd = -ENOENT;
    for (const addrinfo* each = found; each != nullptr && fd < 0; each = each->ai_next) {
      fd = Connected(each->ai_family, each->ai_addr, each->ai_addrlen);
    }
    if (fd < 0) return Failed(name, -fd);
    return fd;
  };
}

}  // namespace kinformer

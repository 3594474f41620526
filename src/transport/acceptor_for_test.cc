#include "transport/acceptor_for_test.h"

#include <arpa/inet.h>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

namespace kinformer::internal::transport {

Acceptor::Acceptor(std::function<void(int fd)> serve) : serve_(std::move(serve)) {
  listener_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener_, any, size) != 0 || listen(listener_, 1024) != 0 ||
      getsockname(listener_, any, &size) != 0) {
    std::perror("a server of tests");
    std::abort();
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { Accept(); });
}

Acceptor::~Acceptor() {
  stopping_ = true;
  shutdown(listener_, SHUT_RDWR);
  acceptor_.join();
  close(listener_);
  {
    const std::lock_guard lock(mutex_);
    for (const int fd : sockets_) shutdown(fd, SHUT_RDWR);
  }
  for (auto& thread : threads_) thread.join();
}

void Acceptor::Accept() {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, nullptr);  // and in the threads it makes
  for (;;) {
    const int fd = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (fd < 0 || stopping_) {
      if (fd >= 0) close(fd);
      return;
    }
    ++connections_;
    const std::lock_guard lock(mutex_);
    sockets_.push_back(fd);
    threads_.emplace_back([this, fd] { Serve(fd); });
  }
}

void Acceptor::Serve(int fd) {
  serve_(fd);
  const std::lock_guard lock(mutex_);
  std::erase(sockets_, fd);
  close(fd);
}

}  // namespace kinformer::internal::transport

#include "transport/curl_loop.h"

#include <array>
#include <cerrno>
#include <curl/curl.h>
#include <string>
#include <sys/epoll.h>
#include <sys/syscall.h>
#include <system_error>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>

#include "base/loop/io_loop.h"

namespace kinformer::internal::transport {

namespace {

// Removes `fd` from the set and returns whether the set had it. The kernel compares the open file,
// not only the number: a closed socket is not found, although another thread may have the number
// by now. ThreadSanitizer compares numbers, so this goes past its wrapper of epoll_ctl.
bool Remove(int set, int fd) {
  return syscall(SYS_epoll_ctl, set, EPOLL_CTL_DEL, fd, nullptr) == 0;
}

}  // namespace

struct CurlLoop::State : std::enable_shared_from_this<State> {
  State(boost::asio::io_context& io, int set) : descriptor(io), epoll(set) {
    boost::system::error_code ignored;
    descriptor.assign(set, ignored);
  }

  void Arm() {
    if (armed) return;
    armed = true;
    descriptor.async_wait(boost::asio::posix::stream_descriptor::wait_read,
                          [weak = weak_from_this()](const boost::system::error_code& code) {
                            auto self = weak.lock();
                            if (!self || code) return;
                            self->armed = false;
                            self->Turn();
                            if (!self->sockets.empty()) self->Arm();
                          });
  }

  // Handles each ready socket once. Sockets that are still ready are handled in the next turn,
  // after other tasks.
  void Turn() {
    std::array<epoll_event, 64> events;
    const int count = epoll_wait(epoll, events.data(), static_cast<int>(events.size()), 0);
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      const auto found = sockets.find(event.data.fd);
      if (found == sockets.end()) continue;
      int flags = 0;
      if ((event.events & (EPOLLIN | EPOLLHUP)) != 0) flags |= CURL_CSELECT_IN;
      if ((event.events & EPOLLOUT) != 0) flags |= CURL_CSELECT_OUT;
      if ((event.events & EPOLLERR) != 0) flags |= CURL_CSELECT_ERR;
      found->second->OnSocket(event.data.fd, flags);
    }
  }

  boost::asio::posix::stream_descriptor descriptor;
  const int epoll;
  std::unordered_map<int, Listener*> sockets;  // empty once the CurlLoop is gone
  bool armed = false;
};

Result<std::unique_ptr<CurlLoop>> CurlLoop::New(Env& env) {
  boost::asio::io_context* io = base::IoContextOf(env);
  if (io == nullptr) {
    return Error(Reason::kInvalidArgument,
                 "an HTTP transport needs a real Env (Runtime): simulated time has no sockets");
  }
  const int set = epoll_create1(EPOLL_CLOEXEC);
  if (set < 0) {
    return Error(Reason::kTransport, "epoll_create1: " + std::generic_category().message(errno));
  }
  return std::unique_ptr<CurlLoop>(new CurlLoop(std::make_shared<State>(*io, set)));
}

CurlLoop::CurlLoop(std::shared_ptr<State> state) : state_(std::move(state)) {}

CurlLoop::~CurlLoop() {
  state_->sockets.clear();
  boost::system::error_code ignored;
  state_->descriptor.close(ignored);
}

bool CurlLoop::Watch(int fd, int what, Listener& listener) {
  if (what == CURL_POLL_REMOVE) return Forget(fd);
  epoll_event event{};
  event.data.fd = fd;
  if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) event.events |= EPOLLIN;
  if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) event.events |= EPOLLOUT;
  const bool known = !state_->sockets.insert_or_assign(fd, &listener).second;
  // A known one may have been closed in the meantime, and its number may be another descriptor's,
  // which is not in the set yet.
  if (!known || (epoll_ctl(state_->epoll, EPOLL_CTL_MOD, fd, &event) != 0 && errno == ENOENT)) {
    epoll_ctl(state_->epoll, EPOLL_CTL_ADD, fd, &event);
  }
  state_->Arm();
  return true;
}

bool CurlLoop::Forget(int fd) {
  return state_->sockets.erase(fd) == 0 || Remove(state_->epoll, fd);
}

void CurlLoop::Forget(const Listener& listener) {
  for (auto it = state_->sockets.begin(); it != state_->sockets.end();) {
    if (it->second == &listener) {
      Remove(state_->epoll, it->first);
      it = state_->sockets.erase(it);
    } else {
      ++it;
    }
  }
}

}  // namespace kinformer::internal::transport

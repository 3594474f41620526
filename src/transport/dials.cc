#include "transport/dials.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stop_token>
#include <sys/socket.h>
#include <unistd.h>

#include "base/core/user_call.h"
#include "base/text/url.h"

namespace kinformer::internal::transport {
namespace {

// Limit of one transport. A function that hangs keeps its thread, and others need the other ones.
constexpr std::size_t kMostRunning = 16;

// Sets what libcurl and the lane set on their own sockets.
void SetTcpOptions(int fd) {
  const auto set = [fd](int level, int name, unsigned value) {
    (void)setsockopt(fd, level, name, &value, sizeof value);
  };
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 30);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 10);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 30000);
}

// Takes what the program's function has returned.
Result<Dialed> Checked(int fd) {
  // Standard input and output are no result of a dial, and stay open.
  Dialed dialed(fd > STDERR_FILENO ? fd : -1);
  int type = 0;
  socklen_t size = sizeof type;
  sockaddr_storage peer{};
  socklen_t peer_size = sizeof peer;
  const bool stream = getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_STREAM;
  if (fd <= STDERR_FILENO || !stream ||
      getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &peer_size) != 0) {
    return Error(Reason::kTransport,
                 "it returned the descriptor " + std::to_string(fd) +
                     ", which is no connected stream socket; it has to connect the socket, and to "
                     "return an error if it cannot");
  }
  const int flags = fcntl(fd, F_GETFD);
  if (flags >= 0) (void)fcntl(fd, F_SETFD, flags | FD_CLOEXEC);
  if (peer.ss_family == AF_INET || peer.ss_family == AF_INET6) SetTcpOptions(fd);
  return dialed;
}

// One of the calls that run. Left when the program's function has returned, or will not be called.
class Place {
 public:
  explicit Place(std::shared_ptr<std::atomic<std::size_t>> running) : running_(std::move(running)) {
    ++*running_;
  }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { Leave(); }
  void Leave() {
    if (running_ != nullptr) --*std::exchange(running_, nullptr);
  }

 private:
  std::shared_ptr<std::atomic<std::size_t>> running_;
};

Result<Dialed> Call(Env& env, const DialFunc& dial, const DialTarget& to) {
  const std::string place = "Config::dial for " + to.host + ":" + std::to_string(to.port);
  const Result<int> fd = base::CallUserForResult(
      env, "Config::dial", [&] { return dial(to); }, [&] { return to.host; });
  if (!fd) return Error(fd.error()).WithContext(place);
  Result<Dialed> checked = Checked(*fd);
  if (!checked) return Error(checked.error()).WithContext(place);
  return checked;
}

}  // namespace

void Dialed::Close() {
  if (const int fd = Take(); fd >= 0) close(fd);
}

bool Dialed::IsOpen() const {
  char byte = 0;
  return recv(fd_, &byte, 1, MSG_PEEK | MSG_DONTWAIT) < 0 && (errno == EAGAIN || errno == EINTR);
}

void Dialed::Replace(int placeholder) {
  const int flags = fcntl(fd_, F_GETFL);
  if (flags >= 0) (void)fcntl(fd_, F_SETFL, flags | O_NONBLOCK);
  (void)dup3(fd_, placeholder, O_CLOEXEC);
  Close();
}

int NewPlaceholder(curl_sockaddr& address) {
  const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fd;
  // Drops what comes back, also a refusal.
  sock_filter drop = {.code = BPF_RET | BPF_K, .jt = 0, .jf = 0, .k = 0};
  const sock_fprog program = {.len = 1, .filter = &drop};
  (void)setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
  constexpr std::uint16_t kDiscard = 9;
  sockaddr_in nobody{};
  nobody.sin_family = AF_INET;
  nobody.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  nobody.sin_port = htons(kDiscard);
  address.family = AF_INET;
  address.addrlen = sizeof nobody;
  static_assert(sizeof nobody == sizeof address.addr);
  std::memcpy(&address.addr, &nobody, sizeof nobody);
  return fd;
}

FirstHop FirstHopOf(const Endpoint& endpoint, const std::string& proxy) {
  if (proxy.empty()) return {endpoint.host, endpoint.port, endpoint.IsAddress()};
  const base::Url url = base::SplitUrl(proxy);
  Endpoint hop;
  hop.host = url.host;
  // libcurl's own defaults.
  hop.port = url.https() ? "443" : "1080";
  const std::size_t colon = url.host.rfind(':');
  if (colon != std::string::npos && url.host.find(']', colon) == std::string::npos) {
    hop.host = url.host.substr(0, colon);
    hop.port = url.host.substr(colon + 1);
  }
  if (hop.host.starts_with('[') && hop.host.ends_with(']')) {
    hop.host = hop.host.substr(1, hop.host.size() - 2);
  }
  return {hop.host, hop.port, hop.IsAddress()};
}

Dials::Dials(Env& env, DialFunc dial, FirstHop to)
    : env_(env), dial_(std::make_shared<const DialFunc>(std::move(dial))), to_(std::move(to)) {}

std::shared_ptr<Dials::Ticket> Dials::Start(const std::shared_ptr<Dials>& self, Done done) {
  auto ticket = std::make_shared<Ticket>(std::move(done));
  self->waiting_.push_back(ticket);
  StartNext(self);
  return ticket;
}

void Dials::StartNext(const std::shared_ptr<Dials>& self) {
  while (!self->waiting_.empty() && *self->running_ < kMostRunning) {
    const std::weak_ptr<Ticket> next = self->waiting_.front();
    self->waiting_.pop_front();
    const std::shared_ptr<Ticket> ticket = next.lock();
    if (ticket == nullptr) continue;
    const auto place = std::make_shared<Place>(self->running_);
    ticket->job_ = base::OwnJob::Start(
        self->env_, [weak = std::weak_ptr(self), next, place, dial = self->dial_, to = self->to_](
                        Env& env, const std::stop_token& stop) {
          if (stop.stop_requested()) return Closure([] {});
          DialTarget target{.host = to.host, .port = 0, .stop = stop};
          std::from_chars(to.port.data(), to.port.data() + to.port.size(), target.port);
          auto result = std::make_shared<Result<Dialed>>(Call(env, *dial, target));
          place->Leave();
          return Closure([weak, next, result] {
            if (const auto asked = next.lock()) {
              const Done done = std::move(asked->done_);
              done(std::move(*result));
            }
            if (const auto dials = weak.lock()) StartNext(dials);
          });
        });
  }
}

}  // namespace kinformer::internal::transport

#include "http/server.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <unordered_map>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/intrusive/list.hpp>

#include "base/core/forked.h"
#include "base/core/work_slice.h"
#include "base/loop/io_loop.h"
#include "http/byte_stream.h"
#include "http/connection.h"
#include "http/http1_connection.h"
#include "http/tls_handshake.h"

namespace kinformer::internal::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using base::WorkSlice;
using boost::system::error_code;

// Most woken connections served before other work of the loop gets a turn.
constexpr std::size_t kPumpBatch = 64;
// Interval of log lines while the process has no file descriptors left.
constexpr Duration kSayAgain = std::chrono::minutes(1);

using WokenList = boost::intrusive::list<Connection, boost::intrusive::base_hook<WokenHook>,
                                         boost::intrusive::constant_time_size<false>>;

// Sets FD_CLOEXEC, which Asio does not set.
template <class Socket>
void CloseOnExec(Socket& socket) {
  ::fcntl(socket.native_handle(), F_SETFD, FD_CLOEXEC);
}

// Detects clients that vanished without closing, after about two minutes.
void KeepAlive(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(tcp::socket::keep_alive(true), ignored);
  for (const auto& [option, value] :
       {std::pair{TCP_KEEPIDLE, 60}, {TCP_KEEPINTVL, 15}, {TCP_KEEPCNT, 4}}) {
    ::setsockopt(socket.native_handle(), IPPROTO_TCP, option, &value, sizeof value);
  }
}

// Returns "Sat, 21 Nov 2026 03:51:00 GMT".
std::string HttpDate(std::chrono::sys_seconds now) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
                kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text.data();
}

// Returns advice for a port that cannot be opened; empty: the system's message is enough.
std::string_view RemedyOf(const error_code& error) {
  if (error == asio::error::address_in_use) {
    return ". Another program has it: take another port, or 0 for any that is free";
  }
  if (error == asio::error::access_denied) {
    return ". Ports below 1024 need special rights: take a higher one";
  }
  if (error.value() == EADDRNOTAVAIL) {
    return ". It is none of this machine's addresses: take one that it has, or 0.0.0.0 for all";
  }
  return {};
}

}  // namespace

struct Server::Impl final : ConnectionHost, public std::enable_shared_from_this<Server::Impl> {
  Impl(Env& e, Handler& h, HttpServerOptions o, std::shared_ptr<const RequestPolicy> p,
       TlsContext tls, asio::io_context& io)
      : env_(e),
        handler_(h),
        head_judge_(dynamic_cast<transport::HeadJudge*>(&h)),
        options_(std::move(o)),
        policy_(std::move(p)),
        io_(io),
        tls_(std::move(tls)),
        acceptor_(io) {}

  [[nodiscard]] Env& env() override { return env_; }
  [[nodiscard]] Handler& handler() override { return handler_; }
  [[nodiscard]] transport::HeadJudge* head_judge() override { return head_judge_; }
  [[nodiscard]] const HttpServerOptions& options() override { return options_; }
  [[nodiscard]] const RequestPolicy& policy() override { return *policy_; }
  void CountRequest() override { requests_.fetch_add(1, std::memory_order_relaxed); }
  void CountSent(std::size_t bytes) override {
    bytes_sent_.fetch_add(bytes, std::memory_order_relaxed);
  }

  [[nodiscard]] std::uint32_t max_streams() override { return max_streams_; }
  [[nodiscard]] Scratch& scratch() override { return scratch_; }
  [[nodiscard]] const std::string& Date() override {
    const auto now = std::chrono::floor<std::chrono::seconds>(env_.WallNow());
    if (now != date_time_ || date_.empty()) {
      date_time_ = now;
      date_ = HttpDate(now);
    }
    return date_;
  }

  void Woken(Connection& connection) override {
    if (connection.is_linked()) return;
    woken_.push_back(connection);
    SchedulePump();
  }

  void Replace(Connection& connection, std::shared_ptr<Connection> next) override {
    if (next->http2()) http2_accepted_.fetch_add(1, std::memory_order_relaxed);
    connections_.erase(&connection);
    connections_.emplace(next.get(), next);
    next->Start();
  }

  void Closed(Connection& connection) override {
    connection.unlink();
    connections_.erase(&connection);
    open_.store(connections_.size(), std::memory_order_relaxed);
    if (!connections_.empty() || !stopped_) return;
    const MonitorLock lock(*gone_);
    gone_->NotifyAll();
  }

  // Posts one task for all connections woken in a turn, in bounded batches. Connections that want
  // to continue are served after all that wait.
  void SchedulePump() {
    if (pump_scheduled_) return;
    pump_scheduled_ = true;
    env_.loop().Post([self = shared_from_this()] {
      self->pump_scheduled_ = false;
      WokenList batch;
      batch.splice(batch.end(), self->woken_);
      const WorkSlice turn(self->env_);
      for (std::size_t i = 0; i < kPumpBatch && !batch.empty(); ++i) {
        const std::shared_ptr<Connection> connection = batch.front().shared_from_this();
        batch.pop_front();
        connection->Pump();
        if (turn.over()) break;
      }
      self->woken_.splice(self->woken_.begin(), batch);
      if (!self->woken_.empty()) self->SchedulePump();
    });
  }

  Result<void> Open() {
    error_code error;
    const auto address = asio::ip::make_address(options_.address, error);
    if (error) {
      return Error(Reason::kConfig,
                   "\"" + options_.address +
                       "\" is not an IP address to listen on; 127.0.0.1 is for this machine only, "
                       "0.0.0.0 for all");
    }
    tcp::endpoint endpoint(address, options_.port);
    acceptor_.open(endpoint.protocol(), error);
    if (error == asio::error::address_family_not_supported && address.is_v6() &&
        address.is_unspecified()) {
      // All interfaces of a machine without IPv6.
      endpoint = tcp::endpoint(tcp::v4(), options_.port);
      acceptor_.open(endpoint.protocol(), error);
    }
    if (!error) {
      CloseOnExec(acceptor_);
      acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    }
    if (!error) acceptor_.bind(endpoint, error);
    if (!error) acceptor_.listen(4096, error);
    if (error) {
      return Error(Reason::kTransport, "cannot listen on " + options_.address + " port " +
                                           std::to_string(options_.port) + ": " + error.message() +
                                           std::string(RemedyOf(error)));
    }
    port_ = acceptor_.local_endpoint(error).port();
    acceptor_.non_blocking(true, error);
    return {};
  }

  void Accept() {
    if (stopped_) return;
    acceptor_.async_accept(
        [self = shared_from_this()](const error_code& error, tcp::socket socket) {
          if (self->stopped_) return;
          if (error) {
            // Probably out of descriptors: accepting again at once would only spin.
            self->SayCannotAccept(error);
            self->retry_ = self->env_.loop().RunAt(
                self->env_.Now() + std::chrono::milliseconds(100), [weak = self->weak_from_this()] {
                  if (const auto again = weak.lock()) again->Accept();
                });
            return;
          }
          self->Take(std::move(socket));
          self->Accept();
        });
  }

  void SayCannotAccept(const error_code& error) {
    ++refused_;
    const SteadyTime now = env_.Now();
    if (said_ && now - *said_ < kSayAgain) return;
    said_ = now;
    env_.log().Log(LogLevel::kWarning, "cannot accept connections",
                   {{"err", error.message()},
                    {"attempts", std::to_string(std::exchange(refused_, 0))},
                    {"connections_open", std::to_string(connections_.size())}});
  }

  void Take(tcp::socket socket) {
    CloseOnExec(socket);
    accepted_.fetch_add(1, std::memory_order_relaxed);
    if (connections_.size() >= options_.max_connections) return;  // closes the socket
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    KeepAlive(socket);
    std::unique_ptr<ByteStream> stream =
        tls_ != nullptr ? NewTlsStream(std::move(socket), tls_) : NewPlainStream(std::move(socket));
    if (stream == nullptr) return;
    PeerIdentity peer = tls_ == nullptr ? stream->Peer() : PeerIdentity();
    const std::shared_ptr<Connection> connection =
        tls_ != nullptr ? NewTlsHandshake(*this, std::move(stream))
                        : NewHttp1Connection(*this, std::move(stream), std::move(peer));
    connections_.emplace(connection.get(), connection);
    open_.store(connections_.size(), std::memory_order_relaxed);
    connection->Start();
  }

  void Stop() {
    StopListening();
    CloseConnections();
  }

  void CloseConnections() {
    // Handlers under way complete later and find their connections closed.
    while (!connections_.empty()) {
      const std::shared_ptr<Connection> connection = connections_.begin()->second;
      connection->Close();
    }
  }

  // Calls `f` for all connections; `f` may close some, which are then skipped.
  template <class F>
  void ForAll(const F& f) {
    std::vector<std::shared_ptr<Connection>> all;
    all.reserve(connections_.size());
    for (const auto& [key, connection] : connections_) all.push_back(connection);
    for (const auto& connection : all) f(*connection);
  }

  void StopListening() {
    stopped_ = true;
    retry_.Cancel();
    error_code ignored;
    acceptor_.close(ignored);
  }

  // Runs `work` on the loop, and blocks until it has run.
  template <class F>
  void OnLoop(const F& work) {
    if (env_.loop().InThisExecutor()) return work();
    const std::unique_ptr<Monitor> monitor = env_.NewMonitor();
    MonitorLock lock(*monitor);
    struct {
      bool done = false;
    } call;
    env_.loop().Post([&] {
      work();
      const MonitorLock inner(*monitor);
      call.done = true;
      monitor->NotifyAll();
    });
    while (!call.done) lock.Wait();
  }

  Env& env_;
  Handler& handler_;
  transport::HeadJudge* const head_judge_;
  const HttpServerOptions options_;
  const std::shared_ptr<const RequestPolicy> policy_;
  asio::io_context& io_;
  std::uint16_t port_ = 0;

  // Loop only.
  TlsContext tls_;  // null: without TLS
  tcp::acceptor acceptor_;
  Timer retry_{};
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_{};
  WokenList woken_{};
  std::uint64_t refused_ = 0;         // failed accepts since the last log line
  std::optional<SteadyTime> said_{};  // time of the last log line
  Scratch scratch_{};
  std::uint32_t max_streams_ = options_.http2_max_streams;
  std::string date_{};
  std::chrono::sys_seconds date_time_{};
  bool pump_scheduled_ = false;
  bool stopped_ = false;

  const std::unique_ptr<Monitor> gone_ =
      env_.NewMonitor();  // notified when the last connection of a stopped server closes
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> http2_accepted_{0};
  std::atomic<std::uint64_t> open_{0};
  std::atomic<std::uint64_t> requests_{0};
  std::atomic<std::uint64_t> bytes_sent_{0};
};

Result<void> Server::CheckEnv(Env& env) {
  if (kinformer::internal::base::IoContextOf(env) != nullptr) return {};
  return Error(Reason::kInvalidArgument,
               "an HttpServer needs a Runtime's Env; a simulation has no sockets");
}

Result<std::unique_ptr<Server>> Server::Listen(Env& env, Handler& handler,
                                               HttpServerOptions options,
                                               std::shared_ptr<const RequestPolicy> policy,
                                               TlsContext tls) {
  if (Result<void> fits = CheckEnv(env); !fits) return std::move(fits).error();
  asio::io_context* const io = kinformer::internal::base::IoContextOf(env);
  auto impl = std::make_shared<Impl>(env, handler, std::move(options), std::move(policy),
                                     std::move(tls), *io);
  if (Result<void> opened = impl->Open(); !opened) return opened.error();
  env.loop().Post([impl] { impl->Accept(); });
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

Server::Server(std::shared_ptr<Impl> impl) : impl_(std::move(impl)) {}

Server::~Server() {
  if (base::LeaveIfForkedOff(impl_->env_, impl_)) return;
  impl_->OnLoop([this] { impl_->Stop(); });
}

void Server::Shutdown(Duration grace) {
  Env& env = impl_->env_;
  impl_->OnLoop([this] {
    impl_->StopListening();
    impl_->ForAll([](Connection& connection) { connection.GoAway(); });
  });
  const SteadyTime end = env.Now() + grace;
  {
    MonitorLock lock(*impl_->gone_);
    while (impl_->open_.load(std::memory_order_relaxed) != 0 && lock.WaitUntil(end)) {
    }
  }
  impl_->OnLoop([this] { impl_->CloseConnections(); });
}

void Server::GoAway() {
  impl_->env_.loop().Post(
      [impl = impl_] { impl->ForAll([](Connection& connection) { connection.GoAway(); }); });
}

void Server::SetMaxStreams(std::uint32_t streams) {
  impl_->env_.loop().Post([impl = impl_, streams] {
    impl->max_streams_ = streams;
    impl->ForAll([streams](Connection& connection) { connection.SetMaxStreams(streams); });
  });
}

void Server::SetTls(TlsContext tls) {
  impl_->env_.loop().Post(
      [impl = impl_, tls = std::move(tls)]() mutable { impl->tls_ = std::move(tls); });
}

std::uint16_t Server::port() const { return impl_->port_; }

void Server::Adopt(int socket) {
  impl_->env_.loop().Post([impl = impl_, socket] {
    tcp::socket adopted(impl->io_);
    error_code error;
    // The family is irrelevant.
    adopted.assign(tcp::v4(), socket, error);
    if (!error && !impl->stopped_) return impl->Take(std::move(adopted));
    if (error) ::close(socket);
  });
}

void Server::CloseConnections() {
  impl_->env_.loop().Post([impl = impl_] { impl->CloseConnections(); });
}

apiserver::HttpServerStats Server::Stats() const {
  return {.connections_accepted = impl_->accepted_.load(std::memory_order_relaxed),
          .http2_connections_accepted = impl_->http2_accepted_.load(std::memory_order_relaxed),
          .connections_open = impl_->open_.load(std::memory_order_relaxed),
          .requests = impl_->requests_.load(std::memory_order_relaxed),
          .bytes_sent = impl_->bytes_sent_.load(std::memory_order_relaxed)};
}

}  // namespace kinformer::internal::http

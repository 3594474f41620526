#include "network/simulated_network.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>

namespace kinformer::testing {
namespace {

namespace asio = boost::asio;
using Socket = asio::local::stream_protocol::socket;
using boost::system::error_code;

// One end for this class, the other for the caller.
std::pair<Socket, int> NewPair(asio::io_context& io) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) {
    std::perror("socketpair");
    std::abort();
  }
  return {Socket(io, asio::local::stream_protocol(), ends[0]), ends[1]};
}

std::string NewName() {
  static std::atomic<int> number{0};
  return "kinformer-network-" + std::to_string(getpid()) + "-" + std::to_string(++number);
}

}  // namespace

// Passes data between the two ends of a connection. Lives until its last pending wait has ended.
class SimulatedNetwork::Link : public std::enable_shared_from_this<Link> {
 public:
  Link(Env& env, Socket client, Socket server, ConnectionPool the_pool)
      : pool(the_pool),
        env_(env),
        client_(std::move(client)),
        server_(std::move(server)),
        up_{client_, server_},
        down_{server_, client_} {}

  void Start() {
    Read(up_);
    Read(down_);
  }
  void Freeze() { frozen_ = true; }
  void Thaw() {
    frozen_ = false;
    PassOn(up_);
    PassOn(down_);
  }
  void Drip(std::size_t bytes, Duration every) {
    drip_ = bytes;
    every_ = every;
    PassOn(up_);
    PassOn(down_);
  }
  void Close() {
    open_ = false;
    timer_.Cancel();
    error_code ignored;
    client_.close(ignored);
    server_.close(ignored);
  }
  void Reset() {
    forgotten_ = true;
    error_code ignored;
    server_.close(ignored);
  }
  [[nodiscard]] bool open() const { return open_; }

  const ConnectionPool pool;

 private:
  struct Way {
    Socket& from;
    Socket& to;
    std::string held{};
    bool ended = false;    // no more data arrives
    bool writing = false;  // waits until the other end takes more
  };

  void Read(Way& way) {
    way.from.async_wait(Socket::wait_read,
                        [self = shared_from_this(), &way](const error_code& error) {
                          if (!error && self->open_) self->OnReadable(way);
                        });
  }

  void OnReadable(Way& way) {
    // A local socket that is closed with unread data resets the other end.
    if (forgotten_) return Close();
    std::array<char, 65536> data;
    const ssize_t got = ::recv(way.from.native_handle(), data.data(), data.size(), MSG_DONTWAIT);
    if (got > 0) {
      way.held.append(data.data(), static_cast<std::size_t>(got));
      PassOn(way);
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      way.ended = true;
      // The other end is closed; the server of a frozen connection does not notice.
      if (&way == &up_ && frozen_) {
        open_ = false;
        error_code ignored;
        client_.close(ignored);
        return;
      }
      return PassOn(way);
    }
    if (open_) Read(way);
  }

  void PassOn(Way& way) {
    if (!open_ || frozen_ || way.writing) return;
    if (drip_ > 0) return DripLater();
    while (!way.held.empty()) {
      if (!Write(way, way.held.size())) return;
    }
    if (way.ended) Close();
  }

  // Returns false if the other end accepts nothing now, or never will.
  bool Write(Way& way, std::size_t bytes) {
    const ssize_t sent =
        ::send(way.to.native_handle(), way.held.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      way.held.erase(0, static_cast<std::size_t>(sent));
      return true;
    }
    if (errno != EAGAIN && errno != EINTR) {
      Close();
      return false;
    }
    way.writing = true;
    way.to.async_wait(Socket::wait_write,
                      [self = shared_from_this(), &way](const error_code& error) {
                        way.writing = false;
                        if (!error && self->open_) self->PassOn(way);
                      });
    return false;
  }

  void DripLater() {
    if (timer_.armed()) return;
    timer_ = env_.loop().RunAt(env_.Now() + every_, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->DripNow();
    });
  }

  void DripNow() {
    timer_ = Timer();
    if (!open_ || frozen_) return;
    for (Way* const way : {&up_, &down_}) {
      if (!way->held.empty() && !Write(*way, std::min(drip_, way->held.size())) && !open_) return;
      if (way->ended && way->held.empty()) return Close();
    }
    if (!up_.held.empty() || !down_.held.empty()) DripLater();
  }

  Env& env_;
  Socket client_;
  Socket server_;
  Way up_;
  Way down_;
  Timer timer_;
  std::size_t drip_ = 0;
  Duration every_{0};
  bool frozen_ = false;
  bool forgotten_ = false;
  bool open_ = true;
};

struct SimulatedNetwork::Listener {
  asio::local::stream_protocol::acceptor acceptor;
};

SimulatedNetwork::SimulatedNetwork(Env& env, asio::io_context& io, Accept accept)
    : env_(env),
      io_(io),
      accept_(std::move(accept)),
      name_(NewName()),
      listener_(new Listener{asio::local::stream_protocol::acceptor(
          io, asio::local::stream_protocol::endpoint(std::string(1, '\0') + name_))}) {
  listener_->acceptor.non_blocking(true);
  AcceptLater();
}

SimulatedNetwork::~SimulatedNetwork() {
  for (const auto& link : links_) link->Close();
}

bool SimulatedNetwork::Opens(ConnectionPool pool) {
  if (opening_ == Opening::kRefused) return false;
  coming_.push_back(pool);
  return true;
}

void SimulatedNetwork::AcceptLater() {
  listener_->acceptor.async_wait(Socket::wait_read, [this](const error_code& error) {
    if (!error) Take();
  });
}

void SimulatedNetwork::Take() {
  error_code error;
  Socket client = listener_->acceptor.accept(error);
  if (!error) {
    auto [server, server_end] = NewPair(io_);
    links_.push_back(
        std::make_shared<Link>(env_, std::move(client), std::move(server), coming_.front()));
    coming_.pop_front();
    if (opening_ == Opening::kHanging) links_.back()->Freeze();
    links_.back()->Start();
    accept_(server_end);
  }
  AcceptLater();
}

std::vector<std::size_t> SimulatedNetwork::Open() const {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < links_.size(); ++i) {
    if (links_[i]->open()) open.push_back(i);
  }
  return open;
}

void SimulatedNetwork::Freeze(std::size_t number) { links_[number]->Freeze(); }
void SimulatedNetwork::FreezeAll() {
  for (const auto& link : links_) link->Freeze();
}
void SimulatedNetwork::Thaw(std::size_t number) { links_[number]->Thaw(); }
void SimulatedNetwork::Drip(std::size_t number, std::size_t bytes, Duration every) {
  links_[number]->Drip(bytes, every);
}
void SimulatedNetwork::Cut(std::size_t number) { links_[number]->Close(); }
void SimulatedNetwork::Reset(std::size_t number) { links_[number]->Reset(); }

}  // namespace kinformer::testing

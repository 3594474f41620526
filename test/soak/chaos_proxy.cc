#include "soak/chaos_proxy.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>

namespace kinformer::testing {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

constexpr milliseconds kTick{10};
// Limits of the time until a connection's next trouble.
constexpr double kSoonest = 0.02;
constexpr double kLatest = 20;
constexpr double kShortestTrouble = 0.05;
constexpr double kUsualTrouble = 5;
constexpr std::uint32_t kDeadOneIn = 40;
constexpr std::uint32_t kRefusedPercent = 10;
// Bytes that a slow connection passes per tick: 20 to 400 KB a second.
constexpr std::uint32_t kLeastDrip = 200;
constexpr std::uint32_t kMostDrip = 4000;

class Dice {
 public:
  explicit Dice(std::uint64_t seed) : random_(seed) {}
  std::uint32_t Below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  // Returns a random duration with a logarithmic distribution.
  steady_clock::duration Seconds(double least, double most) {
    const double unit = static_cast<double>(random_() >> 11) * 0x1p-53;
    return std::chrono::duration_cast<steady_clock::duration>(
        std::chrono::duration<double>(least * std::pow(most / least, unit)));
  }

 private:
  std::mt19937_64 random_;
};

// One direction of a connection.
struct Pipe {
  tcp::socket& from;
  tcp::socket& to;
  std::array<char, 16384> bytes{};
  std::size_t begin = 0;  // data that was read and not written yet
  std::size_t end = 0;
  bool busy = false;  // a read or write is in progress
  // Until then it passes only `drip` bytes per tick; with 0 it stalls.
  steady_clock::time_point slow_until{};
  std::size_t drip = 0;
  std::size_t left_this_tick = 0;
};

struct Tally {
  std::atomic<std::uint64_t> connections = 0;
  std::atomic<std::uint64_t> refused = 0;
  std::atomic<std::uint64_t> cut = 0;
  std::atomic<std::uint64_t> stalled = 0;
  std::atomic<std::uint64_t> dripped = 0;
  std::atomic<std::uint64_t> bytes = 0;
  std::atomic<std::size_t> open = 0;
};

// A client's connection and the matching connection to the server. Used on the proxy's thread.
class Link : public std::enable_shared_from_this<Link> {
 public:
  Link(tcp::socket client, Dice& dice, double longest_stall, Tally& tally)
      : dice_(dice),
        longest_stall_(longest_stall),
        tally_(tally),
        client_(std::move(client)),
        server_(client_.get_executor()) {
    ++tally_.open;
    DrawTrouble();
  }
  ~Link() { --tally_.open; }
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  void Connect(const tcp::endpoint& server) {
    server_.async_connect(server, [self = shared_from_this()](error_code failed) {
      if (failed) return self->Close();
      error_code ignored;
      self->client_.set_option(tcp::no_delay(true), ignored);
      self->server_.set_option(tcp::no_delay(true), ignored);
      self->connected_ = true;
      self->Move(self->up_);
      self->Move(self->down_);
    });
  }
  void Tick(steady_clock::time_point now, bool rough) {
    if (closed_ || !connected_) return;
    if (now >= trouble_) {
      if (rough) MakeTrouble(now);
      DrawTrouble();
    }
    for (Pipe* pipe : {&up_, &down_}) {
      pipe->left_this_tick = pipe->slow_until > now ? pipe->drip : pipe->bytes.size();
      Move(*pipe);
    }
  }
  void Close() {
    closed_ = true;
    error_code ignored;
    client_.close(ignored);
    server_.close(ignored);
  }
  [[nodiscard]] bool closed() const { return closed_; }

 private:
  void DrawTrouble() { trouble_ = steady_clock::now() + dice_.Seconds(kSoonest, kLatest); }

  void MakeTrouble(steady_clock::time_point now) {
    const double most = std::min(kUsualTrouble, longest_stall_);
    const std::uint32_t kind = dice_.Below(3);
    if (kind == 0) {
      if (dice_.Below(2) == 0) Reset();
      Close();
      ++tally_.cut;
    } else if (kind == 1) {
      const bool dead = dice_.Below(kDeadOneIn) == 0;
      const auto length = dead ? dice_.Seconds(longest_stall_, longest_stall_)
                               : dice_.Seconds(kShortestTrouble, most);
      Slow(down_, now + length, 0);
      if (dice_.Below(2) == 0) Slow(up_, now + length, 0);
      ++tally_.stalled;
    } else {
      Slow(down_, now + dice_.Seconds(kShortestTrouble, most),
           kLeastDrip + dice_.Below(kMostDrip - kLeastDrip));
      ++tally_.dripped;
    }
  }
  static void Slow(Pipe& pipe, steady_clock::time_point until, std::size_t drip) {
    if (pipe.slow_until > until) return;  // a dead connection stays dead
    pipe.slow_until = until;
    pipe.drip = drip;
    pipe.left_this_tick = 0;
  }
  // Makes the next close a reset.
  void Reset() {
    error_code ignored;
    client_.set_option(asio::socket_base::linger(true, 0), ignored);
    server_.set_option(asio::socket_base::linger(true, 0), ignored);
  }

  void Move(Pipe& pipe) {
    if (closed_ || pipe.busy) return;
    if (pipe.begin == pipe.end) return Read(pipe);
    std::size_t size = pipe.end - pipe.begin;
    if (pipe.slow_until > steady_clock::now()) size = std::min(size, pipe.left_this_tick);
    if (size > 0) Write(pipe, size);
  }
  void Read(Pipe& pipe) {
    pipe.busy = true;
    pipe.from.async_read_some(asio::buffer(pipe.bytes),
                              [self = shared_from_this(), &pipe](error_code failed, std::size_t n) {
                                pipe.busy = false;
                                if (failed) return self->Close();
                                pipe.begin = 0;
                                pipe.end = n;
                                self->Move(pipe);
                              });
  }
  void Write(Pipe& pipe, std::size_t size) {
    pipe.busy = true;
    pipe.to.async_write_some(asio::buffer(pipe.bytes.data() + pipe.begin, size),
                             [self = shared_from_this(), &pipe](error_code failed, std::size_t n) {
                               pipe.busy = false;
                               if (failed) return self->Close();
                               pipe.begin += n;
                               pipe.left_this_tick -= std::min(n, pipe.left_this_tick);
                               self->tally_.bytes += n;
                               self->Move(pipe);
                             });
  }

  Dice& dice_;
  const double longest_stall_;  // in seconds
  Tally& tally_;
  tcp::socket client_;
  tcp::socket server_;
  Pipe up_{client_, server_};
  Pipe down_{server_, client_};
  steady_clock::time_point trouble_;
  bool connected_ = false;
  bool closed_ = false;
};

}  // namespace

struct ChaosProxy::Impl {
  explicit Impl(const ChaosProxyOptions& chosen)
      : dice(chosen.seed),
        longest_stall(std::chrono::duration<double>(chosen.longest_stall).count()),
        server(asio::ip::address_v4::loopback(), chosen.server_port) {
    Accept();
    Tick();
    thread = std::thread([this] { io.run(); });
  }
  ~Impl() {
    io.stop();
    thread.join();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  void Accept() {
    acceptor.async_accept([this](error_code failed, tcp::socket client) {
      if (!failed) Take(std::move(client));
      Accept();
    });
  }
  void Take(tcp::socket client) {
    ++tally.connections;
    if (rough && dice.Below(100) < kRefusedPercent) {
      error_code ignored;
      client.set_option(asio::socket_base::linger(true, 0), ignored);
      ++tally.refused;
      return;
    }
    links.push_back(std::make_shared<Link>(std::move(client), dice, longest_stall, tally));
    links.back()->Connect(server);
  }
  void Tick() {
    const auto now = steady_clock::now();
    for (const auto& link : links) link->Tick(now, rough);
    std::erase_if(links, [](const auto& link) { return link->closed(); });
    timer.expires_at(now + kTick);
    timer.async_wait([this](error_code failed) {
      if (!failed) Tick();
    });
  }

  Dice dice;
  const double longest_stall;
  const tcp::endpoint server;
  Tally tally;  // outlives the links, some of which `io` may own
  asio::io_context io;
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
  asio::steady_timer timer{io};
  std::vector<std::shared_ptr<Link>> links;
  std::atomic<bool> rough = false;
  std::thread thread;
};

ChaosProxy::ChaosProxy(const ChaosProxyOptions& options) : impl_(std::make_unique<Impl>(options)) {}
ChaosProxy::~ChaosProxy() = default;

std::uint16_t ChaosProxy::port() const { return impl_->acceptor.local_endpoint().port(); }
void ChaosProxy::SetRough(bool rough) { impl_->rough = rough; }
ChaosProxyCounts ChaosProxy::Counts() const {
  const Tally& tally = impl_->tally;
  return {tally.connections, tally.refused, tally.cut, tally.stalled, tally.dripped, tally.bytes};
}
std::size_t ChaosProxy::descriptors() const { return 2 * impl_->tally.open; }

}  // namespace kinformer::testing

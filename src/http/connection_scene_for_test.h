// http/connection_scene_for_test.h
//
// ConnectionScene: connections over socket pairs in simulated time. Tests write raw bytes at the
// client's end and read the exact bytes of the server.

#ifndef KINFORMER_HTTP_CONNECTION_SCENE_FOR_TEST_H_
#define KINFORMER_HTTP_CONNECTION_SCENE_FOR_TEST_H_

#include <array>
#include <cerrno>
#include <deque>
#include <fcntl.h>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "kinformer/base/simulation.h"
#include "kinformer/internal/head_judge.h"

#include "base/core/testing/ticking_env.h"
#include "base/loop/io_loop.h"
#include "http/connection.h"
#include "http/http1_connection.h"
#include "http/http2_connection.h"
#include "transport/head_keeper.h"
#include "transport/responses.h"

namespace kinformer::internal::http {

// A response whose course a test decides, even after it began.
struct Script {
  struct Part {
    std::string bytes{};
    ResponseStream::State state = ResponseStream::State::kMore;
  };
  int status = 200;
  HttpHeaders headers{};
  std::deque<Part> parts{};  // empty: kWait
  bool ready = true;
  bool resumes_soon = false;
  ConnectionEffect effect{};
  std::function<void()> wake{};
  std::vector<std::size_t> asked{};  // max_bytes of each Read
  int alive = 0;                     // streams that read it
  int heads_released = 0;
  std::string received{};  // from the client, after an answer 101
  bool throws_on_input = false;

  static std::shared_ptr<Script> Of(std::deque<Part> parts, int status = 200) {
    auto script = std::make_shared<Script>();
    script->status = status;
    script->parts = std::move(parts);
    return script;
  }
};

class ScriptStream final : public ResponseStream, public transport::HeadKeeper {
 public:
  explicit ScriptStream(std::shared_ptr<Script> script) : script_(std::move(script)) {
    ++script_->alive;
  }
  ~ScriptStream() override { --script_->alive; }
  ScriptStream(const ScriptStream&) = delete;
  ScriptStream& operator=(const ScriptStream&) = delete;

  [[nodiscard]] bool ready() const override { return script_->ready; }
  [[nodiscard]] int status() const override { return script_->status; }
  [[nodiscard]] const HttpHeaders& headers() const override { return script_->headers; }
  State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) override {
    script_->asked.push_back(max_bytes);
    if (script_->parts.empty()) return State::kWait;
    const Script::Part part = std::move(script_->parts.front());
    script_->parts.pop_front();
    if (!part.bytes.empty()) out.push_back(BodyChunk::Of(part.bytes));
    return part.state;
  }
  void SetWake(std::function<void()> wake) override { script_->wake = std::move(wake); }
  void Receive(std::string_view bytes) override {
    if (script_->throws_on_input) throw std::runtime_error("Receive");
    script_->received += bytes;
  }
  [[nodiscard]] bool resumes_soon() const override { return script_->resumes_soon; }
  [[nodiscard]] ConnectionEffect effect() const override { return script_->effect; }
  void ReleaseHead() override { ++script_->heads_released; }

 private:
  const std::shared_ptr<Script> script_;
};

// Answers with the next script; without one, with the request itself. Judges heads with the next
// gate; without one, it lets the body in.
class ScriptHandler final : public Handler, public transport::HeadJudge {
 public:
  std::unique_ptr<ResponseStream> Handle(HttpRequest request) override {
    requests.push_back(request);
    if (on_request) on_request();
    if (scripts.empty()) {
      return std::make_unique<transport::WholeBody>(
          200, HttpHeaders(), request.method + " " + request.target + " " + request.body);
    }
    return Next(scripts);
  }
  std::unique_ptr<ResponseStream> JudgeHead(const HttpRequest& head) override {
    judged.push_back(head.target);
    return gates.empty() ? nullptr : Next(gates);
  }
  std::shared_ptr<Script> Add(std::deque<Script::Part> parts, int status = 200) {
    return scripts.emplace_back(Script::Of(std::move(parts), status));
  }

  std::deque<std::shared_ptr<Script>> scripts{};
  std::deque<std::shared_ptr<Script>> gates{};
  std::vector<HttpRequest> requests{};
  std::vector<std::string> judged{};
  std::function<void()> on_request{};

 private:
  static std::unique_ptr<ResponseStream> Next(std::deque<std::shared_ptr<Script>>& from) {
    const std::shared_ptr<Script> next = from.front();
    from.pop_front();
    return std::make_unique<ScriptStream>(next);
  }
};

class ScriptPolicy final : public RequestPolicy {
 public:
  std::unique_ptr<ResponseStream> Admit(const PeerIdentity& peer,
                                        HttpRequest& request) const override {
    request.user = peer.common_name;
    if (request.headers.Get("authorization") != "wrong") return nullptr;
    return Refuse(401, "Unauthorized");
  }
  Compression CompressionOf(const HttpRequest&) const override { return compression; }
  bool AnswersWithMessages(const HttpRequest&) const override { return messages; }
  MessageForm FormOf(std::string_view content_type) const override {
    return content_type == "binary" ? MessageForm::kLengthBefore : MessageForm::kLine;
  }
  std::unique_ptr<ResponseStream> Refuse(int status, std::string_view message) const override {
    return std::make_unique<transport::WholeBody>(status, HttpHeaders(), std::string(message));
  }
  Compression compression = Compression::kNone;
  bool messages = false;
};

// The server's part that connections need.
class SceneHost final : public ConnectionHost {
 public:
  SceneHost(Env& loop_env, Duration tick) : env_(loop_env, tick) {}
  Env& env() override { return env_; }
  Handler& handler() override { return script_handler; }
  transport::HeadJudge* head_judge() override { return &script_handler; }
  const HttpServerOptions& options() override { return limits; }
  const RequestPolicy& policy() override { return script_policy; }
  std::uint32_t max_streams() override { return limits.http2_max_streams; }
  Scratch& scratch() override { return scratch_; }
  const std::string& Date() override { return date_; }
  void CountRequest() override { ++counted_requests; }
  void CountSent(std::size_t bytes) override { sent += bytes; }
  void Woken(Connection& connection) override {
    ++wakes;
    if (!woken_.emplace(&connection, true).second) return;
    env_.loop().Post([this, weak = connection.weak_from_this()] {
      const std::shared_ptr<Connection> self = weak.lock();
      if (self == nullptr) return;
      woken_.erase(self.get());
      ++pumps;
      self->Pump();
    });
  }
  void Replace(Connection& connection, std::shared_ptr<Connection> next) override {
    ++replaced;
    connections.erase(&connection);
    connections.emplace(next.get(), next);
    next->Start();
  }
  void Closed(Connection& connection) override {
    woken_.erase(&connection);
    connections.erase(&connection);
  }

  ScriptHandler script_handler{};
  ScriptPolicy script_policy{};
  HttpServerOptions limits{};
  std::map<Connection*, std::shared_ptr<Connection>> connections{};
  std::size_t sent = 0;
  int counted_requests = 0;
  int wakes = 0;
  int pumps = 0;
  int replaced = 0;

 private:
  base::TickingEnv env_;
  Scratch scratch_{};
  std::string date_{"now"};
  std::map<Connection*, bool> woken_{};
};

// Runs all that can run without time passing, sockets included.
inline void Settle(Simulation& sim) {
  sim.env().loop().Post([] {});  // something may have come in meanwhile
  sim.RunFor({});
}

// The client's end of a connection.
class RawClient {
 public:
  RawClient(Simulation& sim, int socket, int server_end)
      : sim_(sim), socket_(socket), server_end_(server_end) {
    ::fcntl(socket_, F_SETFL, O_NONBLOCK);
  }
  ~RawClient() {
    Close();
    if (server_end_ >= 0) ::close(server_end_);
  }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  // Sends until the server reads no more. Returns the number of bytes sent.
  std::size_t Send(std::string_view text) {
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t some =
          ::send(socket_, text.data() + done, text.size() - done, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (some <= 0) break;
      done += static_cast<std::size_t>(some);
      Settle(sim_);
    }
    return done;
  }
  // Returns all that arrives without time passing.
  std::string Receive() {
    std::string all;
    std::array<char, 65536> buffer{};
    for (Settle(sim_);; Settle(sim_)) {
      const ssize_t some = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
      if (some == 0 || (some < 0 && errno != EAGAIN)) ended_ = true;
      if (some <= 0) return all;
      all.append(buffer.data(), static_cast<std::size_t>(some));
    }
  }
  // Receives at most `size` bytes, without anything else running.
  std::string Take(std::size_t size) {
    std::string some(size, ' ');
    const ssize_t got = ::recv(socket_, some.data(), some.size(), MSG_DONTWAIT);
    some.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
    return some;
  }
  // Returns how many bytes the server has left in its socket. REQUIRES: keep_server_ends.
  [[nodiscard]] std::size_t Unread() const {
    int bytes = 0;
    ::ioctl(server_end_, FIONREAD, &bytes);
    return static_cast<std::size_t>(bytes);
  }
  std::string Exchange(std::string_view text) {
    Send(text);
    return Receive();
  }
  // Whether the server has ended its direction, as the last Receive saw.
  [[nodiscard]] bool ended() const { return ended_; }
  void Close() {
    if (socket_ >= 0) ::close(std::exchange(socket_, -1));
  }

 private:
  Simulation& sim_;
  int socket_;
  int server_end_;
  bool ended_ = false;
};

class ConnectionScene {
 public:
  enum class Kind : std::uint8_t { kHttp1, kHttp2 };

  // Each look at the clock of the connections takes `tick`.
  explicit ConnectionScene(Duration tick = {}) : host_(sim_.env(), tick) {
    base::GiveSockets(sim_.env(), io_);
  }
  ~ConnectionScene() {
    CloseAll();
    Settle(sim_);
  }
  ConnectionScene(const ConnectionScene&) = delete;
  ConnectionScene& operator=(const ConnectionScene&) = delete;

  [[nodiscard]] Simulation& sim() { return sim_; }
  [[nodiscard]] SceneHost& host() { return host_; }
  [[nodiscard]] ScriptHandler& handler() { return host_.script_handler; }
  [[nodiscard]] ScriptPolicy& policy() { return host_.script_policy; }
  [[nodiscard]] HttpServerOptions& options() { return host_.limits; }
  [[nodiscard]] std::size_t open() const { return host_.connections.size(); }
  [[nodiscard]] boost::asio::io_context& io() { return io_; }

  // Whether clients can tell what the server has not read; then they do not see its end.
  bool keep_server_ends = false;

  // `send_buffer`: bytes that the server can send to a client that does not read; 0: the system's.
  std::unique_ptr<RawClient> Connect(Kind kind = Kind::kHttp1, const std::string& peer_user = {},
                                     int send_buffer = 0) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    if (send_buffer > 0) {
      ::setsockopt(ends[0], SOL_SOCKET, SO_SNDBUF, &send_buffer, sizeof send_buffer);
    }
    const int kept = keep_server_ends ? ::dup(ends[0]) : -1;
    OnLoop([&] {
      boost::asio::ip::tcp::socket socket(io_);
      socket.assign(boost::asio::ip::tcp::v4(), ends[0]);
      auto stream = NewPlainStream(std::move(socket));
      auto connection =
          kind == Kind::kHttp1
              ? NewHttp1Connection(host_, std::move(stream), {.common_name = peer_user})
              : NewHttp2Connection(host_, std::move(stream), {.common_name = peer_user});
      host_.connections.emplace(connection.get(), connection);
      connection->Start();
    });
    return std::make_unique<RawClient>(sim_, ends[1], kept);
  }
  // Returns the only connection.
  Connection& connection() { return *host_.connections.begin()->second; }
  // Whether the only connection is closed after exactly `time`, and not before.
  bool ClosesAfter(Duration time) {
    RunFor(time - Duration(1));
    if (open() != 1) return false;
    RunFor(Duration(1));
    return open() == 0;
  }
  void RunFor(Duration duration) {
    Settle(sim_);
    sim_.RunFor(duration);
  }
  // Runs `work` as a task of the loop, and all that follows from it without time passing.
  void OnLoop(const std::function<void()>& work) {
    sim_.env().loop().Post(work);
    Settle(sim_);
  }
  // Wakes the response.
  void Wake(const std::shared_ptr<Script>& script) {
    OnLoop([&] { script->wake(); });
  }
  void CloseAll() {
    OnLoop([this] {
      while (!host_.connections.empty()) host_.connections.begin()->second->Close();
    });
  }

 private:
  boost::asio::io_context io_{1};
  Simulation sim_{};
  SceneHost host_;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_CONNECTION_SCENE_FOR_TEST_H_

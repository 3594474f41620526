// http/probe_connection_for_test.h
//
// ProbeScene: a Connection of no protocol over a stream whose reads and writes a test decides, in
// simulated time.

#ifndef KINFORMER_HTTP_PROBE_CONNECTION_FOR_TEST_H_
#define KINFORMER_HTTP_PROBE_CONNECTION_FOR_TEST_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <deque>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "http/connection_scene_for_test.h"

namespace kinformer::internal::http {

// Outcomes of the next operations of a ScriptedStream, and what it has done.
struct StreamScript {
  using Next = ByteStream::Next;
  struct Read {
    Next next = Next::kAgain;
    std::string bytes{};
  };
  std::deque<Read> reads{};                   // empty: kWaitRead
  std::deque<ByteStream::Progress> writes{};  // empty: all is written
  int read_calls = 0;
  int write_calls = 0;
  std::size_t most_offered = 0;  // bytes of the largest write that was tried
  std::string written{};
};

class ScriptedStream final : public ByteStream {
 public:
  ScriptedStream(boost::asio::ip::tcp::socket socket, std::shared_ptr<StreamScript> script)
      : ByteStream(std::move(socket)), script_(std::move(script)) {}

  Progress Read(std::span<char> into) override {
    ++script_->read_calls;
    // Bytes of MakeReadable; left alone they would keep the socket readable.
    while (::recv(socket().native_handle(), into.data(), into.size(), MSG_DONTWAIT) > 0) {
    }
    if (script_->reads.empty()) return {Next::kWaitRead, 0};
    const StreamScript::Read read = std::move(script_->reads.front());
    script_->reads.pop_front();
    return {read.next, read.bytes.copy(into.data(), into.size())};
  }
  Progress Write(std::span<const std::string_view> pieces) override {
    ++script_->write_calls;
    std::string all;
    for (const std::string_view piece : pieces) all += piece;
    script_->most_offered = std::max(script_->most_offered, all.size());
    Progress progress{Next::kAgain, all.size()};
    if (!script_->writes.empty()) {
      progress = script_->writes.front();
      script_->writes.pop_front();
    }
    script_->written += all.substr(0, progress.bytes);
    return progress;
  }

 private:
  const std::shared_ptr<StreamScript> script_;
};

class ProbeConnection final : public Connection {
 public:
  using Connection::blocked;
  using Connection::ClearDeadline;
  using Connection::closed;
  using Connection::Connection;
  using Connection::Flush;
  using Connection::ForgetDeadline;
  using Connection::Freeze;
  using Connection::LeaveWaiting;
  using Connection::Linger;
  using Connection::out;
  using Connection::ReleaseStream;
  using Connection::SetDeadline;
  using Connection::SetReading;
  using Connection::stream;
  using Connection::WaitFor;

  void Start() override {}
  void Pump() override {
    ++pumps;
    if (on_pump) on_pump();
  }
  void GoAway() override {}
  void OnBytes(std::string_view data) override {
    got.emplace_back(data);
    if (on_bytes) on_bytes();
  }
  void OnDeadline() override { ++deadlines; }
  void OnClose() override { ++closes; }

  std::vector<std::string> got{};
  std::function<void()> on_bytes{};
  std::function<void()> on_pump{};
  int pumps = 0;
  int deadlines = 0;
  int closes = 0;
};

class ProbeScene {
 public:
  ProbeScene() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    client = std::make_unique<RawClient>(scene.sim(), ends[1], -1);
    descriptor = ends[0];
    scene.OnLoop([&] {
      boost::asio::ip::tcp::socket socket(scene.io());
      socket.assign(boost::asio::ip::tcp::v4(), ends[0]);
      probe = std::make_shared<ProbeConnection>(
          scene.host(), std::make_unique<ScriptedStream>(std::move(socket), script));
      scene.host().connections.emplace(probe.get(), probe);
    });
  }
  ProbeScene(const ProbeScene&) = delete;
  ProbeScene& operator=(const ProbeScene&) = delete;

  ProbeConnection* operator->() { return probe.get(); }
  // Makes the socket readable, as the kernel would report it.
  void MakeReadable() { client->Send("!"); }

  ConnectionScene scene{};
  std::shared_ptr<StreamScript> script = std::make_shared<StreamScript>();
  std::unique_ptr<RawClient> client{};
  std::shared_ptr<ProbeConnection> probe{};
  int descriptor = -1;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_PROBE_CONNECTION_FOR_TEST_H_

// http/connection.h
//
// Connection: what the connections of all protocols have in common: when they read and write, how
// long they wait, how they end.

#ifndef KINFORMER_HTTP_CONNECTION_H_
#define KINFORMER_HTTP_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/intrusive/list_hook.hpp>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/env.h"
#include "kinformer/transport.h"

#include "http/byte_stream.h"
#include "http/gzip_deflater.h"
#include "http/outbox.h"
#include "http/request_policy.h"
#include "transport/head_judge.h"

namespace kinformer::internal::http {

using apiserver::HttpServerOptions;

class Connection;

// Room for work that is done in one go, shared by all connections of a server.
struct Scratch {
  std::vector<char> input = std::vector<char>(std::size_t{64} << 10);
  std::vector<std::string_view> pieces{};
  GzipDeflater members{};
};

// What a connection needs of its server. Loop-confined.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  [[nodiscard]] virtual Env& env() = 0;
  [[nodiscard]] virtual Handler& handler() = 0;
  // Null: the handler is none.
  [[nodiscard]] virtual transport::HeadJudge* head_judge() = 0;
  [[nodiscard]] virtual const HttpServerOptions& options() = 0;
  [[nodiscard]] virtual const RequestPolicy& policy() = 0;
  [[nodiscard]] virtual std::uint32_t max_streams() = 0;
  [[nodiscard]] virtual Scratch& scratch() = 0;
  // The Date header for now.
  [[nodiscard]] virtual const std::string& Date() = 0;
  virtual void CountRequest() = 0;
  virtual void CountSent(std::size_t bytes) = 0;
  // Calls connection.Pump soon, once however often it is called before that.
  virtual void Woken(Connection& connection) = 0;
  // `next` takes the place of `connection`, whose socket it has, and is started.
  virtual void Replace(Connection& connection, std::shared_ptr<Connection> next) = 0;
  // `connection` has closed; the last call.
  virtual void Closed(Connection& connection) = 0;
};

using WokenHook =
    boost::intrusive::list_base_hook<boost::intrusive::link_mode<boost::intrusive::auto_unlink>>;

// Loop-confined. Lives as long as its server holds it or a wait for its socket is under way.
class Connection : public std::enable_shared_from_this<Connection>, public WokenHook {
 public:
  Connection(ConnectionHost& host, std::unique_ptr<ByteStream> stream);
  virtual ~Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  virtual void Start() = 0;
  // Goes on where it can: something has been woken, or the socket takes more.
  virtual void Pump() = 0;
  // The client shall take its requests elsewhere; what is under way is finished.
  virtual void GoAway() = 0;
  virtual void SetMaxStreams(std::uint32_t) {}
  [[nodiscard]] virtual bool http2() const { return false; }
  // Abandons everything.
  void Close();

 protected:
  virtual void OnBytes(std::string_view data) = 0;
  // The socket is readable. By default it is read.
  virtual void OnReadable() { ReadNow(); }
  // By default it is closed.
  virtual void OnDeadline() { Close(); }
  // Gives up what is under way.
  virtual void OnClose() {}

  [[nodiscard]] ConnectionHost& host() const { return host_; }
  [[nodiscard]] ByteStream& stream() const { return *stream_; }
  // For whom takes its place. It reads and waits no more.
  [[nodiscard]] std::unique_ptr<ByteStream> ReleaseStream();
  [[nodiscard]] Outbox& out() { return out_; }
  // Nothing more comes of it: it has ended, or its socket is another one's.
  [[nodiscard]] bool closed() const { return closed_ || frozen_ || stream_ == nullptr; }
  // The socket takes nothing at the moment.
  [[nodiscard]] bool blocked() const { return waiting_to_write_; }

  // Whether bytes are wanted; OnBytes gets them. What arrives otherwise stays in the socket, and so
  // does the news of its end.
  void SetReading(bool wanted);
  // Writes what out() has. True: all of it has gone. False: the socket is full, and Pump comes when
  // it is not; or it has closed.
  bool Flush();
  // For the last words of a connection: ends our side and waits a little for the client to end its
  // own. Closing at once, with bytes of the client unread, would reset the connection and might
  // take our answer with it.
  void Linger();
  // Says nothing more, and does not end.
  void Freeze();
  // After an answer that broke off with that effect. True: its client is left waiting; else the
  // connection is to be cut.
  bool LeaveWaiting(const ConnectionEffect& effect);

  // One deadline at a time; OnDeadline runs when it passes.
  void SetDeadline(Duration after);
  void ClearDeadline() { deadline_ = SteadyTime::max(); }
  // The same, and gives back what it took.
  void ForgetDeadline();
  void WaitFor(ByteStream::Next next);

 private:
  void ReadNow();
  void OnReady(bool to_write);
  void ArmTimer();

  ConnectionHost& host_;
  std::unique_ptr<ByteStream> stream_;
  Outbox out_{};
  Timer timer_{};
  SteadyTime deadline_ = SteadyTime::max();
  SteadyTime armed_for_ = SteadyTime::max();
  std::size_t lingered_ = 0;
  bool closed_ = false;
  bool want_read_ = false;
  bool in_read_ = false;
  bool read_posted_ = false;
  bool waiting_to_read_ = false;
  bool waiting_to_write_ = false;
  bool full_ = false;  // the socket has been since the last complete Flush
  bool lingering_ = false;
  bool frozen_ = false;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_CONNECTION_H_

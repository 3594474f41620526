// http/connection.h
//
// Connection: common base of the connections of all protocols: reading and writing, deadlines, and
// the end of a connection.

#ifndef KINFORMER_HTTP_CONNECTION_H_
#define KINFORMER_HTTP_CONNECTION_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/intrusive/list_hook.hpp>

#include "kinformer/apiserver/http_server_options.h"
#include "kinformer/base/env.h"
#include "kinformer/client/transport.h"
#include "kinformer/internal/head_judge.h"

#include "http/byte_stream.h"
#include "http/gzip_deflater.h"
#include "http/outbox.h"
#include "http/request_policy.h"

namespace kinformer::internal::http {

using apiserver::HttpServerOptions;

class Connection;

// Buffers for work within one turn of the loop, shared by all connections of a server.
struct Scratch {
  std::vector<char> input = std::vector<char>(std::size_t{64} << 10);
  std::vector<std::string_view> pieces{};
  GzipDeflater members{};
};

// Services of the server for its connections. Loop-confined.
class ConnectionHost {
 public:
  virtual ~ConnectionHost() = default;
  [[nodiscard]] virtual Env& env() = 0;
  [[nodiscard]] virtual Handler& handler() = 0;
  // Null if the handler implements no HeadJudge.
  [[nodiscard]] virtual transport::HeadJudge* head_judge() = 0;
  [[nodiscard]] virtual const HttpServerOptions& options() = 0;
  [[nodiscard]] virtual const RequestPolicy& policy() = 0;
  [[nodiscard]] virtual std::uint32_t max_streams() = 0;
  [[nodiscard]] virtual Scratch& scratch() = 0;
  // Returns the current value of the Date header.
  [[nodiscard]] virtual const std::string& Date() = 0;
  virtual void CountRequest() = 0;
  virtual void CountSent(std::size_t bytes) = 0;
  // Schedules connection.Pump, once for any number of calls before it runs.
  virtual void Woken(Connection& connection) = 0;
  // Replaces `connection` by `next`, which owns its socket now, and starts it.
  virtual void Replace(Connection& connection, std::shared_ptr<Connection> next) = 0;
  // Reports that `connection` has closed; its last call.
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
  // Continues where possible: a response was woken, or the socket is writable again.
  virtual void Pump() = 0;
  // Asks the client to use other connections; finishes requests under way.
  virtual void GoAway() = 0;
  virtual void SetMaxStreams(std::uint32_t) {}
  [[nodiscard]] virtual bool http2() const { return false; }
  // Closes the connection at once, and abandons requests under way.
  void Close();

 protected:
  virtual void OnBytes(std::string_view data) = 0;
  // Called when the socket is readable. Reads it by default.
  virtual void OnReadable() { ReadNow(); }
  // Called when the deadline expires. Closes the connection by default.
  virtual void OnDeadline() { Close(); }
  // Abandons requests under way.
  virtual void OnClose() {}

  [[nodiscard]] ConnectionHost& host() const { return host_; }
  [[nodiscard]] ByteStream& stream() const { return *stream_; }
  // Returns the stream, for a connection that replaces this one. Ends reading and waiting.
  [[nodiscard]] std::unique_ptr<ByteStream> ReleaseStream();
  [[nodiscard]] Outbox& out() { return out_; }
  // Whether nothing more happens: it has ended, is frozen, or has given its socket away.
  [[nodiscard]] bool closed() const { return closed_ || frozen_ || stream_ == nullptr; }
  // Whether the socket accepts no data at the moment.
  [[nodiscard]] bool blocked() const { return waiting_to_write_; }

  // Sets whether to read; OnBytes gets the data. While false, data stays in the socket, and the end
  // of the connection is not noticed.
  void SetReading(bool wanted);
  // Writes the contents of out(). Returns true if all of it was written. False: the socket is full,
  // and Pump is called when it is writable again; or it has closed.
  bool Flush();
  // Ends the connection after its last data: closes the sending direction and waits a little for
  // the client to close. Closing at once with unread data would reset the connection, and the
  // client might lose the response.
  void Linger();
  // Returns a function for ResponseStream::SetWake that lets Pump be called soon. A response may
  // call it after its connection has ended: then it does nothing.
  [[nodiscard]] std::function<void()> Waker();
  // Stops sending without closing.
  void Freeze();
  // Handles a response that broke off with `effect`. Returns true if the client is to be left
  // waiting; else the connection must be cut.
  bool LeaveWaiting(const ConnectionEffect& effect);

  // Sets the only deadline; OnDeadline is called when it expires.
  void SetDeadline(Duration after);
  void ClearDeadline() { deadline_ = SteadyTime::max(); }
  // Clears the deadline and releases the timer.
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
  bool full_ = false;  // the socket was full since the last complete Flush
  bool lingering_ = false;
  bool frozen_ = false;
};

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_CONNECTION_H_

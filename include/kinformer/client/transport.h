// kinformer/client/transport.h
//
// Transport: sends requests to an API server. Handler: answers them, if the server is in this
// process. Between the two is either the network (libcurl on one side, an HTTP front end on the
// other) or memory only (InMemoryTransport), as in tests and simulations.
//
// Everything here runs on the Env's loop thread and never blocks.

#ifndef KINFORMER_CLIENT_TRANSPORT_H_
#define KINFORMER_CLIENT_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/base/env.h"
#include "kinformer/base/result.h"
#include "kinformer/base/time_span.h"

namespace kinformer {

class BodyPipe;  // body_pipe.h

// Header fields in the order sent. Names are compared without case. All are in one piece of memory.
class HttpHeaders {
 public:
  void Add(std::string_view name, std::string_view value);
  // Removes all values.
  void Remove(std::string_view name);
  // Returns the first value; empty if there is none.
  [[nodiscard]] std::string_view Get(std::string_view name) const;
  [[nodiscard]] bool Has(std::string_view name) const;

  // Name and value of a field. Valid until the headers are changed, moved or destroyed.
  using Field = std::pair<std::string_view, std::string_view>;
  // Goes from field to field.
  class Iterator {
   public:
    using value_type = Field;
    using reference = Field;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::input_iterator_tag;
    using pointer = void;

    Iterator() = default;
    Iterator(const HttpHeaders& headers, std::size_t at) : headers_(&headers), at_(at) {}
    [[nodiscard]] Field operator*() const { return headers_->At(at_); }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    Iterator operator++(int) { return {*headers_, at_++}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    const HttpHeaders* headers_ = nullptr;
    std::size_t at_ = 0;
  };
  [[nodiscard]] Iterator begin() const { return {*this, 0}; }
  [[nodiscard]] Iterator end() const { return {*this, ends_.size()}; }
  [[nodiscard]] std::size_t size() const { return ends_.size(); }
  // Compares fields, their order and their spelling.
  friend bool operator==(const HttpHeaders&, const HttpHeaders&) = default;

 private:
  struct Ends {
    std::uint32_t name;
    std::uint32_t value;
    friend bool operator==(const Ends&, const Ends&) = default;
  };

  [[nodiscard]] Field At(std::size_t index) const;

  std::string text_;  // names and values, one behind the other
  std::vector<Ends> ends_;
};

// Connections for a request, by its kind: a slow LIST delays no watch and no lease renewal.
// Each request of kStream has a connection of its own, over HTTP/1.1, so that it can be paused.
enum class ConnectionPool : std::uint8_t { kShort, kList, kWatch, kLease, kStream };

// An HTTP request.
struct HttpRequest {
  std::string method{"GET"};
  std::string target{};  // path and query, percent-encoded: "/api/v1/pods?limit=500"
  HttpHeaders headers{};
  std::string body{};
  // The body, if it comes piece by piece: `body` is empty then. A Handler gets it as a whole, in
  // `body`. A transport that sends such a request takes it until its end, or abandons it.
  std::shared_ptr<BodyPipe> body_pipe{};
  ConnectionPool pool{ConnectionPool::kShort};
  TimeSpan timeout{};  // limit for the whole exchange; 0: none
  // Authenticated user of the request (server side only; empty: anonymous).
  std::string user{};
  // True if the client is on this machine: it came by the loopback interface (EndpointServer only).
  bool on_loopback{false};
};

// Receives one response. Call order: OnHeaders once, OnData any number of times, OnDone once
// and last, in all cases. OnDone may come first, if nothing was received. The bytes of
// OnData are decoded (gzip) and valid during the call. Only OnDone may destroy the call's
// handle.
//
// A request with a header Upgrade asks to change to another protocol, such as a WebSocket; it must
// be a GET of ConnectionPool::kStream. If the server agrees, the status is 101, OnData brings the
// bytes of that protocol, and HttpCall::Send sends them, until either side ends the connection.
class ResponseReceiver {
 public:
  virtual ~ResponseReceiver() = default;
  virtual void OnHeaders(int status, const HttpHeaders& headers) = 0;
  virtual void OnData(std::string_view data) = 0;
  // Called after HttpCall::Send, when the connection has taken everything.
  virtual void OnSent() {}
  // Ends the response. OK: it is complete. kUnexpectedEof: it ended in the middle.
  // kConnectionRefused, kTransport, kDeadlineExceeded.
  virtual void OnDone(Result<void> result) = 0;
};

// A running request. Destroying the handle abandons it: the receiver is not called any
// more. Loop-confined.
class HttpCall {
 public:
  virtual ~HttpCall() = default;
  // Stops reading the response, so that the server has to wait; or goes on. What has arrived may
  // still be passed on. A transport that cannot do this does nothing; NewHttpTransport's can do it
  // for ConnectionPool::kStream.
  virtual void SetPaused(bool paused) { (void)paused; }
  // Sends bytes after an answer 101. Never blocks: keeps what the connection does not take yet. A
  // transport that changes to no other protocol drops them.
  virtual void Send(std::string_view bytes) { (void)bytes; }
  // Returns how many bytes are kept that way.
  [[nodiscard]] virtual std::size_t unsent() const { return 0; }
};

// Figures of a transport since its creation. May be outdated at once.
struct TransportStats {
  std::uint64_t requests = 0;
  std::uint64_t connections_opened = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t bytes_received = 0;
};

// Sends requests. Confined to the loop thread of its Env. No method calls the receiver itself.
class Transport {
 public:
  virtual ~Transport() = default;
  // Sends a request. `receiver` must outlive the returned handle.
  [[nodiscard]] virtual std::unique_ptr<HttpCall> Start(HttpRequest request,
                                                        ResponseReceiver& receiver) = 0;
  [[nodiscard]] virtual TransportStats Stats() const = 0;
  // Returns "https://127.0.0.1:6443", for messages.
  [[nodiscard]] virtual std::string Describe() const = 0;
};

// ---- The server's side

// A piece of a response body: bytes and their owner, so that many watchers can share one encoded
// event.
struct BodyChunk {
  std::string_view bytes;
  std::shared_ptr<const void> owner{};
  // Returns a chunk that owns the text.
  static BodyChunk Of(std::string text);
};

// Effect of a response on its connection: faults of a server, or of a proxy in front of
// it.
struct ConnectionEffect {
  // Scope of the cut by kAbort.
  enum class Cut : std::uint8_t {
    kStream,      // this response; with HTTP/1.1 also its connection
    kConnection,  // the connection and all its responses
    kStall,       // the same without closing it: the connection stays open but silent
  };
  Cut cut{Cut::kStream};
  // Asks the client to use another connection from now on: GOAWAY, or Connection: close.
  bool go_away{false};
  // Limits the connection to that many streams at once from now on; 0: no change.
  std::uint32_t max_streams{0};
};

// A response that is pulled: the front end asks for bytes when the socket can take them, so that a
// slow reader costs the server only a cursor. Loop-confined.
class ResponseStream {
 public:
  enum class State : std::uint8_t {
    kMore,   // ask again at once
    kWait,   // nothing now: `wake` will be called
    kEnd,    // complete
    kAbort,  // cut the connection in the middle (a fault)
  };
  virtual ~ResponseStream() = default;
  // Returns true once the answer has begun. Before that (a read that waits for a resourceVersion, a
  // delayed response), status() and headers() are unknown and Read returns nothing: wait for
  // `wake`, which is called once when the answer begins.
  [[nodiscard]] virtual bool ready() const { return true; }
  // Returns the HTTP status. REQUIRES: ready().
  [[nodiscard]] virtual int status() const = 0;
  [[nodiscard]] virtual const HttpHeaders& headers() const = 0;
  // Appends up to about `max_bytes` to `out`. Never blocks.
  virtual State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) = 0;
  // Sets the function that is called on the loop, at most once for each kWait, when Read has news.
  // Set it before the first Read. It may be called from inside other calls into the server, so it
  // must not call Read, but only note or post. A stream's maker may call it after the stream has
  // been destroyed: then it does nothing.
  virtual void SetWake(std::function<void()> wake) = 0;
  // Takes what the client has sent after an answer 101. The bytes are valid during the call.
  virtual void Receive(std::string_view bytes) { (void)bytes; }
  // Returns false while the handler has no room for more of what the client sends: the client has
  // to wait, until Read has news and this is true.
  [[nodiscard]] virtual bool receives() const { return true; }
  // Returns true after kWait if Read's data is being computed, so that a front end may delay the
  // first bytes until the length of the body is known.
  [[nodiscard]] virtual bool resumes_soon() const { return false; }
  // Read when the answer begins and when it is aborted. Transports without connections support only
  // the first kind of cut.
  [[nodiscard]] virtual ConnectionEffect effect() const { return {}; }
};

// Answers requests; apiserver::ApiServer implements it. Loop-confined; never blocks; the returned
// stream may be destroyed at any time, which abandons the response.
class Handler {
 public:
  virtual ~Handler() = default;
  [[nodiscard]] virtual std::unique_ptr<ResponseStream> Handle(HttpRequest request) = 0;
  // Returns true if this token identifies its bearer for this handler. A front end that requires
  // authentication then accepts the request.
  [[nodiscard]] virtual bool Accepts(const std::string& bearer_token) const {
    (void)bearer_token;
    return false;
  }
};

// Behavior of an in-memory connection. All random choices use the Env.
struct InMemoryTransportOptions {
  std::size_t max_chunk_bytes{16384};  // maximal size of each OnData; the minimum is 1
  bool random_chunks{false};           // random sizes; else as large as allowed
  TimeSpan min_latency{};              // of each request and each chunk
  TimeSpan max_latency{};
};

// A Transport to a Handler in the same process and on the same loop.
class InMemoryTransport : public Transport {
 public:
  // Simulates a server that is down: breaks all calls (kTransport) and refuses new ones
  // (kConnectionRefused) until Up() is called.
  virtual void Down() = 0;
  virtual void Up() = 0;
  // Cuts each running call once it has received another n bytes, n drawn from [0, max_bytes].
  virtual void CutSoon(std::size_t max_bytes) = 0;
  // Replaces the handler, for a restart. Running calls break.
  virtual void Replace(Handler& handler) = 0;
};

// Returns a transport that passes each request to `handler`, which must outlive it, on the loop.
std::unique_ptr<InMemoryTransport> NewInMemoryTransport(Env& env, Handler& handler,
                                                        InMemoryTransportOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_CLIENT_TRANSPORT_H_

// kinformer/transport.h
//
// Transport: how requests reach an API server, and Handler: what answers them when the server is in
// this process. Between the two stands either the network (libcurl on one side, an HTTP front end
// on the other) or nothing but memory (InMemoryTransport), which is how tests and simulations run.
//
// Everything here happens on the Env's loop thread and never blocks.

#ifndef KINFORMER_TRANSPORT_H_
#define KINFORMER_TRANSPORT_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinformer/env.h"
#include "kinformer/internal/time_span.h"
#include "kinformer/result.h"

namespace kinformer {

// Header fields in the order sent. Names compare without case.
class HttpHeaders {
 public:
  void Add(std::string_view name, std::string_view value) { fields_.emplace_back(name, value); }
  // The first value; empty where there is none.
  [[nodiscard]] std::string_view Get(std::string_view name) const;
  [[nodiscard]] bool Has(std::string_view name) const;
  [[nodiscard]] auto begin() const { return fields_.begin(); }
  [[nodiscard]] auto end() const { return fields_.end(); }
  [[nodiscard]] std::size_t size() const { return fields_.size(); }

 private:
  std::vector<std::pair<std::string, std::string>> fields_;
};

// Which connections a request may use. A slow LIST delays no watch and no lease renewal.
enum class ConnectionPool : std::uint8_t { kShort, kList, kWatch, kLease };

// A request as it goes over the wire.
struct HttpRequest {
  std::string method{"GET"};
  std::string target{};  // path and query, percent-encoded: "/api/v1/pods?limit=500"
  HttpHeaders headers{};
  std::string body{};
  ConnectionPool pool{ConnectionPool::kShort};
  internal::TimeSpan timeout{};  // of the whole exchange; 0: none
  // Who the caller is, where the transport has proven it (server side only; empty: anonymous).
  std::string user{};
};

// Receives one response. Calls come in order: OnHeaders once, OnData any number of times, OnDone
// once and last, whatever happens. OnDone may come first, when nothing was received. The bytes of
// OnData are content-decoded (gzip) and valid during the call. No method may destroy the call's
// handle except OnDone.
class ResponseReceiver {
 public:
  virtual ~ResponseReceiver() = default;
  virtual void OnHeaders(int status, const HttpHeaders& headers) = 0;
  virtual void OnData(std::string_view data) = 0;
  // OK: the response is complete. kUnexpectedEof: it ended in the middle. kConnectionRefused,
  // kTransport, kDeadlineExceeded.
  virtual void OnDone(Result<void> result) = 0;
};

// A request under way. Destroying the handle abandons it: no method of the receiver is called
// afterwards.
class HttpCall {
 public:
  virtual ~HttpCall() = default;
};

// What a transport has cost so far. Moment's values.
struct TransportStats {
  std::uint64_t requests = 0;
  std::uint64_t connections_opened = 0;
  std::uint64_t connections_open = 0;
  std::uint64_t bytes_received = 0;
};

// Confined to the loop thread of its Env. No method calls the receiver before it has returned.
class Transport {
 public:
  virtual ~Transport() = default;
  // `receiver` must outlive the returned handle.
  [[nodiscard]] virtual std::unique_ptr<HttpCall> Start(HttpRequest request,
                                                        ResponseReceiver& receiver) = 0;
  [[nodiscard]] virtual TransportStats Stats() const = 0;
  // "https://127.0.0.1:6443": for messages.
  [[nodiscard]] virtual std::string Describe() const = 0;
};

// ---- the server's side

// A piece of a response body: bytes and whatever keeps them alive, so that many watchers can share
// one encoded event.
struct BodyChunk {
  std::string_view bytes;
  std::shared_ptr<const void> owner{};
  // Owns a copy of the text.
  static BodyChunk Of(std::string text);
};

// What a response does to the connection that carries it, beside what it says: the faults of a
// server, or of what stands before it.
struct ConnectionEffect {
  // What kAbort cuts.
  enum class Cut : std::uint8_t {
    kStream,      // this response; with HTTP/1.1 that is the connection
    kConnection,  // the connection and whatever else it carries
    kStall,       // the same, but nobody is told: the connection stays open and says nothing more
  };
  Cut cut{Cut::kStream};
  // The client shall take its next requests elsewhere: GOAWAY, or Connection: close.
  bool go_away{false};
  // From then on the connection takes that many streams at once; 0: as before.
  std::uint32_t max_streams{0};
};

// A response that is pulled: the front end asks for bytes when the socket can take them, so a slow
// reader costs the server a cursor and nothing more. Loop-confined.
class ResponseStream {
 public:
  enum class State : std::uint8_t {
    kMore,   // ask again at once
    kWait,   // nothing now: `wake` will be called
    kEnd,    // complete
    kAbort,  // cut the connection in the middle (a fault)
  };
  virtual ~ResponseStream() = default;
  // Whether the answer has begun. While it has not (a read that waits for a resourceVersion, a
  // delayed response), status() and headers() are not known and Read gives nothing: wait for
  // `wake`, which is called once when it begins.
  [[nodiscard]] virtual bool ready() const { return true; }
  // REQUIRES: ready().
  [[nodiscard]] virtual int status() const = 0;
  [[nodiscard]] virtual const HttpHeaders& headers() const = 0;
  // Appends up to about `max_bytes` to `out`. Never blocks.
  virtual State Read(std::size_t max_bytes, std::vector<BodyChunk>& out) = 0;
  // Called on the loop, at most once for each kWait, when Read has something new to say. Set before
  // the first Read. It may be called from inside other calls into the server: it must only note or
  // post, not Read.
  virtual void SetWake(std::function<void()> wake) = 0;
  // After kWait: what Read waits for is being computed, so that a front end may hold back the first
  // bytes until it is known how long the body is.
  [[nodiscard]] virtual bool resumes_soon() const { return false; }
  // Looked at when the answer begins and when it is aborted. Transports without connections know
  // only the first kind of cut.
  [[nodiscard]] virtual ConnectionEffect effect() const { return {}; }
};

// Answers requests. Implemented by apiserver::ApiServer. Loop-confined; never blocks; the returned
// stream may be destroyed at any time, which abandons the response.
class Handler {
 public:
  virtual ~Handler() = default;
  [[nodiscard]] virtual std::unique_ptr<ResponseStream> Handle(HttpRequest request) = 0;
  // Whether that token proves to this handler who its bearer is: a front end that lets in only
  // those who have proven it lets such a request pass.
  [[nodiscard]] virtual bool Accepts(const std::string& bearer_token) const {
    (void)bearer_token;
    return false;
  }
};

// How an in-memory connection behaves. All choices are drawn from the Env's randomness.
struct InMemoryTransportOptions {
  std::size_t max_chunk_bytes{16384};  // each OnData has between 1 and this many bytes
  bool random_chunks{false};           // sizes drawn at random, else as large as allowed
  internal::TimeSpan min_latency{};    // of each request and each chunk
  internal::TimeSpan max_latency{};
};

// A Transport whose other end is a Handler in the same process and on the same loop.
class InMemoryTransport : public Transport {
 public:
  // Breaks every call under way (kTransport) and refuses new ones (kConnectionRefused) until Up()
  // is called: a server that is down.
  virtual void Down() = 0;
  virtual void Up() = 0;
  // Cuts each call under way once it has received another n bytes, n drawn from [0, max_bytes].
  virtual void CutSoon(std::size_t max_bytes) = 0;
  // Puts another handler in place of the first, for a restart. Calls under way break.
  virtual void Replace(Handler& handler) = 0;
};

// A transport that hands each request to `handler`, which must outlive it, on the loop.
std::unique_ptr<InMemoryTransport> NewInMemoryTransport(Env& env, Handler& handler,
                                                        InMemoryTransportOptions options = {});

}  // namespace kinformer

#endif  // KINFORMER_TRANSPORT_H_

// transport/curl_transfer.h
//
// CurlTransfer: one exchange: a libcurl easy handle, and callbacks that pass the response to the
// receiver.

#ifndef KINFORMER_TRANSPORT_CURL_TRANSFER_H_
#define KINFORMER_TRANSPORT_CURL_TRANSFER_H_

#include <array>
#include <cstddef>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/metrics.h"
#include "kinformer/client/body_pipe.h"
#include "kinformer/client/http_transport.h"
#include "kinformer/client/transport.h"

#include "transport/curl_handle.h"
#include "transport/dials.h"
#include "transport/endpoint.h"
#include "transport/gzip_inflater.h"
#include "transport/socket_source.h"
#include "transport/tls_material.h"

namespace kinformer::internal::transport {

class CurlLane;

// The target of questions for a sign of life. Any answer will do, an error too.
inline constexpr char kSignOfLife[] = "/livez";

// Whether requests of the pool may last, and then have no end that could be awaited.
constexpr bool IsLong(ConnectionPool pool) {
  return pool == ConnectionPool::kWatch || pool == ConnectionPool::kStream;
}

// State shared by all exchanges of one transport.
struct CurlShared {
  const std::shared_ptr<Env> kept_env;  // owner of `env`, or null
  Env& env;
  const HttpTransportOptions options;
  const Endpoint endpoint;
  const std::string proxy{};              // passed to libcurl; empty: no proxy
  SocketSource* const sockets = nullptr;  // null: the system's sockets
  TransportStats stats{};
  std::shared_ptr<Histogram> lookups{};  // made when a name is looked up
  CurlHandles handles{};
  const std::shared_ptr<Dials> dials{};  // null: libcurl opens the connections
};

// Loop-confined. Start makes it and gives it to a lane; it is done when its receiver is gone. The
// receiver may be called while libcurl runs; call other methods only outside of libcurl.
class CurlTransfer : public std::enable_shared_from_this<CurlTransfer> {
 public:
  CurlTransfer(std::shared_ptr<CurlShared> shared, HttpRequest request, ResponseReceiver& receiver);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  [[nodiscard]] const HttpRequest& request() const { return request_; }
  [[nodiscard]] bool done() const { return receiver_ == nullptr; }
  // Whether the server has agreed to another protocol.
  [[nodiscard]] bool upgraded() const {
    return outgoing_.has_value() && headers_done_ && status_ == 101;
  }
  // Keeps bytes of that protocol until libcurl takes them. REQUIRES: upgraded().
  void AddOutgoing(std::string_view bytes);
  // Whether libcurl is taking such bytes just now, and will take all of them.
  [[nodiscard]] bool taking() const { return taking_; }
  // Ends what is to be sent, since libcurl reads no more. Returns false if it is only paused.
  [[nodiscard]] bool EndsUpload();
  [[nodiscard]] std::size_t unsent() const { return outgoing_ ? outgoing_->size() - sent_ : 0; }
  [[nodiscard]] int status() const { return status_; }

  // Makes libcurl's handle, or a new one for another attempt on another connection. Keeps `tls`.
  // kInvalidArgument: a header contains a line break.
  Result<void> Prepare(std::shared_ptr<const TlsMaterial> tls, std::string authorization);
  [[nodiscard]] CURL* easy() const { return handle_.easy.get(); }
  [[nodiscard]] const std::string& authorization() const { return authorization_; }
  [[nodiscard]] const std::shared_ptr<const TlsMaterial>& tls() const { return handle_.tls; }

  // After this the receiver is not called any more.
  void Silence();
  // Calls the receiver for the last time; that call may destroy anything.
  void Done(Result<void> result);
  // Called when libcurl retries on a new connection, because the old one died before any answer.
  void TriesAgain();
  // Whether it may run on another connection without the risk of a repeated write.
  [[nodiscard]] bool MayBeMoved() const { return !repeats_ || MayBeSentTwice(); }
  // Whether a new connection would repeat a write. If so, its verdict says that.
  [[nodiscard]] bool RefusesRepetition();
  // Converts libcurl's result code for this exchange to an error.
  [[nodiscard]] Result<void> Verdict(CURLcode code);
  // Gives libcurl's handle to the exchanges that follow. REQUIRES: it has succeeded, and is in no
  // lane; it needs no handle any more.
  void KeepHandle();

  // ---- state that belongs to the lane
  CurlLane* lane = nullptr;
  bool in_multi = false;
  bool paused = false;      // libcurl is to keep what arrives, and to read no more
  bool held_up = false;     // and does so
  bool started = false;     // has a connection, and the request is being sent
  SteadyTime added{};       // time of CurlLane::Add
  SteadyTime admitted{};    // time at which it was passed to libcurl
  SteadyTime started_at{};  // REQUIRES: started
  // Time since it has had a socket, and time since that socket is connected, both while the request
  // is not being sent.
  std::optional<SteadyTime> connecting_since{};
  std::optional<SteadyTime> handshake_since{};
  int socket = -1;  // the socket that libcurl opened for it
  Timer deadline;
  // With CurlShared::dials: libcurl has asked for a new connection, and there was none; the call
  // that opens it; whether one was opened for it and libcurl has not asked again. Another exchange
  // may use that one first.
  bool wants_dial = false;
  std::shared_ptr<Dials::Ticket> dial{};
  bool has_dialed = false;
  bool certified = false;  // the source of its credentials gave it a certificate

  // ---- whether a response that has begun still makes progress
  // True from the status on, since a proxy may send only that. False for a watch or a stream that
  // was accepted: silence is normal for it.
  [[nodiscard]] bool in_answer() const {
    return (headers_done_ || status_ >= 200) && !lasts() && !done();
  }
  // Whether it is such a watch, stream, or other protocol.
  [[nodiscard]] bool lasts() const {
    return IsLong(request_.pool) && headers_done_ && (status_ == 200 || upgraded());
  }
  [[nodiscard]] SteadyTime last_progress() const { return last_progress_; }
  // Number of checks without progress since then, and the time of the first of them.
  int idle_checks = 0;
  SteadyTime idle_since{};

 private:
  static std::size_t OnHeaderLine(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t OnRead(char* buffer, std::size_t size, std::size_t count, void* self);
  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self);
  static CURLcode OnTlsContext(CURL* easy, void* context, void* self);
  static int OnConnected(void* self, char* remote_ip, char* local_ip, int remote_port,
                         int local_port);
  [[nodiscard]] bool MayBeSentTwice() const;
  // Whether SetBody sets nothing for it.
  [[nodiscard]] bool IsPlainGet() const;
  [[nodiscard]] bool Renamed() const;
  // Return the URL that libcurl gets, without a path, and the host in it.
  [[nodiscard]] std::string Origin() const;
  [[nodiscard]] std::string UrlHost() const;
  // Returns the size of libcurl's receive buffer.
  [[nodiscard]] std::size_t buffer_size() const;
  // Runs `step` of a callback. Returns false if it throws or returns false.
  template <class Step>
  bool Contained(Step step);
  void SetTarget();
  // Sets the options that all exchanges of a pool have in common.
  void SetConnection();
  void SetProxy();
  void SetTls();
  void SetBody();
  // Sets the headers, unless the handle has them from an exchange before this one.
  Result<void> SetHeaders();
  Result<void> MakeHeaderList();
  void SetCallbacks();
  bool HeaderLine(std::string_view line);
  bool EndOfHead();
  // Fills libcurl's buffer with what is to be sent.
  std::size_t TakeOutgoing(char* buffer, std::size_t size);
  std::size_t TakeBody(char* buffer, std::size_t size);
  // Takes no more of a body that comes piece by piece.
  void AbandonBody();
  // Observes how long the server's name was looked up, if it was.
  void ObserveLookup();
  bool Body(std::string_view data);

  const std::shared_ptr<CurlShared> shared_;
  HttpRequest request_;
  ResponseReceiver* receiver_;
  CurlHandle handle_;
  std::string authorization_;
  // Data to be sent in another protocol, of which `sent_` bytes have been taken; set if the
  // request asks for one.
  std::optional<std::string> outgoing_{};
  std::size_t sent_ = 0;
  bool taking_ = false;
  bool nothing_follows_ = false;
  bool answered_early_ = false;  // refused before the end of its body, which is sent no further
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  std::size_t head_size_ = 0;  // approximate size of the request's head
  int status_ = 0;
  HttpHeaders headers_;
  bool headers_done_ = false;
  SteadyTime last_progress_{};
  bool repeats_ = false;             // it was sent on a connection that is now gone
  bool repetition_refused_ = false;  // libcurl wanted to repeat a write
  std::optional<GzipInflater> inflater_;
  std::optional<Error> error_;  // found by this class, not by libcurl
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CURL_TRANSFER_H_

// transport/curl_transfer.h
//
// CurlTransfer: one exchange, as a libcurl easy handle and the callbacks that turn what arrives
// into calls of the receiver.

#ifndef KINFORMER_TRANSPORT_CURL_TRANSFER_H_
#define KINFORMER_TRANSPORT_CURL_TRANSFER_H_

#include <array>
#include <cstddef>
#include <curl/curl.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kinformer/http_transport.h"
#include "kinformer/transport.h"

#include "transport/endpoint.h"
#include "transport/gzip_inflater.h"
#include "transport/socket_source.h"
#include "transport/tls_material.h"

namespace kinformer::internal::transport {

class CurlLane;

// The target of questions for a sign of life. Any answer will do, an error too.
inline constexpr char kSignOfLife[] = "/livez";

// What all exchanges of one transport have in common.
struct CurlShared {
  const std::shared_ptr<Env> kept_env;  // owns `env`, or nothing
  Env& env;
  const HttpTransportOptions options;
  const Endpoint endpoint;
  const std::string proxy{};              // what libcurl is told; empty: none
  SocketSource* const sockets = nullptr;  // null: the system's
  TransportStats stats{};
};

// Loop-confined. Created by Start, handed to a lane, done when the receiver is gone. While libcurl
// runs the receiver may be called; all other methods are called from outside.
class CurlTransfer : public std::enable_shared_from_this<CurlTransfer> {
 public:
  CurlTransfer(std::shared_ptr<CurlShared> shared, HttpRequest request, ResponseReceiver& receiver);
  ~CurlTransfer();
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  [[nodiscard]] const HttpRequest& request() const { return request_; }
  [[nodiscard]] bool done() const { return receiver_ == nullptr; }
  [[nodiscard]] int status() const { return status_; }

  // Makes libcurl's handle, or makes it anew for another attempt on another connection. Keeps
  // `tls`. kInvalidArgument: a header would break its line.
  Result<void> Prepare(std::shared_ptr<const TlsMaterial> tls, std::string authorization);
  [[nodiscard]] CURL* easy() const { return easy_; }
  [[nodiscard]] const std::string& authorization() const { return authorization_; }
  [[nodiscard]] const std::shared_ptr<const TlsMaterial>& tls() const { return tls_; }

  // The receiver hears nothing more.
  void Silence();
  // The last call of the receiver, which may destroy anything.
  void Done(Result<void> result);
  // libcurl has found its connection dead before any answer, and tries to get another for it.
  void TriesAgain();
  // On another connection, without doing anything twice.
  [[nodiscard]] bool MayBeMoved() const { return !repeats_ || MayBeSentTwice(); }
  // What libcurl's verdict means.
  [[nodiscard]] Result<void> Verdict(CURLcode code);

  // ---- the lane's notes
  CurlLane* lane = nullptr;
  bool in_multi = false;
  bool started = false;     // has a connection, and the request is going out on it
  SteadyTime added{};       // when it came to its lane
  SteadyTime admitted{};    // when libcurl got it
  SteadyTime started_at{};  // REQUIRES: started
  // Since when it has had a socket, and since when that has been connected, without a request
  // going out.
  std::optional<SteadyTime> connecting_since{};
  std::optional<SteadyTime> handshake_since{};
  int socket = -1;  // the one that libcurl opened for it
  Timer deadline;

  // ---- whether an answer that has begun still comes
  // From its status on, which a proxy may send and then nothing more. Of a watch that has been
  // granted silence means nothing.
  [[nodiscard]] bool in_answer() const {
    return (headers_done_ || status_ >= 200) && !is_granted_watch() && !done();
  }
  [[nodiscard]] bool is_granted_watch() const {
    return request_.pool == ConnectionPool::kWatch && headers_done_ && status_ == 200;
  }
  [[nodiscard]] SteadyTime last_progress() const { return last_progress_; }
  // How often the owner has found no progress since then, and when first.
  int idle_checks = 0;
  SteadyTime idle_since{};

 private:
  static std::size_t OnHeaderLine(char* data, std::size_t size, std::size_t count, void* self);
  static std::size_t OnBody(char* data, std::size_t size, std::size_t count, void* self);
  static CURLcode OnTlsContext(CURL* easy, void* context, void* self);
  static int OnConnected(void* self, char* remote_ip, char* local_ip, int remote_port,
                         int local_port);
  [[nodiscard]] bool MayBeSentTwice() const;
  [[nodiscard]] bool Renamed() const;
  // Runs `step` of a callback. False: it threw, or it says so.
  template <class Step>
  bool Contained(Step step);
  void SetTarget();
  void SetConnection();
  void SetProxy();
  void SetTls();
  void SetBody();
  Result<void> SetHeaders();
  void SetCallbacks();
  bool HeaderLine(std::string_view line);
  bool EndOfHead();
  bool Body(std::string_view data);

  const std::shared_ptr<CurlShared> shared_;
  HttpRequest request_;
  ResponseReceiver* receiver_;
  CURL* easy_ = nullptr;
  curl_slist* header_list_ = nullptr;
  curl_slist* connect_to_ = nullptr;
  std::shared_ptr<const TlsMaterial> tls_;
  std::string authorization_;
  std::array<char, CURL_ERROR_SIZE> error_text_{};
  std::size_t buffer_size_ = 0;  // of libcurl's receive buffer
  std::size_t head_size_ = 0;    // of the request, about
  int status_ = 0;
  HttpHeaders headers_;
  bool headers_done_ = false;
  SteadyTime last_progress_{};
  bool repeats_ = false;             // it has been sent, on a connection that is gone
  bool repetition_refused_ = false;  // libcurl wanted to send a write once more
  std::optional<GzipInflater> inflater_;
  std::optional<Error> error_;  // found by us, not by libcurl
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CURL_TRANSFER_H_

// apiserver/http/http_connection.h
//
// HttpConnection: one client's connection: reads a request, has it answered, writes the answer, and again.

#ifndef KINFORMER_APISERVER_HTTP_HTTP_CONNECTION_H_
#define KINFORMER_APISERVER_HTTP_HTTP_CONNECTION_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kinformer/apiserver/http_server.h"

#include "apiserver/http/byte_stream.h"
#include "apiserver/http/gzip_deflater.h"

namespace kinformer::apiserver {

class HttpConnection;

// What a connection needs of its server. Loop-confined.
class HttpConnectionHost {
 public:
  virtual ~HttpConnectionHost() = default;
  [[nodiscard]] virtual Env& env() = 0;
  [[nodiscard]] virtual Handler& handler() = 0;
  [[nodiscard]] virtual const HttpServerOptions& options() = 0;
  virtual void CountRequest() = 0;
  virtual void CountSent(std::size_t bytes) = 0;
  // The response of `connection` has something new: calls Pump soon.
  virtual void Woken(std::weak_ptr<HttpConnection> connection) = 0;
  // `connection` has closed; the last call.
  virtual void Closed(HttpConnection& connection) = 0;
};

// Loop-confined. Lives as long as an operation on its socket is under way. While a response streams, the connection keeps reading,
// to notice that the client has gone; what comes then is the next request, kept for later.
class HttpConnection : public std::enable_shared_from_this<HttpConnection> {
 public:
  HttpConnection(HttpConnectionHost& host, std::unique_ptr<ByteStream> stream);
  ~HttpConnection();
  HttpConnection(const HttpConnection&) = delete;
  HttpConnection& operator=(const HttpConnection&) = delete;

  void Start();
  // Writes what the response has, if it is its turn.
  void Pump();
  // Abandons everything.
  void Close();

 private:
  enum class Phase : std::uint8_t { kHandshake, kRequest, kResponse, kLinger, kClosed };
  struct Parsing;

  void ReadMore();
  void OnRead(std::size_t size);
  void ParseRequest();
  void OnRequest();
  [[nodiscard]] bool LetIn(HttpRequest& request) const;
  void Refuse(int status, std::string_view reason, std::string_view message);
  void MakeHead(bool complete);
  void FrameBody(bool end);
  void WriteMore();
  void OnWritten();
  void Linger();
  void SetDeadline(Duration after);

  HttpConnectionHost& host_;
  const std::unique_ptr<ByteStream> stream_;
  std::string peer_user_{};
  Phase phase_ = Phase::kHandshake;
  Timer deadline_{};

  // Reading.
  bool reading_ = false;
  std::array<char, 4096> read_buffer_{};
  std::string in_{};  // received, not yet parsed
  std::unique_ptr<Parsing> parsing_;
  std::size_t lingered_ = 0;

  // Answering.
  std::unique_ptr<ResponseStream> response_{};
  std::vector<BodyChunk> chunks_{};
  std::string body_{};  // pulled, not yet framed
  std::string out_{};   // framed, being written
  std::size_t out_done_ = 0;
  std::unique_ptr<GzipDeflater> gzip_{};
  bool writing_ = false;
  bool waiting_ = false;  // the response said kWait and has not called since
  bool head_made_ = false;
  bool ended_ = false;  // nothing comes after out_
  bool cut_ = false;    // and the connection is to break then
  bool chunked_ = false;
  bool keep_alive_ = false;
  bool http10_ = false;
  bool head_request_ = false;
  bool may_gzip_ = false;
};

}  // namespace kinformer::apiserver

#endif  // KINFORMER_APISERVER_HTTP_HTTP_CONNECTION_H_

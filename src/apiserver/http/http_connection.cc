#include "apiserver/http/http_connection.h"

#include <charconv>
#include <cstdio>
#include <openssl/crypto.h>
#include <utility>

#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace kinformer::apiserver {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

constexpr std::size_t kSliceBytes = std::size_t{64} << 10;
// How much of the next request is read while a response is under way.
constexpr std::size_t kReadAheadBytes = std::size_t{64} << 10;
constexpr std::size_t kLingerBytes = std::size_t{16} << 20;
constexpr Duration kLingerTime = std::chrono::seconds(2);

std::string_view View(boost::beast::string_view text) { return {text.data(), text.size()}; }

std::string_view StatusText(int status) {
  const std::string_view text =
      View(http::obsolete_reason(http::int_to_status(static_cast<unsigned>(status))));
  return text;
}

// Is it a watch, which is never compressed? By the query, where a bare "watch" counts too.
bool IsWatch(std::string_view target) {
  const std::size_t question = target.find('?');
  if (target.substr(0, question).find("/watch/") != std::string_view::npos) return true;
  if (question == std::string_view::npos) return false;
  std::string_view query = target.substr(question + 1);
  while (!query.empty()) {
    const std::string_view item = query.substr(0, query.find('&'));
    query.remove_prefix(std::min(query.size(), item.size() + 1));
    if (item == "watch" || item == "watch=" || item == "watch=true" || item == "watch=1") {
      return true;
    }
  }
  return false;
}

bool AcceptsGzip(std::string_view accept_encoding) {
  while (!accept_encoding.empty()) {
    std::string_view item = accept_encoding.substr(0, accept_encoding.find(','));
    accept_encoding.remove_prefix(std::min(accept_encoding.size(), item.size() + 1));
    while (!item.empty() && item.front() == ' ') item.remove_prefix(1);
    if (item == "gzip" || (item.starts_with("gzip;") && item.find("q=0") == item.npos)) return true;
  }
  return false;
}

// Probes and version checks pass without credentials, as a cluster lets them.
bool IsPublic(std::string_view target) {
  const std::string_view path = target.substr(0, target.find('?'));
  for (const std::string_view allowed : {"/livez", "/readyz", "/healthz"}) {
    if (path == allowed || (path.starts_with(allowed) && path[allowed.size()] == '/')) return true;
  }
  return path == "/version" || path == "/version/";
}

bool EqualSecrets(std::string_view a, std::string_view b) {
  return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool SameName(std::string_view a, std::string_view b) {
  return boost::beast::iequals({a.data(), a.size()}, {b.data(), b.size()});
}

// Framing is ours: what the handler says about it does not go out.
bool IsFraming(std::string_view name) {
  return SameName(name, "Content-Length") || SameName(name, "Transfer-Encoding") ||
         SameName(name, "Connection");
}

// "Sat, 21 Nov 2026 03:51:00 GMT".
std::string HttpDate(Env& env) {
  constexpr std::array kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto now = std::chrono::floor<std::chrono::seconds>(env.WallNow());
  const auto day = std::chrono::floor<std::chrono::days>(now);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss time(now - day);
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT",
                kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                static_cast<int>(time.hours().count()), static_cast<int>(time.minutes().count()),
                static_cast<int>(time.seconds().count()));
  return text.data();
}

void AppendHex(std::size_t value, std::string& out) {
  std::array<char, 16> digits{};
  const auto result = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  out.append(digits.data(), result.ptr);
}

}  // namespace

struct HttpConnection::Parsing {
  http::request_parser<http::string_body> parser;
  bool header_seen = false;
};

HttpConnection::HttpConnection(HttpConnectionHost& host, std::unique_ptr<ByteStream> stream)
    : host_(host), stream_(std::move(stream)) {}

HttpConnection::~HttpConnection() = default;

void HttpConnection::Start() {
  SetDeadline(host_.options().header_timeout);
  stream_->Handshake([self = shared_from_this()](const error_code& error, std::size_t) {
    if (self->phase_ == Phase::kClosed) return;
    if (error) return self->Close();
    self->peer_user_ = self->stream_->PeerCommonName();
    self->phase_ = Phase::kRequest;
    self->ParseRequest();
  });
}

void HttpConnection::Close() {
  if (phase_ == Phase::kClosed) return;
  phase_ = Phase::kClosed;
  deadline_.Cancel();
  stream_->Close();
  response_.reset();
  host_.Closed(*this);
}

void HttpConnection::SetDeadline(Duration after) {
  Env& env = host_.env();
  deadline_ = env.loop().RunAt(env.Now() + after, [weak = weak_from_this()] {
    if (const std::shared_ptr<HttpConnection> self = weak.lock()) self->Close();
  });
}

// ---- reading

void HttpConnection::ReadMore() {
  if (reading_ || phase_ == Phase::kClosed) return;
  reading_ = true;
  stream_->ReadSome(asio::buffer(read_buffer_),
                    [self = shared_from_this()](const error_code& error, std::size_t size) {
                      self->reading_ = false;
                      if (self->phase_ == Phase::kClosed) return;
                      if (error) return self->Close();
                      self->OnRead(size);
                    });
}

void HttpConnection::OnRead(std::size_t size) {
  if (phase_ == Phase::kLinger) {
    lingered_ += size;
    if (lingered_ > kLingerBytes) return Close();
    return ReadMore();
  }
  in_.append(read_buffer_.data(), size);
  if (phase_ == Phase::kRequest) {
    ParseRequest();
  } else if (in_.size() < kReadAheadBytes) {
    ReadMore();
  }
}

void HttpConnection::ParseRequest() {
  const HttpServerOptions& options = host_.options();
  if (parsing_ == nullptr) {
    if (in_.empty()) {
      SetDeadline(options.idle_timeout);
      return ReadMore();
    }
    parsing_ = std::make_unique<Parsing>();
    parsing_->parser.eager(true);
    parsing_->parser.header_limit(static_cast<std::uint32_t>(options.max_header_bytes));
    parsing_->parser.body_limit(options.max_body_bytes);
    SetDeadline(options.header_timeout);
  }
  auto& parser = parsing_->parser;
  while (!in_.empty() && !parser.is_done()) {
    error_code error;
    const std::size_t used = parser.put(asio::buffer(std::as_const(in_)), error);
    in_.erase(0, used);
    if (error == http::error::need_more) error = {};
    if (error == http::error::body_limit) {
      return Refuse(413, "RequestEntityTooLarge",
                    "Request entity too large: limit is " + std::to_string(options.max_body_bytes));
    }
    if (error == http::error::header_limit || error == http::error::buffer_overflow) {
      return Refuse(
          431, "BadRequest",
          "request headers are longer than " + std::to_string(options.max_header_bytes) + " bytes");
    }
    if (error) return Refuse(400, "BadRequest", "malformed HTTP request: " + error.message());
    if (used == 0) break;
  }
  if (parser.is_header_done() && !parsing_->header_seen) {
    parsing_->header_seen = true;
    SetDeadline(options.body_timeout);
    if (!parser.is_done() && SameName(View(parser.get()[http::field::expect]), "100-continue")) {
      // Reading goes on when this has gone.
      out_.append("HTTP/1.1 100 Continue\r\n\r\n");
      return WriteMore();
    }
  }
  if (!parser.is_done()) return ReadMore();
  OnRequest();
}

void HttpConnection::OnRequest() {
  const std::unique_ptr<Parsing> parsed = std::move(parsing_);
  auto& message = parsed->parser.get();
  HttpRequest request;
  request.method = std::string(View(message.method_string()));
  request.target = std::string(View(message.target()));
  for (const auto& field : message)
    request.headers.Add(View(field.name_string()), View(field.value()));
  request.body = std::move(message.body());

  host_.CountRequest();
  http10_ = message.version() < 11;
  keep_alive_ = message.keep_alive();
  head_request_ = message.method() == http::verb::head;
  may_gzip_ =
      AcceptsGzip(request.headers.Get("Accept-Encoding")) && !IsWatch(request.target) && !http10_;
  head_made_ = ended_ = cut_ = waiting_ = chunked_ = false;
  body_.clear();
  gzip_.reset();
  phase_ = Phase::kResponse;
  deadline_.Cancel();
  if (!LetIn(request)) return Refuse(401, "Unauthorized", "Unauthorized");

  response_ = host_.handler().Handle(std::move(request));
  if (response_ == nullptr) return Refuse(500, "InternalError", "the handler gave no response");
  response_->SetWake([weak = weak_from_this(), &host = host_] { host.Woken(weak); });
  if (in_.size() < kReadAheadBytes) ReadMore();
  Pump();
}

bool HttpConnection::LetIn(HttpRequest& request) const {
  const HttpServerOptions& options = host_.options();
  if (!peer_user_.empty()) {
    request.user = peer_user_;
    return true;
  }
  constexpr std::string_view kBearer = "Bearer ";
  const std::string_view authorization = request.headers.Get("Authorization");
  if (!options.bearer_token.empty() && authorization.size() > kBearer.size() &&
      SameName(authorization.substr(0, kBearer.size()), kBearer)) {
    if (!EqualSecrets(authorization.substr(kBearer.size()), options.bearer_token)) return false;
    request.user = options.kubeconfig_user;
    return true;
  }
  if (options.bearer_token.empty() && !options.require_client_certificate) return true;
  return IsPublic(request.target);
}

// ---- answering

// An answer of our own, to a request that does not reach the handler. What cannot be parsed any further ends the connection.
void HttpConnection::Refuse(int status, std::string_view reason, std::string_view message) {
  const bool in_step = phase_ == Phase::kResponse;
  if (!in_step) keep_alive_ = false;
  parsing_.reset();
  phase_ = Phase::kResponse;
  std::string text;
  for (const char c : message) {
    if (c == '"' || c == '\\') text.push_back('\\');
    text.push_back(c);
  }
  const std::string body =
      "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","
      "\"message\":\"" +
      text + "\",\"reason\":\"" + std::string(reason) + "\",\"code\":" + std::to_string(status) +
      "}\n";
  out_.append("HTTP/1.1 " + std::to_string(status) + " ").append(StatusText(status));
  out_.append("\r\nContent-Type: application/json\r\nCache-Control: no-cache, private\r\n");
  if (status == 401) out_.append("WWW-Authenticate: Bearer\r\n");
  if (!keep_alive_) out_.append("Connection: close\r\n");
  out_.append("Content-Length: " + std::to_string(body.size()) + "\r\n\r\n");
  if (!head_request_ || !in_step) out_.append(body);
  ended_ = true;
  cut_ = false;
  WriteMore();
}

void HttpConnection::Pump() {
  if (phase_ != Phase::kResponse || writing_ || response_ == nullptr || !response_->ready()) return;
  // Until it is clear how long the body is, more is collected: a short one gets a Content-Length, and only a long one is worth
  // compressing.
  const bool undecided_gzip =
      !head_made_ && may_gzip_ && !response_->headers().Has("Content-Encoding");
  const std::size_t enough =
      undecided_gzip ? std::max(kSliceBytes, host_.options().gzip_above_bytes + 1) : kSliceBytes;
  auto state = ResponseStream::State::kMore;
  while (state == ResponseStream::State::kMore && body_.size() < enough) {
    waiting_ = false;
    chunks_.clear();
    state = response_->Read(enough - body_.size(), chunks_);
    for (const BodyChunk& chunk : chunks_) body_.append(chunk.bytes);
    chunks_.clear();
  }
  waiting_ = state == ResponseStream::State::kWait;
  const bool end = state == ResponseStream::State::kEnd;
  cut_ = state == ResponseStream::State::kAbort;
  ended_ = end || cut_;
  if (cut_ && !head_made_ && body_.empty()) return Close();
  if (!head_made_) MakeHead(end);
  FrameBody(end);
  if (ended_) response_.reset();
  if (out_.empty() && ended_) return OnWritten();
  WriteMore();
}

void HttpConnection::MakeHead(bool complete) {
  head_made_ = true;
  const int status = response_->status();
  const bool bodiless = head_request_ || status == 204 || status == 304 || status < 200;
  const bool compress = may_gzip_ && !bodiless && !response_->headers().Has("Content-Encoding") &&
                        body_.size() > host_.options().gzip_above_bytes;
  out_.append("HTTP/1.1 " + std::to_string(status) + " ").append(StatusText(status)).append("\r\n");
  for (const auto& [name, value] : response_->headers()) {
    if (IsFraming(name) && !(head_request_ && SameName(name, "Content-Length"))) continue;
    // A line break in a value would let it write headers of its own.
    if (value.find_first_of("\r\n") != std::string::npos) continue;
    out_.append(name).append(": ").append(value).append("\r\n");
  }
  if (!response_->headers().Has("Date")) out_.append("Date: " + HttpDate(host_.env()) + "\r\n");
  if (compress) {
    gzip_ = std::make_unique<GzipDeflater>();
    out_.append("Content-Encoding: gzip\r\nVary: Accept-Encoding\r\n");
  }
  if (bodiless) {
    if (head_request_ && complete && !response_->headers().Has("Content-Length")) {
      out_.append("Content-Length: " + std::to_string(body_.size()) + "\r\n");
    }
    body_.clear();
    if (!complete) keep_alive_ = false;  // whatever else it would say is not wanted
    ended_ = true;
  } else if (complete && !compress) {
    out_.append("Content-Length: " + std::to_string(body_.size()) + "\r\n");
  } else if (http10_) {
    keep_alive_ = false;  // the end of the connection is the end of the body
  } else {
    chunked_ = true;
    out_.append("Transfer-Encoding: chunked\r\n");
  }
  if (!keep_alive_) {
    out_.append("Connection: close\r\n");
  } else if (http10_) {
    out_.append("Connection: keep-alive\r\n");
  }
  out_.append("\r\n");
}

void HttpConnection::FrameBody(bool end) {
  if (gzip_ != nullptr) {
    const auto flush = end        ? GzipDeflater::Flush::kFinish
                       : waiting_ ? GzipDeflater::Flush::kSync
                                  : GzipDeflater::Flush::kNo;
    std::string packed;
    if (!body_.empty() || end) gzip_->Deflate(body_, flush, packed);
    body_ = std::move(packed);
    if (end) gzip_.reset();
  }
  if (!chunked_) {
    out_.append(body_);
  } else {
    if (!body_.empty()) {
      AppendHex(body_.size(), out_);
      out_.append("\r\n").append(body_).append("\r\n");
    }
    if (end) out_.append("0\r\n\r\n");
  }
  body_.clear();
  // Thousands of idle watches should not each keep the buffer of their initial list.
  if (body_.capacity() > 4096 && (waiting_ || end)) std::string().swap(body_);
}

void HttpConnection::WriteMore() {
  if (writing_ || phase_ == Phase::kClosed) return;
  if (out_.empty()) {
    // The response says that it has more and gave nothing yet (the compressor may keep it).
    if (!waiting_) host_.Woken(weak_from_this());
    return;
  }
  writing_ = true;
  if (phase_ == Phase::kResponse) SetDeadline(host_.options().write_timeout);
  stream_->WriteSome(asio::buffer(out_.data() + out_done_, out_.size() - out_done_),
                     [self = shared_from_this()](const error_code& error, std::size_t size) {
                       self->writing_ = false;
                       if (self->phase_ == Phase::kClosed) return;
                       if (error) return self->Close();
                       self->host_.CountSent(size);
                       self->out_done_ += size;
                       if (self->out_done_ < self->out_.size()) {
                         self->WriteMore();
                       } else {
                         self->OnWritten();
                       }
                     });
}

// All of out_ has gone.
void HttpConnection::OnWritten() {
  out_.clear();
  if (out_.capacity() > 4096 && (waiting_ || ended_)) std::string().swap(out_);
  out_done_ = 0;
  if (phase_ == Phase::kRequest) return ParseRequest();  // that was "100 Continue"
  if (phase_ != Phase::kResponse) return;
  deadline_.Cancel();
  if (!ended_) {
    if (!waiting_) Pump();
    return;
  }
  if (cut_) return Close();
  response_.reset();
  if (!keep_alive_) return Linger();
  phase_ = Phase::kRequest;
  ParseRequest();
}

// Closing at once, with bytes of the client unread, would reset the connection and might take our answer with it.
void HttpConnection::Linger() {
  phase_ = Phase::kLinger;
  in_.clear();
  stream_->ShutdownSend();
  SetDeadline(kLingerTime);
  ReadMore();
}

}  // namespace kinformer::apiserver

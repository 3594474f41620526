#include "transport/curl_transfer.h"

#include <algorithm>
#include <charconv>
#include <new>
#include <openssl/ssl.h>
#include <utility>

#include "base/core/out_of_memory.h"
#include "base/core/user_call.h"
#include "transport/curl_error.h"
#include "transport/curl_lane.h"
#include "transport/peer_certificate.h"

namespace kinformer::internal::transport {

namespace {

// libnghttp2 does not send a longer head, and libcurl would wait for an answer forever.
constexpr std::size_t kMostHttp2Head = std::size_t{64} << 10;

// Returns the TLS of a connection to a proxy or a server; null if it has none, or not OpenSSL's.
SSL* TlsOf(CURL* easy) {
  curl_tlssessioninfo* session = nullptr;
  curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session);
  return session->backend == CURLSSLBACKEND_OPENSSL ? static_cast<SSL*>(session->internals)
                                                    : nullptr;
}

std::string_view Trim(std::string_view text) {
  // Not find_first_not_of, which calls a function for each character.
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

}  // namespace

CurlTransfer::CurlTransfer(std::shared_ptr<CurlShared> shared, HttpRequest request,
                           ResponseReceiver& receiver)
    : shared_(std::move(shared)), request_(std::move(request)), receiver_(&receiver) {}

CurlTransfer::~CurlTransfer() { AbandonBody(); }

void CurlTransfer::TriesAgain() {
  started = false;
  repeats_ = true;
  admitted = shared_->env.Now();
  connecting_since.reset();
  handshake_since.reset();
}

// If a reused connection breaks before the answer, libcurl repeats the request, whatever its
// method. A repeated write may be applied twice, so its caller must get the error instead.
bool CurlTransfer::MayBeSentTwice() const {
  return request_.body_pipe == nullptr && (request_.method == "GET" || request_.method == "HEAD");
}

bool CurlTransfer::RefusesRepetition() {
  if ((!started && !repeats_) || MayBeSentTwice()) return false;
  repetition_refused_ = true;
  return true;
}

void CurlTransfer::Silence() {
  receiver_ = nullptr;
  deadline.Cancel();
  AbandonBody();
}

void CurlTransfer::AbandonBody() {
  if (request_.body_pipe != nullptr) request_.body_pipe->Abandon();
}

void CurlTransfer::Done(Result<void> result) {
  if (receiver_ == nullptr) return;
  ResponseReceiver* receiver = std::exchange(receiver_, nullptr);
  deadline.Cancel();
  AbandonBody();
  (void)base::CallUser(shared_->env, "a response's receiver",
                       [&] { receiver->OnDone(std::move(result)); });
}

void CurlTransfer::KeepHandle() {
  if (IsPlainGet()) shared_->handles.Keep(std::move(handle_));
}

Result<void> CurlTransfer::Verdict(CURLcode code) {
  const std::string server =
      (shared_->endpoint.tls ? "https://" : "http://") + shared_->endpoint.authority;
  if (error_) return Error(*error_).WithContext(server + request_.target);
  if (code == CURLE_OK && headers_done_) {
    if (!inflater_) return {};
    Result<void> end = inflater_->Finish();
    if (end) return end;
    return Error(end.error()).WithContext(server + request_.target);
  }
  // A truncated refusal still counts as the refusal.
  if (code == CURLE_PARTIAL_FILE && headers_done_ && status_ >= 400) return {};
  CurlFailure failure{.code = code, .detail = error_text_.data(), .headers_seen = headers_done_};
  // libcurl reports a truncated head as a complete response.
  if (code == CURLE_OK) failure.detail = "it closed in the middle of the head";
  if (repetition_refused_) {
    failure.detail = "it closed without an answer; the server may have done what was asked";
  }
  curl_easy_getinfo(easy(), CURLINFO_OS_ERRNO, &failure.os_error);
  failure.through_proxy = !shared_->proxy.empty();
  return FromCurl(failure, server);
}

// Runs `step`; an exception from the receiver must not pass through libcurl's C code.
template <class Step>
bool CurlTransfer::Contained(Step step) {
  try {
    return step();
  } catch (const std::bad_alloc&) {
    base::DieOfNoMemory("a response");
  } catch (...) {
    error_ = base::ReportThrown(shared_->env, "a response's receiver");
    return false;
  }
}

// Prevents libcurl from writing TLS keys to the file in SSLKEYLOGFILE, which nobody requested for
// this program. libcurl still opens the file in curl_global_init: a library must not change the
// environment, which other threads may be reading.
CURLcode CurlTransfer::OnTlsContext(CURL*, void* context, void*) {
  SSL_CTX_set_keylog_callback(static_cast<SSL_CTX*>(context), nullptr);
  return CURLE_OK;
}

std::size_t CurlTransfer::OnHeaderLine(char* data, std::size_t size, std::size_t count,
                                       void* self) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  const std::string_view line(data, size * count);
  return transfer->Contained([&] { return transfer->HeaderLine(line); }) ? line.size()
                                                                         : CURL_WRITEFUNC_ERROR;
}

std::size_t CurlTransfer::OnRead(char* buffer, std::size_t size, std::size_t count, void* self) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  std::size_t taken = 0;
  transfer->taking_ = true;
  const bool taken_well = transfer->Contained([&] {
    taken = transfer->request_.body_pipe != nullptr ? transfer->TakeBody(buffer, size * count)
                                                    : transfer->TakeOutgoing(buffer, size * count);
    return true;
  });
  transfer->taking_ = false;
  return taken_well ? taken : CURL_READFUNC_ABORT;
}

void CurlTransfer::AddOutgoing(std::string_view bytes) {
  outgoing_->erase(0, std::exchange(sent_, 0));
  outgoing_->append(bytes);
}

bool CurlTransfer::EndsUpload() {
  if (held_up || !upgraded()) return false;
  nothing_follows_ = true;
  return true;
}

std::size_t CurlTransfer::TakeOutgoing(char* buffer, std::size_t size) {
  if (nothing_follows_ || (headers_done_ && !upgraded())) return 0;
  const std::size_t taken = std::min(size, unsent());
  if (taken > 0) {
    std::copy_n(outgoing_->data() + sent_, taken, buffer);
    sent_ += taken;
    return taken;
  }
  if (sent_ > 0) {
    sent_ = 0;
    outgoing_->clear();
    if (receiver_ != nullptr) receiver_->OnSent();
    if (unsent() > 0) return TakeOutgoing(buffer, size);
  }
  return CURL_READFUNC_PAUSE;
}

std::size_t CurlTransfer::TakeBody(char* buffer, std::size_t size) {
  if (answered_early_) return 0;
  Result<BodyPipe::Taken> taken = request_.body_pipe->Take(buffer, size);
  if (!taken) {
    error_ = std::move(taken).error();
    return CURL_READFUNC_ABORT;
  }
  if (taken->bytes > 0 || taken->end) return taken->bytes;
  return receiver_ == nullptr ? CURL_READFUNC_ABORT : CURL_READFUNC_PAUSE;
}

std::size_t CurlTransfer::OnBody(char* data, std::size_t size, std::size_t count, void* self) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  if (transfer->paused) {
    transfer->held_up = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  const std::string_view piece(data, size * count);
  return transfer->Contained([&] { return transfer->Body(piece); }) ? piece.size()
                                                                    : CURL_WRITEFUNC_ERROR;
}

int CurlTransfer::OnConnected(void* self, char*, char*, int, int) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  if (transfer->RefusesRepetition()) return CURL_PREREQFUNC_ABORT;
  bool http2 = false;
  SSL* const tls = transfer->shared_->endpoint.tls ? TlsOf(transfer->easy()) : nullptr;
  if (tls != nullptr) {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(tls, &name, &size);
    http2 = std::string_view(reinterpret_cast<const char*>(name), size) == "h2";
    if (http2 && transfer->head_size_ > kMostHttp2Head) {
      transfer->error_ =
          Error(Reason::kOverLimit,
                "the request's head has about " + std::to_string(transfer->head_size_) +
                    " bytes, and HTTP/2 takes no more than 64 KiB here; shorten its "
                    "selectors or headers, or set disable_http2");
      return CURL_PREREQFUNC_ABORT;
    }
    if (!transfer->shared_->options.tls.insecure_skip_verify && !HasAlternativeName(tls)) {
      transfer->error_ = Error(
          Reason::kTransport,
          "the server's certificate names its host in the Common Name only, which does not count; "
          "give it a subjectAltName (DNS or IP) with that name");
      return CURL_PREREQFUNC_ABORT;
    }
  }
  transfer->ObserveLookup();
  transfer->started = true;
  transfer->started_at = transfer->shared_->env.Now();
  if (transfer->lane != nullptr) transfer->lane->OnStarted(*transfer, http2);
  return transfer->done() ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

void CurlTransfer::ObserveLookup() {
  MetricsSink& metrics = shared_->env.metrics();
  const Endpoint& endpoint = shared_->endpoint;
  // A proxy looks it up itself.
  const bool named = shared_->sockets == nullptr && shared_->dials == nullptr &&
                     shared_->proxy.empty() && !endpoint.IsAddress();
  if (!named || !metrics.enabled()) return;
  long new_connections = 0;
  curl_off_t microseconds = 0;
  curl_easy_getinfo(easy(), CURLINFO_NUM_CONNECTS, &new_connections);
  curl_easy_getinfo(easy(), CURLINFO_NAMELOOKUP_TIME_T, &microseconds);
  if (new_connections == 0) return;
  if (shared_->lookups == nullptr) {
    shared_->lookups = metrics.NewHistogram("rest_client_dns_resolution_duration_seconds",
                                            "Duration of look-ups of names in seconds, by host.",
                                            {{"host", endpoint.host}});
  }
  shared_->lookups->Observe(static_cast<double>(microseconds) / 1e6);
}

bool CurlTransfer::HeaderLine(std::string_view line) {
  if (receiver_ == nullptr) return false;
  shared_->stats.bytes_received += line.size();
  last_progress_ = shared_->env.Now();
  if (headers_done_) return true;  // trailers
  if (line.starts_with("HTTP/")) {
    headers_ = HttpHeaders();
    const std::string_view code = line.substr(line.find(' ') + 1);
    std::from_chars(code.data(), code.data() + code.size(), status_);
    return true;
  }
  line = Trim(line);
  if (!line.empty()) {
    const auto colon = line.find(':');
    if (colon != std::string_view::npos) {
      headers_.Add(line.substr(0, colon), Trim(line.substr(colon + 1)));
    }
    return true;
  }
  // 1xx: the final response follows, unless it is another protocol.
  if (status_ < 200 && !(status_ == 101 && outgoing_)) return true;
  return EndOfHead();
}

bool CurlTransfer::EndOfHead() {
  headers_done_ = true;
  const std::string_view encoding = headers_.Get("Content-Encoding");
  const bool gzip = encoding == "gzip" || encoding == "x-gzip";
  const bool asked = request_.headers.Get("Accept-Encoding").find("gzip") != std::string_view::npos;
  if (gzip && asked) {
    if (request_.method != "HEAD" && status_ != 204 && status_ != 304) inflater_.emplace();
  } else if (!encoding.empty() && encoding != "identity") {
    error_ = Error(Reason::kDecode, "the response has Content-Encoding " + std::string(encoding) +
                                        ", which nobody asked for");
    return false;
  }
  const bool from_source = !authorization_.empty() || certified;
  if (status_ == 401 && shared_->options.credentials != nullptr && from_source) {
    (void)base::CallUser(shared_->env, "CredentialSource::Rejected",
                         [&] { shared_->options.credentials->Rejected(authorization_); });
  }
  const HttpHeaders headers = std::exchange(headers_, HttpHeaders());
  if (lane != nullptr) lane->OnAnswer();
  receiver_->OnHeaders(status_, headers);
  if (request_.body_pipe != nullptr && status_ >= 300) {
    answered_early_ = true;
    AbandonBody();
    if (lane != nullptr) lane->GoOn(*this);
  }
  if (outgoing_ && lane != nullptr && !upgraded()) lane->GoOn(*this);
  return receiver_ != nullptr;
}

bool CurlTransfer::Body(std::string_view data) {
  if (receiver_ == nullptr) return false;
  shared_->stats.bytes_received += data.size();
  last_progress_ = shared_->env.Now();
  if (lane != nullptr && data.size() >= buffer_size()) lane->OnFullBuffer();
  if (!inflater_) {
    receiver_->OnData(data);
    return receiver_ != nullptr;
  }
  const Result<void> result = inflater_->Write(data, [this](std::string_view plain) {
    receiver_->OnData(plain);
    return receiver_ != nullptr;
  });
  if (!result) error_ = result.error();
  return result.ok() && receiver_ != nullptr;
}

}  // namespace kinformer::internal::transport

#include "transport/curl_transfer.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <new>
#include <openssl/ssl.h>
#include <utility>

#include "base/core/out_of_memory.h"
#include "base/core/printable.h"
#include "base/core/user_call.h"
#include "transport/curl_error.h"
#include "transport/curl_lane.h"
#include "transport/peer_certificate.h"

namespace kinformer::internal::transport {

namespace {

constexpr std::size_t kWatchBuffer = 4096;
constexpr std::size_t kBuffer = 16384;
constexpr std::size_t kOwnHead = 2048;  // in a request: room for the headers that libcurl adds
// libnghttp2 does not send a longer head, and libcurl would wait for an answer forever.
constexpr std::size_t kMostHttp2Head = std::size_t{64} << 10;

curl_blob Blob(const std::string& text) {
  // NOCOPY: thousands of watches share one text. libcurl itself copies data that a connection needs
  // after the handle is gone.
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

// Whether libcurl sends it as it is if it gets path and query by themselves. That is quicker than a
// URL, which libcurl takes apart, puts together and takes apart again for each request.
bool IsPlainTarget(std::string_view path) {
  return path.starts_with('/') && std::all_of(path.begin(), path.end(), [](char c) {
           return c > ' ' && c <= '~' && c != '%' && c != '#';
         });
}

bool HasBody(const HttpRequest& request) {
  return !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
         request.method == "PATCH";
}

// libcurl sends "Name;" as a header with an empty value; "Name:" would remove the header.
std::string FieldLine(std::string_view name, std::string_view value) {
  return std::string(name) + (value.empty() ? ";" : ": ") + std::string(value);
}

bool IsOneLine(std::string_view text) {
  using namespace std::string_view_literals;
  return text.find_first_of("\r\n\0"sv) == std::string_view::npos;
}

// Returns the TLS of a connection to a proxy or a server; null if it has none, or not OpenSSL's.
SSL* TlsOf(CURL* easy) {
  curl_tlssessioninfo* session = nullptr;
  curl_easy_getinfo(easy, CURLINFO_TLS_SSL_PTR, &session);
  return session->backend == CURLSSLBACKEND_OPENSSL ? static_cast<SSL*>(session->internals)
                                                    : nullptr;
}

std::string_view Trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

CurlTransfer::CurlTransfer(std::shared_ptr<CurlShared> shared, HttpRequest request,
                           ResponseReceiver& receiver)
    : shared_(std::move(shared)), request_(std::move(request)), receiver_(&receiver) {}

CurlTransfer::~CurlTransfer() { AbandonBody(); }

Result<void> CurlTransfer::Prepare(std::shared_ptr<const TlsMaterial> tls,
                                   std::string authorization) {
  authorization_ = std::move(authorization);
  started = false;
  connecting_since.reset();
  handshake_since.reset();
  socket = -1;
  wants_dial = false;
  repeats_ = repetition_refused_ = false;
  handle_ = IsPlainGet() ? shared_->handles.Take(request_.pool, tls) : CurlHandle();
  if (handle_.easy == nullptr) {
    handle_ = {.pool = request_.pool, .tls = std::move(tls)};
    handle_.easy.reset(curl_easy_init());
    if (handle_.easy == nullptr) {
      return Error(Reason::kTransport, "libcurl cannot make a handle: out of memory");
    }
    SetConnection();
    SetProxy();
    SetTls();
  }
  SetTarget();
  SetBody();
  SetCallbacks();
  return SetHeaders();
}

// Whether the server's TLS name differs from its address. Then the URL contains the name, which TLS
// sends and verifies, and libcurl gets the address separately.
bool CurlTransfer::Renamed() const {
  return shared_->endpoint.tls && !shared_->options.tls.server_name.empty();
}

void CurlTransfer::SetTarget() {
  const std::string path = shared_->endpoint.prefix + request_.target;
  CURLU* const parts = IsPlainTarget(path) ? handle_.url.get() : nullptr;
  if (parts != nullptr) {
    const std::size_t query = path.find('?');
    curl_url_set(parts, CURLUPART_PATH, path.substr(0, query).c_str(), 0);
    curl_url_set(parts, CURLUPART_QUERY,
                 query == std::string::npos ? nullptr : path.c_str() + query + 1, 0);
  } else {
    curl_easy_setopt(easy(), CURLOPT_URL, (Origin() + path).c_str());
  }
  curl_easy_setopt(easy(), CURLOPT_CURLU, parts);
}

std::string CurlTransfer::Origin() const {
  const Endpoint& endpoint = shared_->endpoint;
  return (endpoint.tls ? "https://" : "http://") + UrlHost() + ":" + endpoint.port;
}

std::string CurlTransfer::UrlHost() const {
  return Renamed() ? Bracketed(shared_->options.tls.server_name) : shared_->endpoint.Bracketed();
}

std::size_t CurlTransfer::buffer_size() const {
  return request_.pool == ConnectionPool::kWatch ? kWatchBuffer : kBuffer;
}

void CurlTransfer::SetConnection() {
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  const HttpTransportOptions& options = shared_->options;
  const bool http1 =
      options.disable_http2 || !shared_->endpoint.tls || request_.pool == ConnectionPool::kStream;
  curl_easy_setopt(easy(), CURLOPT_HTTP_VERSION,
                   http1 ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS);
  handle_.url.reset(curl_url());
  if (curl_url_set(handle_.url.get(), CURLUPART_URL, Origin().c_str(), 0) != CURLUE_OK) {
    handle_.url.reset();
  }
  curl_easy_setopt(easy(), CURLOPT_URL, Origin().c_str());
  if (Renamed()) {
    const Endpoint& endpoint = shared_->endpoint;
    const std::string to =
        UrlHost() + ":" + endpoint.port + ":" + endpoint.Bracketed() + ":" + endpoint.port;
    handle_.connect_to.reset(curl_slist_append(nullptr, to.c_str()));
    curl_easy_setopt(easy(), CURLOPT_CONNECT_TO, handle_.connect_to.get());
  }
  curl_easy_setopt(easy(), CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy(), CURLOPT_PIPEWAIT, 1L);
  curl_easy_setopt(easy(), CURLOPT_NOSIGNAL, 1L);
  // Otherwise the removal of a handle waits for its getaddrinfo.
  curl_easy_setopt(easy(), CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy(), CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(easy(), CURLOPT_BUFFERSIZE, static_cast<long>(buffer_size()));
  curl_easy_setopt(easy(), CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(duration_cast<milliseconds>(options.connect_timeout).count()));
  if (shared_->sockets != nullptr) {
    curl_easy_setopt(easy(), CURLOPT_ABSTRACT_UNIX_SOCKET, shared_->sockets->name().c_str());
  }
  if (shared_->dials != nullptr) {
    const FirstHop& to = shared_->dials->to();
    // No name is looked up, and the address is not used: see OpenSocket.
    const std::string entry = Bracketed(to.host) + ":" + to.port + ":127.0.0.1";
    if (!to.is_address) handle_.resolved.reset(curl_slist_append(nullptr, entry.c_str()));
    curl_easy_setopt(easy(), CURLOPT_RESOLVE, handle_.resolved.get());
  }
  curl_easy_setopt(easy(), CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy(), CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy(), CURLOPT_TCP_KEEPINTVL, 10L);
}

void CurlTransfer::SetProxy() {
  // With an empty value libcurl does not read proxies or exceptions from the environment.
  curl_easy_setopt(easy(), CURLOPT_PROXY, shared_->proxy.c_str());
  curl_easy_setopt(easy(), CURLOPT_NOPROXY, "");
}

void CurlTransfer::SetTls() {
  curl_easy_setopt(easy(), CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  curl_easy_setopt(easy(), CURLOPT_SSL_CTX_FUNCTION, &CurlTransfer::OnTlsContext);
  if (shared_->options.tls.insecure_skip_verify) {
    curl_easy_setopt(easy(), CURLOPT_SSL_VERIFYPEER, 0L);
    curl_easy_setopt(easy(), CURLOPT_SSL_VERIFYHOST, 0L);
  }
  const TlsMaterial& tls = *handle_.tls;
  if (!tls.ca.empty()) {
    curl_blob ca = Blob(tls.ca);
    curl_easy_setopt(easy(), CURLOPT_CAINFO_BLOB, &ca);
    curl_easy_setopt(easy(), CURLOPT_CAPATH, nullptr);  // only this CA, not the system's
    // For a proxy that speaks TLS, beside the system's.
    curl_easy_setopt(easy(), CURLOPT_PROXY_CAINFO_BLOB, &ca);
  }
  if (!tls.cert.empty()) {
    curl_blob cert = Blob(tls.cert);
    curl_blob key = Blob(tls.key);
    curl_easy_setopt(easy(), CURLOPT_SSLCERT_BLOB, &cert);
    curl_easy_setopt(easy(), CURLOPT_SSLKEY_BLOB, &key);
  }
}

bool CurlTransfer::IsPlainGet() const {
  return request_.method == "GET" && !HasBody(request_) && request_.body_pipe == nullptr &&
         !request_.headers.Has("Upgrade");
}

void CurlTransfer::SetBody() {
  if (request_.method == "HEAD") {
    curl_easy_setopt(easy(), CURLOPT_NOBODY, 1L);
    return;
  }
  if (request_.headers.Has("Upgrade")) {
    // An upload without an end, which begins when the server has agreed.
    outgoing_.emplace();
    sent_ = 0;
    curl_easy_setopt(easy(), CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy(), CURLOPT_READFUNCTION, &CurlTransfer::OnRead);
    curl_easy_setopt(easy(), CURLOPT_READDATA, this);
    curl_easy_setopt(easy(), CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    return;
  }
  if (request_.body_pipe != nullptr) {
    curl_easy_setopt(easy(), CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(easy(), CURLOPT_READFUNCTION, &CurlTransfer::OnRead);
    curl_easy_setopt(easy(), CURLOPT_READDATA, this);
    curl_easy_setopt(easy(), CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    if (const auto size = request_.body_pipe->size()) {
      curl_easy_setopt(easy(), CURLOPT_INFILESIZE_LARGE, static_cast<curl_off_t>(*size));
    }
    // Without the rest of the shared state, which must not end on another thread.
    const std::shared_ptr<Env> env(shared_->kept_env, &shared_->env);
    request_.body_pipe->SetWake([weak = weak_from_this(), env] {
      env->loop().Post([weak] {
        const std::shared_ptr<CurlTransfer> self = weak.lock();
        if (self != nullptr && self->lane != nullptr) self->lane->GoOn(*self);
      });
    });
    return;
  }
  if (HasBody(request_)) {
    curl_easy_setopt(easy(), CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy(), CURLOPT_POSTFIELDS, request_.body.data());
  }
  if (HasBody(request_) || request_.method != "GET") {
    curl_easy_setopt(easy(), CURLOPT_CUSTOMREQUEST, request_.method.c_str());
  }
}

Result<void> CurlTransfer::SetHeaders() {
  const bool there = handle_.header_list != nullptr && handle_.headers == request_.headers &&
                     handle_.authorization == authorization_;
  if (Result<void> made = there ? Result<void>() : MakeHeaderList(); !made) return made;
  head_size_ =
      shared_->endpoint.prefix.size() + request_.target.size() + kOwnHead + handle_.headers_size;
  // Over TLS, libcurl 7.88 never sends the rest of a head that is longer than this buffer.
  curl_easy_setopt(easy(), CURLOPT_UPLOAD_BUFFERSIZE,
                   static_cast<long>(std::max(kBuffer, head_size_)));
  return {};
}

Result<void> CurlTransfer::MakeHeaderList() {
  const HttpTransportOptions& options = shared_->options;
  HttpHeaders all = request_.headers;
  for (const auto& [name, value] : options.headers) {
    if (!request_.headers.Has(name)) all.Add(name, value);
  }
  if (!authorization_.empty() && !all.Has("Authorization")) {
    all.Add("Authorization", authorization_);
  }
  if (Renamed()) all.Add("Host", shared_->endpoint.authority);
  if (!options.user_agent.empty() && !all.Has("User-Agent")) {
    all.Add("User-Agent", options.user_agent);
  }
  CurlList list;
  const auto append = [&list](const std::string& line) {
    list.reset(curl_slist_append(list.release(), line.c_str()));
  };
  std::size_t size = 0;
  for (const auto& [name, value] : all) {
    size += name.size() + value.size() + std::string_view(": \r\n").size();
    if (!IsOneLine(name) || !IsOneLine(value)) {
      // The error does not contain the value, which may be a secret.
      return Error(Reason::kInvalidArgument,
                   "the header " + base::Printable(name) +
                       " has a line break or a NUL in it, which would let it add headers of its "
                       "own; correct the option or the credential that it comes from");
    }
    append(FieldLine(name, value));
  }
  // Removes headers that libcurl would add by itself.
  if (outgoing_) {
    append("Expect:");
    append("Transfer-Encoding:");
  } else if (HasBody(request_) || request_.body_pipe != nullptr) {
    append("Expect:");
    if (!all.Has("Content-Type")) append("Content-Type:");
  }
  curl_easy_setopt(easy(), CURLOPT_HTTPHEADER, list.get());
  handle_.headers = request_.headers;
  handle_.authorization = authorization_;
  handle_.header_list = std::move(list);
  handle_.headers_size = size;
  return {};
}

void CurlTransfer::SetCallbacks() {
  error_text_[0] = '\0';
  curl_easy_setopt(easy(), CURLOPT_ERRORBUFFER, error_text_.data());
  curl_easy_setopt(easy(), CURLOPT_HEADERFUNCTION, &CurlTransfer::OnHeaderLine);
  curl_easy_setopt(easy(), CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy(), CURLOPT_WRITEFUNCTION, &CurlTransfer::OnBody);
  curl_easy_setopt(easy(), CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy(), CURLOPT_PREREQFUNCTION, &CurlTransfer::OnConnected);
  curl_easy_setopt(easy(), CURLOPT_PREREQDATA, this);
}

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

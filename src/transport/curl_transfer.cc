#include "transport/curl_transfer.h"

#include <charconv>
#include <openssl/ssl.h>
#include <utility>

#include "transport/curl_error.h"
#include "transport/curl_lane.h"

namespace kinformer::internal {

namespace {

constexpr std::size_t kWatchBuffer = 4096;
constexpr std::size_t kBuffer = 16384;

curl_blob Blob(const std::string& text) {
  // NOCOPY: a thousand watches share one text. libcurl copies what a connection needs beyond the handle's life.
  return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

bool HasBody(const HttpRequest& request) {
  return !request.body.empty() || request.method == "POST" || request.method == "PUT" ||
         request.method == "PATCH";
}

void AddHeader(curl_slist*& list, std::string_view name, std::string_view value) {
  std::string line(name);
  // "Name;" is libcurl's way to send a header without a value; "Name:" would remove it.
  if (value.empty()) {
    line += ';';
  } else {
    line.append(": ").append(value);
  }
  list = curl_slist_append(list, line.c_str());
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

CurlTransfer::~CurlTransfer() {
  if (easy_ != nullptr) curl_easy_cleanup(easy_);
  curl_slist_free_all(header_list_);
  curl_slist_free_all(connect_to_);
}

Result<void> CurlTransfer::Prepare(std::shared_ptr<const TlsMaterial> tls,
                                   std::string authorization) {
  if (easy_ != nullptr) curl_easy_cleanup(easy_);
  curl_slist_free_all(std::exchange(header_list_, nullptr));
  curl_slist_free_all(std::exchange(connect_to_, nullptr));
  tls_ = std::move(tls);
  authorization_ = std::move(authorization);
  started = false;
  repetition_refused_ = false;
  easy_ = curl_easy_init();
  if (easy_ == nullptr)
    return Error(Reason::kTransport, "libcurl cannot make a handle: out of memory");
  const HttpTransportOptions& options = shared_->options;
  const Endpoint& endpoint = shared_->endpoint;

  const bool rename = endpoint.tls && !options.tls.server_name.empty();
  const std::string url = (endpoint.tls ? "https://" : "http://") +
                          (rename ? options.tls.server_name : endpoint.Bracketed()) + ":" +
                          endpoint.port + endpoint.prefix + request_.target;
  curl_easy_setopt(easy_, CURLOPT_URL, url.c_str());
  if (rename) {
    const std::string to = options.tls.server_name + ":" + endpoint.port + ":" +
                           endpoint.Bracketed() + ":" + endpoint.port;
    connect_to_ = curl_slist_append(nullptr, to.c_str());
    curl_easy_setopt(easy_, CURLOPT_CONNECT_TO, connect_to_);
  }
  curl_easy_setopt(easy_, CURLOPT_PATH_AS_IS, 1L);
  curl_easy_setopt(easy_, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy_, CURLOPT_QUICK_EXIT,
                   1L);  // else removing a handle waits for its getaddrinfo
  curl_easy_setopt(easy_, CURLOPT_FOLLOWLOCATION, 0L);
  curl_easy_setopt(easy_, CURLOPT_HTTP_CONTENT_DECODING, 0L);
  curl_easy_setopt(easy_, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  curl_easy_setopt(
      easy_, CURLOPT_HTTP_VERSION,
      options.disable_http2 || !endpoint.tls ? CURL_HTTP_VERSION_1_1 : CURL_HTTP_VERSION_2TLS);
  curl_easy_setopt(easy_, CURLOPT_PIPEWAIT, 1L);
  buffer_size_ = request_.pool == ConnectionPool::kWatch ? kWatchBuffer : kBuffer;
  curl_easy_setopt(easy_, CURLOPT_BUFFERSIZE, static_cast<long>(buffer_size_));
  curl_easy_setopt(easy_, CURLOPT_UPLOAD_BUFFERSIZE, static_cast<long>(kBuffer));
  using std::chrono::duration_cast;
  using std::chrono::milliseconds;
  curl_easy_setopt(easy_, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(duration_cast<milliseconds>(options.connect_timeout).count()));
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPALIVE, 1L);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPIDLE, 30L);
  curl_easy_setopt(easy_, CURLOPT_TCP_KEEPINTVL, 10L);

  if (!options.proxy_url.empty()) {
    // Go hands the name to a SOCKS proxy; in libcurl that is socks5h.
    std::string proxy = options.proxy_url;
    if (proxy.rfind("socks5://", 0) == 0) proxy.insert(6, "h");
    curl_easy_setopt(easy_, CURLOPT_PROXY, proxy.c_str());
    curl_easy_setopt(easy_, CURLOPT_NOPROXY, "");
  } else if (!options.use_environment_proxy || endpoint.loopback) {
    curl_easy_setopt(easy_, CURLOPT_PROXY, "");
  }

  if (endpoint.tls) {
    curl_easy_setopt(easy_, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
    if (options.tls.insecure_skip_verify) {
      curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYPEER, 0L);
      curl_easy_setopt(easy_, CURLOPT_SSL_VERIFYHOST, 0L);
    }
    if (!tls_->ca.empty()) {
      curl_blob ca = Blob(tls_->ca);
      curl_easy_setopt(easy_, CURLOPT_CAINFO_BLOB, &ca);
      curl_easy_setopt(easy_, CURLOPT_CAPATH, nullptr);  // only that CA, not the system's too
    }
    if (!tls_->cert.empty()) {
      curl_blob cert = Blob(tls_->cert);
      curl_blob key = Blob(tls_->key);
      curl_easy_setopt(easy_, CURLOPT_SSLCERT_BLOB, &cert);
      curl_easy_setopt(easy_, CURLOPT_SSLKEY_BLOB, &key);
      curl_easy_setopt(easy_, CURLOPT_SSLCERTTYPE, "PEM");
      curl_easy_setopt(easy_, CURLOPT_SSLKEYTYPE, "PEM");
    }
  }

  if (request_.method == "HEAD") {
    curl_easy_setopt(easy_, CURLOPT_NOBODY, 1L);
  } else if (HasBody(request_)) {
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request_.body.size()));
    curl_easy_setopt(easy_, CURLOPT_POSTFIELDS, request_.body.data());
    curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    header_list_ = curl_slist_append(header_list_, "Expect:");
    if (!request_.headers.Has("Content-Type")) {
      header_list_ = curl_slist_append(header_list_, "Content-Type:");
    }
  } else {
    curl_easy_setopt(easy_, CURLOPT_HTTPGET, 1L);
    if (request_.method != "GET") {
      curl_easy_setopt(easy_, CURLOPT_CUSTOMREQUEST, request_.method.c_str());
    }
  }
  for (const auto& [name, value] : request_.headers) AddHeader(header_list_, name, value);
  for (const auto& [name, value] : options.headers) {
    if (!request_.headers.Has(name)) AddHeader(header_list_, name, value);
  }
  if (!authorization_.empty() && !request_.headers.Has("Authorization")) {
    AddHeader(header_list_, "Authorization", authorization_);
  }
  if (rename) AddHeader(header_list_, "Host", endpoint.authority);
  if (!options.user_agent.empty() && !request_.headers.Has("User-Agent")) {
    curl_easy_setopt(easy_, CURLOPT_USERAGENT, options.user_agent.c_str());
  }
  curl_easy_setopt(easy_, CURLOPT_HTTPHEADER, header_list_);

  error_text_[0] = '\0';
  curl_easy_setopt(easy_, CURLOPT_ERRORBUFFER, error_text_.data());
  curl_easy_setopt(easy_, CURLOPT_PRIVATE, this);
  curl_easy_setopt(easy_, CURLOPT_HEADERFUNCTION, &CurlTransfer::OnHeaderLine);
  curl_easy_setopt(easy_, CURLOPT_HEADERDATA, this);
  curl_easy_setopt(easy_, CURLOPT_WRITEFUNCTION, &CurlTransfer::OnBody);
  curl_easy_setopt(easy_, CURLOPT_WRITEDATA, this);
  curl_easy_setopt(easy_, CURLOPT_PREREQFUNCTION, &CurlTransfer::OnConnected);
  curl_easy_setopt(easy_, CURLOPT_PREREQDATA, this);
  return {};
}

// libcurl sends a request again, whatever its method, when the connection that it used before breaks without an answer. A write
// may then be done twice, so its caller has to hear.
bool CurlTransfer::MayBeSentTwice() const {
  return request_.method == "GET" || request_.method == "HEAD";
}

void CurlTransfer::Silence() {
  receiver_ = nullptr;
  deadline.Cancel();
}

void CurlTransfer::Done(Result<void> result) {
  if (receiver_ == nullptr) return;
  ResponseReceiver* receiver = std::exchange(receiver_, nullptr);
  deadline.Cancel();
  receiver->OnDone(std::move(result));
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
  CurlFailure failure{.code = code, .detail = error_text_.data(), .headers_seen = headers_done_};
  // libcurl takes a head that breaks off for a complete response.
  if (code == CURLE_OK) failure.detail = "it closed in the middle of the head";
  if (repetition_refused_) {
    failure.detail = "it closed without an answer; the server may have done what was asked";
  }
  curl_easy_getinfo(easy_, CURLINFO_OS_ERRNO, &failure.os_error);
  failure.through_proxy = !shared_->options.proxy_url.empty();
  return FromCurl(failure, server);
}

std::size_t CurlTransfer::OnHeaderLine(char* data, std::size_t size, std::size_t count,
                                       void* self) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  return transfer->HeaderLine({data, size * count}) ? size * count : CURL_WRITEFUNC_ERROR;
}

std::size_t CurlTransfer::OnBody(char* data, std::size_t size, std::size_t count, void* self) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  return transfer->Body({data, size * count}) ? size * count : CURL_WRITEFUNC_ERROR;
}

int CurlTransfer::OnConnected(void* self, char*, char*, int, int) {
  auto* transfer = static_cast<CurlTransfer*>(self);
  if (transfer->started && !transfer->MayBeSentTwice()) {
    transfer->repetition_refused_ = true;
    return CURL_PREREQFUNC_ABORT;
  }
  bool http2 = false;
  curl_tlssessioninfo* session = nullptr;
  if (transfer->shared_->endpoint.tls &&
      curl_easy_getinfo(transfer->easy_, CURLINFO_TLS_SSL_PTR, &session) == CURLE_OK &&
      session != nullptr && session->backend == CURLSSLBACKEND_OPENSSL &&
      session->internals != nullptr) {
    const unsigned char* name = nullptr;
    unsigned size = 0;
    SSL_get0_alpn_selected(static_cast<SSL*>(session->internals), &name, &size);
    http2 = size == 2 && name[0] == 'h' && name[1] == '2';
  }
  transfer->started = true;
  if (transfer->lane != nullptr) transfer->lane->OnStarted(*transfer, http2);
  return transfer->done() ? CURL_PREREQFUNC_ABORT : CURL_PREREQFUNC_OK;
}

bool CurlTransfer::HeaderLine(std::string_view line) {
  if (receiver_ == nullptr) return false;
  shared_->stats.bytes_received += line.size();
  if (headers_done_) return true;  // trailers
  if (line.rfind("HTTP/", 0) == 0) {
    status_ = 0;
    headers_ = HttpHeaders();
    const auto space = line.find(' ');
    if (space != std::string_view::npos) {
      std::from_chars(line.data() + space + 1, line.data() + line.size(), status_);
    }
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
  if (status_ < 200) return true;  // 1xx: the answer proper follows
  headers_done_ = true;
  const std::string_view encoding = headers_.Get("Content-Encoding");
  if (encoding == "gzip" || encoding == "x-gzip") {
    if (request_.method != "HEAD" && status_ != 204 && status_ != 304) inflater_.emplace();
  } else if (!encoding.empty() && encoding != "identity") {
    error_ = Error(Reason::kDecode, "the response has Content-Encoding " + std::string(encoding) +
                                        ", which nobody asked for");
    return false;
  }
  if (status_ == 401 && shared_->options.credentials != nullptr && !authorization_.empty()) {
    shared_->options.credentials->Rejected(authorization_);
  }
  const HttpHeaders headers = std::exchange(headers_, HttpHeaders());
  if (lane != nullptr) lane->OnAnswer();
  receiver_->OnHeaders(status_, headers);
  return receiver_ != nullptr;
}

bool CurlTransfer::Body(std::string_view data) {
  if (receiver_ == nullptr) return false;
  shared_->stats.bytes_received += data.size();
  if (lane != nullptr && data.size() >= buffer_size_) lane->OnFullBuffer();
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

}  // namespace kinformer::internal

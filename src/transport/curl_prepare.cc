// CurlTransfer::Prepare: how a request is put into a handle of libcurl.

#include <algorithm>
#include <chrono>
#include <openssl/ssl.h>
#include <string>
#include <string_view>
#include <utility>

#include "base/core/printable.h"
#include "transport/curl_lane.h"
#include "transport/curl_transfer.h"

namespace kinformer::internal::transport {
namespace {

constexpr std::size_t kWatchBuffer = 4096;
constexpr std::size_t kBuffer = 16384;
constexpr std::size_t kOwnHead = 2048;  // in a request: room for the headers that libcurl adds

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

}  // namespace

Result<void> CurlTransfer::Prepare(std::shared_ptr<const TlsMaterial> tls,
                                   std::string authorization) {
  authorization_ = std::move(authorization);
  started = false;
  connecting_since.reset();
  handshake_since.reset();
  socket = -1;
  wants_dial = has_dialed = false;
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

}  // namespace kinformer::internal::transport

#include "transport/plain_exchange.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <curl/curl.h>
#include <memory>
#include <openssl/ssl.h>

#include "kinformer/client/http_transport.h"

#include "transport/curl_error.h"
#include "transport/endpoint.h"
#include "transport/proxy.h"

namespace kinformer::internal::transport {

namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;

struct Free {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

std::size_t Take(char* data, std::size_t size, std::size_t count, void* body) {
  auto& text = *static_cast<std::string*>(body);
  if (text.size() + size * count > kMostBytes) return 0;
  text.append(data, size * count);
  return size * count;
}

// libcurl calls it about once in a second, and for each piece of data.
int Look(void* stop, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  return static_cast<const std::stop_token*>(stop)->stop_requested() ? 1 : 0;
}

// Keeps libcurl from writing the keys of the connection to the file in SSLKEYLOGFILE.
CURLcode NoKeyLog(CURL*, void* context, void*) {
  SSL_CTX_set_keylog_callback(static_cast<SSL_CTX*>(context), nullptr);
  return CURLE_OK;
}

void SetSecurity(CURL* easy, const PlainRequest& request) {
  curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "https");
  curl_easy_setopt(easy, CURLOPT_REDIR_PROTOCOLS_STR, "https");
  curl_easy_setopt(easy, CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2);
  curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, &NoKeyLog);
  if (request.ca_pem.empty()) return;
  curl_blob ca{const_cast<char*>(request.ca_pem.data()), request.ca_pem.size(), CURL_BLOB_NOCOPY};
  curl_easy_setopt(easy, CURLOPT_CAINFO_BLOB, &ca);
  curl_easy_setopt(easy, CURLOPT_CAPATH, nullptr);
}

void SetBody(CURL* easy, const PlainRequest& request) {
  if (request.form.empty()) {
    // A form goes to the server that it is for, and to no other.
    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(easy, CURLOPT_MAXREDIRS, 10L);
    return;
  }
  curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.form.size()));
  curl_easy_setopt(easy, CURLOPT_POSTFIELDS, request.form.data());
}

}  // namespace

Result<PlainAnswer> ExchangePlainly(const PlainRequest& request, const std::stop_token& stop) {
  const auto endpoint = ParseEndpoint(request.url);
  if (!endpoint) return endpoint.error();
  const std::string server = "https://" + endpoint->authority;
  if (!endpoint->tls) {
    return Error(Reason::kConfig, "http://" + endpoint->authority +
                                      ": secrets are sent over https:// only; correct the URL");
  }
  const auto proxy = ProxyFor(*endpoint, HttpTransportOptions(), ProxyEnvironment::OfProcess());
  if (!proxy) return proxy.error();
  const std::unique_ptr<CURL, Free> easy(curl_easy_init());
  std::unique_ptr<curl_slist, Free> headers(curl_slist_append(nullptr, "Accept: application/json"));
  if (easy == nullptr || headers == nullptr) {
    return Error(Reason::kTransport, "libcurl cannot make a handle: out of memory");
  }
  if (!request.authorization.empty()) {
    const std::string line = "Authorization: " + request.authorization;
    headers.reset(curl_slist_append(headers.release(), line.c_str()));
  }
  PlainAnswer answer;
  std::array<char, CURL_ERROR_SIZE> text{};
  using std::chrono::milliseconds;
  const auto limit = std::chrono::duration_cast<milliseconds>(Duration(request.timeout));
  curl_easy_setopt(easy.get(), CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(easy.get(), CURLOPT_HTTPHEADER, headers.get());
  curl_easy_setopt(easy.get(), CURLOPT_PROXY, proxy->c_str());
  curl_easy_setopt(easy.get(), CURLOPT_NOPROXY, "");
  curl_easy_setopt(easy.get(), CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_QUICK_EXIT, 1L);
  curl_easy_setopt(easy.get(), CURLOPT_TIMEOUT_MS, static_cast<long>(limit.count()));
  curl_easy_setopt(easy.get(), CURLOPT_ERRORBUFFER, text.data());
  curl_easy_setopt(easy.get(), CURLOPT_WRITEFUNCTION, &Take);
  curl_easy_setopt(easy.get(), CURLOPT_WRITEDATA, &answer.body);
  curl_easy_setopt(easy.get(), CURLOPT_NOPROGRESS, 0L);
  curl_easy_setopt(easy.get(), CURLOPT_XFERINFOFUNCTION, &Look);
  curl_easy_setopt(easy.get(), CURLOPT_XFERINFODATA, &stop);
  SetSecurity(easy.get(), request);
  SetBody(easy.get(), request);
  const CURLcode code = curl_easy_perform(easy.get());
  if (code == CURLE_OK) {
    long status = 0;
    curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
    answer.status = static_cast<int>(status);
    return answer;
  }
  const std::string detail = text[0] == '\0' ? curl_easy_strerror(code) : text.data();
  switch (code) {
    case CURLE_ABORTED_BY_CALLBACK:
      return Error(Reason::kStopped, server + ": stopped before it had answered");
    case CURLE_OPERATION_TIMEDOUT:
      return Error(Reason::kTransport, server + ": no answer in time: " + detail);
    case CURLE_PEER_FAILED_VERIFICATION:
      return Error(Reason::kTransport, server + ": its certificate is not accepted: " + detail);
    case CURLE_WRITE_ERROR:
      return Error(Reason::kTransport, server + ": its answer is larger than 1 MiB");
    default:
      break;
  }
  CurlFailure failure{.code = code, .detail = detail};
  curl_easy_getinfo(easy.get(), CURLINFO_OS_ERRNO, &failure.os_error);
  failure.through_proxy = !proxy->empty();
  return FromCurl(failure, server);
}

}  // namespace kinformer::internal::transport

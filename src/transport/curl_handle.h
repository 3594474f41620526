// transport/curl_handle.h
//
// CurlHandle: libcurl's handle of one exchange. CurlHandles: handles that wait for another one.

#ifndef KINFORMER_TRANSPORT_CURL_HANDLE_H_
#define KINFORMER_TRANSPORT_CURL_HANDLE_H_

#include <cstddef>
#include <curl/curl.h>
#include <memory>
#include <string>
#include <vector>

#include "kinformer/client/transport.h"

#include "transport/tls_material.h"

namespace kinformer::internal::transport {

struct CurlFree {
  void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
  void operator()(CURLU* url) const { curl_url_cleanup(url); }
};
using CurlList = std::unique_ptr<curl_slist, CurlFree>;

// A handle, what its options point to, and what they depend on.
struct CurlHandle {
  ConnectionPool pool{};
  std::shared_ptr<const TlsMaterial> tls{};
  HttpHeaders headers{};        // of the request, without those that every one has
  std::string authorization{};  // the header's value
  CurlList header_list{};
  std::size_t headers_size = 0;
  CurlList connect_to{};
  CurlList resolved{};
  std::unique_ptr<CURLU, CurlFree> url{};  // with the target of its last request
  std::unique_ptr<CURL, CurlFree> easy{};
};

// Handles of exchanges that have succeeded. A new handle with all of its options takes longer than
// a kept one: about a fifteenth of a small request. Loop-confined.
class CurlHandles {
 public:
  // Returns a handle with these options, or one with no `easy`.
  CurlHandle Take(ConnectionPool pool, const std::shared_ptr<const TlsMaterial>& tls);
  // Keeps a handle, whose exchange had no other options than any GET of its pool.
  void Keep(CurlHandle handle);
  void Clear() { kept_.clear(); }
  [[nodiscard]] std::size_t size() const { return kept_.size(); }

 private:
  std::vector<CurlHandle> kept_;
};

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CURL_HANDLE_H_

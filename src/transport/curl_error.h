// transport/curl_error.h
//
// Converts a result code of libcurl to an Error for the caller: a Reason, and a message that names
// the server and the remedy.

#ifndef KINFORMER_TRANSPORT_CURL_ERROR_H_
#define KINFORMER_TRANSPORT_CURL_ERROR_H_

#include <string>

#include "kinformer/base/error.h"

namespace kinformer::internal::transport {

struct CurlFailure {
  int code = 0;               // CURLcode
  long os_error = 0;          // errno of the connect or the read
  std::string detail;         // CURLOPT_ERRORBUFFER
  bool headers_seen = false;  // a response had begun
  bool through_proxy = false;
};

// `server`: "https://host:port".
Error FromCurl(const CurlFailure& failure, const std::string& server);

}  // namespace kinformer::internal::transport

#endif  // KINFORMER_TRANSPORT_CURL_ERROR_H_

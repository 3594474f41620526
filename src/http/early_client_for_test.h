// http/early_client_for_test.h
//
// AskEarly: a test client that announces a body but holds it back, and returns the server's early
// answer.

#ifndef KINFORMER_HTTP_EARLY_CLIENT_FOR_TEST_H_
#define KINFORMER_HTTP_EARLY_CLIENT_FOR_TEST_H_

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <curl/curl.h>
#include <string>
#include <unistd.h>
#include <vector>

namespace kinformer::internal::http {

struct Reply {
  CURLcode code = CURLE_OK;
  long status = 0;
  bool http2 = false;
  std::string body{};
  // Time from the established connection, including TLS, to the first byte of the answer.
  std::chrono::milliseconds took{};
};

struct EarlyRequest {
  std::string url{};
  bool http2 = false;
  std::string ca_pem{};                // empty: curl's own trust store
  bool any_certificate = false;        // accepts any server certificate
  std::vector<std::string> headers{};  // header lines
  // Announces a body of that size. The first `sent_bytes` are sent at once, the rest so slowly that
  // it takes hours. 0: GET.
  std::size_t body_bytes = 0;
  std::size_t sent_bytes = 0;
};

namespace early_client {

struct Body {
  std::size_t left = 0;
  bool ends = false;
  const std::string* answer = nullptr;
  int since_answer = 0;  // pieces sent since then
};

inline std::size_t Append(char* data, std::size_t size, std::size_t count, void* to) {
  static_cast<std::string*>(to)->append(data, size * count);
  return size * count;
}

inline std::size_t Give(char* to, std::size_t size, std::size_t count, void* self) {
  auto& body = *static_cast<Body*>(self);
  if (body.left == 0) {
    if (body.ends) return 0;
    // After a successful answer, curl would continue to send over HTTP/2 while there is data.
    if (!body.answer->empty() && ++body.since_answer > 20) return CURL_READFUNC_ABORT;
    // Sends about a byte every 5 ms: while paused, curl would not see the answer.
    ::usleep(5000);
    *to = 'b';
    return 1;
  }
  const std::size_t some = std::min(body.left, size * count);
  std::fill_n(to, some, 'b');
  body.left -= some;
  return some;
}

}  // namespace early_client

// Uses a connection of its own; gives up after ten seconds. Blocks.
inline Reply AskEarly(EarlyRequest request) {
  CURL* const curl = curl_easy_init();
  Reply reply;
  curl_easy_setopt(curl, CURLOPT_URL, request.url.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTP_VERSION,
                   request.http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &early_client::Append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &reply.body);
  curl_easy_setopt(curl, CURLOPT_PROXY, "");
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 10L);
  if (request.any_certificate) curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
  if (!request.ca_pem.empty()) {
    curl_blob blob{request.ca_pem.data(), request.ca_pem.size(), CURL_BLOB_COPY};
    curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &blob);
  }
  curl_slist* headers = curl_slist_append(nullptr, "Expect:");
  for (const std::string& line : request.headers)
    headers = curl_slist_append(headers, line.c_str());
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
  early_client::Body body{.left = request.sent_bytes,
                          .ends = request.sent_bytes == request.body_bytes,
                          .answer = &reply.body};
  if (request.body_bytes > 0) {
    curl_easy_setopt(curl, CURLOPT_POST, 1L);
    curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
                     static_cast<curl_off_t>(request.body_bytes));
    curl_easy_setopt(curl, CURLOPT_READFUNCTION, &early_client::Give);
    curl_easy_setopt(curl, CURLOPT_READDATA, &body);
  }
  reply.code = curl_easy_perform(curl);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &reply.status);
  curl_off_t there = 0;
  curl_off_t answered = 0;
  curl_easy_getinfo(curl, CURLINFO_PRETRANSFER_TIME_T, &there);
  curl_easy_getinfo(curl, CURLINFO_STARTTRANSFER_TIME_T, &answered);
  reply.took = std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::microseconds(std::max<curl_off_t>(answered - there, 0)));
  long version = 0;
  curl_easy_getinfo(curl, CURLINFO_HTTP_VERSION, &version);
  reply.http2 = version == CURL_HTTP_VERSION_2_0;
  curl_slist_free_all(headers);
  curl_easy_cleanup(curl);
  return reply;
}

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_EARLY_CLIENT_FOR_TEST_H_

// The error suggests the other scheme for a URL in any form.

#include "transport/curl_error.h"

#include <curl/curl.h>
#include <gtest/gtest.h>
#include <string>

namespace kinformer::internal::transport {
namespace {

std::string Says(int code, const std::string& detail, const std::string& server) {
  return FromCurl({.code = code, .detail = detail}, server).message();
}

TEST(CurlErrorTest, AServerThatSpeaksTheOtherScheme_IsNamedByItsRightUrl) {
  struct Row {
    int code;
    const char* detail;
    const char* server;
    const char* says;  // "": no URL
  };
  for (const Row& row : {
           Row{CURLE_WEIRD_SERVER_REPLY, "x", "http://h:1", "its URL is https://h:1 ("},
           Row{CURLE_WEIRD_SERVER_REPLY, "x", "HTTP://h:1/p", "its URL is https://h:1/p ("},
           Row{CURLE_GOT_NOTHING, "x", "Http://h:1", "its URL is https://h:1 ("},
           Row{CURLE_WEIRD_SERVER_REPLY, "x", "https://h:1", ""},
           Row{CURLE_SSL_CONNECT_ERROR, "wrong version number", "https://h:1",
               "its URL is http://h:1 ("},
           Row{CURLE_SSL_CONNECT_ERROR, "http request", "HTTPS://[::1]:1",
               "its URL is http://[::1]:1 ("},
           Row{CURLE_SSL_CONNECT_ERROR, "wrong version number", "h:1", "its URL is h:1 ("},
       }) {
    const std::string message = Says(row.code, row.detail, row.server);
    const std::string says = row.says;
    EXPECT_EQ(message.find("its URL is") != std::string::npos, !says.empty()) << message;
    EXPECT_NE(message.find(says), std::string::npos) << message;
    EXPECT_EQ(message.rfind(std::string(row.server) + ": ", 0), 0U) << message;
  }
}

}  // namespace
}  // namespace kinformer::internal::transport

// base/text/url.h
//
// Splits URLs into their parts, in the same way for servers, proxies and webhooks.

#ifndef KINFORMER_BASE_TEXT_URL_H_
#define KINFORMER_BASE_TEXT_URL_H_

#include <optional>
#include <string>
#include <string_view>

#include "kinformer/base/result.h"

namespace kinformer::internal::base {

struct Url {
  std::string scheme{};    // in lower case; empty if the text has none
  std::string user{};      // "user:password", without the '@'
  std::string host{};      // as written, with a port and brackets
  std::string path{};      // empty, or from its '/' on
  std::string query{};     // without the '?'
  std::string fragment{};  // without the '#'

  [[nodiscard]] bool https() const { return scheme == "https"; }
  // Returns "scheme://user@host/path?query#fragment" without the missing parts.
  [[nodiscard]] std::string ToString() const;
};

// Splits `text` without validating the parts. A text without "://" behind a scheme is a host and
// the parts behind it.
[[nodiscard]] Url SplitUrl(std::string_view text);

// Like SplitUrl, but accepts only URLs that Go's net/url accepts: no blank before the scheme or
// inside the host, no control character, a scheme of letters, digits, '+', '-' and '.'. The error,
// kConfig, begins with `what` ("server") and quotes the URL without a possible password.
[[nodiscard]] Result<Url> ParseUrl(std::string_view text, const std::string& what);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_URL_H_

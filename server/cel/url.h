// cel/url.h
//
// URLs, as Go's package net/url reads them.

#ifndef KINFORMER_CEL_URL_H_
#define KINFORMER_CEL_URL_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"

namespace kinformer::internal::cel {

// A URI in its parts, as a server writes it.
struct Url {
  std::string text{};
  std::string scheme{};
  std::string host{};  // with brackets and port
  std::string path{};
  std::string query{};
};

// Reads an absolute URI or an absolute path. Errors are Go's: "parse "a b": invalid URI for
// request".
Result<Url> ParseUrl(std::string_view text);

struct HostAndPort {
  std::string name{};
  std::string port{};
};
// Splits "host:80", without the brackets of an address.
HostAndPort SplitHost(const std::string& host);

// Replaces '+' and escapes in a part of a query; false if an escape is none.
bool UnescapeQuery(std::string_view text, std::string& out);

}  // namespace kinformer::internal::cel

#endif  // KINFORMER_CEL_URL_H_

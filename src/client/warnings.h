// client/warnings.h
//
// Warning headers: messages of the server for people, about a deprecated API version or an unknown
// field, for example.

#ifndef KINFORMER_CLIENT_WARNINGS_H_
#define KINFORMER_CLIENT_WARNINGS_H_

#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::client {

// One warning of RFC 2616: `299 - "text"`.
struct Warning {
  int code = 0;
  std::string agent{};
  std::string text{};
};

// Parses a header value. Stops at the first malformed warning, and returns those before it.
std::vector<Warning> ParseWarningHeader(std::string_view value);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_WARNINGS_H_

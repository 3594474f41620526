// client/warnings.h
//
// Warning headers: what the server wants people to know about a request (a deprecated API version,
// an unknown field).

#ifndef KINFORMER_CLIENT_WARNINGS_H_
#define KINFORMER_CLIENT_WARNINGS_H_

#include <string>
#include <string_view>
#include <vector>

namespace kinformer::internal::client {

// One warn-value of RFC 2616: `299 - "text"`.
struct Warning {
  int code = 0;
  std::string agent{};
  std::string text{};
};

// The warnings of one header value. Stops at the first that does not parse; those before it count.
std::vector<Warning> ParseWarningHeader(std::string_view value);

}  // namespace kinformer::internal::client

#endif  // KINFORMER_CLIENT_WARNINGS_H_

// http/host_header.h
//
// Parsing and validation of Host headers.

#ifndef KINFORMER_HTTP_HOST_HEADER_H_
#define KINFORMER_HTTP_HOST_HEADER_H_

#include <optional>
#include <string_view>

#include "kinformer/client/transport.h"

namespace kinformer::internal::http {

// Returns the name or address in "name", "name:port", "[address]:port"; nullopt if malformed.
std::optional<std::string_view> HostName(std::string_view host);

// Returns the problem of a request's Host headers; empty if there is none. HTTP/1.1 requires
// exactly one (`required`); HTTP/1.0 may have none.
std::string_view HostProblem(const HttpHeaders& headers, bool required);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HOST_HEADER_H_

// http/host_header.h
//
// Host: what a client believes it talks to.

#ifndef KINFORMER_HTTP_HOST_HEADER_H_
#define KINFORMER_HTTP_HOST_HEADER_H_

#include <optional>
#include <string_view>

#include "kinformer/transport.h"

namespace kinformer::internal::http {

// The name or address in "name", "name:port", "[address]:port"; none: it is nothing of the kind.
std::optional<std::string_view> HostName(std::string_view host);

// Why the Host fields of a request cannot be understood; empty: they can. HTTP/1.1 has exactly one
// (`required`); HTTP/1.0 may have none.
std::string_view HostProblem(const HttpHeaders& headers, bool required);

}  // namespace kinformer::internal::http

#endif  // KINFORMER_HTTP_HOST_HEADER_H_

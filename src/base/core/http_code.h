// base/core/http_code.h
//
// Which HTTP status goes with an Error that becomes an answer.

#ifndef KINFORMER_BASE_CORE_HTTP_CODE_H_
#define KINFORMER_BASE_CORE_HTTP_CODE_H_

#include "kinformer/error.h"

namespace kinformer::internal::base {

// The error's own where it has one, else its reason's; 500 for reasons that are not of the API.
[[nodiscard]] int HttpCode(const Error& error);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_HTTP_CODE_H_

// base/core/http_code.h
//
// HTTP status for an Error that is sent as an answer.

#ifndef KINFORMER_BASE_CORE_HTTP_CODE_H_
#define KINFORMER_BASE_CORE_HTTP_CODE_H_

#include "kinformer/base/error.h"

namespace kinformer::internal::base {

// Returns the error's own code, or the code of its reason; 500 for reasons outside the API.
[[nodiscard]] int HttpCode(const Error& error);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_HTTP_CODE_H_

#include "base/core/http_code.h"

namespace kinformer::internal::base {

int HttpCode(const Error& error) {
  if (error.http_status() != 0) return error.http_status();
  switch (error.reason()) {
    case Reason::kBadRequest:
    case Reason::kInvalidArgument:
    case Reason::kDecode:
      return 400;
    case Reason::kUnauthorized:
      return 401;
    case Reason::kForbidden:
      return 403;
    case Reason::kNotFound:
      return 404;
    case Reason::kMethodNotAllowed:
      return 405;
    case Reason::kNotAcceptable:
      return 406;
    case Reason::kAlreadyExists:
    case Reason::kConflict:
      return 409;
    case Reason::kGone:
    case Reason::kExpired:
      return 410;
    case Reason::kRequestEntityTooLarge:
      return 413;
    case Reason::kUnsupportedMediaType:
      return 415;
    case Reason::kInvalid:
      return 422;
    case Reason::kTooManyRequests:
      return 429;
    case Reason::kServiceUnavailable:
      return 503;
    case Reason::kTimeout:
      return 504;
    default:
      return 500;
  }
}

}  // namespace kinformer::internal::base

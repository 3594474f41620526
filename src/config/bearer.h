// config/bearer.h
//
// BearerOf: makes the value of an Authorization header from a user's token.

#ifndef KINFORMER_CONFIG_BEARER_H_
#define KINFORMER_CONFIG_BEARER_H_

#include <string>
#include <string_view>

#include "kinformer/result.h"

namespace kinformer::internal::config {

// "Bearer " and the token without blanks and line ends around it. kConfig, beginning with `place`
// and never with a part of the token: it is empty, or has a control character in it, as a line
// break, with which it would add headers of its own.
Result<std::string> BearerOf(std::string_view token, const std::string& place);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_BEARER_H_

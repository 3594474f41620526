// config/bearer.h
//
// BearerOf: makes the value of an Authorization header from a user's token.

#ifndef KINFORMER_CONFIG_BEARER_H_
#define KINFORMER_CONFIG_BEARER_H_

#include <string>
#include <string_view>

#include "kinformer/base/result.h"

namespace kinformer::internal::config {

// Returns "Bearer " and the token without surrounding blanks and line ends. kConfig, with a text
// that begins with `place` and never contains a part of the token, if the token is empty or
// contains a control character, such as a line break, which could add headers.
Result<std::string> BearerOf(std::string_view token, const std::string& place);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_BEARER_H_

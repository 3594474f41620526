// config/jwt.h

#ifndef KINFORMER_CONFIG_JWT_H_
#define KINFORMER_CONFIG_JWT_H_

#include <optional>
#include <string_view>

#include "kinformer/env.h"

namespace kinformer::internal::config {

// When a JSON Web Token says that it expires ("exp"); none: it does not, or is no such token. Its
// signature is the server's business.
std::optional<WallTime> JwtExpiry(std::string_view token);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_JWT_H_

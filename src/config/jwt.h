// config/jwt.h

#ifndef KINFORMER_CONFIG_JWT_H_
#define KINFORMER_CONFIG_JWT_H_

#include <optional>
#include <string_view>

#include "kinformer/base/env.h"

namespace kinformer::internal::config {

// Returns the expiry ("exp") of a JSON Web Token, or nullopt if it has none or is not such a token.
// Does not verify the signature.
std::optional<WallTime> JwtExpiry(std::string_view token);

}  // namespace kinformer::internal::config

#endif  // KINFORMER_CONFIG_JWT_H_

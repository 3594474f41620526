// base/text/uuid.h

#ifndef KINFORMER_BASE_TEXT_UUID_H_
#define KINFORMER_BASE_TEXT_UUID_H_

#include <string>

#include "kinformer/env.h"

namespace kinformer::internal::base {

// A random UUID (version 4), drawn from the Env's randomness.
[[nodiscard]] std::string NewUuid(Env& env);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_UUID_H_

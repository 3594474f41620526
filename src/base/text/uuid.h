// base/text/uuid.h

#ifndef KINFORMER_BASE_TEXT_UUID_H_
#define KINFORMER_BASE_TEXT_UUID_H_

#include <string>

#include "kinformer/base/env.h"

namespace kinformer::internal::base {

// Returns a random UUID (version 4), from the Env's random numbers.
[[nodiscard]] std::string NewUuid(Env& env);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_UUID_H_

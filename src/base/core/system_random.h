// base/core/system_random.h

#ifndef KINFORMER_BASE_CORE_SYSTEM_RANDOM_H_
#define KINFORMER_BASE_CORE_SYSTEM_RANDOM_H_

#include <cstdint>

namespace kinformer::internal::base {

// Returns 64 random bits of the kernel, good enough for keys. Reads no file: std::random_device of
// libc++ needs /dev/urandom, which an empty root does not have. Throws std::system_error if the
// kernel has none to give. Thread-safe. Code with an Env takes Env::Random, except for keys and for
// seeds that nobody may guess.
std::uint64_t SystemRandom();

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_CORE_SYSTEM_RANDOM_H_

// base/text/hash_bytes.h

#ifndef KINFORMER_BASE_TEXT_HASH_BYTES_H_
#define KINFORMER_BASE_TEXT_HASH_BYTES_H_

#include <cstdint>
#include <string_view>

namespace kinformer::internal::base {

// Hash for tables of this process. The hash depends on the seed, so that nobody can choose names
// that collide.
[[nodiscard]] std::uint64_t HashBytes(std::uint64_t seed, std::string_view bytes);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_HASH_BYTES_H_

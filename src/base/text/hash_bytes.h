// base/text/hash_bytes.h

#ifndef KINFORMER_BASE_TEXT_HASH_BYTES_H_
#define KINFORMER_BASE_TEXT_HASH_BYTES_H_

#include <cstdint>
#include <string_view>

namespace kinformer::internal::base {

// For tables of this process: another seed is another hash, so that nobody who chooses names can
// make them collide.
[[nodiscard]] std::uint64_t HashBytes(std::uint64_t seed, std::string_view bytes);

}  // namespace kinformer::internal::base

#endif  // KINFORMER_BASE_TEXT_HASH_BYTES_H_

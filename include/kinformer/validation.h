// kinformer/validation.h
//
// Validation: how much of an object's bytes is checked when it enters.

#ifndef KINFORMER_VALIDATION_H_
#define KINFORMER_VALIDATION_H_

#include <cstddef>
#include <cstdint>

namespace kinformer {

// Objects of more bytes than this are refused: etcd's own limit is 1.5 MiB by default, and
// aggregated APIs have more. What InformerOptions::max_object_bytes says otherwise.
inline constexpr std::size_t kDefaultMaxObjectBytes = std::size_t{8} << 20;

// Whatever is chosen, no bytes make a read go out of bounds: what is malformed deeper than was
// checked reads as absent and is counted (internal::MalformedReads); if an event handler reads it,
// the log has the object's key. Objects that fail the check are quarantined: the informer goes on
// without them and answers kUnreadable for their keys. docs/decisions/ has the cost.
enum class Validation : std::uint8_t {
  // The root and its direct children (spec, status, metadata); of JSON that is kept, also where
  // values begin and end. The default.
  kShallow,
  kFull,  // all of it against the schema: wire types, UTF-8, nesting of at most 100 messages
};

}  // namespace kinformer

#endif  // KINFORMER_VALIDATION_H_

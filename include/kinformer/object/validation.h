// kinformer/object/validation.h
//
// Validation: depth of the check of an object's bytes on arrival.

#ifndef KINFORMER_OBJECT_VALIDATION_H_
#define KINFORMER_OBJECT_VALIDATION_H_

#include <cstddef>
#include <cstdint>

namespace kinformer {

// Default limit for an object's size, InformerOptions::max_object_bytes. Larger objects are
// refused: etcd's own limit is 1.5 MiB by default, and aggregated APIs have higher ones.
inline constexpr std::size_t kDefaultMaxObjectBytes = std::size_t{8} << 20;

// With each choice, no bytes can make a read go out of bounds: parts that are malformed below the
// checked depth read as absent and are counted (internal::MalformedReads); if an event handler
// reads one, the object's key is logged. Objects that fail the check are quarantined: the informer
// continues without them and returns kUnreadable for their keys. docs/decisions/ has the cost.
enum class Validation : std::uint8_t {
  // Checks the root and its direct children (spec, status, metadata); in JSON that is stored, also
  // where values begin and end. The default.
  kShallow,
  kFull,  // all of it against the schema: wire types, UTF-8, nesting of at most 100 messages
};

}  // namespace kinformer

#endif  // KINFORMER_OBJECT_VALIDATION_H_
